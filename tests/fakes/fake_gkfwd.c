/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates GekkoFS's daemon in forwarding mode, which Debian does not have: it
 * registers in the hosts file, receives clients' data and stores it below its
 * root directory, so that an I/O node's network is really used. A clean exit
 * removes the whole hosts file, as the real one's does. The protocol is its
 * own: "NAME BYTES\n" and the bytes; the answer is "BYTES\n" after they are
 * stored.
 *
 *	fake_gkfwd --enable-forwarding -m MOUNTDIR -r ROOTDIR [-i METADIR]
 *		[-s SUFFIX] [-P PROTOCOL] [-H HOSTSFILE] -l ADDRESS
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Like the real daemon it stays in the foreground and prints nothing; --version
 * needs -m and -r, too. -m and -r are required, the parent of MOUNTDIR must
 * exist, the hosts file may come from GKFS_HOSTS_FILE, metadata is in
 * METADIR/PID/metadata (of one daemon, below a root directory that all share),
 * and before it is ready SIGTERM kills it without a cleanup.
 *
 * Faults, by the variable FAKE_GKFWD:
 *	fail		it cannot start: one sentence, exit code 1
 *	die:SECONDS	it crashes SECONDS + 1 after it has registered
 *	slow:SECONDS	it takes SECONDS before it registers
 *	stuck		it does not end on SIGTERM
 */

static const char *hosts_file, *suffix;
static const char *fault = "";

