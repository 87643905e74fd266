/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Provides main() of a fuzz target in `make check`: runs the target with the
 * files of its corpus (tests/fuzz/corpus/NAME for the program fuzz_NAME, or the
 * arguments), then with each of them changed at random, by a fixed seed. If the
 * program crashes, it first prints the name of the input. To fuzz for longer,
 * compile the target with -fsanitize=fuzzer and without this file.
 */
#include "config.h"
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INPUT_MAX 65536
#define MUTATIONS 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char running[PATH_MAX + 300]; /* which input, in words */

static void name_it(int signo)
{
	ssize_t wrote = write(STDERR_FILENO, running, strlen(running));

	(void)wrote;
	raise(signo); /* SA_RESETHAND: as without us */
}

/* The sanitizers have handlers of their own, which say as much as we could. */
static void name_what_ends_us(void)
{
	static const int signals[] = {SIGABRT, SIGTERM, SIGALRM, SIGXCPU};
	struct sigaction act = {.sa_handler = name_it,
				.sa_flags = (int)SA_RESETHAND};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &act, NULL);
}

/* A copy of exactly this size, so that a sanitizer sees a step beyond. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static size_t mutate(uint8_t *data, size_t size, unsigned *seed)
{
	int n = 1 + rand_r(seed) % 4;
	size_t at;

	for (; n > 0 && size > 0; n--) {
		at = (size_t)rand_r(seed) % size;
		switch (rand_r(seed) % 4) {
		case 0:
			data[at] = (uint8_t)rand_r(seed);
			break;
		case 1:
			data[at] ^= (uint8_t)(1u << rand_r(seed) % 8);
			break;
		case 2: /* cut out a byte */
			memmove(data + at, data + at + 1, size - at - 1);
			size--;
			break;
		case 3: /* repeat what was before */
			memmove(data + at, data, size - at);
			break;
		}
	}
	return size;
}

static void replay(const char *path)
{
	static uint8_t data[INPUT_MAX], copy[INPUT_MAX];
	FILE *file = fopen(path, "r");
	unsigned seed = 1;
	size_t size;
	int i;

	if (!file) {
		perror(path);
		exit(1);
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	snprintf(running, sizeof(running), "%s\n", path);
	run(data, size);
	for (i = 0; i < MUTATIONS; i++) {
		snprintf(running, sizeof(running), "%s, change %d\n", path, i);
		memcpy(copy, data, size);
		run(copy, mutate(copy, size, &seed));
	}
}

static int replay_all(const char *dir)
{
	struct dirent **entry;
	char path[PATH_MAX + 258];
	int i, n = scandir(dir, &entry, NULL, alphasort), ran = 0;

	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry[i]->d_name);
		if (entry[i]->d_name[0] != '.') {
			replay(path);
			ran++;
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return ran;
}

int main(int argc, char **argv)
{
	const char *srcdir = getenv("srcdir");
	const char *name = strrchr(argv[0], '/');
	char dir[PATH_MAX];
	int i;

	name_what_ends_us();
	for (i = 1; i < argc; i++)
		replay(argv[i]);
	if (argc > 1)
		return 0;
	name = name ? name + 1 : argv[0];
	if (strncmp(name, "lt-", 3) == 0)
		name += 3;
	snprintf(dir, sizeof(dir), "%s/tests/fuzz/corpus/%s",
		 srcdir ? srcdir : ".", name + strlen("fuzz_"));
	if (replay_all(dir) > 0)
		return 0;
	fprintf(stderr, "%s: no corpus\n", dir);
	return 1;
}
