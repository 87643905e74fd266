/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the Lustre services whose requests are counted by job. */
#include "config.h"
#include "select_io/tbfd/lustre/lustre_access.h"

#include <string.h>

static const struct slu_lustre_service services[] = {
	{"ost_io", "ost.OSS.ost_io", "obdfilter", false},
	{"mdt", "mds.MDS.mdt", "mdt", true},
	{"mdt_io", "mds.MDS.mdt_io", "mdt", false},
};

const struct slu_lustre_service *slu_lustre_service(const char *name,
						    struct slu_err *err)
{
	for (size_t i = 0; i < sizeof(services) / sizeof(*services); i++)
		if (strcmp(services[i].name, name) == 0)
			return &services[i];
	if (strncmp(name, "ldlm", 4) == 0)
		slu_err(err, SLU_INVALID,
			"--service %s: Lustre counts no lock requests by job, "
			"and a client whose cancels wait is evicted; write "
			"ost_io, mdt or mdt_io",
			name);
	else
		slu_err(err, SLU_INVALID,
			"--service %s: write ost_io, mdt or mdt_io, whose "
			"requests Lustre counts by job",
			name);
	return NULL;
}
