/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_SITE_H
#define SLU_CTL_SITE_H

/*
 * The configuration as the hooks need it: read once, then immutable (but for
 * the predictor, which is safe for one writer and many readers, and for what
 * says so below), replaced as a whole when the host reconfigures.
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
	_Atomic int64_t uid; /* by the last answer that there was; -1: none */
	bool told;	     /* that there is none */
	/* What the last question came to: 0; ENOENT: there is none; SLU_UNASKED
	 * since the file was read; else there was no answer. */
	atomic_int why_not;
};

/* Those AllowUsers and DenyUsers name, also of pools, each once, so that no
 * hook has to look a user up. */
struct slu_site_users {
	struct slu_site_user *user;
	size_t n;
	bool sick_told; /* that some could not be looked up */
};

struct slu_site {
	struct slu_conf *conf; /* NULL: the file is bad, see why_not */
	char *why_not;
	int64_t read;			 /* when it was, Unix seconds */
	struct slu_predictor *predictor; /* NULL with conf */
	/* PerformanceTable; NULL without one, or when it is bad: */
	struct slu_patterns *patterns;
	char *patterns_why_not;
	/* users.c, alone, writes what it learns of them while hooks read it. */
	struct slu_site_users users;
	/* Of each pool, what those components of a heterogeneous job ask for
	 * that were submitted so far; of the hook, under its host's lock. */
	uint64_t *het_asked;
};

/* Reads files: not for hooks. No user has been asked for yet. NULL only without
 * memory. */
struct slu_site *slu_site_new(const char *conf_path);
void slu_site_free(struct slu_site *site);
/* What a question for this user came to; of names that the site does not have,
 * nothing is noted. One without an answer stays what it was. */
void slu_site_answer(struct slu_site *site, const char *name, int why_not,
		     uid_t uid);
/* Of the users that both name, those that were known still are, until they have
 * been asked for. */
void slu_site_know(struct slu_site *site, const struct slu_site *old);
/* Is there anybody who could not be asked for yet, and is not known? */
bool slu_site_users_missing(const struct slu_site *site);
/* The name of a user that the configuration names, else NULL. */
const char *slu_site_user(const struct slu_site *site, uid_t uid);

#endif
