/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_SITE_H
#define SLU_CTL_SITE_H

/*
 * The configuration as the hooks need it: read once, then immutable (but for
 * the predictor, which is safe for one writer and many readers, and for what
 * says so below), replaced as a whole when the host reconfigures.
 */

#include <sys/types.h>
#include "common/conf.h"
#include "common/str.h"
#include "job_submit/predict.h"
#include "select_io/ion/patterns.h"

struct slu_site_user {
	const char *name; /* the configuration's */
	uid_t uid;
	/* 0; ENOENT: there is none; else it has not been answered yet */
	int why_not;
};

/* Those AllowUsers and DenyUsers name, also of pools, each once, so that no
 * hook has to look a user up. */
struct slu_site_users {
	struct slu_site_user *user;
	size_t n;
	/* What the last look-up has found out: names of which there is no
	 * user, */
	struct slu_buf unknown;
	/* and who could not be looked up, and why; NULL: all were. The same
	 * may be known a moment later. */
	char *why_not;
};

struct slu_site {
	struct slu_conf *conf; /* NULL: the file is bad, see why_not */
	char *why_not;
	struct slu_predictor *predictor; /* NULL with conf */
	/* PerformanceTable; NULL without one, or when it is bad: */
	struct slu_patterns *patterns;
	char *patterns_why_not;
	/* Replaced by the one who owns the site, under the lock with which
	 * others read it. */
	struct slu_site_users users;
	/* Of each pool, what those components of a heterogeneous job ask for
	 * that were submitted so far; of the hook, under its host's lock. */
	uint64_t *het_asked;
};

/* Reads files and the user database: not for hooks. NULL only without
 * memory. */
struct slu_site *slu_site_new(const char *conf_path);
void slu_site_free(struct slu_site *site);
/* What site->users should be now: asks for those that it does not know, until
 * one cannot be looked up; the next time begins with another. The names stay
 * the site's. Not for hooks; no file is read. -1 without memory. */
int slu_site_look_up(const struct slu_site *site, struct slu_site_users *users);
void slu_site_users_free(struct slu_site_users *users);
/* The name of a user that the configuration names, else NULL. */
const char *slu_site_user(const struct slu_site *site, uid_t uid);

#endif
