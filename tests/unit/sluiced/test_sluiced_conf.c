/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests a host without sluice.conf, which fetches that of sluiced. */
#include "config.h"
#include "tests/unit/sluiced/sluiced.h"

#include "common/conf_host.h"
#include "common/file.h"
#include "tests/unit/common/http_listen.h"

static char kept[300];
static struct slu_conf_origin origin;
static struct slu_conf *conf;

static void write_slurm_conf(const char *line)
{
	FILE *file = fopen(tmpfile_path("slurm/slurm.conf"), "w");

	fprintf(file, "ClusterName=x\n%s\n", line);
	fclose(file);
}

/* As on a node: no file of ours, and slurm.conf says who SlurmUser is. */
static void be_configless(void)
{
	char line[32];

	mkdir(tmpfile_path("slurm"), 0755);
	snprintf(line, sizeof(line), "slurmuser=%u", (unsigned)getuid());
	write_slurm_conf(line);
	setenv("SLURM_CONF", tmpfile_path("slurm/slurm.conf"), 1);
	unsetenv("SLUICE_CONF");
	unsetenv("SLUICE_SERVER");
	snprintf(kept, sizeof(kept), "%s", tmpfile_path("run/fetched.conf"));
	slu_conf_kept_at(kept);
}

static void name_server(unsigned port)
{
	char text[64];

	snprintf(text, sizeof(text), " 127.0.0.1:%u,", port);
	setenv("SLUICE_SERVER", text, 1);
}

static int look(void)
{
	slu_conf_free(conf);
	err = (struct slu_err){0};
	conf = slu_conf_of_host(0, &origin, &err);
	return conf ? 0 : -1;
}

static void reload(const char *more)
{
	snprintf(sluiced_extra_conf, sizeof(sluiced_extra_conf), "%s", more);
	sluiced_write_conf();
	kill(sluiced_pid, SIGHUP);
}

static bool is_kept(void)
{
	return access(tmpfile_path("run/fetched.conf"), F_OK) == 0;
}

static bool begin(void)
{
	if (access("/etc/slurm/sluice.conf", F_OK) == 0) {
		skip("this host has a sluice.conf");
		return false;
	}
	snprintf(sluiced_extra_conf, sizeof(sluiced_extra_conf),
		 "StageInTimeout=77\n");
	if (!sluiced_begin())
		return false;
	be_configless();
	return true;
}

static void end(void)
{
	slu_conf_free(conf);
	conf = NULL;
	sluiced_end();
}

START_TEST(test_fetched)
{
	struct stat st;

	if (!begin())
		return;
	ck_assert(slu_conf_of_nobody());
	expect_fail(look(), err, SLU_NOTFOUND, "nobody says where to fetch it");
	name_server(sluiced_port);
	ck_assert(!slu_conf_of_nobody());
	expect_ok(look(), err);
	ck_assert_int_eq(err.kind, 0);
	expect_ok(look(), err); /* what is kept */
	ck_assert_int_eq(err.kind, 0);
	ck_assert_int_eq(conf->stage_in_timeout, 77);
	ck_assert_int_eq(geteuid() == 0, is_kept());
	if (is_kept()) {
		ck_assert_int_eq(stat(origin.path, &st), 0);
		ck_assert_int_eq(st.st_mode & 07777, 0644);
		/* later nobody has to say where sluiced is */
		unsetenv("SLUICE_SERVER");
		sluiced_stop(SIGTERM, 0);
		expect_ok(look(), err);
		ck_assert_int_eq(conf->stage_in_timeout, 77);
		ck_assert_int_eq(slu_conf_renew(&conf, &origin, 0, &err), -1);
		ck_assert_int_eq(conf->stage_in_timeout, 77);
		sluiced_start();
	}
	end();
}
END_TEST

/* Every answer names the configuration in force; an invalid one never is. */
START_TEST(test_renewed)
{
	struct slu_buf reply = {0};
	struct slu_conf_origin before;

	if (!begin())
		return;
	name_server(sluiced_port);
	expect_ok(look(), err);
	ck_assert_int_eq(slu_conf_renew(&conf, &origin, 0, &err), 0);
	post("/v1/query", "{\"question\":\"hosts\"}", &reply);
	ck_assert_str_eq(slu_http_conf(http), origin.hash);
	before = origin;
	reload("StageInTimeout=78\nNoSuchKey=1\n");
	usleep(300000);
	post("/v1/query", "{\"question\":\"hosts\"}", &reply);
	ck_assert_str_eq(slu_http_conf(http), before.hash);
	ck_assert_int_eq(slu_conf_renew(&conf, &origin, 0, &err), 0);
	reload("StageInTimeout=79\n");
	do {
		usleep(10000);
		post("/v1/query", "{\"question\":\"hosts\"}", &reply);
	} while (slu_eq(slu_http_conf(http), before.hash));
	ck_assert_int_eq(slu_conf_renew(&conf, &origin, 0, &err), 1);
	ck_assert_int_eq(conf->stage_in_timeout, 79);
	ck_assert_str_eq(slu_http_conf(http), origin.hash);
	expect_ok(look(), err);
	ck_assert_int_eq(conf->stage_in_timeout, 79);
	slu_buf_free(&reply);
	end();
}
END_TEST

static void say_hello(uint64_t hash)
{
	const struct slu_hello_ctl hello = {.version = SLU_WIRE_VERSION,
					    .conf_hash = hash};

	ctl_send(&slu_hello_ctl_desc, &hello);
	ctl_expect_any(&slu_capacity_desc);
}

