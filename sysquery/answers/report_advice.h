/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_ANSWERS_REPORT_ADVICE_H
#define SLU_SYSQUERY_ANSWERS_REPORT_ADVICE_H

/* Gives advice from sums over many jobs, as job_advice.h does for one job. Pure
 * functions. */

#include <json-c/json.h>
#include <stdint.h>

struct slu_report_facts {
	uint64_t jobs, timeouts;
	uint64_t limited;	  /* jobs with a time limit, and their sums: */
	double asked, used;	  /* s */
	double node_seconds;	  /* of all runs */
	double staging;		  /* of it, in setup and stage-in */
	uint64_t known;		  /* file systems with known usage: */
	double capacity, most;	  /* bytes requested, most in use */
	uint64_t third;		  /* never more than a third full */
	uint64_t systems, failed; /* file systems, and those that failed */
};

/* An array of {"rule": its name, "text": for people}. Caller puts. */
struct json_object *slu_report_advice(const struct slu_report_facts *facts);

#endif
