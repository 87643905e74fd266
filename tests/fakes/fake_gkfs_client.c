/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulates the inside of GekkoFS's client library: connects to the daemons of
 * the hosts file, maps paths to the common store, and reads files' chunks. */
#include "config.h"
#include "tests/fakes/fake_gkfs_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHUNK	   (512 << 10)
#define USER_FILES 19744 /* of one that was built for 20,000 */

typedef int hook_f(long, long, long, long, long, long, long, long *);

static char mountdir[PATH_MAX], store[PATH_MAX];
static bool forked, forwarding;

/* As libsyscall_intercept has it. The client's own knows its descriptors. */
static int let_through(long number, long a, long b, long c, long d, long e,
		       long f, long *result)
{
	(void)b, (void)c, (void)d, (void)e, (void)f;
	*result = fake_ours((int)a) ? -ENOTSUP : -EINVAL;
	return number != SYS_fcntl;
}

__attribute__((visibility("default"))) hook_f *intercept_hook_point =
	let_through;

void *fake_real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static void die(const char *what, const char *detail)
{
	fprintf(stderr, "[gkfs_client] %s: %s\n", what, detail);
	_exit(1);
}

/* Asks the daemon for the directory of its store. */
static void ask(const char *uri)
{
	struct sockaddr_in sa = {.sin_family = AF_INET};
	char host[64] = "", answer[2 * PATH_MAX + 4] = "", *end;
	const char *at = strstr(uri, "://");
	unsigned port = 0;
	size_t len = 0;
	ssize_t n;
	int fd;

	if (!at || sscanf(at, "://%63[^:]:%u", host, &port) != 2 ||
	    inet_pton(AF_INET, host, &sa.sin_addr) != 1)
		die("Failed to connect to hosts", uri);
	sa.sin_port = htons((unsigned short)port);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
		die("Failed to connect to hosts", uri);
	while ((n = REAL(read)(fd, answer + len, sizeof(answer) - 1 - len)) > 0)
		len += (size_t)n;
	close(fd);
	end = strchr(answer, '\n');
	if (!end)
		die("Failed to connect to hosts", uri);
	*end = '\0';
	snprintf(mountdir, sizeof(mountdir), "%s", answer);
	end[1 + strcspn(end + 1, "\n")] = '\0';
	snprintf(store, sizeof(store), "%s", end + 1);
}

static FILE *open_file(const char *path)
{
	FILE *(*open_it)(const char *, const char *) = fake_real("fopen");

	return open_it(path, "re");
}

static void load_hosts(void)
{
	const char *path = getenv("LIBGKFS_HOSTS_FILE");
	FILE *f = open_file(path ? path : "./gkfs_hosts.txt");
	regmatch_t m[4];
	char line[1024];
	regex_t re;

	if (!f)
		die("Failed to load hosts addresses", path ? path : "");
	regcomp(&re, "^([^ ]+) +([^ ]+) *([^ ]*)$", REG_EXTENDED);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line, "#FS_INSTANCE_END"))
			break;
		if (regexec(&re, line, 4, m, 0))
			die("Failed to load hosts addresses", line);
		line[m[2].rm_eo] = '\0';
		ask(line + m[2].rm_so);
	}
	fclose(f);
	regfree(&re);
	if (!*store)
		die("Failed to load hosts addresses", "no host");
}

/* Exits if a proxy runs (its file exists and its process is alive), as a client
 * that cannot connect to it. */
static void check_proxy(void)
{
	const char *path = getenv("LIBGKFS_PROXY_PID_FILE");
	char pid[32] = "", address[256] = "";
	FILE *f = open_file(path ? path : "/tmp/gkfs_proxy.pid");

	if (!f)
		return;
	if (fgets(pid, sizeof(pid), f) && fgets(address, sizeof(address), f) &&
	    !kill(atoi(pid), 0))
		die("Failed to connect to hosts", address);
	fclose(f);
}

/* All data goes to the one daemon that the map gives this host, where but the
 * first chunks of others' files are. */
