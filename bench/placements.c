/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures how many placements a second one processor does, by the numbers of
 * targets and of files in a query, while each server reports every five seconds
 * and the placements of the last minute count: from the targets in its cache,
 * as sluiced itself answers programs, and from the servers' JSON reports, as a
 * child process of sluiced does (without its start).
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/measure.h"
#include "common/jsonx.h"
#include "select_io/ost/known_targets.h"
#include "tests/unit/random.h"

#define PER_SERVER 8
#define REPORT	   5.0 /* seconds */
#define LONG	   0.5 /* s of processor time for each number */
#define GOAL	   10000

static uint64_t seed = 1;

static void die(const char *why)
{
	fprintf(stderr, "placements: %s\n", why);
	exit(1);
}

static struct json_object *report(uint32_t server, double now)
{
	struct json_object *said = json_object_new_object();
	struct json_object *list = json_object_new_array(), *one;
	char name[32];

	slu_json_set_double(said, "cpu", (double)slu_random(&seed, 100));
	slu_json_set_double(said, "memory", (double)slu_random(&seed, 100));
	slu_json_set_double(said, "network", (double)slu_random(&seed, 1000));
	slu_json_set_double(said, "came", now);
	for (uint32_t i = 0; i < PER_SERVER; i++) {
		uint32_t index = server * PER_SERVER + i;

		one = json_object_new_object();
		snprintf(name, sizeof(name), "big-OST%04x", index);
		slu_json_set_str(one, "name", name);
		slu_json_set_u64(one, "index", index);
		slu_json_set_double(one, "total", 1e12);
		slu_json_set_double(one, "available",
				    5e11 + (double)slu_random(&seed, 1000) *
						    1e8);
		slu_json_set_double(one, "read",
				    (double)slu_random(&seed, 1000) * 1e6);
		json_object_array_add(list, one);
	}
	json_object_object_add(said, "osts", list);
	return said;
}

struct site {
	struct json_object *servers;
	struct slu_known_targets *known;
	struct slu_recent_placements *recent;
	uint32_t n_servers, next; /* the next to report */
	double now, next_report;
};

static void hear(struct site *s)
{
	uint32_t server = s->next++ % s->n_servers;
	struct json_object *said = report(server, s->now), *old = NULL;
	char name[16];

	snprintf(name, sizeof(name), "oss%u", server);
	json_object_object_get_ex(s->servers, name, &old);
	json_object_get(old);
	json_object_object_add(s->servers, name, said);
	slu_known_targets_said(s->known, name, said);
	json_object_put(old);
	s->next_report += REPORT / s->n_servers;
}

static void by_documents(struct site *s, const struct slu_known_ask *ask,
			 struct json_object **out, struct slu_err *err)
{
	struct json_object *lesson;

	json_object_object_foreach(s->servers, key, document)
	{
		(void)key;
		slu_json_set_double(document, "age", 1);
	}
	slu_recent_placements_write(s->recent, s->servers, s->now);
	if (slu_ost_choose(ask->settings, s->servers, ask->request, out, err))
		die(err->text);
	lesson = slu_recent_placements_of_answer(*out);
	slu_recent_placements_add(s->recent, lesson, 0, s->now);
	json_object_put(lesson);
}

/* Placements a second. */
static double rate(uint32_t targets, uint32_t files, bool kept)
{
	struct site s = {.servers = json_object_new_object(),
			 .known = slu_known_targets_new(),
			 .recent = slu_recent_placements_new(),
			 .n_servers = targets / PER_SERVER};
	struct slu_ost_choose_request r = {
		.stripes = 4, .files = files, .size = UINT64_C(1) << 30};
	const struct slu_known_ask ask = {.settings = &slu_ost_choose_defaults,
					  .request = &r};
	double began = bench_cpu(), n = 0;
	struct json_object *out;
	struct slu_err err;

	for (uint32_t i = 0; i < s.n_servers; i++)
		hear(&s);
	s.next_report = s.now + REPORT / s.n_servers;
	for (began = bench_cpu(); (s.now = bench_cpu() - began) < LONG;
	     n += files) {
		while (s.next_report < s.now)
			hear(&s);
		r.seed++;
		if (!kept)
			by_documents(&s, &ask, &out, &err);
		else if (slu_known_targets_place(s.known, s.servers, s.recent,
						 &ask, s.now, &out, &err))
			die(err.text);
		slu_json_text(out);
		json_object_put(out);
	}
	slu_known_targets_free(s.known);
	slu_recent_placements_free(s.recent);
	json_object_put(s.servers);
	return n / s.now;
}

int main(int argc, char **argv)
{
	static const uint32_t targets[] = {32, 160, 800, 3600};
	static const uint32_t files[] = {1, 16, 256};
	bool csv = argc == 2 && !strcmp(argv[1], "--csv");

	if (argc > 1 && !csv) {
		fputs("usage: placements [--csv]\n", stderr);
		return 2;
	}
	puts(csv ? "case,metric,unit,ours,rival,rival_value,ratio"
		 : "targets  files   placements/s  from documents");
	for (size_t i = 0; i < 12; i++) {
		uint32_t m = targets[i / 3], n = files[i % 3];
		double ours = rate(m, n, true), other = rate(m, n, false);

		if (csv)
			printf("%u targets by %u,placements,1/s,%.0f,documents,"
			       "%.0f,%.4g\n%u targets by %u,placements,1/s,"
			       "%.0f,goal,%d,%.4g\n",
			       m, n, ours, other, ours / other, m, n, ours,
			       GOAL, ours / GOAL);
		else
			printf("%7u  %5u  %13.0f  %14.0f\n", m, n, ours, other);
	}
	return 0;
}
