/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the resource database, in which sluiced keeps JSON documents about
 * the hosts' hardware (import, heartbeat, query), in a new file in DIR
 * (default: /var/tmp). N hosts have ten documents of about 5 KiB each: eight
 * that a few kinds of nodes share, two that are each host's own.
 *
 *	bench/resource_map [--csv] [--hosts N] [--query N] [DIR]
 */

/*
 * - import: all of them through the receiver in one transaction of a new
 *   database (SLU_DB_LOAD: rollback journal, synchronous=FULL), including its
 *   closing; compared with appending the distinct documents to a flat file and
 *   fdatasync.
 * - heartbeat: every host sends the hashes of its documents.
 * - query: the documents of N hosts as JSON; a new process opens the database
 *   and outputs the answer, ours in pieces. Compared with a memcpy of as many
 *   bytes, also in a new process, and SQLite's json_group_object in another.
 *   Processor time, user and system, which does not depend on other load.
 */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "bench/measure.h"
#include "common/file.h"
#include "common/str.h"
#include "sysmap/database/receive.h"
#include "sysquery/map/map_resources.h"
#include "tests/unit/random.h"

extern char **environ;

#define EXTRACTORS 10
#define OWN	   2	/* documents that differ between hosts */
#define KINDS	   180	/* kinds of nodes */
#define SIZE	   5120 /* approximate bytes of a document */
#define RUNS	   5	/* of a query; the median is used */

static unsigned hosts = 10000, asked = 512;
static const char *dir = "/var/tmp";
static bool csv;
static char db_path[4096];
static struct slu_document *text; /* the distinct documents */
static size_t n_texts;

static void die(const char *what, const struct slu_err *err)
{
	fprintf(stderr, "resource_map: %s: %s\n", what,
		err ? err->text : strerror(errno));
	exit(1);
}

/* Of this process, including all threads: nothing here sleeps. */
static double cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void print(const char *name, const char *metric, const char *unit,
		  double ours, const char *rival, double other)
{
	if (csv)
		printf("%s,%s,%s,%.6g,%s,%.6g,%.6g\n", name, metric, unit, ours,
		       rival, other, ours / other);
	else
		printf("%-10s %-9s %10.4g %-7s %-28s %10.4g  %8.3gx\n", name,
		       metric, ours, unit, rival, other, ours / other);
}

/* Like documents of extractors: an array of objects, mostly the same. */
static char *make_text(const char *extractor, uint64_t *seed)
{
	struct slu_buf out = {0};

	for (int i = 0; out.len < SIZE - 200; i++)
		slu_buf_printf(&out,
			       "%s{\"name\":\"%s%d\",\"model\":\"MODEL of a "
			       "device\",\"vendor\":\"VENDOR\",\"size\":%llu,"
			       "\"serial\":\"%016llx\",\"rotational\":false}",
			       i ? "," : "[", extractor, i,
			       (unsigned long long)slu_random(seed, 1u << 30),
			       (unsigned long long)slu_random(seed, ~0ull));
	slu_buf_puts(&out, "]");
	return slu_buf_steal(&out);
}

static const char *const names[EXTRACTORS] = {
	"disks",       "mountpoints", "cpuinfo",	"memoryinfo",
	"machineinfo", "pcidevices",  "networkdevices", "kernelinfo",
	"partitions",  "hostid"};

static void make_texts(void)
{
	uint64_t seed = 1;

	n_texts = (EXTRACTORS - OWN) * KINDS + (size_t)OWN * hosts;
	text = calloc(n_texts, sizeof(*text));
	for (size_t i = 0; text && i < n_texts; i++) {
		size_t own = i - (size_t)(EXTRACTORS - OWN) * KINDS;
		bool shared = i < (size_t)(EXTRACTORS - OWN) * KINDS;
		struct slu_document *d = &text[i];

		d->extractor = shared ? names[i / KINDS]
				      : names[EXTRACTORS - OWN + own % OWN];
		d->text = make_text(d->extractor, &seed);
		if (!d->text)
			die("documents", NULL);
		d->len = strlen(d->text);
		d->hash = slu_document_hash(d->extractor, d->text, d->len);
	}
	if (!text)
		die("documents", NULL);
}

/* The documents of a host, in one of KINDS combinations. */
static void map_of(unsigned host, struct slu_document out[EXTRACTORS])
{
	for (unsigned i = 0; i < EXTRACTORS; i++) {
		size_t at = i < EXTRACTORS - OWN
				    ? i * KINDS + (host + i * 7) % KINDS
				    : (EXTRACTORS - OWN) * KINDS +
					      (size_t)host * OWN +
					      (i - (EXTRACTORS - OWN));

		out[i] = text[at];
	}
}

static struct slu_db *open_db(enum slu_db_mode mode)
{
	struct slu_err err;
	struct slu_db *db = slu_db_open(db_path, mode, &err);

	if (!db)
		die("database", &err);
	return db;
}

