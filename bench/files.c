/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fills files with pseudo-random blocks (xorshift), which do not compress, and
 * drops the page cache.
 */
#include "config.h"
#include "bench/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/file.h"

static void die(const char *path)
{
	perror(path);
	exit(1);
}

void bench_write_file(const char *path, size_t size)
{
	static unsigned char block[1 << 20];
	static unsigned long long x = 88172645463325252ull;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		die(path);
	while (size) {
		size_t n = size < sizeof(block) ? size : sizeof(block);

		for (size_t i = 0; i + 8 <= n; i += 8) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			memcpy(block + i, &x, 8);
		}
		if (slu_write_all(fd, block, n))
			die(path);
		size -= n;
	}
	close(fd);
}

void bench_make_cold(const char *program)
{
	int fd;

	sync();
	fd = open("/proc/sys/vm/drop_caches", O_WRONLY);
	if (fd < 0 || write(fd, "3", 1) != 1)
		fprintf(stderr, "%s: not root: files are warm\n", program);
	if (fd >= 0)
		close(fd);
}
