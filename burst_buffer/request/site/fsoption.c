/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the values of the drivers' options in the FileSystem and Profile lines
 * of sluice.conf. It does so when the file is read: a wrong value would
 * otherwise be noticed only on a job's nodes, or not at all.
 */
#include "config.h"
#include "burst_buffer/request/site/fsoption.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/size.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

/* An absolute path without "..", as the driver removes what lies there, as
 * root. */
static bool is_path(const char *value)
{
	return value[0] == '/' && !strstr(value, "/..");
}

/* Such a path, or the name of a program without a directory. */
static bool is_program(const char *value)
{
	return is_path(value) || !strchr(value, '/');
}

static bool is_number(const char *value, long least, long most)
{
	char *end;
	long n = strtol(value, &end, 10);

	return end != value && !*end && n >= least && n <= most;
}

static bool is_count(const char *value)
{
	return is_number(value, 1, 65535);
}

static bool is_daemons(const char *value)
{
	return is_number(value, 1, 4);
}

/* lfs-setstripe(1); LOV_MAX_STRIPE_COUNT */
static bool is_stripe_count(const char *value)
{
	return is_number(value, -1, 2000);
}

static bool is_servers(const char *value)
{
	return !strcasecmp(value, "auto") || !strcasecmp(value, "all") ||
	       is_number(value, 1, 65536);
}

static bool is_ports(const char *value)
{
	unsigned low, high;
	char end;

	return sscanf(value, "%u-%u%c", &low, &high, &end) == 2 && low >= 1 &&
	       low <= high && high <= 65535;
}

/* "auto", or a size, which *size gets. */
static bool is_size(const char *value, uint64_t *size)
{
	*size = 0;
	return !strcasecmp(value, "auto") || !slu_size_parse(value, size, NULL);
}

/* shard-block-size of GlusterFS */
static bool is_shard(const char *value)
{
	uint64_t size;

	return is_size(value, &size) &&
	       (!size || (size >= 4 * MIB && size <= 4 * TIB));
}

/* BeeGFS refuses others (STRIPEPATTERN_MIN_CHUNKSIZE, and 32 bits). */
static bool is_chunk(const char *value)
{
	uint64_t size;

	return is_size(value, &size) &&
	       (!size ||
		(size >= 65536 && size < 4 * GIB && !(size & (size - 1))));
}

/* LOV_MIN_STRIPE_SIZE, and 32 bits */
static bool is_stripe_size(const char *value)
{
	uint64_t size;

	return is_size(value, &size) && size % 65536 == 0 && size < 4 * GIB;
}

static bool is_word(const char *value, const char *first, const char *second)
{
	return !strcasecmp(value, first) || !strcasecmp(value, second);
}

static bool is_preload(const char *value)
{
	return is_word(value, "steps", "all");
}

static bool is_coherence(const char *value)
{
	return is_word(value, "private", "shared") ||
	       !strcasecmp(value, "strict");
}

static bool is_remote(const char *value)
{
	return is_word(value, "ssh", "pdsh");
}

/* thread-count of GlusterFS */
static bool is_threads(const char *value)
{
	return is_number(value, 1, 64);
}

static bool is_files(const char *value)
{
	return is_number(value, 256, 1 << 20);
}

/* A word without characters that are special in a shell, a line or a list. */
static bool is_plain_word(const char *word, size_t n)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-_./:=+@%";

	return n && strspn(word, plain) >= n;
}

/* Options that the driver sets itself, or with which data could be lost. */
static bool is_drivers(const char *word, size_t n)
{
	static const char *const owned[] = {"-m",
					    "--mountdir",
					    "-r",
					    "--rootdir",
					    "-s",
					    "--rootdir-suffix",
					    "-H",
					    "--hosts-file",
					    "-i",
					    "--metadir",
					    "-P",
					    "--rpc-protocol",
					    "-l",
					    "--listen",
					    "--enable-forwarding",
					    "-c",
					    "--clean-rootdir",
					    "--clean-rootdir-finish",
					    NULL};

	for (int i = 0; owned[i]; i++) {
		size_t len = strlen(owned[i]);

		if (n >= len && !strncmp(word, owned[i], len) &&
		    (len == 2 || n == len || word[len] == '='))
			return true;
	}
	return false;
}

