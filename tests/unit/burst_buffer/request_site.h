/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_REQUEST_SITE_H
#define SLU_TESTS_REQUEST_SITE_H

/* A sluice.conf with file systems, against which requests are checked. */

#include "tests/unit/harness.h"
#include "burst_buffer/request/site/fstype.h"
#include "burst_buffer/request/site/pool.h"
#include "burst_buffer/request/request.h"
#include "common/str.h"

static struct slu_conf *site(const char *more)
{
	char text[512];
	struct slu_conf *conf;
	struct slu_err err = {0};

	snprintf(text, sizeof(text),
		 "Database=/d\nDaemonAddr=h:1\nMaxCapacity=1TiB\n%s\n", more);
	conf = slu_conf_parse(text, "test", &err);
	expect(conf, "%s", err.text);
	return conf;
}

#define SITE "FileSystem=tmp Driver=scratch\nFileSystem=glu Driver=glusterfs\n"
#define PROFILES                                                       \
	SITE "Profile=fast type=glu capacity=2GiB nodes=2 shard=16MB " \
	     "coherence=private\n"                                     \
	     "Profile=safe Tolerate=1\n"

#define SHARED	"FileSystem=gek Driver=gekkofs unauthenticated=accept\n"
#define LUSTRE	"FileSystem=l Driver=lustre root=/l\n"
#define PERSIST "PersistentNodes=n1\n"

#endif
