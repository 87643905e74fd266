/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates lctl on a Lustre server of OSTs, for tests of sluice-tbfd: policy
 * and rules of TBF, and job_stats with their expiry. The state is in the file
 * FAKE_LCTL. Answers, errors and exit codes (errno) are those of lctl 2.17, or
 * 2.15 after `fake version 2.15`.
 *
 *	fake_lctl get_param NAME | set_param NAME=VALUE | fake WORD...
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include "tests/fakes/fake_tbf.h"

/*
 * Commands of the simulation:
 *
 *	fake rpcs OST JOB READS WRITES BYTES
 *		adds so many RPCs to the job's counters
 *	fake offer OST JOB N BYTES [CLIENT]
 *		the job has tried to read N times since its last offer: counts,
 *		and prints, the reads that its buckets let through (one on each
 *		CPT, of three tokens; under "tbf" those of this client)
 *	fake service S
 *		"mds.MDS.mdt" instead of "ost.OSS.ost_io": then the targets are
 *		MDTs, READS counts opens and WRITES closes
 *	fake cpts N	CPU partitions
 *	fake version V	2.15 or 2.17
 *	fake cleanup S	job_cleanup_interval in seconds (600)
 *	fake fail N E	the next N set_param fail with errno E
 *	fake settle S	a policy that is replaced takes S seconds to stop: until
 *		then no other can be set (EAGAIN), as in Lustre while requests
 *		are queued under it
 *	fake age S	pretends that S seconds have passed
 */

#define JOBS	4096
#define CLASSES 256
#define DEBUGFS "/sys/kernel/debug/lustre"

struct job {
	char ost[64], id[64];
	double start, last;
	unsigned long long reads, writes, read_bytes, write_bytes;
};

struct server {
	struct fake_tbf tbf;
	struct fake_class class[CLASSES];
	size_t n_classes;
	struct job job[JOBS];
	size_t n;
	char version[16], service[32];
	double cleanup, age;
	double settle, settled; /* seconds; when */
	int fail_n, fail_errno;
	char *path;
};

static double now(const struct server *s)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9 + s->age;
}

static void load_line(struct server *s, char *line)
{
	struct fake_rule rule = {0};
	struct fake_class class;
	struct job job;
	int head, at;

	if (sscanf(line, "policy %31[^\n]", s->tbf.policy) == 1 ||
	    sscanf(line, "cpts %u", &s->tbf.cpts) == 1 ||
	    sscanf(line, "sequence %u", &s->tbf.sequence) == 1 ||
	    sscanf(line, "version %15s", s->version) == 1 ||
	    sscanf(line, "service %31s", s->service) == 1 ||
	    sscanf(line, "cleanup %lf", &s->cleanup) == 1 ||
	    sscanf(line, "age %lf", &s->age) == 1 ||
	    sscanf(line, "settle %lf %lf", &s->settle, &s->settled) == 2 ||
	    sscanf(line, "fail %d %d", &s->fail_n, &s->fail_errno) == 2)
		return;
	if (sscanf(line, "rule %d %15s %u %u %u %1023[^\n]", &head, rule.name,
		   &rule.rate, &rule.generation, &rule.number, rule.expr) == 6)
		s->tbf.rule[head][s->tbf.n[head]++] = rule;
	else if (sscanf(line, "class %u %u %u %u %u %lf %lf %63s %63[^\n]",
			&class.cpt, &class.rule, &class.rate, &class.generation,
			&class.sequence, &class.tokens, &class.check,
			class.client, class.job) == 9) {
		if (strcmp(class.client, "-") == 0)
			*class.client = '\0';
		s->class[s->n_classes++] = class;
	} else if (sscanf(line, "default %d %u", &head, &rule.rate) == 2)
		s->tbf.default_rate[head] = rule.rate;
	else if (sscanf(line, "job %63s %lf %lf %llu %llu %llu %llu %n",
			job.ost, &job.start, &job.last, &job.reads, &job.writes,
			&job.read_bytes, &job.write_bytes, &at) == 7) {
		line[strcspn(line, "\n")] = '\0';
		slu_copy(job.id, sizeof(job.id), line + at);
		s->job[s->n++] = job;
	}
}