static bool is_args(const char *value)
{
	size_t words = 0;

	for (;; value++) {
		size_t n = strcspn(value, ",");

		if (!is_plain_word(value, n) || is_drivers(value, n) ||
		    ++words > 32)
			return false;
		value += n;
		if (!*value)
			return true;
	}
}

/* NAME=VALUE of variables that the driver does not set. */
static bool is_variable(const char *word, size_t n)
{
	static const char *const ours[] = {"LD_PRELOAD=",
					   "LIBGKFS_HOSTS_FILE=",
					   "LIBGKFS_FORWARDING_MAP_FILE=",
					   "GKFS_HOSTS_FILE=",
					   "GKFS_DAEMON_LOG_PATH=",
					   "SLUICE_INTERPOSED=",
					   NULL};
	size_t name = strcspn(word, "=");

	if (name == 0 || name >= n || (*word >= '0' && *word <= '9') ||
	    strspn(word, "abcdefghijklmnopqrstuvwxyz"
			 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") < name)
		return false;
	for (int i = 0; ours[i]; i++)
		if (!strncmp(word, ours[i], strlen(ours[i])))
			return false;
	return is_plain_word(word, n);
}

static bool is_env(const char *value)
{
	for (;; value++) {
		size_t n = strcspn(value, ",");

		if (!is_variable(value, n))
			return false;
		value += n;
		if (!*value)
			return true;
	}
}

static bool is_layout(const char *value)
{
	return is_word(value, "auto", "place") || !strcasecmp(value, "none");
}

static const struct {
	const char *key;
	bool (*is)(const char *value);
	const char *wanted;
} checked[] = {
	{"storage", is_path, "an absolute path"},
	{"root", is_path, "an absolute path"},
	{"config", is_path, "an absolute path"},
	{"library", is_path, "an absolute path"},
	{"server", is_program, "an absolute path, nor a name"},
	{"client", is_program, "an absolute path, nor a name"},
	{"ports", is_ports, "a range of ports, as 20000-29999"},
	{"servers", is_servers, "auto, all or a number of nodes"},
	{"threads", is_threads, "a number from 1 to 64"},
	{"shard", is_shard, "auto or a size from 4MiB to 4TiB"},
	{"chunk", is_chunk, "auto or a power of two from 64KiB to 2GiB"},
	{"stripe_size", is_stripe_size,
	 "auto or a multiple of 64KiB below 4GiB"},
	{"stripe_count", is_stripe_count, "a number from -1 (all) to 2000"},
	{"layout", is_layout, "auto, place or none"},
	{"coherence", is_coherence, "private, shared or strict"},
	{"client_library", is_path, "an absolute path"},
	{"daemons", is_daemons, "a number from 1 to 4"},
	{"preload", is_preload, "steps or all"},
	{"files", is_files, "a number from 256 to 1048576"},
	{"guard", is_path, "an absolute path"},
	{"args", is_args,
	 "arguments with commas between them, of letters, digits and "
	 "-_./:=+@%, and none that the driver gives itself"},
	{"env", is_env,
	 "NAME=VALUE with commas between them, of letters, digits and "
	 "-_./:=+@%, and none that the driver sets itself"},
	{"client_env", is_env,
	 "NAME=VALUE with commas between them, of letters, digits and "
	 "-_./:=+@%, and none that the driver sets itself"},
	{"meta", is_count, "a number from 1 to 65535"},
	{"remote", is_remote, "ssh or pdsh"},
};

int slu_fsoption_check(const struct slu_option *option, struct slu_err *err)
{
	for (size_t i = 0; i < sizeof(checked) / sizeof(*checked); i++)
		if (!strcasecmp(checked[i].key, option->key) &&
		    !checked[i].is(option->value))
			return slu_err(err, SLU_INVALID, "%s=%s is not %s",
				       option->key, option->value,
				       checked[i].wanted);
	return 0;
}