static void remove_db(void)
{
	static const char *const ends[] = {"", "-wal", "-shm"};
	char name[sizeof(db_path) + 8];

	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s%s", db_path, ends[i]);
		unlink(name);
	}
}

static double import(void)
{
	struct slu_document doc[EXTRACTORS];
	struct slu_map map = {.document = doc, .n = EXTRACTORS};
	struct slu_receiver *r;
	struct slu_err err;
	struct slu_db *db;
	double start;
	char host[32];

	remove_db();
	start = bench_now();
	db = open_db(SLU_DB_LOAD);
	r = slu_receiver_new(db, &err);
	if (!r || slu_db_begin(db, &err))
		die("import", &err);
	for (unsigned h = 0; h < hosts; h++) {
		snprintf(host, sizeof(host), "n%u", h);
		map_of(h, doc);
		if (slu_receive_map(r, host, &map, 1, &err))
			die("import", &err);
	}
	if (slu_db_commit(db, &err))
		die("import", &err);
	slu_receiver_free(r);
	slu_db_close(db);
	return bench_now() - start;
}

static double flat_file(void)
{
	char path[sizeof(db_path) + 8];
	double start;
	int fd;

	snprintf(path, sizeof(path), "%s-flat", db_path);
	start = bench_now();
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		die(path, NULL);
	for (size_t i = 0; i < n_texts; i++)
		if (slu_write_all(fd, text[i].text, text[i].len))
			die(path, NULL);
	if (fdatasync(fd))
		die(path, NULL);
	start = bench_now() - start;
	close(fd);
	unlink(path);
	return start;
}

static void heartbeat(void)
{
	struct slu_db *db = open_db(SLU_DB_WRITE), *other;
	unsigned char body[EXTRACTORS * 8];
	struct slu_document doc[EXTRACTORS];
	struct slu_buf reply = {0};
	int64_t before = 0, after = 0;
	struct slu_receiver *r;
	struct slu_err err;
	double start = 0;
	char host[32];

	r = slu_receiver_new(db, &err);
	other = open_db(SLU_DB_READ);
	slu_db_value(other, &before, 0, &err, "PRAGMA data_version", "");
	for (unsigned h = 0; h < 2 * hosts; h++) {
		if (h == hosts) /* the first round reads the known hashes */
			start = bench_now();
		snprintf(host, sizeof(host), "n%u", h % hosts);
		map_of(h % hosts, doc);
		for (int i = 0; i < EXTRACTORS * 8; i++)
			body[i] = (unsigned char)(doc[i / 8].hash >>
						  (8 * (i % 8)));
		if (slu_receive_hashes_body(r, host, body, sizeof(body), 2,
					    &reply, &err))
			die("heartbeat", &err);
		if (strcmp(reply.data, "{\"missing\":[]}") != 0)
			die("heartbeat: documents are missing", NULL);
	}
	start = bench_now() - start;
	slu_db_value(other, &after, 0, &err, "PRAGMA data_version", "");
	print("heartbeat", "time", "ns/doc", start * 1e9 / hosts / EXTRACTORS,
	      "limit of a second", 1e9 / hosts / EXTRACTORS);
	/* it says whether there were any, not how many */
	print("heartbeat", "writes", "0 or 1", (double)(after != before),
	      "each", 1);
	print("heartbeat", "body", "B/doc", (double)sizeof(body) / EXTRACTORS,
	      "issue's", 8);
	slu_buf_free(&reply);
	slu_receiver_free(r);
	slu_db_close(other);
	slu_db_close(db);
}

static int count_piece(void *arg, const void *data, size_t len,
		       struct slu_err *err)
{
	(void)data;
	(void)err;
	*(size_t *)arg += len;
	return 0;
}

/* Runs in a new process; returns bytes. */
static size_t ours(void)
{
	struct slu_hosts list = {.name = calloc(asked, sizeof(char *))};
	struct slu_db *db = open_db(SLU_DB_READ);
	struct slu_err err;
	size_t len = 0;

	for (unsigned h = 0; h < asked; h++)
		list.name[list.n++] = slu_asprintf("n%u", h * (hosts / asked));
	if (slu_query_resources(db, &list, NULL, count_piece, &len, &err))
		die("query", &err);
	slu_db_close(db);
	return len;
}

static size_t by_sql(void)
{
	struct slu_db *db = open_db(SLU_DB_READ);
	struct slu_err err;
	struct slu_rows *rows = slu_db_query(
		db, &err,
		"SELECT json_group_object(Hostname, json(o)) FROM (SELECT "
		"h.Hostname, json_group_object(e.Name, json(d.Data)) AS o "
		"FROM Hosttable h JOIN Host2Data x ON x.HostID = h.HostID "
		"JOIN Datatable d ON d.DID = x.DID JOIN Extractortable e ON "
		"e.EID = d.EID WHERE (h.HostID - 1) % ?1 = 0 AND "
		"(h.HostID - 1) / ?1 < ?2 GROUP BY h.HostID)",
		"ii", (int)(hosts / asked), (int)asked);
	size_t n;

	if (!rows || slu_db_step(rows, &err) != 1)
		die("json_group_object", &err);
	n = slu_db_bytes(rows, 0);
	slu_db_done(rows);
	slu_db_close(db);
	return n;
}

