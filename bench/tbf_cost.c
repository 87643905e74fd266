/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures what sluice-tbfd costs with 1,000 jobs: the time of a token step, of
 * the controller's period, and of the whole daemon, and its memory.
 *
 * A second measurement, chatter(), is about Lustre: how much more a rule of its
 * token bucket filter (NRS TBF) lets through if it is rewritten in each period.
 * That is why the controller changes rules rarely.
 */
#include "common/fast.h"
#include "config.h"
#include "bench/tbf.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "bench/measure.h"
#include "bench/tbf_sim.h"
#include "common/file.h"
#include "select_io/tbf/controller.h"
#include "select_io/tbf/tokens.h"
#include "tests/unit/random.h"

#define PERIODS 100

/* The RPCs a second of a single throttled job that pass a rule of this rate, in
 * the simulation. `rewrite`: the rule is rewritten every 100 ms. Lustre 2.17
 * itself let 5.18 pass a rule of 5, and 15.13 if rewritten. */
static double chatter(double rate, bool rewrite)
{
	static struct sim sim;
	char command[64];
	double passed;

	sim_init(&sim, 1000, 1);
	sim_add(&sim, 0, (struct sim_process){.volume = 100000, .window = 4});
	fake_tbf_set_policy(&sim.fake, "tbf jobid");
	snprintf(command, sizeof(command), "start r jobid={1000} rate=%.0f",
		 rate);
	fake_tbf_command(&sim.fake, command);
	snprintf(command, sizeof(command), "change r rate=%.0f", rate);
	for (double next = 0.1; sim.now < 20; sim_step(&sim))
		if (rewrite && sim.now >= next) {
			fake_tbf_command(&sim.fake, command);
			next += 0.1;
		}
	passed = (double)sim.served[0] / sim.now;
	sim_free(&sim);
	return passed;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Saves or restores the state before a period, so that it can be repeated. */
static void copy_state(double *to, const struct slu_tokens *t, bool restore)
{
	double *from[] = {t->limit, t->tokens, t->record, t->remainder};

	for (int k = 0; k < 4; k++)
		if (restore)
			memcpy(from[k], to + (size_t)k * t->n,
			       t->n * sizeof(double));
		else
			memcpy(to + (size_t)k * t->n, from[k],
			       t->n * sizeof(double));
}

/* The least that a token step could do: reads each of its arrays once, and
 * writes those that it changes. */
SLU_FAST static void pass_once(struct slu_tokens *t, double by)
{
	const double *restrict nodes = t->nodes, *restrict demand = t->demand;
	double *restrict limit = t->limit, *restrict tokens = t->tokens;
	double *restrict record = t->record, *restrict rest = t->remainder;

	SLU_INDEPENDENT
	for (size_t i = 0; i < t->n; i++) {
		limit[i] = limit[i] * by + nodes[i];
		tokens[i] = tokens[i] * by + demand[i];
		record[i] = record[i] * by + nodes[i];
		rest[i] = rest[i] * by + demand[i];
	}
}

/* The shortest of many passes, seconds: the unit in which the time of a step is
 * compared between machines. */
static double pass_time(size_t n)
{
	struct slu_tokens t = {0};
	double best = 1;

	if (slu_tokens_resize(&t, n, NULL))
		exit(1);
	for (size_t i = 0; i < n; i++)
		t.nodes[i] = t.demand[i] = 1;
	for (int run = 0; run < 20000; run++) {
		double begin = bench_now();

		pass_once(&t, 0.5);
		best = fmin(best, bench_now() - begin);
	}
	slu_tokens_free(&t);
	return best;
}

/* Seconds of a token step with the shipped settings: the mean over periods in
 * which jobs lend, borrow and are paid back. Of each period it is the shortest
 * of many runs, since other programs on the machine can only make a run longer.
 */
static double step_time(size_t n)
{
	struct slu_tokens_settings set = {
		.rate = (double)n * 50, .hungry = true, .instant = true};
	struct slu_tokens t = {0};
	double *state = calloc(4 * n, sizeof(*state)), all = 0;
	uint64_t seed = 1;

	if (!state || slu_tokens_resize(&t, n, NULL))
		exit(1);
	for (size_t i = 0; i < n; i++) {
		t.nodes[i] = (double)(1 + i * 37 % 64);
		t.tokens[i] = t.limit[i] = -1;
	}
	for (int period = 0; period < PERIODS; period++) {
		double best = 1, carry = t.carry;

		for (size_t i = 0; i < n; i++)
			t.demand[i] = (double)(1 + slu_random(&seed, 10));
		copy_state(state, &t, false);
		for (int run = 0; run < 200; run++) {
			double begin;

			copy_state(state, &t, true);
			t.carry = carry;
			begin = bench_now();
			slu_tokens_step(&set, &t, 0.1);
			best = fmin(best, bench_now() - begin);
		}
		all += best;
	}
	slu_tokens_free(&t);
	free(state);
	return all / PERIODS;
}

/* Prints job_stats of n jobs as Lustre 2.17 does: 15 counters each. */
static void print_stats(struct slu_buf *out, size_t n, unsigned long round)
{
	slu_buf_reset(out);
	slu_buf_puts(out, "obdfilter.fs-OST0000.job_stats=\njob_stats:\n");
	for (size_t i = 0; i < n; i++) {
		slu_buf_printf(out,
			       "- job_id:          %zu\n"
			       "  snapshot_time:   1795177789.246023260 "
			       "secs.nsecs\n"
			       "  start_time:      1795177789.224397902 "
			       "secs.nsecs\n"
			       "  elapsed_time:    0.021625358 secs.nsecs\n",
			       100000 + i);
		for (int c = 0; c < 15; c++)
			slu_buf_printf(
				out,
				"  %-16s { samples: %11lu, unit: bytes, min: "
				"%8d, max: %8d, sum: %16lu, sumsq: %18d, hist: "
				"{ 4K: 1, 1M: 200 } }\n",
				c == 0	 ? "read_bytes:"
				: c == 1 ? "write_bytes:"
					 : "quotactl:",
				c < 2 ? round * (1 + i % 9) : 0, 0, 1048576,
				round << 20, 0);
	}
}

/* CPU seconds of a period of the controller for n jobs: it parses job_stats,
 * divides the tokens, and decides on the rules. */
static double cycle_time(size_t n)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct slu_jobstats stats = {0};
	struct slu_buf text = {0};
	struct slu_tbf *tbf;
	double best = 1, begin;

	set.rate = (double)n * 50;
	tbf = slu_tbf_new(&set, NULL);
	if (!tbf)
		exit(1);
	for (unsigned long k = 1; k < 30; k++) {
		print_stats(&text, n, k);
		begin = cpu_seconds();
		if (slu_jobstats_parse(&stats, text.data, text.len, NULL) ||
		    slu_tbf_observe(tbf, (double)k, &stats, NULL))
			exit(1);
		while (slu_tbf_command(tbf, (double)k))
			;
		if (k > 3)
			best = fmin(best, cpu_seconds() - begin);
	}
	slu_tbf_free(tbf);
	slu_jobstats_free(&stats);
	slu_buf_free(&text);
	return best;
}

