/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates gkfs_daemon (GekkoFS 0.9.3), which Debian does not have. Command
 * line, hosts file, log, signals and exit codes are the real one's. Data is
 * stored in a directory that all hosts see (FAKE_GKFS_STORE); clients
 * (fake_gkfs_intercept.c) ask for its path. Faults:
 *	FAKE_GKFS_SLOW=SECONDS	registers late
 *	FAKE_GKFS_FAIL=1	fails at its start
 *	FAKE_GKFS_DIE=SECONDS	dies that long after it is ready
 *	FAKE_GKFS_LIE=1		registers, but does not listen
 *	FAKE_GKFS_STRAY=1	starts a process that hides and survives
 */
#include "config.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char mountdir[PATH_MAX], rootdir[PATH_MAX], hosts[PATH_MAX];
static char store[PATH_MAX], users[PATH_MAX], user[PATH_MAX];
static const char *address = "127.0.0.1", *protocol = "ofi+sockets";
static const char *suffix = "";

static void die(const char *what)
{
	fprintf(stderr, "fake_gkfs_daemon: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void take_time(const char *name)
{
	const char *text = getenv(name);

	if (text)
		usleep((useconds_t)(atof(text) * 1e6));
}

static void log_line(const char *text)
{
	const char *path = getenv("GKFS_DAEMON_LOG_PATH");
	FILE *f = fopen(path ? path : "/tmp/gkfs_daemon.log", "a");

	if (f) {
		fprintf(f, "[info] %s\n", text);
		fclose(f);
	}
}

static int remove_one(const char *path, const struct stat *st, int flag,
		      struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

/* Any daemon's clean end removes the whole hosts file; the last one that uses
 * the store takes it along. */
static void clean_exit(int sig)
{
	(void)sig;
	unlink(hosts);
	unlink(user);
	if (!rmdir(users))
		nftw(store, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	_exit(0);
}

/* The parent must exist, the directory itself need not. */
static void set_mountdir(const char *arg)
{
	char copy[PATH_MAX], copy2[PATH_MAX], parent[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", arg);
	snprintf(copy2, sizeof(copy2), "%s", arg);
	if (!realpath(dirname(copy), parent))
		die(arg);
	if (snprintf(mountdir, sizeof(mountdir), "%s/%s", parent,
		     basename(copy2)) >= (int)sizeof(mountdir))
		die("mountdir");
}

static void check_protocol(void)
{
	static const char *const known[] = {
		"ofi+sockets", "ofi+tcp", "ofi+verbs", "ofi+psm2", "ucx+all",
		"ucx+tcp",     "ucx+rc",  "ucx+ud",    NULL};

	for (int i = 0; known[i]; i++)
		if (!strcmp(known[i], protocol))
			return;
	errno = EINVAL;
	die(protocol);
}

static void parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{"mountdir", required_argument, NULL, 'm'},
		{"rootdir", required_argument, NULL, 'r'},
		{"rootdir-suffix", required_argument, NULL, 's'},
		{"listen", required_argument, NULL, 'l'},
		{"hosts-file", required_argument, NULL, 'H'},
		{"rpc-protocol", required_argument, NULL, 'P'},
		{"clean-rootdir-finish", no_argument, NULL, 'c'},
		{"auto-sm", no_argument, NULL, 'c'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0}};
	const char *root = NULL;
	bool version = false;
	int c;

	while ((c = getopt_long(argc, argv, "m:r:s:l:H:P:c", longs, NULL)) !=
	       -1) {
		switch (c) {
		case 'm':
			set_mountdir(optarg);
			break;
		case 'r':
			root = optarg;
			break;
		case 's':
			suffix = optarg;
			break;
		case 'l':
			address = optarg;
			break;
		case 'H':
			snprintf(hosts, sizeof(hosts), "%s", optarg);
			break;
		case 'P':
			protocol = optarg;
			break;
		case 'c':
			break;
		case 'V':
			version = true;
			break;
		default:
			exit(1);
		}
	}
	errno = EINVAL;
	if (!*mountdir || !root || strchr(suffix, '#') ||
	    !strcmp(suffix, "chunks") || !strcmp(suffix, "metadata"))
		die("required option or suffix");
	if (version) {
		puts("0.9.3\nDebug: OFF\nCreate check parents: ON\n"
		     "Chunk size: 524288 bytes");
		exit(0);
	}
	snprintf(rootdir, sizeof(rootdir), "%s%s%s", root, *suffix ? "/" : "",
		 suffix);
	check_protocol();
}

static void make_path(const char *path)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *p = copy + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(copy, 0700);
			*p = '/';
		}
	if (mkdir(copy, 0700) && errno != EEXIST)
		die(path);
}

static void make_dirs(void)
{
	const char *base = getenv("FAKE_GKFS_STORE");
	char path[PATH_MAX + 16], key[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/chunks", rootdir);
	make_path(path);
	snprintf(path, sizeof(path), "%s/metadata", rootdir);
	make_path(path);
	snprintf(key, sizeof(key), "%s", mountdir);
	for (char *p = key; (p = strchr(p, '/'));)
		*p = '_';
	snprintf(store, sizeof(store), "%.2000s/%.1900s",
		 base ? base : "/tmp/fake_gkfs", key);
	make_path(store);
	snprintf(users, sizeof(users), "%.4000s.users", store);
	make_path(users);
	snprintf(user, sizeof(user), "%.4000s/XXXXXX", users);
	fd = mkstemp(user);
	if (fd < 0)
		die(user);
	close(fd);
}

static int listen_on(unsigned *port)
{
	struct sockaddr_in sa = {.sin_family = AF_INET};
	socklen_t len = sizeof(sa);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (inet_pton(AF_INET, address, &sa.sin_addr) != 1)
		inet_pton(AF_INET, "127.0.0.1", &sa.sin_addr);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, len) ||
	    (!getenv("FAKE_GKFS_LIE") && listen(fd, 64)) ||
	    getsockname(fd, (struct sockaddr *)&sa, &len))
		die("listen");
	*port = ntohs(sa.sin_port);
	return fd;
}

