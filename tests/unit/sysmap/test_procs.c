/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parsers of /proc/meminfo, /proc/cpuinfo and lists of CPUs. */
#include "config.h"
#include "sysmap/linux/procs.h"
#include "tests/unit/harness.h"

START_TEST(test_meminfo)
{
	static const struct {
		const char *text, *key;
		uint64_t want;
	} cases[] = {
		{"MemTotal:  16 kB\nMemFree: 1 kB\n", "MemTotal", 16384},
		{"Mem: 1 kB\nMemTotal:  16 kB", "MemTotal", 16384},
		{"XMemTotal:  16 kB\n", "MemTotal", 0},
		{"MemTotalX:  16 kB\n", "MemTotal", 0},
		{"MemTotal: rubbish\n", "MemTotal", 0},
		{"MemTotal: 99999999999999999999 kB\n", "MemTotal", 0},
		{"", "MemTotal", 0},
		{"Node 1 MemTotal: 2 kB\n", "Node 1 MemTotal", 2048},
	};

	each(c, cases) expect(slu_meminfo_bytes(c->text, c->key) == c->want,
			      "%s", c->text);
}
END_TEST

START_TEST(test_cpuinfo)
{
	static const struct {
		const char *text;
		uint32_t cpus, cores, sockets;
		const char *model;
	} cases[] = {
		{"", 0, 0, 0, NULL},
		{"processor: 0\nmodel name\t: A  B \n\nprocessor: 1\n", 2, 0, 0,
		 "A  B"},
		/* two packages of one core of two threads */
		{"processor: 0\nphysical id: 0\ncpu cores: 1\n"
		 "processor: 1\nphysical id: 3\ncpu cores: 1\n"
		 "processor: 2\nphysical id: 0\ncpu cores: 1\n"
		 "processor: 3\nphysical id: 3\ncpu cores: 1\n",
		 4, 2, 2, NULL},
		/* a container that sees two of many */
		{"processor: 0\nphysical id: 0\ncpu cores: 64\n"
		 "processor: 1\nphysical id: 0\ncpu cores: 64\n",
		 2, 0, 1, NULL},
		{"processor: 0\ncpu: POWER9, altivec supported\n", 1, 0, 0,
		 "POWER9, altivec supported"},
		{"processor\nprocessor:\n:\n::\nmodel name: \x01\xff\n", 2, 0,
		 0, "??"},
	};
	struct slu_cpuinfo got;
	char *text;

	each(c, cases)
	{
		text = strdup(c->text);
		slu_cpuinfo_parse(text, &got);
		expect(got.cpus == c->cpus && got.cores == c->cores &&
			       got.sockets == c->sockets,
		       "%s: %u %u %u", c->text, got.cpus, got.cores,
		       got.sockets);
		expect(!c->model == !got.model &&
			       (!c->model || strcmp(c->model, got.model) == 0),
		       "%s: %s", c->text, got.model);
		free(text);
	}
}
END_TEST

START_TEST(test_model_mhz)
{
	static const struct {
		const char *model;
		double want;
	} cases[] = {
		{"Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", 2400},
		{"Something @ 800MHz", 800},
		{"AMD EPYC 7763 64-Core Processor", 0},
		{"at @ last", 0},
		{"x @ -1GHz", 0},
		{"x @ 1e99GHz", 0},
		{"x @ nanGHz", 0},
		{"", 0},
		{NULL, 0},
	};

	each(c, cases) expect(slu_model_mhz(c->model) == c->want, "%s",
			      c->model ? c->model : "NULL");
}
END_TEST

START_TEST(test_cpulist)
{
	static const struct {
		const char *list;
		uint32_t want;
		long first;
	} cases[] = {
		{"0", 1, 0},	{"0-3,8", 5, 0},       {"4,68", 2, 4},
		{"", 0, -1},	{"x", 0, -1},	       {"5-2", 0, -1},
		{"0-,3", 1, 0}, {"0-99999999", 0, -1}, {"7,", 1, 7},
	};
	long first;

	each(c, cases)
	{
		expect(slu_cpulist_count(c->list, &first) == c->want, "%s",
		       c->list);
		expect(first == c->first, "%s: %ld", c->list, first);
	}
}
END_TEST

START_TEST(test_cpumask)
{
	static const struct {
		const char *mask;
		long first;
	} cases[] = {
		{"1", 0},   {"00000003", 0},	       {"f0", 4},
		{"0", -1},  {"00000000,00010000", 16}, {"1,00000000", 32},
		{"", -1},   {"00000080,00000000", 39}, {"?", -1},
		{"2\n", 1},
	};

	each(c, cases) expect(slu_cpumask_first(c->mask) == c->first, "%s: %ld",
			      c->mask, slu_cpumask_first(c->mask));
}
END_TEST

TEST_MAIN("procs", test_meminfo, test_cpuinfo, test_model_mhz, test_cpulist,
	  test_cpumask)
