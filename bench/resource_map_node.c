/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares sysmap on this node with lshw and lstopo, which read the same facts
 * of the machine: median time, median processor time and maximum memory of a
 * run. Each run is a new process with its output discarded. The programs run in
 * turn, so that other load on the machine affects all of them.
 */
#include "config.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUNS_MAX 1000

extern char **environ;

struct program {
	const char *name;
	char *argv[8];
	bool missing;
	double ms[RUNS_MAX], cpu_ms[RUNS_MAX];
	long kib; /* maximum of all runs */
};

static struct program programs[] = {
	{.name = "sysmap", .argv = {"sysmap/sysmap"}},
	{.name = "lshw", .argv = {"lshw", "-json", "-quiet"}},
	{.name = "lstopo",
	 .argv = {"lstopo-no-graphics", "--whole-io", "--of", "xml"}},
};
#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

static double milliseconds(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Runs a program once and stores the figures. posix_spawn() instead of fork():
 * ru_maxrss of a fork would include the memory of this process. */
static bool run(struct program *p, int turn)
{
	posix_spawn_file_actions_t files;
	struct rusage usage;
	double start = now_ms();
	int status, ret;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	ret = posix_spawnp(&pid, p->argv[0], &files, NULL, p->argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (ret || wait4(pid, &status, 0, &usage) < 0 || status)
		return false;
	p->ms[turn] = now_ms() - start;
	p->cpu_ms[turn] =
		milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
	if (usage.ru_maxrss > p->kib)
		p->kib = usage.ru_maxrss;
	return true;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double median(double *value, int n)
{
	qsort(value, (size_t)n, sizeof(*value), compare);
	return value[n / 2];
}

static void row(bool csv, const char *metric, const char *unit, double ours,
		const struct program *rival, double theirs)
{
	if (csv)
		printf("node,%s,%s,%.2f,%s,%.2f,%.3f\n", metric, unit, ours,
		       rival->name, theirs, ours / theirs);
	else
		printf("%-10s %-4s %10.2f   %-8s %10.2f   %6.2f\n", metric,
		       unit, ours, rival->name, theirs, ours / theirs);
}

static void report(bool csv, int runs)
{
	struct program *ours = &programs[0];
	double ms = median(ours->ms, runs), cpu = median(ours->cpu_ms, runs);
	double mib = (double)ours->kib / 1024;
	struct program *p;

	puts(csv ? "case,metric,unit,ours,rival,rival_value,ratio"
		 : "metric     unit       ours   rival         value    ratio");
	for (p = programs + 1; p < programs + PROGRAMS; p++) {
		if (p->missing) {
			fprintf(stderr, "%s is not installed\n", p->argv[0]);
			continue;
		}
		row(csv, "wall", "ms", ms, p, median(p->ms, runs));
		row(csv, "cpu", "ms", cpu, p, median(p->cpu_ms, runs));
		row(csv, "memory", "MiB", mib, p, (double)p->kib / 1024);
	}
}

int main(int argc, char **argv)
{
	bool csv = false;
	int runs = 30;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--csv") == 0)
			csv = true;
		else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc)
			runs = atoi(argv[++i]);
		else
			programs[0].argv[0] = argv[i];
	}
	if (runs < 1 || runs > RUNS_MAX) {
		fprintf(stderr, "--runs 1 to %d\n", RUNS_MAX);
		return 2;
	}
	for (int turn = 0; turn < runs; turn++)
		for (size_t i = 0; i < PROGRAMS; i++)
			if (!programs[i].missing)
				programs[i].missing = !run(&programs[i], turn);
	if (programs[0].missing) {
		fprintf(stderr, "%s does not run\n", programs[0].argv[0]);
		return 1;
	}
	report(csv, runs);
	return 0;
}
