/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_SITE_H
#define SLU_CTL_SITE_H

/*
 * The configuration as the hooks need it: read once, then immutable (but for
 * the predictor, which is safe for one writer and many readers), replaced as a
 * whole when the host reconfigures.
 */

#include <sys/types.h>
#include "common/conf.h"
#include "common/str.h"
#include "job_submit/predict.h"
#include "select_io/ion/patterns.h"

struct slu_site_user {
	uid_t uid;
	char *name;
};

struct slu_site {
	struct slu_conf *conf; /* NULL: the file is bad, see why_not */
	char *why_not;
	struct slu_predictor *predictor; /* NULL with conf */
	/* PerformanceTable; NULL without one, or when it is bad: */
	struct slu_patterns *patterns;
	char *patterns_why_not;
	/* Those AllowUsers and DenyUsers name, also of pools, so that no hook
	 * has to look a user up. */
	struct slu_site_user *user;
	size_t n_user;
	struct slu_buf unknown; /* names of which there is no user */
	/* Who could not be looked up, and why; NULL: all were. The same may be
	 * known a moment later. */
	char *users_why_not;
};

/* Reads files and the user database: not for hooks. NULL only without
 * memory. */
struct slu_site *slu_site_new(const char *conf_path);
void slu_site_free(struct slu_site *site);
/* The name of a user that the configuration names, else NULL. */
const char *slu_site_user(const struct slu_site *site, uid_t uid);

#endif