static void load(struct server *s, FILE *file)
{
	char line[FAKE_EXPR + 64];

	strcpy(s->version, "2.17");
	strcpy(s->service, "ost.OSS.ost_io");
	s->cleanup = 600;
	while (fgets(line, sizeof(line), file))
		load_line(s, line);
	s->tbf.braces_only = strcmp(s->version, "2.15") == 0;
}

static void save(const struct server *s, FILE *file)
{
	fprintf(file, "policy %s\ncpts %u\nversion %s\ncleanup %f\nage %f\n",
		s->tbf.policy, s->tbf.cpts, s->version, s->cleanup, s->age);
	fprintf(file, "service %s\n", s->service);
	fprintf(file, "sequence %u\nfail %d %d\nsettle %f %f\n",
		s->tbf.sequence, s->fail_n, s->fail_errno, s->settle,
		s->settled);
	for (int h = 0; h < FAKE_HEADS; h++) {
		fprintf(file, "default %d %u\n", h, s->tbf.default_rate[h]);
		for (size_t i = 0; i < s->tbf.n[h]; i++)
			fprintf(file, "rule %d %s %u %u %u %s\n", h,
				s->tbf.rule[h][i].name, s->tbf.rule[h][i].rate,
				s->tbf.rule[h][i].generation,
				s->tbf.rule[h][i].number,
				s->tbf.rule[h][i].expr);
	}
	for (size_t i = 0; i < s->n_classes; i++) {
		const struct fake_class *c = &s->class[i];

		fprintf(file, "class %u %u %u %u %u %.6f %.6f %s %s\n", c->cpt,
			c->rule, c->rate, c->generation, c->sequence, c->tokens,
			c->check, *c->client ? c->client : "-", c->job);
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct job *j = &s->job[i];

		fprintf(file, "job %s %f %f %llu %llu %llu %llu %s\n", j->ost,
			j->start, j->last, j->reads, j->writes, j->read_bytes,
			j->write_bytes, j->id);
	}
}

/* Jobs that did nothing for the interval are dropped when the file is read. */
static void expire(struct server *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (now(s) - s->job[i].last <= s->cleanup)
			s->job[n++] = s->job[i];
	s->n = n;
}

/* Quoted where a character is not plain, others than '@' ':' escaped. */
static void print_id(const char *id)
{
	static const char plain[] = ".@-_:/";
	bool quote = *id == '@';
	const char *p;

	for (p = id; *p; p++)
		quote |=
			*p == ':' || !(strchr(plain, *p) ||
				       ((*p | 32) >= 'a' && (*p | 32) <= 'z') ||
				       (*p >= '0' && *p <= '9'));
	fputs(quote ? "\"" : "", stdout);
	for (p = id; *p; p++)
		if (strchr(" \"\\", *p))
			printf("\\x%02X", (unsigned char)*p);
		else
			putchar(*p);
	puts(quote ? "\"" : "");
}

static void print_counter(const struct server *s, const char *name,
			  unsigned long long n, unsigned long long sum)
{
	unsigned long long each = n ? sum / n : 0;

	printf("  %-16s { samples: %11llu, unit: bytes, min: %8llu, max: "
	       "%8llu, sum: %16llu, sumsq: %18llu%s }\n",
	       name, n, each, each, sum, n * each * each,
	       strcmp(s->version, "2.15") ? ", hist: {  }" : "");
}