static void load_map(void)
{
	const char *path = getenv("LIBGKFS_FORWARDING_MAP_FILE");
	char host[256] = "", line[512], name[256];
	unsigned id;
	FILE *f;

	if (!path || !*path)
		return;
	f = open_file(path);
	if (!f)
		die("Unable set the forwarding host", path);
	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%255s %u", name, &id) != 2)
			die("Unable set the forwarding host", line);
		forwarding = forwarding || !strcmp(name, host);
	}
	fclose(f);
	if (!forwarding)
		die("Unable set the forwarding host", host);
}

/* The client occupies all descriptors up to its own. */
static void protect_files(void)
{
	struct rlimit files;

	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < USER_FILES)
		abort();
}

static void in_child(void)
{
	forked = true;
}

__attribute__((constructor)) static void init(void)
{
	protect_files();
	load_hosts();
	check_proxy();
	load_map();
	pthread_atfork(NULL, NULL, in_child);
}

int fake_enter(long number, long a, long b)
{
	long result = 0;

	if (!forked)
		return 0;
	while (intercept_hook_point(number, a, b, 0, 0, 0, 0, &result))
		pause();
	errno = (int)-result;
	return -1;
}

/* If the path's chunks have the same name as those of an older file, it becomes
 * the same file. */
static void share(const char *path)
{
	char other[PATH_MAX], *below = other + strlen(store) + 1;
	struct stat st;

	if (!access(path, F_OK))
		return;
	snprintf(other, sizeof(other), "%s", path);
	for (char *p = below; *p; p++) {
		char is = *p;

		if (is != ':' && is != '/')
			continue;
		*p = is == ':' ? '/' : ':';
		if (!lstat(other, &st) && S_ISREG(st.st_mode))
			(void)!link(other, path);
		*p = is;
	}
}

void fake_share_chunks(int dir, const char *path)
{
	char link[40], full[2 * PATH_MAX], out[PATH_MAX];
	ssize_t n;

	if (*path == '/') {
		share(fake_led(path, out));
		return;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	n = readlink(link, full, PATH_MAX);
	if (n > 0) {
		snprintf(full + n, sizeof(full) - (size_t)n, "/%s", path);
		share(full);
	}
}

const char *fake_led(const char *path, char out[PATH_MAX])
{
	if (!fake_ours_path(path))
		return path;
	snprintf(out, PATH_MAX, "%s%s", store, path + strlen(mountdir));
	return out;
}

bool fake_ours_path(const char *path)
{
	size_t n = strlen(mountdir);

	return n && !strncmp(path, mountdir, n) && (!path[n] || path[n] == '/');
}

bool fake_ours(int fd)
{
	char link[40], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = fd < 0 ? -1 : readlink(link, path, sizeof(path) - 1);
	return n > 0 && *store && !strncmp(path, store, strlen(store));
}

bool fake_ours_at(int dir, const char *path)
{
	return fake_ours_path(path) || (*path != '/' && fake_ours(dir));
}

/* Where the chunk of this offset ends: with the last byte that was written to
 * it. */
static off_t chunk_end(int fd, off_t begin, off_t size)
{
	off_t limit = begin + CHUNK < size ? begin + CHUNK : size, end = begin;

	for (off_t at = begin; at < limit;) {
		off_t data = lseek(fd, at, SEEK_DATA);

		if (data < 0 || data >= limit)
			break;
		at = lseek(fd, data, SEEK_HOLE);
		if (at < 0)
			at = limit;
		end = at < limit ? at : limit;
	}
	return end;
}

ssize_t fake_read_chunks(int fd, void *data, size_t len, off_t offset)
{
	off_t was = lseek(fd, 0, SEEK_CUR), at = offset;
	off_t stop = offset + (off_t)len;
	struct stat st;
	ssize_t sum = 0;

	if (REAL(fstat)(fd, &st))
		return -1;
	if (forwarding && stop > CHUNK)
		stop = CHUNK;
	while (at < stop && at < st.st_size) {
		off_t begin = at / CHUNK * CHUNK, next = begin + CHUNK;
		off_t end = chunk_end(fd, begin, st.st_size);

		end = end < stop ? end : stop;
		if (end > at) {
			ssize_t n =
				REAL(pread)(fd, (char *)data + (at - offset),
					    (size_t)(end - at), at);

			if (n < 0)
				return -1;
			sum += n;
		}
		at = next;
	}
	lseek(fd, was, SEEK_SET);
	return sum;
}
