/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests a whole sluiced from outside: permissions, signals, metrics, floods of
 * connections, and operators' mistakes. */
#include "common/file.h"
#include <munge.h>
#include "tests/unit/sluiced/sluiced.h"

static const char ask_n1[] = "{\"job_id\":7,\"buffer\":1,\"node\":\"n1\"}";

static int nobody_polls(void)
{
	return post("/v1/poll", ask_n1, NULL);
}

static int nobody_queries(void)
{
	return post("/v1/query", "{\"question\":\"jobs\"}", NULL);
}

static int nobody_pries(void)
{
	return post("/v1/query", "{\"question\":\"jobs\",\"uid\":0}", NULL);
}

static int nobody_sees_a_page(void)
{
	struct slu_buf reply = {0};
	int rc = post("/v1/query", "{\"question\":\"page\",\"since\":9}",
		      &reply);

	if (rc == 0 && !strstr(reply.data, "\"own\":true"))
		rc = -1;
	slu_buf_free(&reply);
	return rc;
}

static int nobody_sees_all_of_it(void)
{
	return post("/v1/query",
		    "{\"question\":\"page\",\"since\":9,\"uid\":0}", NULL);
}

static char *request(const char *cred, const char *body)
{
	return slu_asprintf("POST /v1/query HTTP/1.1\r\nHost: x\r\n%s%s%s"
			    "Content-Length: %zu\r\n\r\n%s",
			    cred ? "Authorization: Sluice " : "",
			    cred ? cred : "", cred ? "\r\n" : "", strlen(body),
			    body);
}

/* Status of a question with this credential; takes it. */
static int raw_status(char *cred, const char *body)
{
	char *text = request(cred, body);
	const char *reply = raw(text);
	int status = strlen(reply) > 12 ? atoi(reply + 9) : 0;

	free(text);
	return status;
}

static const char ask_jobs[] = "{\"question\":\"jobs\"}";

static char *cred_for(const char *method, const char *path, const char *body)
{
	char nonce[SLU_NONCE_TEXT];

	return slu_cred_request(method, path, body, strlen(body), nonce, &err);
}

/* What only sluiced can open is answered with a seal, be it a success or an
 * error; what everybody can with a credential. */
START_TEST(test_seals)
{
	static const struct {
		const char *body, *status;
	} cases[] = {{ask_jobs, " 200 "}, {"{\"question\":\"who?\"}", " 400 "}};

	if (!sluiced_begin())
		return;
	ctl_meet();
	each(c, cases) for (int sealed = 0; sealed < 2; sealed++)
	{
		char nonce[SLU_NONCE_TEXT];
		char *cred = slu_cred_request_for(
			sealed ? getuid() : (uid_t)MUNGE_UID_ANY, "POST",
			"/v1/query", c->body, strlen(c->body), nonce, &err);
		char *text = request(cred, c->body);
		const char *reply = raw(text);

		expect(strstr(reply, c->status) &&
			       strstr(reply, sealed ? "Sluice-Seal: "
						    : "Sluice-Credential: ") &&
			       !strstr(reply, sealed ? "Sluice-Credential: "
						     : "Sluice-Seal: "),
		       "%s", reply);
		free(text);
		free(cred);
	}
	ctl_close();
	sluiced_end();
}
END_TEST

START_TEST(test_permissions)
{
	char *cred;

	if (!sluiced_begin())
		return;
	ctl_meet();
	/* Not proven. */
	ck_assert_int_eq(raw_status(NULL, ask_jobs), 403);
	ck_assert_int_eq(raw_status("MUNGE:AwQDAADrubbish:", ask_jobs), 403);
	/* For something else. */
	cred = cred_for("POST", "/v1/query", "{}");
	ck_assert_int_eq(raw_status(cred, ask_jobs), 403);
	free(cred);
	cred = cred_for("POST", "/v1/plan", ask_jobs);
	ck_assert_int_eq(raw_status(cred, ask_jobs), 403);
	free(cred);
	/* Once, and not again. */
	cred = cred_for("POST", "/v1/query", ask_jobs);
	ck_assert_int_eq(raw_status(cred, ask_jobs), 200);
	ck_assert_int_eq(raw_status(cred, ask_jobs), 403);
	free(cred);
	if (!have_root())
		goto out;
	/* From another host than it names; of a job that is not there. */
	ck_assert_int_eq(post("/v1/poll",
			      "{\"job_id\":7,\"buffer\":1,\"node\":\"far\"}",
			      NULL),
			 SLU_DENIED);
	ck_assert_int_eq(post("/v1/sysmap/hashes?host=far", "", NULL),
			 SLU_DENIED);
	ck_assert_int_eq(post("/v1/poll", ask_n1, NULL), SLU_NOTFOUND);
	ck_assert_int_eq(post("/v1/io",
			      "{\"job_id\":7,\"node\":\"n1\","
			      "\"read_bytes\":1}",
			      NULL),
			 SLU_NOTFOUND);
	/* Another user. */
	ck_assert_int_eq(as_nobody(nobody_polls), SLU_DENIED);
	ck_assert_int_eq(as_nobody(nobody_queries), 0);
	ck_assert_int_eq(as_nobody(nobody_pries), SLU_DENIED);
	ck_assert_int_eq(as_nobody(nobody_sees_a_page), 0);
	ck_assert_int_eq(as_nobody(nobody_sees_all_of_it), SLU_DENIED);
out:
	ctl_close();
	sluiced_end();
}
END_TEST

