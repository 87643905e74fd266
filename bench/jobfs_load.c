/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generates the load of bench/jobfs in a directory of a file system, and
 * measures it as IOR and mdtest do: this program is one of many tasks on
 * several nodes, which go through the cases together. MPI is not needed: the
 * tasks meet at files in a directory that all nodes share. Prints lines "CASE
 * UNIT COUNT BEGIN END", the times of one clock for all nodes of this machine.
 */

/*
 *	jobfs_load DIR MEETING RANK RANKS ON-NODE BY-NODE MIB FILES CALLS
 *		[COMMAND...]
 *
 *   ON-NODE  tasks on each node, which have consecutive ranks
 *   BY-NODE  yes: each node has a DIR of its own, so that there is no data of
 *            another node to read
 *   COMMAND  to be run by each task after the cases, when all are there
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/measure.h"

#define MIB   (1 << 20)
#define PIECE 4096
#define PATH  4096

struct task {
	const char *dir, *meeting;
	long self, all; /* of all tasks */
	long rank;	/* among those that share DIR */
	long next;	/* whose data it reads: of another node, if it can */
	long mib, files, calls;
};

static char piece[MIB];

static _Noreturn void fail(const char *what, const char *path)
{
	fprintf(stderr, "jobfs_load: %s %s: %s\n", what, path, strerror(errno));
	exit(1);
}

static long number(const char *text)
{
	return strtol(text, NULL, 10);
}

static void meet(const struct task *t, const char *where)
{
	char path[PATH];

	snprintf(path, sizeof(path), "%s/%s.%ld", t->meeting, where, t->self);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	for (long i = 0; i < t->all; i++) {
		snprintf(path, sizeof(path), "%s/%s.%ld", t->meeting, where, i);
		while (access(path, F_OK))
			usleep(1000);
	}
}

static int opened(const struct task *t, const char *name, long i, int flags)
{
	char path[PATH];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.%ld", t->dir, name, i);
	fd = open(path, flags, 0644);
	if (fd < 0)
		fail("cannot open", path);
	return fd;
}

static void transfer(int fd, bool out, size_t size, off_t at)
{
	const ssize_t n =
		out ? pwrite(fd, piece, size, at) : pread(fd, piece, size, at);

	if (n != (ssize_t)size)
		fail(out ? "cannot write" : "cannot read", "all of it");
}

static void done(int fd, bool out)
{
	if ((out && fsync(fd)) || close(fd))
		fail("cannot end", "a file");
}

/* A file for each task, or (shared) one in which each has its part. */
static void stream(const struct task *t, bool shared, bool out)
{
	const long whose = out ? t->rank : t->next;
	const int fd = opened(t, shared ? "shared" : "each", shared ? 0 : whose,
			      out ? O_CREAT | O_WRONLY : O_RDONLY);

	for (long i = 0; i < t->mib; i++)
		transfer(fd, out, MIB,
			 (off_t)((shared ? whose * t->mib : 0) + i) * MIB);
	done(fd, out);
}

static void write_each(const struct task *t)
{
	stream(t, false, true);
}

static void read_each(const struct task *t)
{
	stream(t, false, false);
}

static void write_shared(const struct task *t)
{
	stream(t, true, true);
}

static void read_shared(const struct task *t)
{
	stream(t, true, false);
}

/* In the task's own file, or that of another node. */
static void at_random(const struct task *t, bool out)
{
	const int fd = opened(t, "each", out ? t->rank : t->next,
			      out ? O_WRONLY : O_RDONLY);

	srandom((unsigned)t->rank + 1);
	for (long i = 0; i < t->calls; i++)
		transfer(fd, out, PIECE,
			 (off_t)(random() % (t->mib * MIB / PIECE)) * PIECE);
	done(fd, out);
}

static void write_random(const struct task *t)
{
	at_random(t, true);
}

static void read_random(const struct task *t)
{
	at_random(t, false);
}

/* Empty files of all tasks in one directory. */
static void name_of(const struct task *t, long whose, long i, char path[PATH])
{
	snprintf(path, PATH, "%s/names/%ld.%ld", t->dir, whose, i);
}

static void create(const struct task *t)
{
	char path[PATH];
	int fd;

	for (long i = 0; i < t->files; i++) {
		name_of(t, t->rank, i, path);
		fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0644);
		if (fd < 0)
			fail("cannot create", path);
		close(fd);
	}
}

static void look(const struct task *t)
{
	struct stat st;
	char path[PATH];

	for (long i = 0; i < t->files; i++) {
		name_of(t, t->next, i, path);
		if (stat(path, &st))
			fail("cannot find", path);
	}
}

static void take_away(const struct task *t)
{
	char path[PATH];

	for (long i = 0; i < t->files; i++) {
		name_of(t, t->rank, i, path);
		if (unlink(path))
			fail("cannot remove", path);
	}
}

static const struct {
	const char *name, *unit;
	void (*run)(const struct task *t);
} cases[] = {{"write-each", "MiB", write_each},
	     {"read-each", "MiB", read_each},
	     {"write-shared", "MiB", write_shared},
	     {"read-shared", "MiB", read_shared},
	     {"write-random-4KiB", "calls", write_random},
	     {"read-random-4KiB", "calls", read_random},
	     {"create", "files", create},
	     {"stat", "files", look},
	     {"remove", "files", take_away}};

static long count(const struct task *t, const char *unit)
{
	if (!strcmp(unit, "MiB"))
		return t->mib;
	return strcmp(unit, "calls") ? t->files : t->calls;
}

static void run_all(const struct task *t)
{
	double begin;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		meet(t, cases[i].name);
		begin = bench_now();
		cases[i].run(t);
		printf("%s %s %ld %.6f %.6f\n", cases[i].name, cases[i].unit,
		       count(t, cases[i].unit), begin, bench_now());
	}
}

int main(int argc, char **argv)
{
	struct task t;
	bool by_node;
	long on_node;
	char names[PATH];

	if (argc < 10) {
		fprintf(stderr,
			"usage: jobfs_load DIR MEETING RANK RANKS "
			"ON-NODE yes|no MIB FILES CALLS [COMMAND...]\n");
		return 2;
	}
	on_node = number(argv[5]);
	by_node = !strcmp(argv[6], "yes");
	t = (struct task){.dir = argv[1],
			  .meeting = argv[2],
			  .self = number(argv[3]),
			  .all = number(argv[4]),
			  .mib = number(argv[7]),
			  .files = number(argv[8]),
			  .calls = number(argv[9])};
	t.rank = by_node ? t.self % on_node : t.self;
	t.next = by_node ? t.rank : (t.self + on_node) % t.all;
	memset(piece, 'x', sizeof(piece));
	snprintf(names, sizeof(names), "%s/names", t.dir);
	if (mkdir(names, 0755) && errno != EEXIST)
		fail("cannot make", names);
	run_all(&t);
	fflush(stdout);
	meet(&t, "end");
	if (argc > 10) {
		execvp(argv[10], argv + 10);
		fail("cannot run", argv[10]);
	}
	return 0;
}