static void print_job(const struct server *s, const struct job *j)
{
	printf("- %-16s ", "job_id:");
	print_id(j->id);
	printf("  snapshot_time:   %.9f secs.nsecs\n", j->last);
	printf("  start_time:      %.9f secs.nsecs\n", j->start);
	printf("  elapsed_time:    %.9f secs.nsecs\n", j->last - j->start);
	print_counter(s, "read_bytes:", j->reads, j->read_bytes);
	print_counter(s, "write_bytes:", j->writes, j->write_bytes);
	for (const char *const *c =
		     (const char *const[]){
			     "read", "write", "getattr", "setattr", "punch",
			     "sync", "destroy", "create", "statfs", "get_info",
			     "set_info", "quotactl", "prealloc", NULL};
	     *c; c++)
		printf("  %s:%*s { samples:           0, unit: usecs, min:"
		       "        0, max:        0, sum:                0, "
		       "sumsq:                  0 }\n",
		       *c, (int)(15 - strlen(*c)), "");
}

static const char *kind(const struct server *s)
{
	return strncmp(s->service, "mds.", 4) == 0 ? "mdt" : "obdfilter";
}

/* A job on a metadata target. */
static void print_metadata(const struct job *j)
{
	printf("- %-16s ", "job_id:");
	print_id(j->id);
	printf("  start_time:      %.9f secs.nsecs\n", j->start);
	printf("  open:            { samples: %11llu, unit: usecs }\n"
	       "  close:           { samples: %11llu, unit: usecs }\n",
	       j->reads, j->writes);
}

/* One target after the other; they are those that jobs have been on. */
static void get_job_stats(struct server *s)
{
	bool old = strcmp(s->version, "2.15") == 0;

	expire(s);
	for (size_t i = 0; i < s->n; i++) {
		bool seen = false;

		for (size_t k = 0; k < i; k++)
			seen |= strcmp(s->job[k].ost, s->job[i].ost) == 0;
		if (seen)
			continue;
		printf("%s.%s.job_stats=\njob_stats:\n", kind(s),
		       s->job[i].ost);
		for (size_t k = i; k < s->n; k++)
			if (strcmp(s->job[k].ost, s->job[i].ost) != 0)
				continue;
			else if (strcmp(kind(s), "mdt") == 0)
				print_metadata(&s->job[k]);
			else
				print_job(s, &s->job[k]);
	}
	if (s->n == 0)
		fputs(old ? "obdfilter.fake-OST0000.job_stats=job_stats:\n"
			  : "obdfilter.fake-OST0000.job_stats=\n",
		      stdout);
}

static unsigned classes_of(void *arg, const struct fake_rule *rule,
			   unsigned cpt)
{
	const struct server *s = arg;
	unsigned n = 0;

	for (size_t i = 0; i < s->n_classes; i++)
		n += s->class[i].cpt == cpt && s->class[i].rule == rule->number;
	return n;
}

/* Is it this parameter of the service? */
static bool is_param(const struct server *s, const char *what, const char *name)
{
	size_t n = strlen(s->service);

	return strncmp(what, s->service, n) == 0 && what[n] == '.' &&
	       strcmp(what + n + 1, name) == 0;
}

static bool is_job_stats(const struct server *s, const char *what)
{
	char pattern[32];

	snprintf(pattern, sizeof(pattern), "%s.*.job_stats", kind(s));
	return fnmatch(pattern, what, 0) == 0;
}

/* Prints lctl's error: with the file's path; since 2.16 twice, by another name.
 * A parameter that does not exist has no path. */
static int refuse(const struct server *s, const char *what, const char *value,
		  int code)
{
	const char *why = strerror(code);
	char path[256];
	bool known = !strncmp(what, s->service, strlen(s->service)) ||
		     is_job_stats(s, what);

	slu_copy(path, sizeof(path), what);
	for (char *p = path; (p = strchr(p, '.'));)
		*p = '/';
	if (!known)
		fprintf(stderr, "error: %s_param: param_path '%s': %s\n",
			value ? "set" : "get", path, why);
	else if (!value)
		fprintf(stderr, "error: read_param: '%s/%s': %s\n", DEBUGFS,
			path, why);
	else
		fprintf(stderr, "error: set_param: setting %s/%s=%s: %s\n",
			DEBUGFS, path, value, why);
	if (known && value && strcmp(s->version, "2.15") != 0)
		fprintf(stderr, "error: set_param: setting '%s'='%s': %s\n",
			path, value, why);
	return code;
}

