/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_GRAMMAR_H
#define SLU_BURST_GRAMMAR_H

/* Private to burst_buffer/request: the verbs and their keys. */

#include "burst_buffer/request/values.h"
#include "common/str.h"

/* The row of a verb, in our language or (dw) that of #DW lines, and the index
 * of a key in it; a wrong name is an error with the nearest right one. */
const struct slu_verb *slu_request_verb(const char *name, bool dw,
					struct slu_err *err);
int slu_request_key(const struct slu_verb *verb, const char *name,
		    struct slu_err *err);
extern const struct slu_verb slu_dw_verbs[]; /* name NULL ends */

/* The setters and beginnings that both languages use. */
int slu_set_fs(struct slu_request *req, const char *value, struct slu_err *err);
int slu_set_capacity(struct slu_request *req, const char *value,
		     struct slu_err *err);
int slu_set_profile(struct slu_request *req, const char *value,
		    struct slu_err *err);
int slu_set_name(struct slu_request *req, const char *value,
		 struct slu_err *err);
int slu_begin_jobfs(struct slu_request *req, int line, struct slu_err *err);
int slu_end_jobfs(struct slu_request *req, struct slu_err *err);

/* forward.c */
extern const struct slu_key slu_forward_keys[], slu_limit_keys[];
int slu_begin_forward(struct slu_request *req, int line, struct slu_err *err);
int slu_begin_limit(struct slu_request *req, int line, struct slu_err *err);

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
void slu_put_persist(struct slu_buf *buf,
		     const struct slu_request_persist *one);
int slu_check_persist(const struct slu_request *req,
		      const struct slu_conf *conf, struct slu_err *err);
struct slu_fstype;
bool slu_can_persist(const struct slu_fstype *type); /* NULL cannot */
/* Its key may stand without a value, which means yes. */
int slu_set_hurry(struct slu_request *req, const char *value,
		  struct slu_err *err);
void slu_persist_free(struct slu_request *req);

/* dw.c: its types of use, and names that may have a '-'. */
int slu_dw_fs(char **fs, const char *value, struct slu_err *err);
int slu_dw_access(struct slu_request *req, const char *value,
		  struct slu_err *err);
/* Setters of what is read over, as the site decides it, and of what DWS has
 * besides file systems. */
int slu_dw_skip(struct slu_request *req, const char *value,
		struct slu_err *err);
int slu_dw_requires(struct slu_request *req, const char *value,
		    struct slu_err *err);
/* coherence.c */
int slu_set_tell(struct slu_request *req, const char *value,
		 struct slu_err *err);
int slu_set_coherence(struct slu_request *req, const char *value,
		      struct slu_err *err);
/* Can the file system give what is asked for, and is no option of it unsafe
 * with that? The file system exists, and its driver. Named instead are those
 * that fit: slu_can_persist, or NULL. */
int slu_check_coherence(const struct slu_request *req,
			const struct slu_conf *conf,
			bool (*fits)(const struct slu_fstype *type),
			struct slu_err *err);
/* text.c */
void slu_put_pair(struct slu_buf *buf, const char *key, const char *value);
/* site_check.c: is there such a file system? */
int slu_check_fs(const struct slu_request *req, const struct slu_conf *conf,
		 struct slu_err *err);

/* A key that a profile may preset: it counts where the request is silent.
 * SLU_NOTFOUND: there is no such key. */
int slu_request_preset(struct slu_request *req, const char *key,
		       const char *value, struct slu_err *err);

/* What the request's profile presets. */
int slu_apply_profile(struct slu_request *req, const struct slu_conf *conf,
		      struct slu_err *err);

/* Words of values, by their enum. */
extern const char *const slu_dw_names[], *const slu_split_names[];
extern const char *const slu_bind_names[];
extern const char *const slu_tell_names[];
#define SLU_DW_BOTH 3 /* of slu_dw_names: striped, with dw_both */

/* mistakes.c: what is wrong with a request, told together. */
struct slu_mistakes {
	struct slu_err *err; /* may be NULL; one mistake a line */
	size_t n, untold;
	bool unnamed; /* one is in what names the file system */
};
/* Say behind a mistake where in its line it is, from 1; 0: nowhere. */
void slu_request_column(size_t column, struct slu_err *err);
void slu_mistake(struct slu_mistakes *m, const struct slu_err *one);
int slu_mistakes_end(struct slu_mistakes *m); /* -1: there were some */

/* names.c: variables in paths become $BB_<name> or symbols, now that the name
 * is known; those that the job will not have are mistakes. Of a request in
 * which something is missing already nothing more is told. */
void slu_request_names(struct slu_request *req, struct slu_mistakes *m);

/* What the job's own file system is called, of which messages speak; `dw`: in
 * the language of #DW lines. */
#define SLU_VARIABLE_MAX 96
const char *slu_request_variable(const struct slu_request *req, bool dw,
				 char name[SLU_VARIABLE_MAX]);
/* Will the job's environment have it, as the path of a file system? Of a
 * request that is resolved. */
bool slu_request_has_variable(const struct slu_request *req, const char *name);

/* Is it a word of either language? NULL-ended, in lower case. */
bool slu_request_is_verb(const char *word);
bool slu_request_is_key(const char *word);

/* lookalike.c: what people take for something else. Behind what reads as this
 * letter at p, or NULL; where #BB's or #DW's letters may begin, at p behind the
 * #; behind what reads as them, or NULL. */
const char *slu_behind_letter(const char *p, char letter);
const char *slu_find_magic(const char *p, const char *end);
const char *slu_behind_magic(const char *p, const char *end);
/* The beginning of a line for a message, '?' for what is not ASCII. */
#define SLU_SHOWN 33
void slu_shown(const char *p, const char *end, char out[SLU_SHOWN]);
/* SLU_INVALID: what a value has here, outside of quotes, does not do what who
 * typed it believes. */
int slu_hardly_meant(const char *p, struct slu_err *err);

/* interpreter.c: is the script one of a shell, as its #! says? One without it
 * is. */
bool slu_script_is_shell(const char *script);

#endif
