/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_LONGPOLL_H
#define SLU_SLUICED_LONGPOLL_H

/*
 * Parks requests that wait for a change of a job (long polls). Those of one job
 * that wait for the same thing form a group: when the job has changed, the
 * oldest of the group is tried first, and the others only if that one can be
 * answered. So a barrier of ten thousand nodes costs one try per arrival, not
 * ten thousand.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slu_longpoll;

/* Embedded in the request. */
struct slu_parked {
	struct slu_parked *next;
	double deadline;
};

/* Can it be answered now? True: it was, and may be freed. If `expired` it must
 * be answered. May call slu_longpoll_changed() and nothing else here. */
typedef bool slu_parked_f(void *arg, struct slu_parked *parked, bool expired);

struct slu_longpoll *slu_longpoll_new(slu_parked_f *fn, void *arg);
/* Answers all of them as expired. */
void slu_longpoll_free(struct slu_longpoll *lp);

/* Park until `deadline`, which must not be before that of the group's last
 * request. what: a short text, equal for all that wait for the same thing. -1
 * without memory. */
int slu_longpoll_park(struct slu_longpoll *lp, struct slu_parked *parked,
		      uint32_t job_id, const char *what, double deadline);
/* Something about the job (0: about all jobs) has changed. */
void slu_longpoll_changed(struct slu_longpoll *lp, uint32_t job_id);
/* Answer what can be answered, with at most `budget` tries. Returns the time at
 * which to call again, `now` if the budget ran out, 0 if nothing is parked. */
double slu_longpoll_run(struct slu_longpoll *lp, double now, size_t budget);
size_t slu_longpoll_count(const struct slu_longpoll *lp);

#endif