/* Replaces a file below root, by a rename so that the daemon never reads half
 * of one. */
static void put(const char *root, const char *name, const char *text)
{
	char path[256], new[256 + 4];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	*strrchr(path, '/') = '\0';
	if (slu_mkdirs(path, 0700, NULL))
		exit(1);
	snprintf(path, sizeof(path), "%s/%s", root, name);
	snprintf(new, sizeof(new), "%s.new", path);
	file = fopen(new, "w");
	if (!file || fputs(text, file) < 0 || fclose(file) || rename(new, path))
		exit(1);
}

static double cpu_of(pid_t pid)
{
	struct timespec t = {0};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) == 0)
		clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The maximum resident set size. */
static double mebibytes(pid_t pid)
{
	char path[64], line[256];
	double kib = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %lf", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib / 1024;
}

#define STATS	"proc/fs/lustre/obdfilter/fs-OST0000/job_stats"
#define PROGRAM "select_io/tbfd/sluice-tbfd"

static pid_t start_daemon(const char *root)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (!freopen("/dev/null", "w", stdout) ||
		    !freopen("/dev/null", "w", stderr))
			_exit(1);
		execl(PROGRAM, PROGRAM, "--rate=50000", "--root", root, NULL);
		_exit(127);
	}
	return pid;
}

/* Rewrites job_stats every 50 ms for some seconds. Returns how often the daemon
 * has read it, which is the number of its periods. */