static const struct {
	const char *path, *body;
	enum slu_kind kind;
	const char *words;
} bad[] = {
	{"/v1/nothing", "{}", SLU_TIMEOUT, "nothing"},
	{"/v1/query", "", SLU_INVALID, ""},
	{"/v1/query", "[]", SLU_INVALID, ""},
	{"/v1/query", "{}", SLU_INVALID, "question"},
	{"/v1/query", "{\"question\":\"whence\"}", SLU_INVALID, "whence"},
	{"/v1/query", "{\"question\":7}", SLU_INVALID, "question"},
	{"/v1/query", "{\"question\":\"jobs\",\"last\":\"x\"}", SLU_INVALID,
	 "last"},
	{"/v1/plan", "{\"job_id\":1}", SLU_INVALID, "node"},
	{"/v1/plan", "{\"job_id\":-1,\"node\":\"n1\"}", SLU_INVALID, "job_id"},
	{"/v1/plan", "rubbish", SLU_INVALID, "ask"},
	{"/v1/sysmap/hashes", "", SLU_INVALID, "host"},
	{"/v1/sysmap/hashes?host=n1", "seven..", SLU_INVALID, "hashes"},
	{"/v1/sysmap/documents", "{}", SLU_INVALID, "host"},
};

START_TEST(test_refused)
{
	static char large[(1 << 20) + 2];

	if (!have_root() || !sluiced_begin())
		return;
	ctl_meet();
	each(b, bad)
	{
		int kind = post(b->path, b->body, NULL);

		expect(kind == (int)b->kind, "%s %s: %d %s", b->path, b->body,
		       kind, err.text);
		expect(strstr(err.text, b->words), "%s %s: %s", b->path,
		       b->body, err.text);
	}
	memset(large, ' ', sizeof(large) - 1);
	ck_assert_int_ne(post("/v1/query", large, NULL), 0);
	ck_assert_int_eq(post("/v1/query", ask_jobs, NULL), 0);
	ctl_close();
	sluiced_end();
}
END_TEST

START_TEST(test_sysmap)
{
	static const char docs[] =
		"{\"host\":\"n1\",\"documents\":{\"disks\":\"[{\\\"name\\\":"
		"\\\"sda\\\"}]\"}}";
	struct slu_buf reply = {0};

	if (!have_root() || !sluiced_begin())
		return;
	ctl_meet();
	ck_assert_int_eq(post("/v1/sysmap/hashes?host=n1", "12345678", &reply),
			 0);
	ck_assert_str_eq(reply.data, "{\"missing\":[0]}");
	ck_assert_int_eq(post("/v1/sysmap/documents", docs, &reply), 0);
	ck_assert_str_eq(reply.data, "{}");
	slu_buf_free(&reply);
	ctl_close();
	sluiced_end();
}
END_TEST

/* What the first map of a host adds to a pool is reported within seconds. */
START_TEST(test_first_map)
{
	static const char docs[] =
		"{\"host\":\"n1\",\"documents\":{\"mountpoints\":"
		"\"[{\\\"device\\\":\\\"/dev/sdb\\\",\\\"mountpoint\\\":"
		"\\\"/\\\",\\\"filesystem\\\":\\\"ext4\\\",\\\"size\\\":"
		"104857600,\\\"options\\\":\\\"rw\\\",\\\"category\\\":"
		"\\\"local\\\"}]\",\"mountusage\":\"[{\\\"mountpoint\\\":"
		"\\\"/\\\",\\\"available\\\":1048576}]\"}}";
	struct slu_capacity *supply;

	if (!have_root() || !sluiced_begin())
		return;
	ctl_meet();
	supply = ctl_expect(&slu_capacity_desc);
	ck_assert_uint_eq(supply->pools[0].nodes, 0);
	slu_msg_free(&slu_capacity_desc, supply);
	ck_assert_int_eq(post("/v1/sysmap/documents", docs, NULL), 0);
	supply = ctl_expect(&slu_capacity_desc);
	ck_assert_uint_eq(supply->pools[0].nodes, 1);
	slu_msg_free(&slu_capacity_desc, supply);
	ctl_close();
	sluiced_end();
}
END_TEST

