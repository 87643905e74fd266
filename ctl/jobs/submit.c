/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A submission: what is foretold goes into a note; in mode fill a job without
 * a limit, in mode tighten every job, gets a careful limit. The note says so,
 * and limit_guard.c gives more when a job needs it, up to what it would have
 * had without us. So no limit is set where the guard does not run, for jobs
 * that watch their limit themselves, or for who wants none.
 */
#include "config.h"
#include "ctl/private.h"

#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "burst_buffer/request/request.h"
#include "job_submit/granted.h"

#define SCRIPT_MAX 262144 /* bytes of a script that are hashed */
#define TELL_MAX   32768  /* bytes that a user is told */

static bool says_tighten(const char *text)
{
	return text && strstr(text, "tighten");
}

/* Its option and script are parsed wholly later, by slu_ctl_validate. */
static bool keeps_limit(const struct slu_ctl_submit *submit)
{
	struct slu_request req;
	bool keeps;

	if (!says_tighten(submit->option) && !says_tighten(submit->script))
		return false;
	if (slu_request_parse(submit->option, submit->script, &req, NULL) < 0)
		return true;
	keeps = req.keep_limit;
	slu_request_free(&req);
	return keeps;
}

static bool may_set(struct slu_ctl *ctl, const struct slu_ctl_submit *submit)
{
	return submit->guarded && !submit->watched && slu_guard_alive(ctl) &&
	       !keeps_limit(submit);
}

/* `careful` seconds as a limit, if that is less than the whole one. */
static void set_limit(struct slu_ctl *ctl, struct slu_ctl_submit *submit,
		      int64_t careful)
{
	struct slu_limit_wish wish = {
		.given = submit->has_limit,
		.asked = submit->job.limit_asked,
		.most = submit->max_limit,
	};
	uint32_t minutes = slu_limit_granted(ctl->site->conf->predict_mode,
					     &wish, careful);

	if (!minutes || !may_set(ctl, submit))
		return;
	submit->note.tight = minutes;
	submit->note.whole =
		wish.given && !wish.asked ? SLU_NOTE_UNLIMITED : wish.asked;
	submit->note.limit = SLU_LIMIT_MEANT;
}

static void put_hms(struct slu_buf *buf, int64_t s)
{
	slu_buf_printf(buf, "%lld:%02d:%02d", (long long)(s / 3600),
		       (int)(s / 60 % 60), (int)(s % 60));
}

static void put_forecast(struct slu_buf *text,
			 const struct slu_ctl_submit *submit)
{
	const struct slu_note *note = &submit->note;

	slu_buf_puts(text, "sluice: jobs like this one take about ");
	put_hms(text, note->predicted);
	slu_buf_printf(text, " (%u known)", note->jobs);
	if (note->asked) {
		slu_buf_puts(text, ", you asked for ");
		put_hms(text, note->asked);
	}
	if (note->limit == SLU_LIMIT_MEANT) {
		/* other plugins, and Slurm's own rules, come after us */
		slu_buf_puts(text, ", the limit is to be ");
		put_hms(text, (int64_t)note->tight * 60);
		slu_buf_puts(text, " and grows when needed (scontrol show job "
				   "tells)");
	}
}

static void put_stray(void *arg, int line, const char *what)
{
	struct slu_buf *text = arg;

	slu_buf_printf(text, "%ssluice: line %d: %s", text->len ? "\n" : "",
		       line, what);
}

/* What a host shows at a submission that succeeds. */
static char *tell(const struct slu_conf *conf,
		  const struct slu_ctl_submit *submit)
{
	struct slu_buf text = {.max = TELL_MAX};

	if (conf->stray_warn && submit->option)
		slu_request_strays(submit->option, true, put_stray, &text);
	if (conf->stray_warn && submit->script)
		slu_request_strays(submit->script, false, put_stray, &text);
	if (conf->predict_tell && submit->note.jobs) {
		slu_buf_puts(&text, text.len ? "\n" : "");
		put_forecast(&text, submit);
	}
	return text.len ? slu_buf_steal(&text) : NULL;
}

static void advise(struct slu_ctl *ctl, struct slu_ctl_submit *submit)
{
	struct slu_note *note = &submit->note;
	struct slu_prediction p;

	slu_predict(ctl->site->predictor, &submit->job, &p);
	if (!p.jobs || p.seconds <= 0)
		return;
	note->predicted = p.seconds;
	note->jobs = p.jobs;
	slu_copy(note->from, sizeof(note->from), p.from);
	note->has_asked = true;
	note->asked = (int64_t)submit->job.limit_asked * 60;
	set_limit(ctl, submit, p.careful);
}

/* A job that names tasks only gets, as a rule, as few nodes as hold them. */
static uint32_t fewest_nodes(const struct slu_ctl_submit *s)
{
	uint64_t need = s->job.tasks, per_node = s->tasks_per_node;

	if (!per_node) {
		need *= s->cpus_per_task ? s->cpus_per_task : 1;
		per_node = s->cpus_per_node;
	}
	if (!per_node || need <= per_node)
		return 1;
	need = (need + per_node - 1) / per_node;
	return need < UINT32_MAX ? (uint32_t)need : UINT32_MAX;
}

static uint64_t hash(const char *script)
{
	return script ? XXH3_64bits(script, strnlen(script, SCRIPT_MAX)) : 0;
}

void slu_ctl_submit(struct slu_ctl *ctl, struct slu_ctl_submit *submit)
{
	const struct slu_conf *conf;

	if (!submit->job.node_cnt)
		submit->job.node_cnt = fewest_nodes(submit);
	submit->tell = NULL;
	submit->note = (struct slu_note){.gave_back = -1};
	slu_ctl_wake(ctl);
	pthread_rwlock_rdlock(&ctl->site_lock);
	conf = ctl->site->conf;
	if (conf && conf->predict_mode != SLU_PREDICT_OFF) {
		submit->note.script = hash(submit->script);
		advise(ctl, submit);
	}
	if (conf)
		submit->tell = tell(conf, submit);
	pthread_rwlock_unlock(&ctl->site_lock);
}
