/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mdtree DIR: what mdtest does, and looked at. In phases that all ranks do
 * together, each makes files and directories in one directory, then works on
 * those of its neighbour, which is on another node where there is one: stat,
 * read, rewrite, chmod, rename, link, unlink. After each phase all ranks must
 * see the same names.
 */
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 50, NAME = 400 };

static const char *dir;
static int rank, ranks;
static long bad;
static const char *phase;

static void wrong(const char *what, int i)
{
	if (bad++ == 0)
		printf("rank %d, %s: %s of file %d: %s\n", rank, phase, what, i,
		       strerror(errno));
}

static void expect(bool good, const char *what, int i)
{
	if (!good)
		wrong(what, i);
	errno = 0;
}

static const char *name(char *to, const char *prefix, int owner, int i)
{
	snprintf(to, NAME, "%s/%s.%d.%d", dir, prefix, owner, i);
	return to;
}

static bool content_put(const char *path, int flags, const char *text)
{
	int fd = open(path, flags, 0644);
	bool good = fd >= 0 &&
		    write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	return fd >= 0 && close(fd) == 0 && good;
}

static bool content_is(const char *path, const char *text)
{
	char got[64] = "";
	int fd = open(path, O_RDONLY);
	ssize_t n = fd >= 0 ? read(fd, got, sizeof(got) - 1) : -1;

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)strlen(text) && strcmp(got, text) == 0;
}

static const char *text_of(char *to, int owner, int i, int version)
{
	sprintf(to, "%04d %04d %04d\n", owner, i, version);
	return to;
}

static void create(int owner, int i)
{
	char path[NAME], text[64];

	(void)owner;
	expect(content_put(name(path, "f", rank, i),
			   O_CREAT | O_EXCL | O_WRONLY,
			   text_of(text, rank, i, 1)),
	       "create", i);
	expect(mkdir(name(path, "d", rank, i), 0755) == 0, "mkdir", i);
}

static void look(int owner, int i)
{
	char path[NAME], text[64];
	struct stat st;

	expect(stat(name(path, "f", owner, i), &st) == 0 && st.st_size == 15 &&
		       S_ISREG(st.st_mode),
	       "stat", i);
	expect(content_is(path, text_of(text, owner, i, 1)), "content", i);
	expect(stat(name(path, "d", owner, i), &st) == 0 && S_ISDIR(st.st_mode),
	       "stat of directory", i);
}

/* In place, the same size: what caches by time and size do not see. */
static void rewrite(int owner, int i)
{
	char path[NAME], text[64];

	expect(content_put(name(path, "f", owner, i), O_WRONLY,
			   text_of(text, owner, i, 2)),
	       "rewrite", i);
	expect(chmod(path, 0600) == 0, "chmod", i);
}

static void look_again(int owner, int i)
{
	char path[NAME], text[64];
	struct stat st;

	(void)owner;
	expect(content_is(name(path, "f", rank, i), text_of(text, rank, i, 2)),
	       "content", i);
	expect(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600, "mode", i);
}

static void move(int owner, int i)
{
	char from[NAME], to[NAME];

	expect(rename(name(from, "f", owner, i), name(to, "g", owner, i)) == 0,
	       "rename", i);
	expect(link(to, name(from, "l", owner, i)) == 0, "link", i);
}

static void look_moved(int owner, int i)
{
	char path[NAME], text[64];
	struct stat st;

	(void)owner;
	expect(stat(name(path, "f", rank, i), &st) < 0 && errno == ENOENT,
	       "old name", i);
	expect(content_is(name(path, "g", rank, i), text_of(text, rank, i, 2)),
	       "content under the new name", i);
	expect(content_is(name(path, "l", rank, i), text_of(text, rank, i, 2)),
	       "content under the second name", i);
	expect(stat(path, &st) == 0 && st.st_nlink == 2, "number of links", i);
}

static void take_away(int owner, int i)
{
	char path[NAME];

	expect(unlink(name(path, "g", owner, i)) == 0, "unlink", i);
	expect(unlink(name(path, "l", owner, i)) == 0, "unlink of link", i);
	expect(rmdir(name(path, "d", owner, i)) == 0, "rmdir", i);
}

static int names(void)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int n = 0;

	while (d && (entry = readdir(d)))
		n += entry->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

/* All do WHAT to the files of a neighbour; then all count the names. */
static void together(const char *what, void (*act)(int, int), int each)
{
	int i, n, owner = (rank + ranks / 2) % ranks;

	phase = what;
	for (i = 0; i < FILES; i++)
		act(owner, i);
	MPI_Barrier(MPI_COMM_WORLD);
	n = names();
	if (n != each * FILES * ranks) {
		printf("rank %d, %s: %d names, should be %d\n", rank, what, n,
		       each * FILES * ranks);
		bad++;
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	long total;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc != 2 || strlen(argv[1]) > NAME / 2)
		MPI_Abort(MPI_COMM_WORLD, 2);
	dir = argv[1];
	if (rank == 0)
		mkdir(dir, 0755);
	MPI_Barrier(MPI_COMM_WORLD);
	together("create", create, 2);
	together("look", look, 2);
	together("rewrite", rewrite, 2);
	together("look again", look_again, 2);
	together("move", move, 3);
	together("look at moved", look_moved, 3);
	together("take away", take_away, 0);
	MPI_Allreduce(&bad, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (total > 0 && rank == 0)
		printf("%ld wrong\n", total);
	MPI_Finalize();
	return total > 0;
}