static double work(const char *root, int watch, size_t n, double seconds)
{
	struct timespec pause = {.tv_nsec = 50000000};
	static unsigned long round;
	struct slu_buf text = {0};
	char events[4096];
	double begin = bench_now(), read_so_far = 0;

	while (bench_now() - begin < seconds) {
		print_stats(&text, n, ++round);
		put(root, STATS, strchr(text.data, '\n') + 1);
		nanosleep(&pause, NULL);
		for (ssize_t k; (k = read(watch, events, sizeof(events))) > 0;)
			for (char *p = events; p < events + k;) {
				struct inotify_event e;

				memcpy(&e, p, sizeof(e));
				read_so_far +=
					e.len > 0 &&
					strcmp(p + sizeof(e), "job_stats") == 0;
				p += sizeof(e) + e.len;
			}
	}
	slu_buf_free(&text);
	return read_so_far;
}

/* Runs the daemon itself on a simulated server with one target and n jobs.
 * *seconds: CPU time of a period, without the writing of rules; *mib: maximum
 * memory. False: the daemon is not there. */
static bool daemon_cost(size_t n, double *seconds, double *mib)
{
	char root[] = "/tmp/bench-tbf-XXXXXX", path[256], command[64];
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	double cpu, periods;
	pid_t pid;

	if (access(PROGRAM, X_OK) || watch < 0 || !mkdtemp(root))
		return false;
	put(root, STATS, "job_stats:\n");
	put(root, "sys/kernel/debug/lustre/ost/OSS/ost_io/nrs_policies",
	    "\nregular_requests:\n  - name: tbf jobid\n    state: started\n"
	    "    fallback: no\n");
	put(root, "sys/kernel/debug/lustre/ost/OSS/ost_io/nrs_tbf_rule",
	    "regular_requests:\nCPT 0:\ndefault * 10000, ref 0\n");
	snprintf(path, sizeof(path), "%s/%s", root, STATS);
	*strrchr(path, '/') = '\0';
	inotify_add_watch(watch, path, IN_CLOSE_NOWRITE);
	pid = start_daemon(root);
	if (pid <= 0) /* kill(-1) would signal all processes */
		return false;
	work(root, watch, n, 2); /* until the steady state */
	cpu = cpu_of(pid);
	periods = work(root, watch, n, 5);
	*seconds = (cpu_of(pid) - cpu) / periods;
	*mib = mebibytes(pid);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	close(watch);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) == 0 && periods > 0;
}

void tbf_run_costs(bool csv)
{
	double seconds = 0, mib = 0;
	bool ran = daemon_cost(1000, &seconds, &mib);
	double pass = pass_time(1000) * 1e6;
	double step = step_time(1000) * 1e6, cycle = cycle_time(1000) * 1e3;
	double quiet = chatter(5, false), noisy = chatter(5, true);

	if (csv) {
		tbf_csv("token step", "1000 jobs", "us", step, "one pass",
			pass);
		tbf_csv("period", "1000 jobs", "ms CPU", cycle, "goal", 5);
		if (ran) {
			tbf_csv("daemon's period", "1000 jobs", "ms CPU",
				seconds * 1e3, "goal", 5);
			tbf_csv("daemon's memory", "1000 jobs", "MiB", mib,
				"goal", 20);
		}
		tbf_csv("rule of 5", "quiet", "RPC/s", quiet, "Lustre 2.17",
			5.18);
		tbf_csv("rule of 5", "rewritten", "RPC/s", noisy, "Lustre 2.17",
			15.13);
		return;
	}
	if (ran)
		printf("\nsluice-tbfd, 1,000 jobs: a period takes %.2f ms of a "
		       "processor (goal 5), memory %.1f MiB (goal 20)\n",
		       seconds * 1e3, mib);
	else
		puts("\nsluice-tbfd is not measured: start this where " PROGRAM
		     " is");
	printf("\ntoken step, 1,000 jobs: %.2f us, %.1f times one pass over "
	       "its arrays (goal 4; paper: < 30 ms)\n"
	       "period of the controller, job_stats of 1,000 jobs: %.2f ms\n"
	       "a rule of 5 RPC/s lets through %.2f; rewritten every 100 ms "
	       "%.2f (Lustre 2.17: 5.18, 15.13)\n",
	       step, step / pass, cycle, quiet, noisy);
}
