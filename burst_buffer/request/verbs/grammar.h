/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_GRAMMAR_H
#define SLU_BURST_GRAMMAR_H

/*
 * Declares the tables of verbs and keys, and the setters of values. Private to
 * burst_buffer/request. Each block names the file that defines it.
 */

#include "burst_buffer/request/values.h"
#include "common/str.h"

/* The row of a verb, in our language or (dw) that of #DW lines, and the index
 * of a key in it; a wrong name is an error with the nearest right one. */
const struct slu_verb *slu_request_verb(const char *name, bool dw,
					struct slu_err *err);
int slu_request_key(const struct slu_verb *verb, const char *name,
		    struct slu_err *err);
extern const struct slu_verb slu_dw_verbs[]; /* name NULL ends */

/* verb_values.c: setters and starts of verbs that both languages use. */
int slu_set_fs(struct slu_request *req, const char *value, struct slu_err *err);
int slu_set_capacity(struct slu_request *req, const char *value,
		     struct slu_err *err);
int slu_set_profile(struct slu_request *req, const char *value,
		    struct slu_err *err);
int slu_set_name(struct slu_request *req, const char *value,
		 struct slu_err *err);
int slu_parse_tell(struct slu_request *req, const char *value,
		   struct slu_err *err);
int slu_set_coherence(struct slu_request *req, const char *value,
		      struct slu_err *err);
int slu_begin_jobfs(struct slu_request *req, int line, struct slu_err *err);
int slu_end_jobfs(struct slu_request *req, struct slu_err *err);

/* jobfs_verb.c */
int slu_set_tier(struct slu_request *req, const char *value,
		 struct slu_err *err);
extern const struct slu_request_key slu_jobfs_keys[];

/* forward.c */
extern const struct slu_request_key slu_forward_keys[], slu_limit_keys[],
	slu_bandwidth_keys[];
int slu_begin_forward(struct slu_request *req, int line, struct slu_err *err);
int slu_begin_limit(struct slu_request *req, int line, struct slu_err *err);
int slu_begin_bandwidth(struct slu_request *req, int line, struct slu_err *err);

/* stripe_verb.c */
extern const struct slu_request_key slu_stripe_keys[];
extern const char *const slu_access_names[]; /* sequential, random */
int slu_begin_stripe(struct slu_request *req, int line, struct slu_err *err);
int slu_end_stripe(struct slu_request *req, struct slu_err *err);
void slu_stripes_free(struct slu_request *req);

/* persistent_verbs.c */
extern const struct slu_request_key slu_use_keys[], slu_create_keys[],
	slu_destroy_keys[], slu_dw_use_keys[], slu_dw_create_keys[],
	slu_dw_destroy_keys[];
int slu_begin_use(struct slu_request *req, int line, struct slu_err *err);
int slu_begin_dw_use(struct slu_request *req, int line, struct slu_err *err);
int slu_begin_create(struct slu_request *req, int line, struct slu_err *err);
int slu_begin_destroy(struct slu_request *req, int line, struct slu_err *err);
/* Its key may stand without a value, which means yes. */
int slu_set_hurry(struct slu_request *req, const char *value,
		  struct slu_err *err);

/* dw_values.c: DataWarp's types of use, and names that may contain '-'. */
int slu_dw_fs(char **fs, const char *value, struct slu_err *err);
int slu_dw_access(struct slu_request *req, const char *value,
		  struct slu_err *err);
/* Setters of keys that are ignored because the site decides them, and of keys
 * for things other than file systems in DWS. */
int slu_dw_skip(struct slu_request *req, const char *value,
		struct slu_err *err);
int slu_dw_requires(struct slu_request *req, const char *value,
		    struct slu_err *err);
/* jobfs_verb.c: a key that a profile may preset: it counts where the request
 * does not set it. SLU_NOTFOUND: unknown key. */
int slu_request_preset(struct slu_request *req, const char *key,
		       const char *value, struct slu_err *err);

/* verb_values.c: words of values, indexed by their enum. */
extern const char *const slu_dw_names[], *const slu_split_names[];
extern const char *const slu_bind_names[];
extern const char *const slu_tell_names[];
#define SLU_DW_BOTH 3 /* of slu_dw_names: striped, with dw_both */

/* Is it a word of either language? NULL-ended, in lower case. */
bool slu_request_is_verb(const char *word);
bool slu_request_is_key(const char *word);

#endif