static int get_param(struct server *s, const char *what)
{
	struct slu_buf out = {0};
	int rc = 0;

	if (is_job_stats(s, what)) {
		get_job_stats(s);
	} else if (is_param(s, what, "nrs_tbf_rule")) {
		rc = fake_tbf_dump(&s->tbf, classes_of, s, &out);
		if (rc == 0)
			printf("%s=\n%s", what, out.data);
	} else if (is_param(s, what, "nrs_policies")) {
		fake_tbf_dump_policies(&s->tbf, &out);
		printf("%s=\n%s", what, out.data);
	} else {
		rc = ENOENT;
	}
	slu_buf_free(&out);
	return rc ? refuse(s, what, NULL, rc) : 0;
}

/* "clear" or the id of a job. */
static int clear_jobs(struct server *s, const char *value)
{
	size_t n = 0, before = s->n;

	for (size_t i = 0; i < s->n; i++)
		if (strcmp(value, "clear") != 0 &&
		    strcmp(value, s->job[i].id) != 0)
			s->job[n++] = s->job[i];
	s->n = n;
	return n == before && strcmp(value, "clear") != 0 ? EINVAL : 0;
}

static int set_policy(struct server *s, const char *policy)
{
	bool other = strcmp(policy, s->tbf.policy) != 0;
	int rc = now(s) < s->settled ? EAGAIN
				     : fake_tbf_set_policy(&s->tbf, policy);

	if (rc == 0 && other)
		s->settled = now(s) + s->settle;
	return rc;
}

static int set_param(struct server *s, char *pair)
{
	char *value = strchr(pair, '=');
	int rc = ENOENT;

	if (!value)
		return EINVAL;
	*value++ = '\0';
	if (s->fail_n > 0) {
		s->fail_n--;
		return refuse(s, pair, value, s->fail_errno);
	}
	if (is_param(s, pair, "nrs_tbf_rule"))
		rc = fake_tbf_command(&s->tbf, value);
	else if (is_param(s, pair, "nrs_policies"))
		rc = set_policy(s, value);
	else if (is_job_stats(s, pair))
		rc = clear_jobs(s, value);
	if (rc)
		return refuse(s, pair, value, rc);
	printf("%s=%s\n", pair, value);
	return 0;
}

static int add_rpcs(struct server *s, char **word)
{
	struct job *j = s->job;
	unsigned long long reads = strtoull(word[2], NULL, 10);
	unsigned long long writes = strtoull(word[3], NULL, 10);
	unsigned long long bytes = strtoull(word[4], NULL, 10);

	while (j < s->job + s->n &&
	       (strcmp(j->ost, word[0]) != 0 || strcmp(j->id, word[1]) != 0))
		j++;
	if (j == s->job + s->n) {
		*j = (struct job){.start = now(s)};
		slu_copy(j->ost, sizeof(j->ost), word[0]);
		slu_copy(j->id, sizeof(j->id), word[1]);
		s->n++;
	}
	j->last = now(s);
	j->reads += reads;
	j->writes += writes;
	j->read_bytes += reads * bytes;
	j->write_bytes += writes * bytes;
	return 0;
}

static struct fake_class *class_of(struct server *s, const char *job,
				   const char *client, unsigned cpt)
{
	struct fake_class *c = s->class;

	while (c < s->class + s->n_classes &&
	       !fake_tbf_is_class(&s->tbf, c, job, client, cpt))
		c++;
	if (c == s->class + CLASSES)
		return NULL;
	if (c == s->class + s->n_classes) {
		*c = fake_tbf_class(&s->tbf, job, client, cpt);
		c->check = now(s);
		s->n_classes++;
	}
	return c;
}

/* How many of so many get through on a CPT. They have waited all the time: no
 * token is lost meanwhile, none of more than a bucket is kept. */
