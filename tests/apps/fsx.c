/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fsx MODE SEED COUNT FILE: an exerciser of one file by several nodes, after
 * the idea of Apple's fsx. All ranks draw the same operations from a seed and
 * keep the same shadow copy of the file; each operation is done by the rank
 * that it names, and what a read finds must be what the shadow has. Seeds SEED
 * to SEED + COUNT - 1; one that fails is printed and does the same again.
 *
 * MODE says by what right an operation sees the last one:
 *   reopen  each opens the file and closes it (close-to-open)
 *   fsync   as reopen, but writers sync and keep their descriptors
 *   fcntl   descriptors stay open, each operation holds a record lock
 *   flock   descriptors stay open, each operation holds a lock of the file
 *   mmap    as reopen, and half of the operations go through MAP_SHARED
 *   bare    descriptors stay open, no locks (one kernel's rule)
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPS = 400, MAX_SIZE = 300000, MAX_LEN = 20000 };
enum kind { WRITE, READ, TRUNCATE, MAP_WRITE, MAP_READ, APPEND };
static const char *const kind_names[] = {"write",     "read",	  "truncate",
					 "map write", "map read", "append"};

struct op {
	enum kind kind;
	int rank; /* who does it */
	size_t offset, length;
};

static const char *mode, *path;
static int rank, ranks;
static int kept = -1;  /* the descriptor that stays open */
static uint64_t state; /* of the generator: the same on all ranks */
static unsigned char shadow[MAX_SIZE + MAX_LEN], found[MAX_SIZE + MAX_LEN];
static size_t size; /* of the shadow */
static char why[256];

static bool mode_is(const char *name)
{
	return strcmp(mode, name) == 0;
}

/* xorshift64* */
static size_t draw(size_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 0x2545F4914F6CDD1DULL >> 33) % below;
}

static bool fail(const char *what)
{
	snprintf(why, sizeof(why), "%s: %s", what, strerror(errno));
	return false;
}

static struct op op_draw(void)
{
	static const enum kind plain[] = {WRITE, WRITE, WRITE, READ,
					  READ,	 READ,	READ,  APPEND};
	struct op op = {.kind = plain[draw(8)],
			.rank = draw(ranks),
			.offset = draw(MAX_SIZE),
			.length = 1 + draw(MAX_LEN)};

	if (draw(20) == 0)
		op.kind = TRUNCATE;
	if (mode_is("mmap") && op.kind <= READ && draw(2) == 0)
		op.kind = op.kind == READ ? MAP_READ : MAP_WRITE;
	if (size == 0 && (op.kind == READ || op.kind == MAP_READ))
		op.kind = WRITE;
	if (op.kind == APPEND && size + op.length > MAX_SIZE)
		op.kind = READ;
	if (op.kind == READ || op.kind == MAP_READ) {
		op.offset %= size;
		if (op.length > size - op.offset)
			op.length = size - op.offset;
	}
	if (op.kind == APPEND)
		op.offset = size;
	return op;
}

static void shadow_resize(size_t to)
{
	if (to > size)
		memset(shadow + size, 0, to - size);
	size = to;
}

static void shadow_apply(const struct op *op)
{
	size_t i, end = op->offset + op->length;

	if (op->kind == READ || op->kind == MAP_READ)
		return;
	if (op->kind == TRUNCATE) {
		shadow_resize(op->offset);
		return;
	}
	if (end > size)
		shadow_resize(end);
	for (i = op->offset; i < end; i++)
		shadow[i] = draw(256);
}

/* Takes (F_WRLCK, F_RDLCK) or gives back (F_UNLCK) what MODE locks by. */
static bool lock(int fd, int type)
{
	struct flock range = {.l_type = type, .l_whence = SEEK_SET};
	int whole = type == F_UNLCK   ? LOCK_UN
		    : type == F_RDLCK ? LOCK_SH
				      : LOCK_EX;

	if (mode_is("fcntl") && fcntl(fd, F_SETLKW, &range) < 0)
		return fail("fcntl");
	if (mode_is("flock") && flock(fd, whole) < 0)
		return fail("flock");
	return true;
}

/* Looks at what was read, of a file that was LENGTH long when it was. */
static bool compare(const struct op *op, size_t length)
{
	size_t i, bad = 0, first = 0;

	for (i = op->length; i-- > 0;) {
		if (found[i] == shadow[op->offset + i])
			continue;
		bad++;
		first = op->offset + i;
	}
	if (length != size)
		snprintf(why, sizeof(why), "size %zu, should be %zu", length,
			 size);
	else if (bad > 0)
		snprintf(why, sizeof(why), "%zu of %zu bytes, from %zu on", bad,
			 op->length, first);
	return bad == 0 && length == size;
}