static void die(const char *what)
{
	fprintf(stderr, "fake_gkfwd: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Of "die:3", the 3 when asked for "die"; -1: another fault or none. */
static int fault_seconds(const char *name)
{
	size_t len = strlen(name);

	return strncmp(fault, name, len) == 0 && fault[len] == ':'
		       ? atoi(fault + len + 1)
		       : -1;
}

static void crash(int sig)
{
	(void)sig;
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void clean_exit(int sig)
{
	(void)sig;
	if (strcmp(fault, "stuck") == 0)
		return;
	unlink(hosts_file);
	_exit(0);
}

static int listen_on(const char *address, uint16_t *port)
{
	struct sockaddr_in sa = {.sin_family = AF_INET};
	socklen_t len = sizeof(sa);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (inet_pton(AF_INET, address, &sa.sin_addr) != 1)
		die(address);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, len) != 0 ||
	    listen(fd, 64) != 0 ||
	    getsockname(fd, (struct sockaddr *)&sa, &len) != 0)
		die("listen");
	*port = ntohs(sa.sin_port);
	return fd;
}

/* One line, appended in one write: several daemons share the file. */
static void enlist(const char *address, uint16_t port)
{
	char host[256] = "", line[512];
	int n, fd = open(hosts_file, O_WRONLY | O_CREAT | O_APPEND, 0644);

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	n = snprintf(line, sizeof(line), "%s%s%s ofi+tcp://%s:%u\n", host,
		     suffix ? "#" : "", suffix ? suffix : "", address, port);
	if (fd < 0 || write(fd, line, (size_t)n) != n)
		die(hosts_file);
	close(fd);
}

static void store(FILE *in, FILE *out, uint64_t bytes)
{
	static char buf[1 << 18];
	size_t n = 1;

	while (bytes > 0 && n > 0) {
		n = bytes < sizeof(buf) ? (size_t)bytes : sizeof(buf);
		n = fread(buf, 1, n, in);
		if (fwrite(buf, 1, n, out) != n)
			die("write");
		bytes -= n;
	}
	if (bytes > 0)
		die("client went away");
}

/* In a child: one file. Names are flat. */
static void serve(int fd, const char *rootdir)
{
	char name[256], path[1024];
	uint64_t bytes;
	FILE *in = fdopen(fd, "r"), *out;

	if (!in || fscanf(in, "%255s %" SCNu64, name, &bytes) != 2 ||
	    getc(in) != '\n' || strchr(name, '/'))
		die("request");
	snprintf(path, sizeof(path), "%s/%s", rootdir, name);
	out = fopen(path, "w");
	if (!out)
		die(path);
	store(in, out, bytes);
	if (fclose(out) != 0)
		die(path);
	dprintf(fd, "%" PRIu64 "\n", bytes);
	_exit(0);
}

struct options {
	const char *mountdir, *rootdir, *metadir, *address;
	int forwarding, version;
};

static int parse(int argc, char **argv, struct options *o)
{
	static const struct option known[] = {
		{"mountdir", required_argument, NULL, 'm'},
		{"rootdir", required_argument, NULL, 'r'},
		{"rootdir-suffix", required_argument, NULL, 's'},
		{"metadir", required_argument, NULL, 'i'},
		{"listen", required_argument, NULL, 'l'},
		{"hosts-file", required_argument, NULL, 'H'},
		{"rpc-protocol", required_argument, NULL, 'P'},
		{"enable-forwarding", no_argument, NULL, 'F'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0}};
	int opt;

	hosts_file = getenv("GKFS_HOSTS_FILE");
	while ((opt = getopt_long(argc, argv, "m:r:s:i:l:H:P:", known, NULL)) !=
	       -1)
		switch (opt) {
		case 'm':
			o->mountdir = optarg;
			break;
		case 'r':
			o->rootdir = optarg;
			break;
		case 's':
			suffix = optarg;
			break;
		case 'i':
			o->metadir = optarg;
			break;
		case 'l':
			o->address = optarg;
			break;
		case 'H':
			hosts_file = optarg;
			break;
		case 'P':
			break;
		case 'F':
			o->forwarding = 1;
			break;
		case 'V':
			o->version = 1;
			break;
		default:
			return -1;
		}
	if (o->version)
		return o->mountdir && o->rootdir ? 0 : -1;
	return o->mountdir && o->rootdir && hosts_file && o->address &&
			       o->forwarding && optind == argc
		       ? 0
		       : -1;
}

/* The parent of the mount directory is there, the root directory is made. */
static void make_directories(const struct options *o)
{
	char path[1024], *slash;

	snprintf(path, sizeof(path), "%s", o->mountdir);
	slash = strrchr(path, '/');
	if (slash && slash > path) {
		*slash = '\0';
		if (access(path, F_OK) != 0)
			die(path);
	}
	if (mkdir(o->rootdir, 0755) != 0 && errno != EEXIST)
		die(o->rootdir);
	snprintf(path, sizeof(path), "%s/%d",
		 o->metadir ? o->metadir : o->rootdir, (int)getpid());
	if (o->metadir && mkdir(o->metadir, 0755) != 0 && errno != EEXIST)
		die(o->metadir);
	if (mkdir(path, 0755) != 0 && errno != EEXIST)
		die(path);
	strncat(path, "/metadata", sizeof(path) - strlen(path) - 1);
	if (mkdir(path, 0755) != 0 && errno != EEXIST)
		die(path);
}

static int help(void)
{
	puts("Allowed options\nUsage: fake_gkfwd [OPTIONS]\n\nOptions:\n"
	     "  -m,--mountdir TEXT REQUIRED Virtual mounting directory.\n"
	     "  -i,--metadir TEXT           Metadata directory.\n"
	     "  --enable-collection         Enables collection of general "
	     "statistics. Output requires either the --output-stats or "
	     "--enable-prometheus argument.\n"
	     "  --enable-forwarding         Enables forwarding mode.\n"
	     "  --version                   Print version and exit.");
	return 0;
}

static void misbehave(void)
{
	int seconds = fault_seconds("slow");

	if (strcmp(fault, "fail") == 0) {
		fprintf(stderr, "fake_gkfwd: told to fail\n");
		exit(1);
	}
	if (seconds > 0)
		sleep((unsigned)seconds);
}

int main(int argc, char **argv)
{
	struct options o = {0};
	uint16_t port;
	int fd, client;

	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return help();
	if (parse(argc, argv, &o) < 0)
		return 2;
	if (o.version)
		return puts("0.9.3\nDebug: OFF\nCreate check parents: ON\n"
			    "Chunk size: 524288 bytes") < 0;
	if (getenv("FAKE_GKFWD"))
		fault = getenv("FAKE_GKFWD");
	make_directories(&o);
	misbehave();
	signal(SIGCHLD, SIG_IGN);
	fd = listen_on(o.address, &port);
	signal(SIGTERM, clean_exit);
	signal(SIGINT, clean_exit);
	enlist(o.address, port);
	if (fault_seconds("die") >= 0) {
		signal(SIGALRM, crash);
		alarm((unsigned)fault_seconds("die") + 1);
	}
	for (;;) {
		client = accept(fd, NULL, NULL);
		if (client >= 0 && fork() == 0) {
			signal(SIGTERM, SIG_DFL);
			serve(client, o.rootdir);
		}
		if (client >= 0)
			close(client);
	}
}