static int64_t stage_in_timeout(void)
{
	struct slu_err why;

	slu_conf_renew(&conf, &origin, 0, &why);
	return conf->stage_in_timeout;
}

/* When slurmctld has read another file, sluiced reads its own again; a bad one
 * changes nothing. */
START_TEST(test_read_with_slurmctld)
{
	if (!begin())
		return;
	name_server(sluiced_port);
	expect_ok(look(), err);
	ctl_connect();
	slu_copy(sluiced_extra_conf, sizeof(sluiced_extra_conf),
		 "StageInTimeout=78\n");
	sluiced_write_conf();
	say_hello(0); /* of an older libsluice */
	ck_assert_int_eq(stage_in_timeout(), 77);
	say_hello(1);
	ck_assert_int_eq(stage_in_timeout(), 78);
	slu_copy(sluiced_extra_conf, sizeof(sluiced_extra_conf),
		 "NoSuchKey=1\n");
	sluiced_write_conf();
	say_hello(2);
	ck_assert_int_eq(stage_in_timeout(), 78);
	end();
}
END_TEST

/* Of a file that is not whole nothing is believed; one of another sluiced than
 * we are told to ask stays as long as nobody answers. */
START_TEST(test_incomplete_file_is_not_used)
{
	FILE *file;

	if (geteuid() || !begin())
		return;
	name_server(sluiced_port);
	expect_ok(look(), err);
	expect_ok(truncate(origin.path, 20), err);
	unsetenv("SLUICE_SERVER");
	expect_fail(look(), err, SLU_NOTFOUND, "there is no sluice.conf at");
	name_server(sluiced_port);
	expect_ok(look(), err);
	name_server(1);
	expect_ok(look(), err);
	expect_err(err, SLU_TIMEOUT, "no answer from sluiced"); /* all the same
								 */
	file = fopen(origin.path, "w");
	fprintf(file,
		"DaemonAddr=127.0.0.1:1\n\n"
		"# Fetched, do not edit: 127.0.0.1:1 %064d\n",
		0);
	fclose(file);
	expect_ok(look(), err);
	ck_assert_int_ne(conf->stage_in_timeout, 77);
	name_server(sluiced_port); /* it has moved */
	expect_ok(look(), err);
	ck_assert_int_eq(conf->stage_in_timeout, 77);
	end();
}
END_TEST

/* The host's own comes first, if it is bad, too. */
START_TEST(test_own_file_comes_first)
{
	FILE *file;

	if (!begin())
		return;
	name_server(sluiced_port);
	expect_ok(look(), err);
	file = fopen(tmpfile_path("slurm/sluice.conf"), "w");
	fprintf(file, "StageInTimeout=5\n");
	fclose(file);
	expect_ok(look(), err);
	ck_assert_int_eq(conf->stage_in_timeout, 5);
	ck_assert_str_eq(origin.from, "");
	ck_assert_str_eq(origin.path, tmpfile_path("slurm/sluice.conf"));
	file = fopen(tmpfile_path("slurm/sluice.conf"), "w");
	fprintf(file, "NoSuchKey=5\n");
	fclose(file);
	expect_fail(look(), err, SLU_INVALID, "NoSuchKey");
	end();
}
END_TEST

/* A server of a few lines, of whoever runs it; it proves what it says. */
static void pretend(int listener)
{
	static const char lies[] = "MoverFrom=1\n";
	char text[4096], uri[128], cred[4096];
	struct slu_caller caller;
	char *proof, *headers;
	int fd = accept(listener, NULL, NULL);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	text[n < 0 ? 0 : n] = '\0';
	if (sscanf(text, "GET %127s", uri) != 1 ||
	    sscanf(strstr(text, "Sluice "), "Sluice %4095s", cred) != 1 ||
	    slu_cred_check_request(cred, "GET", uri, "", 0, &caller, NULL))
		_exit(1);
	proof = slu_cred_reply(&caller, 200, lies, strlen(lies), NULL, NULL);
	headers = slu_asprintf("Sluice-Credential: %s\r\n", proof);
	answer(fd, 200, headers, lies, strlen(lies));
	_exit(0);
}

static pid_t start_pretender(char addr[32], uid_t uid)
{
	int listener = listen_on(AF_INET, addr);
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (setuid(uid) == 0)
			pretend(listener);
		_exit(2);
	}
	close(listener);
	return pid;
}

static void expect_pretender(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/* Whoever is neither root nor the SlurmUser that Slurm has told is not
 * believed; nor is what the default of a slurm.conf makes of it. */
START_TEST(test_stranger)
{
	char addr[32];
	pid_t pid;

	if (geteuid() || !begin())
		return;
	pid = start_pretender(addr, 65534);
	setenv("SLUICE_SERVER", addr, 1);
	expect_fail(look(), err, SLU_TIMEOUT, "none came from sluiced");
	expect_pretender(pid);
	ck_assert(!is_kept());
	write_slurm_conf("SlurmUser=65534");
	pid = start_pretender(addr, 65534);
	setenv("SLUICE_SERVER", addr, 1);
	expect_ok(look(), err);
	expect_pretender(pid);
	end();
}
END_TEST

TEST_MAIN("sluiced_conf", test_fetched, test_renewed, test_read_with_slurmctld,
	  test_incomplete_file_is_not_used, test_own_file_comes_first,
	  test_stranger)
