/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_DOCTOR_FINDINGS_H
#define SLU_SLUICED_QUESTIONS_DOCTOR_FINDINGS_H

/* Makes and groups the findings of the question "doctor", for its checks. */

#include <json-c/json.h>

enum slu_severity { SLU_SEVERE_ERROR, SLU_SEVERE_WARNING, SLU_SEVERE_NOTE };

/* Adds a finding to an array; borrowed. */
struct json_object *slu_finding(struct json_object *list,
				enum slu_severity severity, const char *kind,
				const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Adds which command to type on which hosts (NULL: anywhere), and since when
 * this lasts (0: not known). Returns finding. */
struct json_object *slu_finding_command(struct json_object *finding,
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

#endif
