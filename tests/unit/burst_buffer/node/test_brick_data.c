/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests libsluice_glusterfs.so without a GlusterFS server: threads that read
 * while others write see only whole writes. (On a file system that guarantees
 * this itself, such as XFS, the test shows nothing.)
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/burst_buffer/node/tree.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define SIZE   65536
#define WRITES 20000

static ssize_t (*read_at)(int, void *, size_t, off64_t);
static ssize_t (*write_at)(int, const void *, size_t, off64_t);
static atomic_bool done;

static void load(void)
{
	void *library;

	setenv("SLUICE_SERVER", "yes", 1);
	library = dlopen(".libs/libsluice_glusterfs.so", RTLD_NOW);
	ck_assert_msg(library != NULL, "%s", dlerror());
	*(void **)&read_at = dlsym(library, "pread64");
	*(void **)&write_at = dlsym(library, "pwrite64");
}

/* Returns how many reads were no whole write. */
static void *read_on(void *arg)
{
	static _Thread_local char text[SIZE];
	const int fd = *(int *)arg;
	size_t torn = 0;

	while (!done)
		torn += read_at(fd, text, SIZE, 0) != SIZE ||
			memcmp(text, text + 1, SIZE - 1) != 0;
	return (void *)torn;
}

/* Returns how many writes failed. */
static void *write_on(void *arg)
{
	static _Thread_local char text[SIZE];
	size_t failed = 0;

	for (int i = 0; i < WRITES; i++) {
		memset(text, i, SIZE);
		failed += write_at(*(int *)arg, text, SIZE, 0) != SIZE;
	}
	return (void *)failed;
}

START_TEST(test_reads_see_whole_writes)
{
	char *top = tree_new();
	int fd = open(in(top, "f"), O_RDWR | O_CREAT, 0600);
	pthread_t reader[2], writer[2];
	void *wrong;

	load();
	ck_assert(fd >= 0 && !ftruncate(fd, SIZE));
	for (int i = 0; i < 2; i++) {
		pthread_create(&reader[i], NULL, read_on, &fd);
		pthread_create(&writer[i], NULL, write_on, &fd);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(writer[i], &wrong);
		ck_assert_ptr_null(wrong);
	}
	done = true;
	for (int i = 0; i < 2; i++) {
		pthread_join(reader[i], &wrong);
		ck_assert_ptr_null(wrong);
	}
	close(fd);
	tree_remove(top);
}
END_TEST

TEST_MAIN("brick_data", test_reads_see_whole_writes)
