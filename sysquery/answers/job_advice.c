/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements the rules of advice for one job, in the order of urgency: each is
 * a condition and a sentence. A sentence gives the recorded facts before the
 * advice, so that users can judge it.
 */
#include "config.h"
#include "sysquery/answers/job_advice.h"

#include <math.h>
#include "common/jsonx.h"
#include "common/size.h"
#include "common/str.h"

#define SPARE	     1.5 /* suggested capacity, times the used bytes */
#define SMALL_FILE   (256 << 10)
#define MANY_FILES   1000
#define LONG_ENOUGH  10.0      /* s; shorter phases get no advice */
#define LEAST	     (1 << 20) /* bytes; less is ignored */
#define LONG_LIMIT   1800      /* s */
#define MIN_RUNS     3
#define NEARLY_FULL  0.95
#define FIVE_MINUTES 300

/* A round capacity of at least `bytes`: 1, 1.5, 2, 3, 4, 6, 8, 12... times a
 * power of 1024. */
static uint64_t round_up(double bytes)
{
	double step = 1 << 20;

	while (step * 2 <= bytes)
		step *= 2;
	if (bytes > step * 1.5)
		step *= 2;
	else if (bytes > step)
		step *= 1.5;
	return (uint64_t)step;
}

/* In whole minutes, as limits are; at least five. */
static int64_t more_time(int64_t seconds)
{
	int64_t more = seconds + seconds / 5;

	return (more + FIVE_MINUTES - 1) / FIVE_MINUTES * FIVE_MINUTES;
}

static const char *time_text(double seconds, char out[SLU_TIME_TEXT])
{
	return slu_seconds_text(seconds, out);
}

static bool is_held(const struct slu_advice_facts *f)
{
	return f->held && f->failure;
}

static void say_held(const struct slu_advice_facts *f, struct slu_buf *out)
{
	slu_buf_printf(
		out,
		"It was put back and is held, because its %s failed. "
		"When the cause is mended, \"scontrol release %u\" lets it start again.",
		slu_eq(f->failed_in, "STAGE_IN") ? "stage-in" : "setup",
		f->job_id);
}

static bool is_too_small(const struct slu_advice_facts *f)
{
	return f->own && f->no_space && slu_eq(f->failed_in, "STAGE_IN");
}

static void say_too_small(const struct slu_advice_facts *f, struct slu_buf *out)
{
	char size[SLU_SIZE_TEXT];

	slu_buf_printf(out,
		       "What is staged in does not fit into capacity=%s: ask "
		       "for more than the input takes, and for what the job "
		       "itself writes.",
		       slu_size_text(f->capacity, size));
}

static bool has_lost_output(const struct slu_advice_facts *f)
{
	return slu_eq(f->failed_in, "STAGE_OUT") ||
	       slu_eq(f->failed_in, "RUNNING");
}

static void say_lost_output(const struct slu_advice_facts *f,
			    struct slu_buf *out)
{
	slu_buf_printf(out,
		       "Its output was not staged out%s%s. \"sysquery buffers "
		       "%u\" says what became of it.",
		       f->kept ? ": " : "", f->kept ? f->kept : "", f->job_id);
}

/* The longest of the last runs that was not ended early; 0: none. */
static int64_t longest(const struct slu_advice_facts *f)
{
	int64_t most = 0;

	for (size_t i = 0; i < f->n_run; i++)
		if (f->run[i].completed && f->run[i].used > most)
			most = f->run[i].used;
	return most;
}

/* Runs that took as long as the job's limit, or were ended at their own. */
static size_t count_over(const struct slu_advice_facts *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_run; i++)
		n += f->run[i].timeout || f->run[i].used >= f->granted;
	return n;
}

static bool is_limit_short(const struct slu_advice_facts *f)
{
	return f->granted > 0 && (f->timeout || f->running) &&
	       f->n_run >= MIN_RUNS &&
	       (f->timeout ? count_over(f) > 0 : count_over(f) * 2 > f->n_run);
}

static void say_limit_short(const struct slu_advice_facts *f,
			    struct slu_buf *out)
{
	char limit[SLU_TIME_TEXT], more[SLU_TIME_TEXT];
	int64_t most = longest(f);

