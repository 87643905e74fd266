/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_CONF_FS_H
#define SLU_COMMON_CONF_FS_H

/*
 * Private to the parser of sluice.conf: readers of the lines FileSystem=NAME,
 * Profile=NAME, Pool=NAME and FailureDomain=NAME.
 */

#include "common/conf.h"

/* Append the file system that `value` ("NAME Driver=x key=value ...")
 * describes to the struct slu_conf at `conf`. */
int slu_conf_read_fs(const char *value, void *conf, struct slu_err *err);

/* Append the profile that `value` ("NAME key=value ...") describes. */
int slu_conf_read_profile(const char *value, void *conf, struct slu_err *err);

/* Append the pool that `value` ("NAME Key=value ...") describes. */
int slu_conf_read_pool(const char *value, void *conf, struct slu_err *err);

/* Append the failure domain that `value` ("NAME Servers=HOSTLIST") describes.
 */
int slu_conf_read_domain(const char *value, void *conf, struct slu_err *err);

/* The first of some words, a name (caller frees; NULL with *err); the others
 * are left in *save, for strtok_r() with " \t". */
char *slu_conf_name(char *words, char **save, struct slu_err *err);
/* Cut one "key=value" word; the value in it, or NULL with *err. */
char *slu_conf_cut(char *word, struct slu_err *err);

/* Readers of values (struct slu_conf_key). */
int slu_conf_read_size(const char *value, void *field, struct slu_err *err);
int slu_conf_read_hosts(const char *value, void *field, struct slu_err *err);
int slu_conf_read_tier(const char *value, void *field, struct slu_err *err);
int slu_conf_read_mover(const char *value, void *field, struct slu_err *err);
int slu_conf_read_users(const char *value, void *field, struct slu_err *err);
int slu_conf_read_weights(const char *value, void *field, struct slu_err *err);
int slu_conf_read_prestage(const char *value, void *field, struct slu_err *err);
int slu_conf_read_io_start(const char *value, void *field, struct slu_err *err);
int slu_conf_read_io_scope(const char *value, void *field, struct slu_err *err);
int slu_conf_read_io_metadata(const char *value, void *field,
			      struct slu_err *err);
int slu_conf_read_io_bandwidth(const char *value, void *field,
			       struct slu_err *err);
/* Bytes a second: a size, or one with "/s" behind it. */
int slu_conf_read_rate(const char *value, void *field, struct slu_err *err);
/* Which of the NULL-ended words `value` is, without case; or -1. */
int slu_conf_read_word(const char *value, const char *const *words,
		       struct slu_err *err);

/* Free what it owns. */
void slu_domain_conf_clear(struct slu_domain_conf *domain);
void slu_pool_conf_clear(struct slu_pool_conf *pool);
void slu_fs_conf_clear(struct slu_fs_conf *fs);
void slu_profile_conf_clear(struct slu_profile_conf *profile);

#endif
