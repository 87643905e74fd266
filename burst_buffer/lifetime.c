/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the time of a persistent buffer is over. Its date says so, and so does
 * its age, which sluiced counts while it lives by the clock of its kernel: one
 * that was set wrong, or is that of another controller, ends none.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/live.h"

#define NOTE_EVERY 600 /* seconds that a restart of the machine takes off */

/* By a kernel that has not told its clock nothing has aged. */
static int64_t age_of(const struct slu_buffers *b, const struct slu_bb *bb)
{
	return *b->uptime.boot ? slu_age_of(bb->aged, &b->uptime) : 0;
}

double slu_persist_left(const struct slu_buffers *b, const struct slu_bb *bb,
			double now)
{
	const double expires = (double)bb->plan.expires;
	double dated = expires - now;
	double aged = expires - bb->created - (double)age_of(b, bb);

	return dated > aged ? dated : aged;
}

static bool is_noted(const struct slu_buffers *b, const struct slu_bb *bb)
{
	const int64_t noted =
		slu_age_of(bb->aged, &(struct slu_uptime){.boot = "none"});
	const size_t n = strlen(b->uptime.boot);

	return bb->aged && !strncmp(bb->aged, b->uptime.boot, n) &&
	       bb->aged[n] == ' ' && age_of(b, bb) < noted + NOTE_EVERY;
}

int slu_persist_age(struct slu_buffers *b, struct slu_bb *bb,
		    struct slu_err *err)
{
	char text[SLU_AGE_TEXT], *copy;

	if (!bb->plan.persistent || bb->plan.ahead || bb->ended > 0 ||
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
	free(bb->aged);
	bb->aged = copy;
	return 0;
}

void slu_buffers_uptime(struct slu_buffers *b, const struct slu_uptime *up)
{
	b->uptime = *up;
}
