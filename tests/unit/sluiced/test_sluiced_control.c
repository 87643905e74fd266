/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sluiced's control socket; the test plays slurmctld on a blocking socket
 * with a time limit: handshake, orders, invalid messages, floods. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "sluiced/control/control_socket.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

/* The daemon's side notes what happens in words; the test plays slurmctld on
 * a blocking socket with a time limit. */

static struct slu_loop *loop;
static struct slu_control *control;
static char events[512], log_text[2048];
static const char *path;

static void note(const char *fmt, const char *word)
{
	size_t n = strlen(events);

	snprintf(events + n, sizeof(events) - n, fmt, word);
}

static void connected(void *arg)
{
	struct slu_hello_daemon hello = {.version = 1};

	note("%s ", "connected");
	(void)arg;
	slu_control_send(control, &slu_hello_daemon_desc, &hello);
}

static void message(void *arg, const struct slu_desc *desc, void *msg)
{
	(void)arg, (void)msg;
	note("%s ", desc->name);
}

static void done(void *arg, const struct slu_order *order, bool ok,
		 const char *text)
{
	(void)arg;
	note("done:%s", order->desc->name);
	note(ok ? " " : ":%s ", text);
}

static void drained(void *arg)
{
	(void)arg;
}

static void gone(void *arg)
{
	(void)arg;
	note("%s ", "gone");
}

static void keep_log(void *arg, enum slu_level level, const char *line)
{
	size_t n = strlen(log_text);

	(void)arg, (void)level;
	snprintf(log_text + n, sizeof(log_text) - n, "%s\n", line);
}

static void begin(void)
{
	static const struct slu_log log = {.fn = keep_log, .max = SLU_DEBUG};
	struct slu_control_ops ops = {.connected = connected,
				      .message = message,
				      .done = done,
				      .drained = drained,
				      .gone = gone};
	struct slu_err err;

	events[0] = log_text[0] = '\0';
	path = tmpfile_path("ctl");
	loop = slu_loop_new(&err);
	control = slu_control_new(loop, path, getuid(), 0, &ops, &log, &err);
	ck_assert_msg(control != NULL, "%s", err.text);
}

static void end(void)
{
	slu_control_free(control);
	slu_loop_free(loop);
	ck_assert_int_ne(access(path, F_OK), 0);
}

static void turn(int times)
{
	for (int i = 0; i < times; i++)
		slu_loop_turn(loop, 0.01, NULL);
}

