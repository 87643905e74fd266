/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the start of sluiced, and the end of the control socket that plays
 * slurmctld. */
#include "config.h"
#include "tests/unit/sluiced/sluiced.h"
#include <arpa/inet.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "tests/unit/common/munged.h"

#define main sluiced_main
#include "sluiced/main.c"
#undef main

/* To answer a question sluiced executes itself, which is the test here. */
__attribute__((constructor)) static void answer_if_asked(int argc, char **argv)
{
	if (argc == 1 && !strcmp(argv[0], SLU_QUESTION_NAME))
		slu_question_main();
}

struct slu_err err;

pid_t sluiced_pid;
static pid_t sluiced_munged;

unsigned sluiced_port;

char sluiced_addr[32]; /* of this host, in credentials */

char sluiced_extra_conf[8192]; /* more lines for sluice.conf */

struct slu_http *http;

const char *sluiced_storage = "storage";

void sluiced_write_conf(void)
{
	FILE *f = fopen(tmpfile_path("sluice.conf"), "w");

	fprintf(f,
		"Database=%s/db\nControlSocket=%s/ctl\nMappingDir=%s/maps\n"
		"DaemonAddr=127.0.0.1:%u\nSlurmUser=%s\nIONodes=ion[1-4]\n"
		"NodeStorage=%s/%s\n"
		"FileSystem=scratch Driver=scratch Default=yes\n%s%s",
		tmpdir(), tmpdir(), tmpdir(), sluiced_port,
		getpwuid(getuid())->pw_name, tmpdir(), sluiced_storage,
		strstr(sluiced_extra_conf, "HistoryDays")
			? ""
			: "HistoryDays=forever\n",
		sluiced_extra_conf);
	fclose(f);
}

/* Where credentials of this host are made. */
static void sluiced_find_addr(void)
{
	struct slu_caller me;
	char nonce[SLU_NONCE_TEXT];
	char *cred = slu_cred_request("GET", "/", "", 0, nonce, &err);

	expect_ok(slu_cred_check_request(cred, "GET", "/", "", 0, &me, &err),
		  err);
	inet_ntop(AF_INET, &me.addr, sluiced_addr, sizeof(sluiced_addr));
	free(cred);
}

/* A port on which no process listens. */
static unsigned sluiced_free_port(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_eq(bind(fd, (void *)&addr, sizeof(addr)), 0);
	getsockname(fd, (void *)&addr, &len);
	close(fd);
	return ntohs(addr.sin_port);
}

pid_t sluiced_fork(const char *option)
{
	char conf[256], log[256], out[256];
	char *argv[] = {"sluiced", "-f", conf,
			"-L",	   log,	 (char *)(uintptr_t)option,
			NULL};
	pid_t pid;

	snprintf(conf, sizeof(conf), "%s/sluice.conf", tmpdir());
	snprintf(log, sizeof(log), "%s/log", tmpdir());
	snprintf(out, sizeof(out), "%s/out", tmpdir());
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!freopen(out, "a", stdout) || dup2(fileno(stdout), 2) < 0)
		_exit(99);
	optind = 1;
	exit(sluiced_main(6, argv));
}