/* Many nodes push at the same moment: none is refused. */
START_TEST(test_many_pushes_at_once)
{
	enum { PROCESSES = 20, EACH = 10 };
	pid_t pid[PROCESSES];

	if (!have_root() || !sluiced_begin())
		return;
	ctl_meet();
	for (int i = 0; i < PROCESSES; i++) {
		char addr[32];
		char *addrs[] = {addr, NULL};

		pid[i] = fork();
		if (pid[i])
			continue;
		snprintf(addr, sizeof(addr), "127.0.0.1:%u", sluiced_port);
		http = slu_http_new(addrs, getuid(), NULL);
		for (int k = 0; k < EACH; k++) {
			char docs[256];

			snprintf(docs, sizeof(docs),
				 "{\"host\":\"n1\",\"documents\":{\"disks\":"
				 "\"[%d]\"}}",
				 i * EACH + k);
			if (post("/v1/sysmap/documents", docs, NULL))
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < PROCESSES; i++)
		expect(sluiced_status(pid[i]) == 0, "process %d", i);
	ctl_close();
	sluiced_end();
}
END_TEST

START_TEST(test_metrics)
{
	const char *reply;

	if (!sluiced_begin())
		return;
	ctl_meet();
	reply = raw("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
	ck_assert_ptr_nonnull(strstr(reply, " 200 OK"));
	ck_assert_ptr_nonnull(strstr(reply, "sluice_slurmctld_connected 1"));
	ck_assert_ptr_nonnull(strstr(raw("POST /metrics HTTP/1.1\r\n"
					 "Host: x\r\n\r\n"),
				     " 404 "));
	ctl_close();
	sluiced_end();
}
END_TEST

/* A client that has not proven its identity cannot fill the memory with its
 * body. */
START_TEST(test_unproven_body)
{
	struct sockaddr_in to = {.sin_family = AF_INET};
	static const char head[] =
		"POST /v1/sysmap/documents HTTP/1.1\r\n"
		"Host: x\r\nContent-Length: 62914560\r\n\r\n";
	static char piece[1 << 20], reply[512];
	ssize_t n = 0, got;
	long before;
	int fd;

	if (!sluiced_begin())
		return;
	before = sluiced_kib();
	fd = socket(AF_INET, SOCK_STREAM, 0);
	to.sin_port = htons((uint16_t)sluiced_port);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(connect(fd, (void *)&to, sizeof(to)), 0);
	ck_assert_int_gt(send(fd, head, strlen(head), 0), 0);
	for (int i = 0; i < 60; i++) {
		if (i == 59) /* it has read all but what sockets hold */
			ck_assert_int_lt(sluiced_kib() - before, 20 << 10);
		for (size_t at = 0; at < sizeof(piece); at += (size_t)n) {
			n = send(fd, piece + at, sizeof(piece) - at, 0);
			ck_assert_int_gt(n, 0);
		}
	}
	got = recv(fd, reply, sizeof(reply) - 1, 0);
	ck_assert_int_gt(got, 0);
	expect(strstr(reply, " 403 "), "%s", reply);
	close(fd);
	sluiced_end();
}
END_TEST

static void knock_from(uint32_t address)
{
	static const char ask[] = "POST /v1/query HTTP/1.1\r\nHost: x\r\n"
				  "Content-Length: 2\r\n\r\n{}";
	struct sockaddr_in at = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char reply[512] = "";

	at.sin_addr.s_addr = htonl(address);
	ck_assert_int_eq(bind(fd, (void *)&at, sizeof(at)), 0);
	at.sin_port = htons((uint16_t)sluiced_port);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(connect(fd, (void *)&at, sizeof(at)), 0);
	ck_assert_int_gt(send(fd, ask, strlen(ask), 0), 0);
	ck_assert_int_gt(recv(fd, reply, sizeof(reply) - 1, 0), 0);
	expect(strstr(reply, " 403 "), "%s", reply);
	close(fd);
}

/* A host that is refused all day long fills no log, and does not hide other
 * hosts' refusals. */
START_TEST(test_knocking)
{
	unsigned lines = 0, others = 0;
	char line[512];
	FILE *log;

	if (!sluiced_begin())
		return;
	for (int i = 0; i < 36; i++) {
		if (i % 12 == 11)
			usleep(1100000);
		ck_assert_int_eq(raw_status(NULL, ask_jobs), 403);
	}
	knock_from(INADDR_LOOPBACK + 1);
	log = fopen(tmpfile_path("log"), "r");
	ck_assert_ptr_nonnull(log);
	while (fgets(line, sizeof(line), log)) {
		if (!strstr(line, "/v1/query refused: "))
			continue;
		lines++;
		others += strstr(line, "(from 127.0.0.2)") != NULL;
	}
	fclose(log);
	ck_assert_uint_eq(lines, 11);
	ck_assert_uint_eq(others, 1);
	sluiced_end();
}
END_TEST

/* A second one is kept out, and options do what they say. */
START_TEST(test_operator)
{
	char option[300];
	pid_t pid;
	FILE *f;

	if (!sluiced_begin())
		return;
	ck_assert_int_eq(sluiced_status(sluiced_fork("-D")), 3);
	f = fopen(tmpfile_path("pid"), "w"); /* that of the first */
	fputs("4711\n", f);
	fclose(f);
	snprintf(option, sizeof(option), "-P%s", tmpfile_path("pid"));
	ck_assert_int_eq(sluiced_status(sluiced_fork(option)), 3);
	f = fopen(tmpfile_path("pid"), "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(option, sizeof(option), f));
	ck_assert_str_eq(option, "4711\n");
	fclose(f);
	ck_assert_int_eq(sluiced_status(sluiced_fork("--check-conf")), 0);
	ck_assert_int_eq(sluiced_status(sluiced_fork("--no-such-option")), 2);
	/* In the background: the parent says whether it runs. */
	ck_assert_int_eq(sluiced_status(sluiced_fork("-v")), 3);
	/* A bad file is refused at a reload, and at a start. */
	f = fopen(tmpfile_path("sluice.conf"), "a");
	fputs("Nonsense=yes\n", f);
	fclose(f);
	kill(sluiced_pid, SIGHUP);
	usleep(100000);
	ck_assert_int_eq(post("/v1/query", ask_jobs, NULL), 0);
	ck_assert_int_eq(sluiced_status(sluiced_fork("-D")), 2);
	/* Stopped while clients wait: they get an answer at once. */
	if (have_root()) {
		ctl_meet();
		pid = fork();
		if (!pid) {
			usleep(300000);
			kill(sluiced_pid, SIGTERM);
			_exit(0);
		}
		post("/v1/plan", ask_n1, NULL);
		ck_assert_int_eq(sluiced_status(pid), 0);
		ck_assert_int_eq(sluiced_status(sluiced_pid), 0);
		ctl_close();
		sluiced_write_conf();
		sluiced_start();
	}
	sluiced_end();
}
END_TEST

static pid_t read_pid(void)
{
	FILE *f = fopen(tmpfile_path("pid"), "r");
	struct stat st;
	int pid = 0;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fstat(fileno(f), &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0644);
	ck_assert_int_eq(fscanf(f, "%d", &pid), 1);
	fclose(f);
	return pid;
}

/* Some start programs with standard input closed. Nothing of ours gets its
 * number, which goes to /dev/null once whoever started us is let go. */
START_TEST(test_closed_input)
{
	int input = dup(0);
	char option[300];
	struct slu_buf log = {0};
	pid_t pid;

	if (!sluiced_begin())
		return;
	sluiced_stop(SIGTERM, 0);
	unlink(tmpfile_path("log"));
	snprintf(option, sizeof(option), "-P%s", tmpfile_path("pid"));
	close(0);
	pid = sluiced_fork(option);
	dup2(input, 0);
	close(input);
	ck_assert_int_eq(sluiced_status(pid), 0);
	pid = read_pid();
	ck_assert_int_eq(sluiced_status(sluiced_fork("-D")), 3);
	kill(pid, SIGTERM);
	while (kill(pid, 0) == 0)
		usleep(10000);
	expect_ok(slu_file_read(AT_FDCWD, tmpfile_path("log"), 1 << 20, &log,
				&err),
		  err);
	ck_assert_ptr_nonnull(strstr(log.data, "stopping on signal 15"));
	slu_buf_free(&log);
	sluiced_start();
	sluiced_end();
}
END_TEST

TEST_MAIN("sluiced daemon", test_unproven_body, test_permissions, test_seals,
	  test_refused, test_sysmap, test_first_map, test_many_pushes_at_once,
	  test_metrics, test_knocking, test_operator, test_closed_input)
