/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_POOL_H
#define SLU_BURST_POOL_H

/* Finds the pool of storage (Pool= in sluice.conf) in which a request is
 * counted, and checks what that pool allows: tier, size, users and accounts. */

#include "burst_buffer/request/request.h"

/* Pool number i, from 0, of a file system, in the order of its line; NULL: it
 * has no more than i. */
const struct slu_pool_conf *slu_pool_nth(const struct slu_conf *conf,
					 const struct slu_fs_conf *fs,
					 size_t i);
/* The first pool of a file system: the one in its line, else the first one for
 * data in the nodes' storage. NULL: it is counted in none. */
const struct slu_pool_conf *slu_pool_of(const struct slu_conf *conf,
					const struct slu_fs_conf *fs);
/* Has the request's profile storage=, one directory, which is of no tier? */
bool slu_profile_places(const struct slu_request *req,
			const struct slu_conf *conf);
/* Its pools of this tier, i from 0: from the list in its line, else from all
 * pools. NULL: there are not so many, or its data is not in the nodes' storage,
 * or only in one directory there (storage=). */
const struct slu_pool_conf *slu_pool_of_tier(const struct slu_conf *conf,
					     const struct slu_fs_conf *fs,
					     enum slu_tier tier, size_t i);
/* The tiers that it can use, "flash, disk", only those for which `filled`
 * returns true (may be NULL); false: none. */
#define SLU_TIERS 64
typedef bool slu_pool_filled_f(void *arg, const struct slu_pool_conf *pool);
bool slu_tiers_text(const struct slu_conf *conf, const struct slu_fs_conf *fs,
		    slu_pool_filled_f *filled, void *arg, char text[SLU_TIERS]);
/* SLU_INVALID: only these tiers exist, not the request's. */
int slu_no_tier(const struct slu_request *req, const char *tiers,
		struct slu_err *err);
/* The pool of a request (resolved), or NULL. */
const struct slu_pool_conf *slu_request_pool(const struct slu_request *req,
					     const struct slu_conf *conf);
/* SLU_INVALID: its file system can have no storage of that tier, or of the tier
 * of its pool; */
int slu_pool_check_tier(const struct slu_request *req,
			const struct slu_conf *conf, struct slu_err *err);
/* or pool= names none of its file system's. */
int slu_pool_check_name(const struct slu_request *req,
			const struct slu_conf *conf, struct slu_err *err);
/* Where a node has the instances of a pool, a list of alternatives
 * (common/tiers.h): its tier, else storage= of its first file system that has
 * one, else NodeStorage. */
const char *slu_pool_storage(const struct slu_conf *conf,
			     const struct slu_pool_conf *pool);

/* Rounded up to a whole number of granules. */
uint64_t slu_pool_round(const struct slu_pool_conf *pool, uint64_t capacity);

/* May this user (NULL: unknown) of this account (NULL: none) have that much? */
int slu_pool_check(const struct slu_request *req, const struct slu_conf *conf,
		   const char *user, const char *account, struct slu_err *err);

#endif
