/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates an application that writes through GekkoFS's client library in
 * forwarding mode. It reads LIBGKFS_HOSTS_FILE and LIBGKFS_FORWARDING_MAP_FILE
 * by the real client's rules (GekkoFS 0.9.3, preload_util.cpp), exits with 1
 * where that one does, and sends all data to the one daemon that the map has
 * for this host.
 *
 *	fake_gkfwd_put NAME BYTES	prints "IONODE BYTES SECONDS"
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_DAEMONS 1024

struct daemon {
	char *host;
	char *uri;
};

static void die(const char *what, const char *which)
{
	fprintf(stderr, "fake_gkfwd_put: %s: %s\n", what, which);
	exit(1);
}

/* The groups of `pattern` in `line`, which any other line does not survive. */
static void parse(const char *pattern, const char *file, char *line, char **a,
		  char **b)
{
	regex_t re;
	regmatch_t m[4];

	line[strcspn(line, "\n")] = '\0';
	if (regcomp(&re, pattern, REG_EXTENDED) != 0 ||
	    regexec(&re, line, 4, m, 0) != 0)
		die("malformed line", file);
	*a = strndup(line + m[1].rm_so, (size_t)(m[1].rm_eo - m[1].rm_so));
	*b = strndup(line + m[2].rm_so, (size_t)(m[2].rm_eo - m[2].rm_so));
	regfree(&re);
}

static int by_host(const void *a, const void *b)
{
	const struct daemon *x = a, *y = b;
	int c = strcmp(x->host, y->host);

	return c ? c : strcmp(x->uri, y->uri);
}

/* A daemon's number is its place in the sorted list, not in the file. */
static size_t read_hosts(const char *file, struct daemon *d)
{
	char line[4096];
	size_t n = 0;
	FILE *f = fopen(file, "r");

	if (!f)
		die("no hosts file", file);
	while (n < MAX_DAEMONS && fgets(line, sizeof(line), f) &&
	       strncmp(line, "#FS_INSTANCE_END", 16) != 0) {
		parse("^([^[:space:]]+)[[:space:]]+([^[:space:]]+)"
		      "[[:space:]]*([^[:space:]]*)$",
		      file, line, &d[n].host, &d[n].uri);
		n++;
	}
	fclose(f);
	if (n == 0)
		die("empty hosts file", file);
	qsort(d, n, sizeof(*d), by_host);
	return n;
}

/* The number the map gives `host`; the last line counts. -1: not in it. */
static long look_up(const char *file, const char *host, int *lines)
{
	char line[4096], *name, *id, *end;
	long found = -1;
	FILE *f = fopen(file, "r");

	if (!f)
		die("no map file", file);
	for (*lines = 0; fgets(line, sizeof(line), f); (*lines)++) {
		parse("^([^[:space:]]+)[[:space:]]+([^[:space:]]+)$", file,
		      line, &name, &id);
		if (strcmp(name, host) == 0) {
			found = strtol(id, &end, 10);
			if (end == id)
				die("not a number", id);
		}
		free(name);
		free(id);
	}
	fclose(f);
	return found;
}

static size_t my_daemon(const char *file, size_t n)
{
	char host[256] = "";
	long id;
	int lines;

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	while (id = look_up(file, host, &lines), lines == 0)
		usleep(10000); /* the real one spins */
	if (id < 0)
		die("host not in map", host);
	if ((size_t)id >= n)
		die("no such daemon in map for", host);
	return (size_t)id;
}

static FILE *reach(const char *uri)
{
	struct sockaddr_in sa = {.sin_family = AF_INET};
	char address[64];
	unsigned int port;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (sscanf(uri, "ofi+tcp://%63[^:]:%u", address, &port) != 2)
		die("not an address", uri);
	sa.sin_port = htons((uint16_t)port);
	if (inet_pton(AF_INET, address, &sa.sin_addr) != 1 ||
	    connect(fd, (struct sockaddr *)&sa, sizeof(sa)) != 0)
		die(uri, strerror(errno));
	return fdopen(fd, "r+");
}

static void put(const char *uri, const char *name, uint64_t bytes)
{
	static char buf[1 << 18];
	FILE *f = reach(uri);
	uint64_t left, stored;
	size_t n;

	fprintf(f, "%s %" PRIu64 "\n", name, bytes);
	for (left = bytes; left > 0; left -= n) {
		n = left < sizeof(buf) ? (size_t)left : sizeof(buf);
		if (fwrite(buf, 1, n, f) != n)
			die(uri, strerror(errno));
	}
	if (fflush(f) != 0 || fscanf(f, "%" SCNu64, &stored) != 1 ||
	    stored != bytes)
		die(uri, "not everything was stored");
	fclose(f);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	static struct daemon d[MAX_DAEMONS];
	const char *hosts = getenv("LIBGKFS_HOSTS_FILE");
	const char *map = getenv("LIBGKFS_FORWARDING_MAP_FILE");
	uint64_t bytes;
	double from;
	size_t n, id;

	if (argc != 3 || sscanf(argv[2], "%" SCNu64, &bytes) != 1)
		return 2;
	if (!map || !*map)
		die("not set", "LIBGKFS_FORWARDING_MAP_FILE");
	n = read_hosts(hosts ? hosts : "./gkfs_hosts.txt", d);
	id = my_daemon(map, n);
	from = now();
	put(d[id].uri, argv[1], bytes);
	printf("%s %" PRIu64 " %.3f\n", d[id].host, bytes, now() - from);
	return 0;
}
