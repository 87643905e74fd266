/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_ANSWERS_REPORT_ADVICE_H
#define SLU_SYSQUERY_ANSWERS_REPORT_ADVICE_H

/* What sums over many jobs say; as job_advice.h for one. Pure. */

#include <json-c/json.h>
#include <stdint.h>

struct slu_report_facts {
	uint64_t jobs, timeouts;
	uint64_t limited;	  /* that asked for a limit, and in sum: */
	double asked, used;	  /* s */
	double node_seconds;	  /* of all runs */
	double staging;		  /* of these in setup and stage-in */
	uint64_t known;		  /* file systems whose fullness is known: */
	double capacity, most;	  /* bytes asked for, in use at most */
	uint64_t third;		  /* never more than a third full */
	uint64_t systems, failed; /* file systems, and those that failed */
};

/* An array of {"rule": its name, "text": for people}. Caller puts. */
struct json_object *slu_report_advice(const struct slu_report_facts *facts);

#endif