	slu_buf_printf(out,
		       "%s limit of %s. Of the last %zu runs of this name %zu "
		       "took as long as that or were ended at their limit",
		       f->timeout ? "It was ended at its" : "It has a",
		       time_text((double)f->granted, limit), f->n_run,
		       count_over(f));
	if (most > f->granted)
		slu_buf_printf(out,
			       "; the longest run that finished took %s: ask "
			       "for %s.",
			       time_text((double)most, limit),
			       time_text((double)more_time(most), more));
	else
		slu_buf_puts(out, ": ask for more time.");
}

/* It was ended at its limit, while others of its name took much less. */
static bool is_unlike(const struct slu_advice_facts *f)
{
	return f->timeout && f->granted > 0 && f->n_run >= MIN_RUNS &&
	       !count_over(f);
}

static void say_unlike(const struct slu_advice_facts *f, struct slu_buf *out)
{
	char limit[SLU_TIME_TEXT], most[SLU_TIME_TEXT];
	int64_t used = 0;

	for (size_t i = 0; i < f->n_run; i++)
		if (f->run[i].used > used)
			used = f->run[i].used;
	slu_buf_printf(out,
		       "It was ended at its limit of %s. The last %zu runs of "
		       "this name took %s at most: did it do more than those, "
		       "or wait for something?",
		       time_text((double)f->granted, limit), f->n_run,
		       time_text((double)used, most));
}

static bool is_stage_in_long(const struct slu_advice_facts *f)
{
	return f->own && f->completed && f->in.bytes > 0 &&
	       f->in.seconds >= LONG_ENOUGH && f->run_seconds > 0 &&
	       f->in.seconds > f->run_seconds;
}

static void say_stage_in_long(const struct slu_advice_facts *f,
			      struct slu_buf *out)
{
	char in[SLU_TIME_TEXT], run[SLU_TIME_TEXT];

	slu_buf_printf(out,
		       "Staging in took %s, longer than the run (%s). If later "
		       "jobs read the same input, a persistent buffer keeps it "
		       "for all of them (\"#BB persistent_create\" in "
		       "sluice(7)).",
		       time_text(f->in.seconds, in),
		       time_text(f->run_seconds, run));
}

static bool was_used_up_to(const struct slu_advice_facts *f, double share)
{
	return f->own && f->used_known && f->ran && !f->running &&
	       !f->no_space && f->fullest <= share;
}

static bool is_unused(const struct slu_advice_facts *f)
{
	return was_used_up_to(f, 1) && f->completed && f->used_most < LEAST &&
	       !f->in.files && !f->out.files;
}

static void say_unused(const struct slu_advice_facts *f, struct slu_buf *out)
{
	char size[SLU_SIZE_TEXT];

	slu_buf_printf(out,
		       "Nothing was staged, and at most %s of data was seen in "
		       "its file system: if the job does not need one it "
		       "starts sooner without its #BB lines.",
		       slu_size_text(f->used_most, size));
}

static uint64_t enough(const struct slu_advice_facts *f)
{
	return round_up((double)f->capacity * f->fullest * SPARE);
}

static bool is_too_large(const struct slu_advice_facts *f)
{
	return was_used_up_to(f, 1.0 / 3) && !is_unused(f) && f->completed &&
	       f->used_most >= LEAST && enough(f) * 2 <= f->capacity;
}

static void say_too_large(const struct slu_advice_facts *f, struct slu_buf *out)
{
	char most[SLU_SIZE_TEXT], all[SLU_SIZE_TEXT], want[SLU_SIZE_TEXT];

	slu_buf_printf(out,
		       "At most %s of %s was in use (%.0f %% on the fullest "
		       "node): capacity=%s would have been enough, with half "
		       "as much again to spare.",
		       slu_size_text(f->used_most, most),
		       slu_size_text(f->capacity, all), ceil(f->fullest * 100),
		       slu_size_text(enough(f), want));
}

static bool is_small(const struct slu_advice_stage *s)
{
	return s->files >= MANY_FILES && s->seconds >= LONG_ENOUGH &&
	       s->bytes / s->files < SMALL_FILE;
}

static bool has_small_files(const struct slu_advice_facts *f)
{
	return is_small(&f->in) || is_small(&f->out);
}

