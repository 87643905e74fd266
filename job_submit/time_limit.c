/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the limit from the predicted quantiles, in whole minutes. A limit is
 * only changed where the site configures it, and where nothing else that the
 * user may get changes with it.
 */
#include "config.h"
#include "job_submit/time_limit.h"

#include "common/str.h"

#define LEAD 120 /* s; Slurm checks every 30 s, and warns a minute before */

static bool is_wanted(enum slu_predict_mode mode, bool given)
{
	return mode == SLU_PREDICT_TIGHTEN || mode == SLU_PREDICT_EARLY ||
	       (mode == SLU_PREDICT_FILL && !given);
}

static struct slu_limit_grant grant(enum slu_limit_deed deed, int64_t minutes)
{
	return (struct slu_limit_grant){deed, (uint32_t)minutes};
}

static int64_t whole_minutes(int64_t seconds)
{
	return seconds > 0 ? (seconds - 1) / 60 + 1 : 0;
}

bool slu_limit_may_change(enum slu_predict_mode mode,
			  const struct slu_limit_rules *rules)
{
	return is_wanted(mode, rules->given) && !rules->left &&
	       !rules->unknown && rules->whole <= rules->most;
}

struct slu_limit_grant slu_limit_decide(enum slu_predict_mode mode,
					const struct slu_limit_rules *rules,
					const struct slu_limit_needs *needs)
{
	int64_t careful = whole_minutes(needs->careful), tight = careful, most;

	if (mode == SLU_PREDICT_EARLY && needs->early < needs->careful)
		tight = whole_minutes(needs->early);
	if (!tight || careful >= SLU_LIMIT_NONE ||
	    !slu_limit_may_change(mode, rules))
		return grant(SLU_LIMIT_KEPT, 0);
	most = careful < rules->most ? careful : rules->most;
	if (!rules->given && most > rules->whole)
		return grant(SLU_LIMIT_FILLED, most);
	if (tight < rules->whole)
		return grant(SLU_LIMIT_TIGHT, tight);
	return grant(SLU_LIMIT_KEPT, 0);
}

void slu_limit_hms(struct slu_buf *text, int64_t seconds)
{
	slu_buf_printf(text, "%lld:%02d:%02d", (long long)(seconds / 3600),
		       (int)(seconds / 60 % 60), (int)(seconds % 60));
}

void slu_limit_minutes(struct slu_buf *text, uint32_t minutes)
{
	if (minutes == SLU_LIMIT_NONE)
		slu_buf_puts(text, "unlimited");
	else
		slu_limit_hms(text, (int64_t)minutes * 60);
}

static void say_tight(struct slu_buf *text, uint32_t whole, bool waits)
{
	slu_buf_puts(text, " and grows to ");
	slu_limit_minutes(text, whole);
	slu_buf_puts(text, " when needed");
	if (waits)
		slu_buf_puts(text, ", or while a reservation is in the way");
	slu_buf_puts(text, " (scontrol show job tells)");
}

static void say_filled(struct slu_buf *text, uint32_t whole)
{
	slu_buf_puts(text, " in place of ");
	slu_limit_minutes(text, whole);
	slu_buf_puts(text, " by default, and does not grow (--time asks for "
			   "another)");
}

void slu_limit_say(struct slu_buf *text, const struct slu_limit_rules *rules,
		   const struct slu_limit_grant *grant, bool waits)
{
	if (grant->deed == SLU_LIMIT_KEPT)
		return;
	slu_buf_puts(text, ", the limit is to be ");
	slu_limit_minutes(text, grant->minutes);
	if (grant->deed == SLU_LIMIT_TIGHT)
		say_tight(text, rules->whole, waits);
	else
		say_filled(text, rules->whole);
}

int64_t slu_limit_lead(uint32_t minutes)
{
	int64_t half = (int64_t)minutes * 30;

	return half < LEAD ? half : LEAD;
}

/* The guard's thread sleeps at least a second. */
int64_t slu_limit_extended_before(uint32_t minutes, int64_t first)
{
	int64_t limit = (int64_t)minutes * 60;
	int64_t due = limit - slu_limit_lead(minutes);

	return limit - (due > first ? due : first) - 1;
}
