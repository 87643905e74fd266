/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_DOCTOR_H
#define SLU_SLUICED_DOCTOR_H

/*
 * The question "doctor": what is wrong, or will be, and which command helps:
 * {"time": Unix seconds, "findings": [{"severity", "kind", "what", "on" (a host
 * list: where to type it), "type", "since"}, ...]}, the worst first. Users get
 * what concerns their own jobs. severity: "error" (jobs fail or wait for it),
 * "warning" (they may), "note".
 */

#include "sluiced/questions/questions.h"

enum slu_severity { SLU_SEVERE_ERROR, SLU_SEVERE_WARNING, SLU_SEVERE_NOTE };

/* doctor_live.c, in the daemon: what only its memory has. */
struct json_object *slu_doctor_prepare(const struct slu_daemon *d,
				       const struct slu_asker *who,
				       struct json_object *args);
/* doctor.c, in the answering process. */
int slu_doctor_answer(struct slu_db *db, const struct slu_asker *who,
		      struct json_object *args, struct slu_buf *out,
		      struct slu_err *err);

/* For the files with checks. Adds a finding to an array; borrowed. */
struct json_object *slu_finding(struct json_object *list,
				enum slu_severity severity, const char *kind,
				const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Where to type which command (hosts NULL: anywhere), and since when (0: not
 * known). Returns finding. */
struct json_object *slu_finding_type(struct json_object *finding,
				     const char *hosts, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
struct json_object *slu_finding_since(struct json_object *finding,
				      double since);
/* Groups of names by key: adds one; the host list of a key (caller frees; NULL:
 * no memory). `groups` is an object of arrays. */
void slu_group_add(struct json_object *groups, const char *key,
		   const char *host);
char *slu_group_hosts(struct json_object *names);

/* The text at this key; "" where there is none. */
const char *slu_doctor_text(struct json_object *obj, const char *key);

/* doctor_hosts.c: versions, configurations, probes, silent and drained nodes.
 * doctor_jobs.c: phases, failures, kept data. Each adds findings. */
int slu_doctor_hosts(struct slu_db *db, struct json_object *live,
		     struct json_object *findings, struct slu_err *err);
int slu_doctor_jobs(struct slu_db *db, const struct slu_asker *who,
		    struct json_object *findings, double now,
		    struct slu_err *err);

#endif
