/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the accounting of a forwarding daemon's traffic by the kernel's
 * connections: to the byte, and for the right job or for none. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/node/forwarder/forwarder_io.h"
#include "burst_buffer/node/forwarder/forwarder_traffic.h"
#include "common/clock.h"
#include "common/file.h"

static uint16_t port;
static int listener;
static char self[256]; /* what 127.0.0.1 is called here */

static void put(const char *name, const char *text)
{
	struct slu_err err;

	expect_ok(slu_file_write(AT_FDCWD, name, text, strlen(text), 0644,
				 false, &err),
		  err);
}

static const char *in_dir(const char *name)
{
	static char path[4][512];
	static int at;

	at = (at + 1) % 4;
	snprintf(path[at], sizeof(path[at]), "%s/%s", tmpdir(), name);
	return path[at];
}

static void open_port(void)
{
	struct sockaddr_in sa = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(sa);

	listener = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&sa, len), 0);
	ck_assert_int_eq(listen(listener, 8), 0);
	getsockname(listener, (struct sockaddr *)&sa, &len);
	port = ntohs(sa.sin_port);
}

static int connect_to(int *served)
{
	struct sockaddr_in sa = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_eq(connect(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	*served = accept(listener, NULL, NULL);
	return fd;
}

static void move(int from, int to, size_t bytes)
{
	static char block[1 << 14];

	while (bytes > 0) {
		size_t n = bytes < sizeof(block) ? bytes : sizeof(block);
		ssize_t got;

		ck_assert_int_eq(send(from, block, n, 0), (ssize_t)n);
		for (size_t done = 0; done < n; done += (size_t)got) {
			got = recv(to, block, n - done, 0);
			ck_assert_int_gt(got, 0);
		}
		bytes -= n;
	}
}

/* A client that sends and fetches so much, and ends. */
static void client(size_t sends, size_t fetches)
{
	int served, fd = connect_to(&served);
	char end;

	move(fd, served, sends);
	move(served, fd, fetches);
	close(fd);
	ck_assert_int_eq(recv(served, &end, 1, 0), 0);
	close(served);
}

/* Without the right to hear of them there is nothing to try. */
static int listen_or_skip(void)
{
	struct slu_err err;
	int fd = slu_fwd_listen(&err);

	if (fd < 0 || !*self)
		fprintf(stderr, "skipped: %s\n",
			fd < 0 ? err.text : "127.0.0.1 has no name");
	return *self ? fd : -1;
}

static void find_self(void)
{
	struct slu_fwd_end end;
	struct slu_err err;
	int fd = slu_fwd_listen(&err);

	open_port();
	client(1, 0);
	for (int i = 0; fd >= 0 && i < 100; i++) {
		if (slu_fwd_next(fd, port, &end) > 0) {
			snprintf(self, sizeof(self), "%s", end.client);
			break;
		}
		usleep(10000);
	}
	close(fd);
}

/* Every byte of each connection to the port, and of no other. */
START_TEST(test_bytes)
{
	static const struct {
		size_t sends, fetches;
	} cases[] = {{1, 0}, {100000, 7}, {0, 300001}, {65536, 65536}};
	struct slu_fwd_end end;
	int fd;

	find_self();
	fd = listen_or_skip();
	if (fd < 0)
		return;
	each(c, cases)
	{
		int rc = 0;

		client(c->sends, c->fetches);
		for (int i = 0; i < 500 && rc == 0; i++) {
			rc = slu_fwd_next(fd, port, &end);
			if (rc == 0)
				usleep(10000);
		}
		ck_assert_int_eq(rc, 1);
		/* the end of a stream counts as one more */
		expect(end.sent >= (double)c->sends &&
			       end.sent <= (double)c->sends + 1,
		       "%g sent of %zu", end.sent, c->sends);
		expect(end.fetched >= (double)c->fetches &&
			       end.fetched <= (double)c->fetches + 1,
		       "%g fetched of %zu", end.fetched, c->fetches);
		ck_assert_int_eq(slu_fwd_next(fd, (uint16_t)(port + 1), &end),
				 0);
	}
	close(fd);
	close(listener);
}
END_TEST

static void map(const char *jobs)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "{\"epoch\":1,\"ions\":[\"io1\",\"io2\"],\"jobs\":[%s]}",
		 jobs);
	unlink(in_dir("mapping.json"));
	put(in_dir("mapping.json"), text);
}