static void enlist(unsigned port)
{
	char host[256] = "", line[1024];
	int n, fd;

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	n = snprintf(line, sizeof(line), "%s%s%s %s://%s:%u\n", host,
		     *suffix ? "#" : "", suffix, protocol,
		     inet_addr(address) == INADDR_NONE ? "127.0.0.1" : address,
		     port);
	fd = open(hosts, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, line, (size_t)n) != n)
		die(hosts);
	close(fd);
}

static void serve(int fd)
{
	for (;;) {
		int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

		if (client < 0) {
			usleep(10000);
			continue;
		}
		dprintf(client, "%s\n%s\n", mountdir, store);
		close(client);
	}
}

/* Of another session, with nothing open and nothing in the storage. */
static void start_stray(void)
{
	char *argv[] = {"fake_gkfs_stray", "300", NULL};

	if (fork())
		return;
	setsid();
	for (int fd = 0; fd < 64; fd++)
		close(fd);
	if (fork() || chdir("/"))
		_exit(0);
	signal(SIGTERM, SIG_IGN);
	clearenv();
	execv("/bin/sleep", argv);
	_exit(1);
}

static void end_suddenly(int sig)
{
	(void)sig;
	kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
	const char *life = getenv("FAKE_GKFS_DIE");
	unsigned port;
	int fd;

	snprintf(hosts, sizeof(hosts), "./gkfs_hosts.txt");
	parse(argc, argv);
	errno = EIO;
	if (getenv("FAKE_GKFS_FAIL"))
		die("told to fail");
	make_dirs();
	take_time("FAKE_GKFS_SLOW");
	fd = listen_on(&port);
	enlist(port);
	signal(SIGTERM, clean_exit); /* only now, as the real one */
	signal(SIGINT, clean_exit);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGALRM, end_suddenly);
	log_line("Startup successful. Daemon is ready.");
	if (getenv("FAKE_GKFS_STRAY"))
		start_stray();
	if (life)
		alarm((unsigned)atoi(life));
	serve(fd);
}