static size_t bytes; /* of ours */

static size_t copy(void)
{
	static char *from;
	char *to;

	if (!from) { /* filled before the time is measured */
		from = malloc(bytes);
		memset(from, 'x', bytes);
		return 0;
	}
	to = malloc(bytes);
	memcpy(to, from, bytes);
	return to[bytes - 1] == 'x' ? bytes : 0;
}

struct result {
	double seconds;
	size_t bytes;
};

static const struct work {
	const char *name;
	size_t (*run)(void);
} works[] = {{"ours", ours}, {"sql", by_sql}, {"copy", copy}};

/* Does the work of this name in this process; prints a struct result. */
static int child(const char *name)
{
	struct result result = {0};
	double start;

	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		if (strcmp(works[i].name, name) != 0)
			continue;
		if (works[i].run == copy)
			copy();
		start = cpu_time();
		result.bytes = works[i].run();
		result.seconds = cpu_time() - start;
	}
	return write(1, &result, sizeof(result)) < 0;
}

/* Does it in a newly started program. */
static struct result fresh(const char *name)
{
	char *argv[] = {"resource_map",
			"--child",
			(char *)name,
			"--hosts",
			slu_asprintf("%u", hosts),
			"--query",
			slu_asprintf("%u", asked),
			"--bytes",
			slu_asprintf("%zu", bytes),
			db_path,
			NULL};
	posix_spawn_file_actions_t files;
	struct result result = {0};
	pid_t pid;
	int fd[2];

	if (pipe(fd))
		die("pipe", NULL);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fd[1], 1);
	posix_spawn_file_actions_addclose(&files, fd[0]);
	if (posix_spawn(&pid, "/proc/self/exe", &files, NULL, argv, environ))
		die("posix_spawn", NULL);
	close(fd[1]);
	if (read(fd[0], &result, sizeof(result)) != sizeof(result) ||
	    result.bytes == 0)
		die("a child", NULL);
	close(fd[0]);
	waitpid(pid, NULL, 0);
	posix_spawn_file_actions_destroy(&files);
	for (int i = 4; i < 10; i += 2)
		free(argv[i]);
	return result;
}

static int by_time(const void *a, const void *b)
{
	const struct result *x = a, *y = b;

	return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static struct result median(const char *name)
{
	struct result all[RUNS];

	for (int i = 0; i < RUNS; i++)
		all[i] = fresh(name);
	qsort(all, RUNS, sizeof(all[0]), by_time);
	return all[RUNS / 2];
}

static void query(void)
{
	struct result mine = median("ours"), sql, memory;

	bytes = mine.bytes;
	memory = median("copy");
	sql = median("sql");
	if (sql.bytes != mine.bytes)
		die("json_group_object says something else", NULL);
	print("query", "cpu", "ms", mine.seconds * 1e3, "memcpy",
	      memory.seconds * 1e3);
	print("query", "cpu", "ms", mine.seconds * 1e3, "json_group_object",
	      sql.seconds * 1e3);
	print("query", "answer", "MB", (double)mine.bytes / 1e6,
	      "json_group_object", (double)sql.bytes / 1e6);
}

/* Returns the work that this process is to do, or NULL. */
static const char *parse(int argc, char **argv)
{
	static const struct option known[] = {
		{"csv", no_argument, NULL, 'c'},
		{"hosts", required_argument, NULL, 'h'},
		{"query", required_argument, NULL, 'q'},
		{"child", required_argument, NULL, 'C'}, /* of fresh() */
		{"bytes", required_argument, NULL, 'B'},
		{NULL, 0, NULL, 0}};
	const char *work = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == 'c')
			csv = true;
		else if (c == 'h')
			hosts = (unsigned)atoi(optarg);
		else if (c == 'q')
			asked = (unsigned)atoi(optarg);
		else if (c == 'C')
			work = optarg;
		else if (c == 'B')
			bytes = strtoul(optarg, NULL, 10);
		else
			exit(2);
	}
	if (optind < argc)
		dir = argv[optind];
	if (hosts == 0 || asked == 0 || asked > hosts)
		die("--hosts and --query", NULL);
	if (work)
		snprintf(db_path, sizeof(db_path), "%s", dir);
	else
		snprintf(db_path, sizeof(db_path), "%s/resource_map.%d.db", dir,
			 (int)getpid());
	return work;
}

int main(int argc, char **argv)
{
	const char *work = parse(argc, argv);
	double mine, flat;

	if (work)
		return child(work);
	make_texts();
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	flat = flat_file();
	mine = import();
	print("import", "time", "s", mine, "flat file and fdatasync", flat);
	heartbeat();
	query();
	remove_db();
	return 0;
}
