/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the simulated server of tbf_server.h. */
#include "config.h"
#include "tests/unit/select_io/tbf_server.h"

#include <errno.h>
#include <string.h>
#include "tests/unit/harness.h"

const char *const server_ids[JOBS] = {"100",	"101", "102", "dd.0",
				      "we ird", "105", "{",   "10{"};

void open_server(struct server *s, struct slu_tbf_settings *set, unsigned cpts)
{
	struct slu_err err = {0};

	*s = (struct server){.now = 1000};
	ck_assert_int_eq(fake_tbf_init(&s->fake, cpts), 0);
	set->headroom = set->overrun = 0; /* plain numbers */
	if (set->rate == 0)
		set->rate = 1000;
	s->tbf = slu_tbf_new(set, &err);
	ck_assert_msg(s->tbf != NULL, "%s", err.text);
	ck_assert_int_eq(fake_tbf_set_policy(&s->fake, slu_tbf_policy(s->tbf)),
			 0);
}

void close_server(struct server *s)
{
	slu_tbf_free(s->tbf);
	fake_tbf_free(&s->fake);
}

/* Of the next reading. A record begins with its first RPC. */
static void job_stats(struct server *s, struct slu_buf *out)
{
	for (int t = 0; t < 2 - s->unmounted; t++) {
		slu_buf_printf(out, "obdfilter.OST%d.job_stats=\njob_stats:\n",
			       t);
		for (int i = 0; i < JOBS; i++) {
			if (!s->rpcs[t][i]) {
				s->start[t][i] = 0;
				continue;
			}
			if (s->start[t][i] == 0)
				s->start[t][i] = s->now + 0.001;
			slu_buf_printf(
				out,
				"- job_id:  %s\n  snapshot_time: %.9f s\n"
				"  start_time: %.9f s\n"
				"  read_bytes: { samples: %llu, sum: 1 }\n",
				server_ids[i], s->now + 0.002, s->start[t][i],
				s->rpcs[t][i]);
		}
	}
}

void adopt(struct server *s)
{
	struct slu_rules rules = {0};
	struct slu_buf dump = {0};
	struct slu_err err;

	ck_assert_int_eq(fake_tbf_dump(&s->fake, NULL, NULL, &dump), 0);
	expect_ok(slu_rules_parse(&rules, dump.data, &err), err);
	expect_ok(slu_tbf_reconcile(s->tbf, &rules, &err), err);
	slu_rules_free(&rules);
	slu_buf_free(&dump);
}

void observe(struct server *s, double seconds, const struct slu_buf *job_stats)
{
	struct slu_jobstats stats = {0};
	struct slu_err err;

	s->now += seconds;
	expect_ok(slu_jobstats_parse(&stats, job_stats->data, job_stats->len,
				     &err),
		  err);
	expect_ok(slu_tbf_observe(s->tbf, s->now, &stats, &err), err);
	slu_jobstats_free(&stats);
}

size_t write_rules(struct server *s)
{
	const char *command;
	size_t n = 0;

	for (; (command = slu_tbf_command(s->tbf, s->now)); n++) {
		int rc = fake_tbf_command(&s->fake, command);

		expect(rc == 0, "%s: %s", command, strerror(rc));
		s->changes += strncmp(command, "change", 6) == 0;
	}
	s->commands += n;
	return n;
}

void period(struct server *s, double seconds)
{
	struct slu_buf text = {0};

	job_stats(s, &text);
	observe(s, seconds, &text);
	write_rules(s);
	slu_buf_free(&text);
}

uint32_t rate_of(const struct server *s, int job)
{
	const struct fake_rule *r =
		fake_tbf_match(&s->fake, 0, server_ids[job]);

	return r ? r->rate : 0;
}
