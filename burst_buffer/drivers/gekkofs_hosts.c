/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads daemons' addresses, writes the hosts file by which GekkoFS's clients
 * find them, and checks that they answer. The lines come from daemons of the
 * user, so they are checked strictly. A client hangs if a daemon is dead, so
 * their ports are tried first: each node tries its share and a few of the
 * following daemons, so that together the nodes try all, and no daemon is tried
 * by all nodes.
 */
#include "config.h"
#include "burst_buffer/drivers/gekkofs.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "burst_buffer/staging/files/attrs.h"
#include "burst_buffer/staging/files/beneath.h"
#include "common/file.h"

#define TRY_MS	 3000	     /* for a daemon's port to answer */
#define TRY_MORE 16	     /* daemons of other nodes that a node tries */
#define FILE_MAX (64u << 20) /* bytes: 100,000 nodes with four daemons each */

static int parse_line(const char *text, size_t len, struct slu_gkfs_line *out)
{
	const char *uri, *address, *end, *colon;
	struct slu_gkfs_line l = {.port = 0};

	if (len >= sizeof(l.text) || len < 3)
		return -1;
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == '|')
			return -1;
	memcpy(l.text, text, len);
	uri = strchr(l.text, ' ');
	uri = uri ? strstr(uri, "://") : NULL;
	if (!uri)
		return -1;
	address = uri + 3;
	end = address + strcspn(address, " ");
	colon = memrchr(address, ':', (size_t)(end - address));
	if (!colon || colon == address ||
	    (size_t)(colon - address) >= sizeof(l.address) ||
	    colon + 1 + strspn(colon + 1, "0123456789") != end ||
	    sscanf(colon + 1, "%5u", &l.port) != 1 || !l.port ||
	    end - colon > 6 || l.port > 65535)
		return -1;
	memcpy(l.address, address, (size_t)(colon - address));
	*out = l;
	return 0;
}

int slu_gkfs_own_read(const char *fs, const char *path, size_t max,
		      struct slu_buf *out)
{
	int dir = open(fs, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1, rc;
	char opened[40];

	if (dir >= 0) {
		fd = slu_open_beneath(dir, path, O_RDONLY | O_NONBLOCK, 0);
		close(dir);
	}
	if (fd < 0)
		return -1;
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	rc = slu_file_read(AT_FDCWD, opened, max, out, NULL);
	close(fd);
	return rc;
}

int slu_gkfs_line_first(const char *text, struct slu_gkfs_line *out)
{
	const char *end = strchr(text, '\n');

	return end ? parse_line(text, (size_t)(end - text), out) : -1;
}

int slu_gkfs_line_read(const char *fs, const char *path,
		       struct slu_gkfs_line *out)
{
	struct slu_buf text = {0};
	int rc = -1;

	if (!slu_gkfs_own_read(fs, path, 4096, &text) && text.data)
		rc = slu_gkfs_line_first(text.data, out);
	slu_buf_free(&text);
	return rc;
}

/* Is the address a node's of the plan? Only these are looked up, as users
 * control what a daemon writes. */
static bool is_of_plan(const struct slu_plan *plan, const char *address)
{
	for (size_t i = 0; i < plan->n_node; i++)
		if (slu_eq(plan->node[i].name, address) ||
		    slu_eq(plan->node[i].addr, address))
			return true;
	return false;
}

/* Resolves the address of a line. 0: the caller calls freeaddrinfo(*out). */
static int resolve(const struct slu_plan *plan, const struct slu_gkfs_line *l,
		   struct addrinfo **out)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_NUMERICHOST};
	char port[8];

	snprintf(port, sizeof(port), "%u", l->port);
	if (!getaddrinfo(l->address, port, &hints, out))
		return 0;
	hints.ai_flags = 0;
	return is_of_plan(plan, l->address)
		       ? getaddrinfo(l->address, port, &hints, out)
		       : -1;
}

/* Does something listen there, within TRY_MS? */
static bool answers(const struct slu_plan *plan, const struct slu_gkfs_line *l)
{
	struct pollfd p = {.events = POLLOUT};
	struct addrinfo *a = NULL;
	int error = -1;
	socklen_t len = sizeof(error);

	if (resolve(plan, l, &a))
		return false;
	p.fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
		      0);
	if (p.fd >= 0) {
		if (!connect(p.fd, a->ai_addr, a->ai_addrlen))
			error = 0;
		else if (errno == EINPROGRESS && poll(&p, 1, TRY_MS) == 1)
			getsockopt(p.fd, SOL_SOCKET, SO_ERROR, &error, &len);
		close(p.fd);
	}
	freeaddrinfo(a);
	return error == 0;
}

static int try_line(const struct slu_plan *plan, const char *text,
		    struct slu_err *err)
{
	struct slu_gkfs_line l;

	if (!parse_line(text, strlen(text), &l) && answers(plan, &l))
		return 0;
	return slu_err(err, SLU_IO,
		       "the part of the file system on node %.*s "
		       "does not answer",
		       (int)strcspn(text, " "), text);
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

int slu_gkfs_check_daemons(const struct slu_instance *in, const char *hosts,
			   struct slu_err *err)
{
	size_t n, first, share, nodes = in->plan->n_node;
	struct slu_buf text = {0};
	char *rest;
	int rc = 0;

	if (slu_file_read(AT_FDCWD, hosts, FILE_MAX, &text, NULL) || !text.data)
		return slu_err(err, SLU_IO,
			       "the job's file system is not there");
	n = count_lines(text.data);
	first = in->self * n / nodes;
	share = n / nodes + 1;
	rest = text.data;
	for (size_t i = 0; !rc && i < n; i++) {
		const char *one = strsep(&rest, "\n");

		if ((i + n - first) % n < share + TRY_MORE)
			rc = try_line(in->plan, one, err);
	}
	slu_buf_free(&text);
	return rc;
}

static int put_lines(const struct slu_instance *in, size_t i,
		     const struct slu_pair *attrs, size_t n_attr,
		     struct slu_buf *out, struct slu_err *err)
{
	const char *name = in->plan->node[i].name, *p = NULL;
	struct slu_gkfs_line l;

	for (size_t k = 0; k < n_attr && !p; k++)
		if (slu_eq(attrs[k].key, name))
			p = attrs[k].value;
	while (p && *p) {
		size_t n = strcspn(p, "|");

		if (parse_line(p, n, &l))
			break;
		slu_buf_printf(out, "%s\n", l.text);
		p += n + (p[n] == '|');
		if (!*p)
			return 0;
	}
	return slu_err(err, SLU_IO, "node %s did not say its address", name);
}

static int let_read(const struct slu_instance *in, const char *path,
		    struct slu_err *err)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), rc = 0;

	if (fd < 0 || (slu_let_read(fd, in->plan->uid) &&
		       fchown(fd, in->plan->uid, in->plan->gid)))
		rc = slu_errno(err, SLU_IO, "cannot let the user read %s",
			       path);
	if (fd >= 0)
		close(fd);
	return rc;
}

int slu_gkfs_hosts_write(const struct slu_instance *in, const char *path,
			 const struct slu_pair *attrs, size_t n_attr,
			 struct slu_err *err)
{
	struct slu_buf text = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < in->plan->n_node; i++)
		if (!in->plan->node[i].client)
			rc = put_lines(in, i, attrs, n_attr, &text, err);
	if (!rc && text.failed)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	if (!rc)
		rc = slu_file_write(AT_FDCWD, path, text.data, text.len, 0400,
				    false, err);
	if (!rc)
		rc = let_read(in, path, err);
	slu_buf_free(&text);
	return rc;
}
