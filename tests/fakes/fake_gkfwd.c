/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stand-in for GekkoFS's daemon in forwarding mode (GekkoFS cannot be had
 * from Debian): it registers in the hosts file as the real one does, takes
 * what clients send it and stores it below its root directory, so that an I/O
 * node's network is really used. A clean exit removes the whole hosts file,
 * as the real one's does. Its protocol is its own: "NAME BYTES\n", the bytes,
 * answered by "BYTES\n" when they are stored.
 *
 *	fake_gkfwd -r ROOTDIR -H HOSTSFILE -l ADDRESS
 *
 * Like the real daemon it stays in the foreground and says nothing.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *hosts_file;

static void die(const char *what)
{
	fprintf(stderr, "fake_gkfwd: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void clean_exit(int sig)
{
	(void)sig;
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
	n = snprintf(line, sizeof(line), "%s ofi+tcp://%s:%u\n", host, address,
		     port);
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

int main(int argc, char **argv)
{
	const char *rootdir = NULL, *address = NULL;
	uint16_t port;
	int opt, fd, client;

	while ((opt = getopt(argc, argv, "r:H:l:")) != -1) {
		if (opt == 'r')
			rootdir = optarg;
		else if (opt == 'H')
			hosts_file = optarg;
		else if (opt == 'l')
			address = optarg;
		else
			return 2;
	}
	if (!rootdir || !hosts_file || !address)
		return 2;
	signal(SIGCHLD, SIG_IGN);
	fd = listen_on(address, &port);
	signal(SIGTERM, clean_exit);
	signal(SIGINT, clean_exit);
	enlist(address, port);
	for (;;) {
		client = accept(fd, NULL, NULL);
		if (client >= 0 && fork() == 0) {
			signal(SIGTERM, SIG_DFL);
			serve(client, rootdir);
		}
		if (client >= 0)
			close(client);
	}
}
