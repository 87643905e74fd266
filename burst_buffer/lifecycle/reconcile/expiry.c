/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides when persistent buffers expire, and gives new ones a number in place
 * of a job id. A buffer expires only when its date has passed and it has been
 * alive that long by sluiced's own count (CLOCK_BOOTTIME, stored in the
 * database): a wrong wall clock or another controller's clock must never delete
 * data. New numbers start above a floor that rises once a minute, so that a
 * restored backup does not reuse numbers.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/reconcile/expiry.h"

#define NUMBERS_SINCE 1767225600.0 /* 2026 */
#define NUMBERS_MOST  40000000	   /* minutes: 76 years */
#define NOTE_EVERY    600 /* s between saves of the age: lost at a reboot */

/* Larger than any number used before an older database was restored, whose data
 * may still be on nodes: the floor rises by at least one a minute. */
static int64_t least_number(double now)
{
	const double minutes = (now - NUMBERS_SINCE) / 60;

	return SLU_PERSIST_FIRST + (minutes < 0		     ? 0
				    : minutes < NUMBERS_MOST ? (int64_t)minutes
							     : NUMBERS_MOST);
}

int64_t slu_persistent_number(struct slu_buffers *b, double now,
			      struct slu_err *err)
{
	const int64_t least = least_number(now);
	int64_t n;

	if (slu_db_value(b->db, &n, 0, err,
			 "SELECT MAX(JobID) FROM Buffer WHERE JobID >= ?", "I",
			 (int64_t)SLU_PERSIST_FIRST))
		return -1;
	return n < least ? least : n + 1;
}

/* 0 until slu_buffers_uptime() was called, so that nothing expires before. */
static int64_t age_of(const struct slu_buffers *b, const struct slu_bb *bb)
{
	return *b->uptime.boot ? slu_age_of(bb->persistent.aged, &b->uptime)
			       : 0;
}

double slu_expiry_left(const struct slu_buffers *b, const struct slu_bb *bb,
		       double now)
{
	const double expires = (double)bb->plan.expires;
	double dated = expires - now;
	double aged = expires - bb->created - (double)age_of(b, bb);

	return dated > aged ? dated : aged;
}

static bool is_noted(const struct slu_buffers *b, const struct slu_bb *bb)
{
	const int64_t noted = slu_age_of(bb->persistent.aged,
					 &(struct slu_uptime){.boot = "none"});
	const size_t n = strlen(b->uptime.boot);

	return bb->persistent.aged &&
	       !strncmp(bb->persistent.aged, b->uptime.boot, n) &&
	       bb->persistent.aged[n] == ' ' &&
	       age_of(b, bb) < noted + NOTE_EVERY;
}

int slu_expiry_age(struct slu_buffers *b, struct slu_bb *bb,
		   struct slu_err *err)
{
	char text[SLU_AGE_TEXT], *copy;

	if (!bb->plan.persistent || bb->plan.early || bb->end.at > 0 ||
	    !*b->uptime.boot || is_noted(b, bb))
		return 0;
	copy = strdup(slu_age_text(&b->uptime, age_of(b, bb), text));
	if (!copy)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (slu_db_exec(b->db, err, "UPDATE Buffer SET Aged = ? WHERE BID = ?",
			"sI", text, (int64_t)bb->id) < 0) {
		free(copy);
		return -1;
	}
	free(bb->persistent.aged);
	bb->persistent.aged = copy;
	return 0;
}

void slu_buffers_uptime(struct slu_buffers *b, const struct slu_uptime *up)
{
	b->uptime = *up;
}