static int meet(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct timeval limit = {.tv_sec = 5};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	ck_assert_int_eq(connect(fd, (void *)&addr, sizeof(addr)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	turn(3);
	return fd;
}

static void say(int fd, const char *text)
{
	size_t len = strlen(text);

	ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
	turn(3);
}

/* All that the daemon has sent by now. */
static const char *heard(int fd)
{
	static char text[65536];
	size_t have = 0;
	ssize_t n;

	turn(3);
	while ((n = recv(fd, text + have, sizeof(text) - 1 - have,
			 MSG_DONTWAIT)) > 0)
		have += (size_t)n;
	text[have] = '\0';
	return text;
}

static void extend(uint32_t job_id, int64_t seconds)
{
	struct slu_extend msg = {job_id, seconds, false, 0};

	slu_control_order(control, &slu_extend_desc, job_id, "", &msg);
}

START_TEST(test_hello)
{
	struct stat st;
	int fd;

	begin();
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	fd = meet();
	ck_assert_ptr_nonnull(strstr(heard(fd), "\"type\":\"hello\""));
	say(fd, "{\"type\":\"hello\",\"body\":{\"version\":1}}\n"
		"{\"type\":\"job_cancelled\",\"body\":{\"job_id\":3}}\n");
	ck_assert_str_eq(events, "connected hello job_cancelled ");
	close(fd);
	turn(3);
	ck_assert_str_eq(events, "connected hello job_cancelled gone ");
	ck_assert(!slu_control_connected(control));
	end();
}
END_TEST

START_TEST(test_orders_until_done)
{
	int fd;

	begin();
	extend(5, 60);
	fd = meet();
	ck_assert_ptr_nonnull(strstr(heard(fd), "\"give_back\":60"));
	close(fd);
	turn(3);
	fd = meet();
	ck_assert_ptr_nonnull(strstr(heard(fd), "\"give_back\":60"));
	say(fd, "{\"type\":\"done\",\"body\":{\"id\":1,\"ok\":false,"
		"\"text\":\"gone\"}}\n");
	ck_assert_ptr_nonnull(strstr(events, "done:extend:gone "));
	close(fd);
	turn(3);
	fd = meet();
	ck_assert_ptr_null(strstr(heard(fd), "give_back"));
	ck_assert_uint_eq(slu_control_orders(control), 0);
	close(fd);
	end();
}
END_TEST

START_TEST(test_newer_client_wins)
{
	char c;
	int old, new;

	begin();
	old = meet();
	heard(old);
	new = meet();
	ck_assert_ptr_nonnull(strstr(heard(new), "hello"));
	ck_assert_int_eq(recv(old, &c, 1, 0), 0);
	ck_assert_str_eq(events, "connected gone connected ");
	close(old);
	close(new);
	end();
}
END_TEST

START_TEST(test_unknown_and_rubbish)
{
	int fd;

	begin();
	fd = meet();
	say(fd, "{\"type\":\"weather\",\"body\":{}}\n"
		"{\"type\":\"weather\",\"body\":{}}\n"
		"this is no JSON\n"
		"{\"type\":\"job_cancelled\",\"body\":{}}\n"
		"{\"type\":\"job_cancelled\",\"body\":{\"job_id\":1}}\n");
	ck_assert_str_eq(events, "connected job_cancelled ");
	/* Logged once, however often it is repeated. */
	ck_assert_ptr_nonnull(strstr(log_text, "weather"));
	ck_assert_ptr_null(strstr(strstr(log_text, "weather") + 1, "weather"));
	close(fd);
	end();
}
END_TEST

/* A line without an end is given up at the bound. */
START_TEST(test_endless_line)
{
	static char piece[1 << 20];
	int fd;

	begin();
	fd = meet();
	ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	memset(piece, 'x', sizeof(piece));
	for (int i = 0; i < 100000 && slu_control_connected(control); i++) {
		if (send(fd, piece, sizeof(piece), MSG_NOSIGNAL) < 0 &&
		    errno != EAGAIN)
			break;
		turn(1);
	}
	ck_assert(!slu_control_connected(control));
	ck_assert_ptr_nonnull(strstr(log_text, "longer than"));
	close(fd);
	end();
}
END_TEST

/* Much more than the socket holds arrives whole and in order. */
START_TEST(test_flood)
{
	static char text[8 << 20];
	size_t have = 0;
	uint32_t next = 1;
	ssize_t n;
	int fd;

	begin();
	fd = meet();
	heard(fd);
	for (uint32_t i = 1; i <= 20000; i++) {
		struct slu_stored msg = {i, i};

		slu_control_send(control, &slu_stored_desc, &msg);
	}
	ck_assert_uint_gt(slu_control_queued(control), 1u << 20);
	while (slu_control_queued(control)) {
		turn(1);
		while ((n = recv(fd, text + have, sizeof(text) - 1 - have,
				 MSG_DONTWAIT)) > 0)
			have += (size_t)n;
	}
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char want[32];

		snprintf(want, sizeof(want), "\"job_id\":%u,", next);
		expect(strstr(line, want), "line %u: %s", next, line);
		next++;
	}
	ck_assert_uint_eq(next, 20001);
	close(fd);
	end();
}
END_TEST

TEST_MAIN("sluiced_control", test_hello, test_orders_until_done,
	  test_newer_client_wins, test_unknown_and_rubbish, test_endless_line,
	  test_flood)
