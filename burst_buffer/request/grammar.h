/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_GRAMMAR_H
#define SLU_BURST_GRAMMAR_H

/*
 * Declares what the files of burst_buffer/request share, and is private to
 * them: tables of verbs and keys, the setters of values, and steps of the check
 * of a request. Each block names the file that defines it.
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
int slu_begin_jobfs(struct slu_request *req, int line, struct slu_err *err);
int slu_end_jobfs(struct slu_request *req, struct slu_err *err);

/* jobfs_verb.c */
int slu_set_tier(struct slu_request *req, const char *value,
		 struct slu_err *err);
extern const struct slu_key slu_jobfs_keys[];

/* forward.c */
extern const struct slu_key slu_forward_keys[], slu_limit_keys[],
	slu_bandwidth_keys[];
int slu_begin_forward(struct slu_request *req, int line, struct slu_err *err);
int slu_begin_limit(struct slu_request *req, int line, struct slu_err *err);
int slu_begin_bandwidth(struct slu_request *req, int line, struct slu_err *err);

/* stripe_verb.c */
extern const struct slu_key slu_stripe_keys[];
extern const char *const slu_access_names[]; /* sequential, random */
int slu_begin_stripe(struct slu_request *req, int line, struct slu_err *err);
int slu_end_stripe(struct slu_request *req, struct slu_err *err);
void slu_stripes_free(struct slu_request *req);

/* persistent_verbs.c */
extern const struct slu_key slu_use_keys[], slu_create_keys[],
	slu_destroy_keys[], slu_dw_use_keys[], slu_dw_create_keys[],
	slu_dw_destroy_keys[];
int slu_begin_use(struct slu_request *req, int line, struct slu_err *err);
int slu_begin_dw_use(struct slu_request *req, int line, struct slu_err *err);
int slu_begin_create(struct slu_request *req, int line, struct slu_err *err);
int slu_begin_destroy(struct slu_request *req, int line, struct slu_err *err);
/* Its key may stand without a value, which means yes. */
int slu_set_hurry(struct slu_request *req, const char *value,
		  struct slu_err *err);

/* persistent_check.c */
int slu_check_persist(const struct slu_request *req,
		      const struct slu_conf *conf, struct slu_err *err);
struct slu_fstype;
bool slu_can_persist(const struct slu_fstype *type); /* NULL: it cannot */

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
/* coherence.c */
int slu_set_coherence(struct slu_request *req, const char *value,
		      struct slu_err *err);
/* Does the file system support the requested coherence, and are its options
 * safe with that? The file system and its driver are known to exist. The error
 * names those that fit: slu_can_persist, or NULL. */
int slu_check_coherence(const struct slu_request *req,
			const struct slu_conf *conf,
			bool (*fits)(const struct slu_fstype *type),
			struct slu_err *err);
/* fs_check.c: is there such a file system? */
int slu_check_fs(const struct slu_request *req, const struct slu_conf *conf,
		 struct slu_err *err);

/* jobfs_verb.c: a key that a profile may preset: it counts where the request
 * does not set it. SLU_NOTFOUND: unknown key. */
int slu_request_preset(struct slu_request *req, const char *key,
		       const char *value, struct slu_err *err);

/* resolve.c: apply the presets of the request's profile. */
int slu_apply_profile(struct slu_request *req, const struct slu_conf *conf,
		      struct slu_err *err);

/* verb_values.c: words of values, indexed by their enum. */
extern const char *const slu_dw_names[], *const slu_split_names[];
extern const char *const slu_bind_names[];
extern const char *const slu_tell_names[];
#define SLU_DW_BOTH 3 /* of slu_dw_names: striped, with dw_both */

/* mistakes.c: collects what is wrong with a request, to report all of it at
 * once. */
struct slu_mistakes {
	struct slu_err *err; /* may be NULL; one mistake a line */
	size_t n, untold;
	bool unnamed; /* one of them is in the file system's name */
};
/* Append to a mistake the column in its line, from 1; 0: none. */
void slu_request_column(size_t column, struct slu_err *err);
void slu_mistake(struct slu_mistakes *m, const struct slu_err *one);
int slu_mistakes_end(struct slu_mistakes *m); /* -1: there were some */

/* names.c: replaces variables in paths by $BB_<name> or symbols, now that the
 * name is known; variables that the job will not have are mistakes. Reports
 * nothing more for a request that is incomplete already. */
void slu_request_names(struct slu_request *req, struct slu_mistakes *m);

/* The variable of the job's own file system, for messages; `dw`: in the
 * language of #DW lines. */
#define SLU_VARIABLE_MAX 96
const char *slu_request_variable(const struct slu_request *req, bool dw,
				 char name[SLU_VARIABLE_MAX]);
/* Will the job's environment have it, as the path of a file system? The request
 * is resolved. */
bool slu_request_has_variable(const struct slu_request *req, const char *name);

/* Is it a word of either language? NULL-ended, in lower case. */
bool slu_request_is_verb(const char *word);
bool slu_request_is_key(const char *word);

/* lookalike.c: characters that people mistake for others. What follows a
 * character that looks like this letter at p, or NULL; the possible start of
 * the letters of #BB or #DW, with p behind the #; what follows them, or NULL.
 */
const char *slu_behind_letter(const char *p, char letter);
const char *slu_find_magic(const char *p, const char *end);
const char *slu_behind_magic(const char *p, const char *end);
/* The start of a line for a message, with '?' for what is not ASCII. */
#define SLU_SHOWN 33
void slu_shown(const char *p, const char *end, char out[SLU_SHOWN]);
/* SLU_INVALID: the value contains, outside of quotes, something that does not
 * do what its author expects. */
int slu_hardly_meant(const char *p, struct slu_err *err);

/* interpreter.c: is this a shell's script, by its #! line? One without that
 * line is. */
bool slu_script_is_shell(const char *script);

#endif