static bool read_back(int fd, const struct op *op)
{
	struct stat st;
	ssize_t n;

	memset(found, 0xAA, op->length);
	n = pread(fd, found, op->length, op->offset);
	if (n < 0 || fstat(fd, &st) < 0)
		return fail("read");
	return compare(op, st.st_size);
}

static bool map(int fd, const struct op *op)
{
	bool writes = op->kind == MAP_WRITE;
	unsigned char *at;
	struct stat st;

	if (writes && ftruncate(fd, size) < 0)
		return fail("ftruncate");
	if (fstat(fd, &st) < 0)
		return fail("fstat");
	at = mmap(NULL, size, PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED,
		  fd, 0);
	if (at == MAP_FAILED)
		return fail("mmap");
	if (writes)
		memcpy(at + op->offset, shadow + op->offset, op->length);
	else if ((size_t)st.st_size == size)
		memcpy(found, at + op->offset, op->length);
	if (writes && msync(at, size, MS_SYNC) < 0)
		return fail("msync");
	munmap(at, size);
	return writes || compare(op, st.st_size);
}

static bool put(int fd, const struct op *op)
{
	ssize_t n = pwrite(fd, shadow + op->offset, op->length, op->offset);

	return n == (ssize_t)op->length || fail("write");
}

static bool sync_if(bool wanted, int fd)
{
	return !wanted || fsync(fd) == 0 || fail("fsync");
}

static bool act(int fd, const struct op *op)
{
	switch (op->kind) {
	case READ:
		return read_back(fd, op);
	case MAP_READ:
	case MAP_WRITE:
		return map(fd, op);
	case TRUNCATE:
		return ftruncate(fd, op->offset) == 0 || fail("ftruncate");
	case WRITE:
	case APPEND:
		return put(fd, op);
	}
	return false;
}

/* The shadow already has what OP is to do. */
static bool op_do(const struct op *op)
{
	bool reads = op->kind == READ || op->kind == MAP_READ;
	bool opens = mode_is("reopen") || mode_is("mmap") ||
		     (mode_is("fsync") && reads);
	int flags = op->kind == APPEND ? O_APPEND : 0;
	int fd = opens ? open(path, O_RDWR | flags) : kept;
	bool good;

	if (fd < 0)
		return fail("open");
	good = lock(fd, reads ? F_RDLCK : F_WRLCK) && act(fd, op) &&
	       sync_if(mode_is("fsync") && !reads, fd) && lock(fd, F_UNLCK);
	if (opens && close(fd) < 0 && good)
		return fail("close");
	return good;
}

static bool everybody(bool good)
{
	int mine = good, all;

	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	return all;
}

/* Each rank's last look, by a new open. */
static bool last_look(void)
{
	struct op all = {.kind = READ, .length = size};
	int fd;
	bool good;

	if (kept >= 0)
		close(kept);
	kept = -1;
	MPI_Barrier(MPI_COMM_WORLD);
	fd = open(path, O_RDONLY);
	good = fd >= 0 ? read_back(fd, &all) : fail("open");
	if (!good)
		printf("rank %d, last look: %s\n", rank, why);
	if (fd >= 0)
		close(fd);
	return everybody(good);
}

static bool begin(uint64_t seed)
{
	state = seed * 0x9E3779B97F4A7C15ULL + 1;
	size = 0;
	if (rank == 0)
		close(open(path, O_CREAT | O_TRUNC | O_RDWR, 0644));
	MPI_Barrier(MPI_COMM_WORLD);
	kept = open(path, O_RDWR);
	return everybody(kept >= 0 || fail("open"));
}

static bool run(uint64_t seed)
{
	bool good = begin(seed);
	struct op op;
	int i;

	for (i = 0; good && i < OPS; i++) {
		op = op_draw();
		shadow_apply(&op);
		good = op.rank != rank || op_do(&op);
		if (!good)
			printf("rank %d, operation %d, %s of %zu at %zu: %s\n",
			       rank, i, kind_names[op.kind], op.length,
			       op.offset, why);
		good = everybody(good);
	}
	good = last_look() && good;
	if (!good && rank == 0)
		printf("seed %ju fails: fsx %s %ju 1\n", (uintmax_t)seed, mode,
		       (uintmax_t)seed);
	return good;
}

int main(int argc, char **argv)
{
	uint64_t seed, end;
	bool good = true;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc != 5)
		MPI_Abort(MPI_COMM_WORLD, 2);
	mode = argv[1];
	path = argv[4];
	seed = strtoull(argv[2], NULL, 10);
	for (end = seed + strtoull(argv[3], NULL, 10); seed < end; seed++)
		good = run(seed) && good;
	MPI_Finalize();
	return !good;
}
