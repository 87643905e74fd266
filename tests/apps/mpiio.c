/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mpiio CASE FILE: the ways in which MPI programs write one file, each byte of
 * which is then looked at by all ranks, through MPI-IO and through read(2).
 * The file is what its ranks make of records of
 * RECORD bytes: record i of the file is of rank i % ranks, unless a case says
 * otherwise.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORD = 1013, RECORDS = 384 }; /* of each rank; prime: no page fits */
enum { SPAN = 3 << 16 };	       /* of what all ranks write at once */

static const char *path;
static int rank, ranks;
static unsigned char *mine; /* all records of this rank */
static long bad;	    /* bytes, or records, found wrong by this rank */

static unsigned char byte_of(int writer, size_t i)
{
	return writer * 53 + i * 7 + i / 251 + 1;
}

/* What record N of the file is, written by WRITER as its Kth. */
static void record_fill(unsigned char *to, int writer, int k)
{
	size_t i;

	for (i = 0; i < RECORD; i++)
		to[i] = byte_of(writer, k * (size_t)RECORD + i);
	to[0] = writer;
	memcpy(to + 1, &k, sizeof(k));
}

static void must(int result)
{
	char text[MPI_MAX_ERROR_STRING];
	int length;

	if (result == MPI_SUCCESS)
		return;
	MPI_Error_string(result, text, &length);
	printf("rank %d: %s\n", rank, text);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static MPI_File open_file(void)
{
	MPI_File file;

	must(MPI_File_open(MPI_COMM_WORLD, path,
			   MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
			   &file));
	return file;
}

static void close_file(MPI_File file)
{
	must(MPI_File_close(&file));
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Each RANKSth record, this rank's first: not contiguous. */
static void view_strided(MPI_File file)
{
	MPI_Datatype strided;

	MPI_Type_vector(RECORDS, RECORD, RECORD * ranks, MPI_BYTE, &strided);
	MPI_Type_commit(&strided);
	must(MPI_File_set_view(file, (MPI_Offset)rank * RECORD, MPI_BYTE,
			       strided, "native", MPI_INFO_NULL));
	MPI_Type_free(&strided);
}

/* The whole file by read(2), as far as it goes. Caller frees. */
static unsigned char *slurp(size_t wanted)
{
	unsigned char *all = calloc(1, wanted);
	int fd = open(path, O_RDONLY);
	struct stat st;
	ssize_t n;
	size_t have = 0;

	if (fd < 0 || fstat(fd, &st) < 0 || (size_t)st.st_size != wanted)
		bad++;
	while (fd >= 0 && have < wanted &&
	       (n = read(fd, all + have, wanted - have)) > 0)
		have += n;
	if (fd >= 0)
		close(fd);
	return all;
}

static void compare_strided(const unsigned char *all)
{
	unsigned char expected[RECORD];
	int i;

	for (i = 0; i < RECORDS * ranks; i++) {
		record_fill(expected, i % ranks, i / ranks);
		bad += memcmp(all + (size_t)i * RECORD, expected, RECORD) != 0;
	}
}

/* By read(2), and by MPI from a view that is not the writers'. */
static void check_strided(void)
{
	size_t size = (size_t)RECORD * RECORDS * ranks;
	unsigned char *all = slurp(size);
	MPI_File file = open_file();

	compare_strided(all);
	memset(all, 0, size);
	must(MPI_File_read_at_all(file, 0, all, size, MPI_BYTE,
				  MPI_STATUS_IGNORE));
	compare_strided(all);
	close_file(file);
	free(all);
}

static void write_strided(bool together, bool atomic)
{
	MPI_File file = open_file();

	must(MPI_File_set_atomicity(file, atomic));
	view_strided(file);
	if (together)
		must(MPI_File_write_all(file, mine, RECORD * RECORDS, MPI_BYTE,
					MPI_STATUS_IGNORE));
	else
		must(MPI_File_write(file, mine, RECORD * RECORDS, MPI_BYTE,
				    MPI_STATUS_IGNORE));
	close_file(file);
	check_strided();
}

static void collective(void)
{
	write_strided(true, false);
}

static void independent(void)
{
	write_strided(false, false);
}

static void independent_atomic(void)
{
	write_strided(false, true);
}

static void split(void)
{
	MPI_File file = open_file();

	view_strided(file);
	must(MPI_File_write_all_begin(file, mine, RECORD * RECORDS, MPI_BYTE));
	must(MPI_File_write_all_end(file, mine, MPI_STATUS_IGNORE));
	close_file(file);
	check_strided();
}

/* As simulations append small records: each by a call of its own. */
static void records(void)
{
	MPI_File file = open_file();
	MPI_Offset at;
	int k;

	for (k = 0; k < RECORDS; k++) {
		at = ((MPI_Offset)k * ranks + rank) * RECORD;
		must(MPI_File_write_at(file, at, mine + k * RECORD, RECORD,
				       MPI_BYTE, MPI_STATUS_IGNORE));
	}
	close_file(file);
	check_strided();
}

static void nonblocking(void)
{
	MPI_Request request[RECORDS];
	MPI_File file = open_file();
	MPI_Offset at;
	int k;

	for (k = 0; k < RECORDS; k++) {
		at = ((MPI_Offset)k * ranks + rank) * RECORD;
		must(MPI_File_iwrite_at(file, at, mine + k * RECORD, RECORD,
					MPI_BYTE, &request[k]));
	}
	MPI_Waitall(RECORDS, request, MPI_STATUSES_IGNORE);
	close_file(file);
	check_strided();
}

/* In rounds: each reads what the others wrote in the last one, the file open
 * all the time, with nothing but MPI_File_sync between (MPI's own rule). */
static void sync_barrier_sync(void)
{
	unsigned char got[RECORD], expected[RECORD];
	MPI_File file = open_file();
	int k, left = (rank + 1) % ranks;

	for (k = 0; k < 40; k++) {
		must(MPI_File_write_at(file, (MPI_Offset)rank * RECORD,
				       mine + k * RECORD, RECORD, MPI_BYTE,
				       MPI_STATUS_IGNORE));
		must(MPI_File_sync(file));
		MPI_Barrier(MPI_COMM_WORLD);
		must(MPI_File_sync(file));
		must(MPI_File_read_at(file, (MPI_Offset)left * RECORD, got,
				      RECORD, MPI_BYTE, MPI_STATUS_IGNORE));
		record_fill(expected, left, k);
		bad += memcmp(got, expected, RECORD) != 0;
		MPI_Barrier(MPI_COMM_WORLD);
	}
	close_file(file);
}

/* All write the same bytes at once: what is there is all of one rank. */
static void atomic_mode(void)
{
	unsigned char *span = malloc(SPAN);
	MPI_File file = open_file();
	int round, i;

	must(MPI_File_set_atomicity(file, 1));
	for (round = 0; round < 10; round++) {
		memset(span, rank + 1, SPAN);
		MPI_Barrier(MPI_COMM_WORLD);
		must(MPI_File_write_at(file, 0, span, SPAN, MPI_BYTE,
				       MPI_STATUS_IGNORE));
		must(MPI_File_read_at(file, 0, span, SPAN, MPI_BYTE,
				      MPI_STATUS_IGNORE));
		for (i = 1; i < SPAN && span[i] == span[0]; i++)
			;
		bad += i < SPAN || span[0] == 0 || span[0] > ranks;
		MPI_Barrier(MPI_COMM_WORLD);
	}
	close_file(file);
	free(span);
}

/* Each rank's records are there, each once, in the order of that rank. */
static void check_each_once(void)
{
	unsigned char *all = slurp((size_t)RECORD * RECORDS * ranks);
	unsigned char expected[RECORD];
	int *next = calloc(256, sizeof(*next));
	int i, writer;

	for (i = 0; i < RECORDS * ranks; i++) {
		writer = all[(size_t)i * RECORD];
		record_fill(expected, writer, next[writer]++);
		bad += memcmp(all + (size_t)i * RECORD, expected, RECORD) != 0;
	}
	free(next);
	free(all);
}

static void shared_pointer(void)
{
	MPI_File file = open_file();
	int k;

	for (k = 0; k < RECORDS; k++)
		must(MPI_File_write_shared(file, mine + k * RECORD, RECORD,
					   MPI_BYTE, MPI_STATUS_IGNORE));
	close_file(file);
	check_each_once();
}

static void ordered(void)
{
	MPI_File file = open_file();
	int k;

	for (k = 0; k < RECORDS; k++)
		must(MPI_File_write_ordered(file, mine + k * RECORD, RECORD,
					    MPI_BYTE, MPI_STATUS_IGNORE));
	close_file(file);
	check_strided();
}

/* All see each other's changes of the size. */
static void sizes(void)
{
	MPI_File file = open_file();
	MPI_Offset size;
	int round;

	for (round = 0; round < 30; round++) {
		if (round % ranks == rank)
			must(MPI_File_write_at(file, round * 5000, mine, 10,
					       MPI_BYTE, MPI_STATUS_IGNORE));
		MPI_Barrier(MPI_COMM_WORLD);
		must(MPI_File_get_size(file, &size));
		bad += size != round * 5000 + 10;
		MPI_Barrier(MPI_COMM_WORLD);
		must(MPI_File_set_size(file, round * 5000 + 4000));
		must(MPI_File_get_size(file, &size));
		bad += size != round * 5000 + 4000;
		MPI_Barrier(MPI_COMM_WORLD);
	}
	close_file(file);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"collective", collective},
	{"independent", independent},
	{"independent_atomic", independent_atomic},
	{"split", split},
	{"records", records},
	{"nonblocking", nonblocking},
	{"sync_barrier_sync", sync_barrier_sync},
	{"atomic_mode", atomic_mode},
	{"shared_pointer", shared_pointer},
	{"ordered", ordered},
	{"sizes", sizes},
};

static bool run(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(cases[i].name, name) != 0)
			continue;
		cases[i].run();
		return true;
	}
	printf("no case %s\n", name);
	return false;
}

int main(int argc, char **argv)
{
	long total = 1;
	int k;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc != 3)
		MPI_Abort(MPI_COMM_WORLD, 2);
	path = argv[2];
	mine = malloc((size_t)RECORD * RECORDS);
	for (k = 0; k < RECORDS; k++)
		record_fill(mine + k * RECORD, rank, k);
	if (run(argv[1]))
		MPI_Allreduce(&bad, &total, 1, MPI_LONG, MPI_SUM,
			      MPI_COMM_WORLD);
	if (total > 0 && rank == 0)
		printf("%s: %ld wrong, seen by %d ranks together\n", argv[1],
		       total, ranks);
	free(mine);
	MPI_Finalize();
	return total > 0;
}