static void say_small_files(const struct slu_advice_facts *f,
			    struct slu_buf *out)
{
	const struct slu_advice_stage *s = is_small(&f->in) ? &f->in : &f->out;
	char size[SLU_SIZE_TEXT], time[SLU_TIME_TEXT];

	slu_buf_printf(out,
		       "%ju files of %s on average were staged %s in "
		       "%s: packed into one archive (tar) they would be one "
		       "file to copy.",
		       (uintmax_t)s->files,
		       slu_size_text(s->bytes / s->files, size),
		       s == &f->in ? "in" : "out", time_text(s->seconds, time));
}

static bool has_slow_node(const struct slu_advice_facts *f)
{
	return f->last.node && f->last.behind >= LONG_ENOUGH &&
	       f->last.behind * 2 >= f->last.seconds;
}

static void say_slow_node(const struct slu_advice_facts *f, struct slu_buf *out)
{
	char time[SLU_TIME_TEXT];

	slu_buf_printf(out,
		       "In %s %s was done %s after half of the nodes; if that "
		       "is so again, tell your administrator of this node.",
		       f->last.phase, f->last.node,
		       time_text(f->last.behind, time));
}

static bool is_limit_long(const struct slu_advice_facts *f)
{
	bool all = f->completed && f->n_run >= MIN_RUNS;

	for (size_t i = 0; i < f->n_run; i++)
		all = all && f->run[i].completed;
	return all && f->asked >= LONG_LIMIT && f->used * 3 <= f->asked &&
	       longest(f) * 3 <= f->asked;
}

static void say_limit_long(const struct slu_advice_facts *f,
			   struct slu_buf *out)
{
	const int64_t most = longest(f) > f->used ? longest(f) : f->used;
	char asked[SLU_TIME_TEXT], took[SLU_TIME_TEXT], less[SLU_TIME_TEXT];

	slu_buf_printf(out,
		       "It asked for %s; it and the %zu runs of this name "
		       "before it took %s at most. With a limit of %s it could "
		       "start in shorter gaps.",
		       time_text((double)f->asked, asked), f->n_run,
		       time_text((double)most, took),
		       time_text((double)more_time(most * 3 / 2), less));
}

static bool is_nearly_full(const struct slu_advice_facts *f)
{
	return f->own && f->used_known && !f->no_space &&
	       f->fullest >= NEARLY_FULL;
}

static void say_nearly_full(const struct slu_advice_facts *f,
			    struct slu_buf *out)
{
	slu_buf_printf(out,
		       "Its file system was %.0f %% full on the fullest node: "
		       "a little more data would not have fitted.",
		       fmin(floor(f->fullest * 100), 100));
}

static const struct rule {
	const char *name;
	bool (*holds)(const struct slu_advice_facts *f);
	void (*say)(const struct slu_advice_facts *f, struct slu_buf *out);
} rules[] = {
	{"held", is_held, say_held},
	{"capacity-too-small", is_too_small, say_too_small},
	{"output-not-staged", has_lost_output, say_lost_output},
	{"limit-too-short", is_limit_short, say_limit_short},
	{"longer-than-before", is_unlike, say_unlike},
	{"nearly-full", is_nearly_full, say_nearly_full},
	{"stage-in-longer-than-run", is_stage_in_long, say_stage_in_long},
	{"small-files", has_small_files, say_small_files},
	{"unused", is_unused, say_unused},
	{"capacity-too-large", is_too_large, say_too_large},
	{"slow-node", has_slow_node, say_slow_node},
	{"limit-too-long", is_limit_long, say_limit_long},
};

void slu_advice_add(struct json_object *list, const char *rule,
		    struct slu_buf *text)
{
	struct json_object *one = json_object_new_object();

	slu_json_set_str(one, "rule", rule);
	slu_json_set_str(one, "text", text->data);
	json_object_array_add(list, one);
	slu_buf_free(text);
}

struct json_object *slu_advice(const struct slu_advice_facts *facts)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct slu_buf text = {0};

		if (!rules[i].holds(facts))
			continue;
		rules[i].say(facts, &text);
		slu_advice_add(list, rules[i].name, &text);
	}
	return list;
}