static unsigned long through(struct server *s, struct fake_class *c,
			     unsigned long n)
{
	double have = c->tokens + c->rate * (now(s) - c->check);
	unsigned long done = (double)n < have ? n : (unsigned long)have;

	c->tokens = fmin(have - (double)done, FAKE_DEPTH);
	c->check = now(s);
	fake_tbf_arrive(&s->tbf, c, c->check);
	return done;
}

static int offer(struct server *s, char **word, const char *client)
{
	unsigned long n = strtoul(word[2], NULL, 10), done = 0;
	char reads[24];

	if (strncmp(s->tbf.policy, "tbf", 3) != 0) {
		s->n_classes = 0;
		done = n;
	}
	for (unsigned k = 0; k < s->tbf.cpts && done < n; k++) {
		struct fake_class *c = class_of(s, word[1], client, k);

		if (!c)
			return ENOMEM;
		done += through(s, c, n / s->tbf.cpts);
	}
	printf("%lu\n", done);
	snprintf(reads, sizeof(reads), "%lu", done);
	return add_rpcs(s, (char *[]){word[0], word[1], reads, "0", word[3]});
}

static int fake(struct server *s, int n, char **word)
{
	if ((n == 5 || n == 6) && strcmp(word[0], "offer") == 0 && s->n < JOBS)
		return offer(s, word + 1, n == 6 ? word[5] : "0@lo_3_0_0");
	if (n == 6 && strcmp(word[0], "rpcs") == 0 && s->n < JOBS)
		return add_rpcs(s, word + 1);
	if (n == 2 && strcmp(word[0], "cpts") == 0)
		s->tbf.cpts = (unsigned)atoi(word[1]);
	else if (n == 2 && strcmp(word[0], "version") == 0)
		slu_copy(s->version, sizeof(s->version), word[1]);
	else if (n == 2 && strcmp(word[0], "service") == 0)
		slu_copy(s->service, sizeof(s->service), word[1]);
	else if (n == 2 && strcmp(word[0], "cleanup") == 0)
		s->cleanup = atof(word[1]);
	else if (n == 2 && strcmp(word[0], "age") == 0)
		s->age += atof(word[1]);
	else if (n == 2 && strcmp(word[0], "settle") == 0)
		s->settle = atof(word[1]);
	else if (n == 3 && strcmp(word[0], "fail") == 0) {
		s->fail_n = atoi(word[1]);
		s->fail_errno = atoi(word[2]);
	} else
		return EINVAL;
	return 0;
}

/* One caller at a time. */
static int lock(const char *path)
{
	char name[PATH_MAX];
	int fd;

	snprintf(name, sizeof(name), "%s.lock", path);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return fd >= 0 && flock(fd, LOCK_EX) == 0 ? 0 : -1;
}

/* Whole or not at all: callers are killed at any moment. */
static int keep(const struct server *s, const char *path)
{
	char name[PATH_MAX];
	FILE *file;

	snprintf(name, sizeof(name), "%s.new", path);
	file = fopen(name, "we");
	if (!file)
		return -1;
	save(s, file);
	return fclose(file) ? -1 : rename(name, path);
}

int main(int argc, char **argv)
{
	static struct server s;
	const char *path = getenv("FAKE_LCTL");
	FILE *file;
	int rc = EINVAL;

	file = path && !lock(path) ? fopen(path, "a+e") : NULL;
	if (!file || fake_tbf_init(&s.tbf, 1) < 0) {
		perror("fake_lctl: FAKE_LCTL");
		return 99;
	}
	load(&s, file);
	fclose(file);
	if (argc == 3 && strcmp(argv[1], "get_param") == 0)
		rc = get_param(&s, argv[2]);
	else if (argc == 3 && strcmp(argv[1], "set_param") == 0)
		rc = set_param(&s, argv[2]);
	else if (argc > 2 && strcmp(argv[1], "fake") == 0)
		rc = fake(&s, argc - 2, argv + 2);
	if (keep(&s, path)) {
		perror("fake_lctl: FAKE_LCTL");
		rc = 99;
	}
	fake_tbf_free(&s.tbf);
	return rc;
}
