/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_SITE_H
#define SLU_CTL_SITE_H

/*
 * The configuration as hooks need it ("site"): read once, then immutable
 * (except for the predictor, which is safe for one writer and many readers, and
 * for members that say so), replaced as a whole when slurmctld reconfigures.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "common/conf.h"
#include "common/str.h"
#include "job_submit/predictor/predict.h"
#include "select_io/curves/performance_table.h"

#define SLU_UNASKED (-1)

struct slu_site_user {
	char *name;
	_Atomic int64_t uid; /* by the last answer; -1: none */
	bool logged;	     /* it was logged that there is none */
	/* The result of the last look-up: 0; ENOENT: no such user; SLU_UNASKED
	 * since the file was read; else no answer. */
	atomic_int why_not;
};

/* The users that AllowUsers and DenyUsers name, also those of pools, each once.
 * Looked up beforehand, as hooks cannot. */
struct slu_site_users {
	struct slu_site_user *user;
	size_t n;
	bool sick_logged; /* it was logged that look-ups fail */
};

struct slu_site {
	struct slu_conf *conf; /* NULL: the file is bad, see why_not */
	char *why_not;
	int64_t read;			 /* when it was read, Unix seconds */
	uint64_t hash;			 /* XXH3 of its text */
	struct slu_predictor *predictor; /* NULL with conf */
	/* PerformanceTable; NULL without one, or if it is bad */
	struct slu_patterns *patterns;
	char *patterns_why_not;
	/* Written by users.c only, while hooks read it. */
	struct slu_site_users users;
	/* For each pool, what the components of a heterogeneous job submitted
	 * so far ask for; for the hook, under its host's lock. */
	uint64_t *het_asked;
};

/* Reads files: not for hooks. No user has been looked up yet. NULL only without
 * memory. */
struct slu_site *slu_site_new(const char *conf_path);
void slu_site_free(struct slu_site *site);
/* Stores the result of a look-up; names that the site does not have are
 * ignored. Without an answer the user stays as before. */
void slu_site_answer(struct slu_site *site, const char *name, int why_not,
		     uid_t uid);
/* Users of both sites that were known stay known until they have been looked up
 * again. */
void slu_site_keep_users(struct slu_site *site, const struct slu_site *old);
/* Is there a user who could not be looked up yet, and is not known? */
bool slu_site_users_missing(const struct slu_site *site);
/* The name of a user that the configuration names, else NULL. */
const char *slu_site_user(const struct slu_site *site, uid_t uid);

#endif