static const char *job(uint32_t id, const char *node)
{
	static char text[2][512];
	static int at;

	at = !at;
	snprintf(text[at], sizeof(text[at]),
		 "{\"job_id\":%u,\"nodes\":{\"%s\":\"io1\"}}", (unsigned)id,
		 node);
	return text[at];
}

/* One forwarder of one, or of two where the other says `other` or nothing. */
START_TEST(test_sums_of_jobs)
{
	static const struct {
		const char *text;
		bool before;	   /* the job is there before the forwarder */
		bool shares;	   /* its node with another job */
		bool stays;	   /* a client of it does */
		const char *other; /* what the second one says */
		bool two;
		bool known;
		double written;
	} cases[] = {
		{"alone", false, false, false, NULL, false, true, 50000},
		{"before", true, false, false, NULL, false, false, 0},
		{"shares", false, true, false, NULL, false, false, 0},
		{"stays", false, false, true, NULL, false, false, 0},
		{"two", false, false, false, "5 7 99 0 1\n", true, true, 50007},
		{"one of two knows", false, false, false, "0 0 0 1 0\n", true,
		 false, 0},
		{"one of two is silent", false, false, false, NULL, true, false,
		 0},
	};
	char own[64];
	int fd;

	find_self();
	fd = listen_or_skip();
	if (fd < 0)
		return;
	close(fd);
	snprintf(own, sizeof(own), "io1 ofi+tcp://127.0.0.1:%u\n", port);
	put(in_dir("own"), own);
	each(c, cases)
	{
		struct slu_hosts members;
		struct slu_fwd_sum sum = {0};
		struct slu_err err;
		struct slu_fwd_io *io;
		int served = -1, stays = -1;
		char jobs[1200];
		double now = slu_now_wall();

		expect_ok(slu_hosts_parse(c->two ? "io[1-2]" : "io1", &members,
					  &err),
			  err);
		io = slu_fwd_io_new(tmpdir(), in_dir("hosts"), "io1", &members,
				    &err);
		snprintf(jobs, sizeof(jobs), "%s%s%s", job(17, self),
			 c->shares ? "," : "", c->shares ? job(18, self) : "");
		map(c->before ? jobs : "");
		slu_fwd_io_turn(io, in_dir("own"), now);
		map(jobs);
		slu_fwd_io_turn(io, in_dir("own"), now);
		client(50000, 20000);
		if (c->stays) {
			stays = connect_to(&served);
			move(stays, served, 10);
		}
		usleep(100000);
		if (c->other)
			put(in_dir("hosts.io/17.io2"), c->other);
		ck_assert(!slu_fwd_io_next_sum(io, now, &sum));
		map("");
		slu_fwd_io_turn(io, in_dir("own"), now);
		ck_assert(slu_fwd_io_next_sum(
			io, now + (c->two && !c->other ? 31 : 0), &sum));
		ck_assert_uint_eq(sum.job_id % 2 + 16,
				  sum.job_id == 18 ? 16 : 17);
		expect(sum.unknown == !c->known &&
			       sum.written - c->written >= 0 &&
			       sum.written - c->written <= c->known,
		       "%s: unknown %d, %g written", c->text, sum.unknown,
		       sum.written);
		close(stays);
		close(served);
		slu_fwd_io_free(io);
		slu_hosts_free(&members);
		unlink(in_dir("hosts.io/17.io1"));
		usleep(50000);
	}
}
END_TEST

/* As the kernel prints them. */
START_TEST(test_open)
{
	static const char text[] =
		"  sl  local_address rem_address   st tx_queue rx_queue tr\n"
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00\n"
		"   1: 0100007F:1F90 0100007F:D2F0 01 00000000:00000000 00\n"
		"   2: 0100007F:1F91 0100007F:D2F1 01 00000000:00000000 00\n"
		"   3: 0100007F:1F90 0100007F:D2F2 06 00000000:00000000 00\n";
	char name[256];

	ck_assert_int_eq(slu_fwd_open(text, 8080, 0, name), 1);
	ck_assert_int_eq(slu_fwd_open(text, 8080, 1, name), 0);
	ck_assert_int_eq(slu_fwd_open("", 8080, 0, name), 0);
	ck_assert_int_eq(slu_fwd_open("junk\n", 8080, 0, name), 0);
}
END_TEST

TEST_MAIN("forwarder_io", test_open, test_bytes, test_sums_of_jobs)