int sluiced_status(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int unix_connect(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (connect(fd, (void *)&addr, sizeof(addr)) == 0)
		return fd;
	close(fd);
	return -1;
}

void sluiced_start(void)
{
	sluiced_pid = sluiced_fork("-D");
	for (int i = 0; i < 500; i++) {
		struct sockaddr_in to = {.sin_family = AF_INET};
		int fd = socket(AF_INET, SOCK_STREAM, 0), rc;

		to.sin_port = htons((uint16_t)sluiced_port);
		to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		rc = connect(fd, (void *)&to, sizeof(to));
		close(fd);
		if (rc == 0)
			return;
		if (waitpid(sluiced_pid, NULL, WNOHANG) == sluiced_pid)
			break;
		usleep(10000);
	}
	ck_abort_msg("sluiced does not start; see %s/log", tmpdir());
}

void sluiced_stop(int signal, int want)
{
	kill(sluiced_pid, signal);
	ck_assert_int_eq(sluiced_status(sluiced_pid), want);
	sluiced_pid = 0;
}

bool sluiced_begin(void)
{
	char addr[32];
	char *addrs[] = {addr, NULL};

	sluiced_munged = munged_start();
	if (!sluiced_munged)
		return false;
	sluiced_port = sluiced_free_port();
	sluiced_find_addr();
	mkdir(tmpfile_path("maps"), 0755);
	mkdir(tmpfile_path("storage"), 0755);
	sluiced_write_conf();
	sluiced_start();
	snprintf(addr, sizeof(addr), "127.0.0.1:%u", sluiced_port);
	http = slu_http_new(addrs, getuid(), &err);
	return true;
}

void sluiced_end(void)
{
	struct slu_db *db;

	slu_http_free(http);
	sluiced_stop(SIGTERM, 0);
	db = slu_db_open(tmpfile_path("db"), SLU_DB_READ, &err);
	ck_assert_msg(db != NULL, "%s", err.text);
	expect_ok(slu_db_check(db, &err), err);
	slu_db_close(db);
	kill(sluiced_munged, SIGKILL);
}

FILE *ctl_in;

int ctl_fd = -1;

const struct slu_desc *ctl_desc; /* of the last message */

uint64_t ctl_id;

void ctl_send(const struct slu_desc *desc, const void *msg)
{
	char *line = slu_envelope(desc, 1, msg);
	size_t len = strlen(line);

	ck_assert_int_eq(send(ctl_fd, line, len, 0), (ssize_t)len);
	free(line);
}

void *ctl_expect(const struct slu_desc *desc)
{
	static char *line;
	static size_t size;
	void *msg;

	for (;;) {
		ssize_t len = getline(&line, &size, ctl_in);

		expect(len > 0, "waiting for %s", desc->name);
		expect_ok(slu_envelope_parse(line, (size_t)len, slu_to_ctl,
					     &ctl_desc, &ctl_id, &msg, &err),
			  err);
		if (ctl_desc == desc)
			return msg;
		slu_msg_free(ctl_desc, msg);
	}
}

void ctl_expect_any(const struct slu_desc *desc)
{
	slu_msg_free(desc, ctl_expect(desc));
}

void ctl_done(bool ok)
{
	struct slu_done done = {ctl_id, ok, NULL};

	ctl_send(&slu_done_desc, &done);
}

void ctl_hello(struct slu_job *jobs, size_t n)
{
	struct slu_node_addr nodes[] = {
		{(char *)"n1", sluiced_addr},
		{(char *)"n2", sluiced_addr},
		{(char *)"far", (char *)"192.0.2.1"},
	};
	struct slu_hello_ctl hello = {.version = SLU_WIRE_VERSION,
				      .nodes = nodes,
				      .n_nodes = 3,
				      .jobs = jobs,
				      .n_jobs = n};

	ctl_send(&slu_hello_ctl_desc, &hello);
}

void ctl_connect(void)
{
	struct timeval limit = {.tv_sec = 20};

	ctl_fd = unix_connect(tmpfile_path("ctl"));
	ck_assert_int_ge(ctl_fd, 0);
	setsockopt(ctl_fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	ctl_in = fdopen(ctl_fd, "r");
	ctl_expect_any(&slu_hello_daemon_desc);
}

void ctl_close(void)
{
	fclose(ctl_in);
	ctl_fd = -1;
}

/* If slurmctld is asked where the node is, it knows no more than it has told.
 */
static void answer_where(void)
{
	char name[64];
	struct slu_node_addr is = {.name = name};
	const char *said = strstr(err.text, "slurmctld is asked where ");

	if (said &&
	    sscanf(said, "slurmctld is asked where %63[^ ,]", name) == 1)
		ctl_send(&slu_node_is_desc, &is);
}

int post(const char *path, const char *text, struct slu_buf *reply)
{
	struct slu_buf mine = {0}, *to = reply ? reply : &mine;
	int rc = slu_http_post(http, path, text, strlen(text), 0, to, &err);

	if (rc < 0 && err.kind == SLU_TIMEOUT) {
		answer_where();
		rc = slu_http_post(http, path, text, strlen(text), 5, to, &err);
	}
	slu_buf_free(&mine);
	return rc < 0 ? (int)err.kind : 0;
}

const char *raw(const char *text)
{
	static char reply[16384];
	struct sockaddr_in to = {.sin_family = AF_INET};
	struct timeval limit = {.tv_sec = 10};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	ssize_t n;

	to.sin_port = htons((uint16_t)sluiced_port);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(connect(fd, (void *)&to, sizeof(to)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	ck_assert_int_gt(send(fd, text, strlen(text), 0), 0);
	n = recv(fd, reply, sizeof(reply) - 1,
		 strstr(text, "Connection: close") ? MSG_WAITALL : 0);
	reply[n > 0 ? n : 0] = '\0';
	close(fd);
	return reply;
}

struct slu_job job_of_ann(uint32_t id, bool buffer)
{
	static int64_t start;

	if (!start)
		start = time(NULL);
	return (struct slu_job){
		.job_id = id,
		.uid = 1000,
		.gid = 1000,
		.user = (char *)"ann",
		.name = (char *)"sim",
		.nodes = (char *)"n[1-2]",
		.node_cnt = 2,
		.submit = 1000,
		.start = start,
		.limit = 10,
		.state = (char *)"RUNNING",
		.request = buffer ? (char *)"jobfs capacity=1GiB name=JOBFS"
				  : NULL,
	};
}

void job_ended(uint32_t id, bool buffer, const struct slu_desc *desc)
{
	struct slu_job j = job_of_ann(id, buffer);

	j.state = (char *)"COMPLETED";
	j.end = j.start + 60;
	ctl_send(desc, &j);
}

void ctl_meet(void)
{
	ctl_connect();
	ctl_hello(NULL, 0);
	ctl_expect_any(&slu_history_end_desc);
}

long sluiced_kib(void)
{
	char path[64], line[256];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)sluiced_pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmRSS: %ld", &kib);
	fclose(f);
	return kib;
}

pid_t start_as_nobody(int (*fn)(void))
{
	pid_t pid = fork();

	if (!pid) {
		char addr[32];
		char *addrs[] = {addr, NULL};

		snprintf(addr, sizeof(addr), "127.0.0.1:%u", sluiced_port);
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(99);
		http = slu_http_new(addrs, 0, NULL);
		_exit(fn());
	}
	return pid;
}

int as_nobody(int (*fn)(void))
{
	return sluiced_status(start_as_nobody(fn));
}
