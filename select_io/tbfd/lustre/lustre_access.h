/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_TBFD_LUSTRE_ACCESS_H
#define SLU_SELECT_IO_TBFD_LUSTRE_ACCESS_H

/*
 * Interface between the daemon and Lustre: reads statistics and rules, and
 * writes rules. Implemented by files below a root directory, and by the program
 * lctl; a simulator has its own.
 *
 * Reading job_stats with a small buffer can panic a server of Lustre 2.17 (a
 * reference is lost when a read(2) ends early): every read here has room for 64
 * KiB or more.
 */

#include <stdbool.h>
#include "common/err.h"
#include "common/str.h"
#include "sysmap/lustre/jobstats.h"

/* A service of Lustre with a request scheduler of its own. */
struct slu_lustre_service {
	const char *name;  /* "mdt" */
	const char *param; /* "mds.MDS.mdt" */
	const char *kind;  /* of the targets whose job_stats count it: "mdt" */
	bool requests;	   /* of metadata: slu_jobstat's */
};

/* "ost_io", reads and writes of objects; "mdt", metadata but closes and
 * readdir; "mdt_io", reads and writes of Data-on-MDT. SLU_INVALID says why
 * others are none. */
const struct slu_lustre_service *slu_lustre_service(const char *name,
						    struct slu_err *err);

struct slu_lustre {
	const struct slu_lustre_service *service; /* NULL: as ost_io */
	/* job_stats of all targets of the service. *stats is filled anew. */
	int (*job_stats)(struct slu_lustre *lustre, struct slu_jobstats *stats,
			 struct slu_err *err);
	/* nrs_tbf_rule; SLU_NOTFOUND: the policy is not tbf. */
	int (*rules)(struct slu_lustre *lustre, struct slu_buf *out,
		     struct slu_err *err);
	int (*policies)(struct slu_lustre *lustre, struct slu_buf *out,
			struct slu_err *err);
	int (*set_rule)(struct slu_lustre *lustre, const char *command,
			struct slu_err *err);
	int (*set_policy)(struct slu_lustre *lustre, const char *policy,
			  struct slu_err *err);
	void (*free)(struct slu_lustre *lustre);
};

/* Files below root ("/" is this server). */
struct slu_lustre *slu_lustre_files(const char *root,
				    const struct slu_lustre_service *service,
				    struct slu_err *err);
/* The program lctl, or another that speaks like it. */
struct slu_lustre *slu_lustre_lctl(const char *program,
				   const struct slu_lustre_service *service,
				   struct slu_err *err);

/* Add all that fd has, with at least 64 KiB of room for each read(2). */
int slu_lustre_read(int fd, struct slu_buf *out, struct slu_err *err);

#endif
