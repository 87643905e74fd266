/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sysquery doctor: each problem of the cluster is reported once, with the
 * command that solves it, and is no longer reported after that. */
#include "config.h"
#include "tests/unit/sluiced/sluiced.h"

#include <time.h>
#include "common/jsonx.h"
#include "sysquery/cli/ask.h"

/* The sluiced of this test knows slurmctld's n1, n2 and far, unless it gets
 * others. */
static void meet(struct slu_hello_ctl hello)
{
	struct slu_node_addr nodes[] = {
		{(char *)"n1", sluiced_addr},
		{(char *)"n2", sluiced_addr},
		{(char *)"far", (char *)"192.0.2.1"},
	};

	hello.version = SLU_WIRE_VERSION;
	if (!hello.n_nodes) {
		hello.nodes = nodes;
		hello.n_nodes = 3;
	}
	ctl_connect();
	ctl_send(&slu_hello_ctl_desc, &hello);
	ctl_expect_any(&slu_history_end_desc);
}

static struct json_object *ask(void)
{
	struct slu_buf reply = {0};
	struct json_object *answer, *findings;

	expect(post("/v1/query", "{\"question\":\"doctor\"}", &reply) == 0,
	       "%s", err.text);
	answer = slu_json_parse(reply.data, reply.len, &err);
	expect(answer, "%s: %s", err.text, reply.data);
	slu_buf_free(&reply);
	ck_assert(json_object_object_get_ex(answer, "findings", &findings));
	json_object_get(findings);
	json_object_put(answer);
	return findings;
}

/* How many findings there are with these words; `found` (may be NULL) is the
 * text of the last one. */
static int count(const char *words, char found[2000])
{
	struct json_object *findings = ask();
	int n = 0;

	for (size_t i = 0; i < json_object_array_length(findings); i++) {
		const char *text =
			slu_json_text(json_object_array_get_idx(findings, i));

		if (!strstr(text, words))
			continue;
		n++;
		if (found)
			slu_copy(found, 2000, text);
	}
	json_object_put(findings);
	return n;
}

static void expect_one(const char *words, const char *also)
{
	char found[2000] = "";
	int n = count(words, found);

	expect(n == 1 && strstr(found, also), "%d of \"%s\": %s lacks %s", n,
	       words, found, also);
}

static void write_db(const char *sql)
{
	struct slu_db *db = slu_db_open(tmpfile_path("db"), SLU_DB_WRITE, &err);

	expect(db, "%s", err.text);
	expect_ok(slu_db_script(db, sql, &err), err);
	slu_db_close(db);
}

static void probe(const char *host, const char *document)
{
	char *body = slu_asprintf(
		"{\"host\":\"%s\",\"documents\":{\"probe\":\"%s\"}}", host,
		document);

	expect(post("/v1/sysmap/documents", body, NULL) == 0, "%s", err.text);
	free(body);
}

START_TEST(test_links)
{
	if (!sluiced_begin())
		return;
	expect_one("slurmctld is not connected", "\"severity\":\"error\"");
	meet((struct slu_hello_ctl){
		.release = (char *)"0.0.1",
		.conf_wrong = (char *)"sluice.conf:3: unknown key Odd",
		.slurm_advice = (char *)"A lacks b: set it\nC=1: set 0\n"});
	ck_assert_int_eq(count("not connected", NULL), 0);
	expect_one("slurmctld has loaded Sluice 0.0.1", "restart slurmctld");
	expect_one("unknown key Odd", "\"type\":\"scontrol reconfigure\"");
	expect_one("slurm.conf: A lacks b: set it", "\"kind\":\"slurm.conf\"");
	expect_one("slurm.conf: C=1: set 0", "\"severity\":\"warning\"");
	ctl_close();
	while (!count("not connected", NULL))
		usleep(20000);
	meet((struct slu_hello_ctl){.release = (char *)PACKAGE_VERSION,
				    .conf_read = time(NULL) + 60});
	ck_assert_int_eq(count("slurmctld", NULL), 0);
	ck_assert_int_eq(count("slurm.conf", NULL), 0);
	ck_assert_int_eq(count("IOStart", NULL), 0);
	ctl_send(&slu_io_use_desc, &(struct slu_io_use){.known = SLU_IO_UNKNOWN,
							.targets = 9,
							.degraded = 2});
	while (!count("IOStart holds no job back", NULL))
		usleep(20000);
	expect_one("IOStart holds no job back", "\"type\":\"sysquery iostart");
	expect_one("2 of 9 targets of Lustre are degraded", "note");
	ctl_send(
		&slu_io_use_desc,
		&(struct slu_io_use){.targets = 9, .degraded = 9, .silent = 3});
	while (!count("all 9 Lustre targets", NULL))
		usleep(20000);
	expect_one("IOStart holds no job back: all 9 Lustre targets are "
		   "degraded",
		   "warning");
	expect_one("Lustre servers do not report their load any more (3 with "
		   "OSTs; is",
		   "sysquery osts");
	ctl_send(&slu_io_use_desc, &(struct slu_io_use){.unheard = 7});
	while (!count("no Lustre server reports", NULL))
		usleep(20000);
	expect_one("reports do not count for IOBandwidth=auto\"", "osts");
	ctl_close();
	sluiced_end();
}
END_TEST

/* What IOBandwidth=auto and IOMetadata=auto lack is said once. */
START_TEST(test_silent_for_both)
{
	if (!sluiced_begin())
		return;
	meet((struct slu_hello_ctl){0});
	ctl_send(&slu_io_use_desc,
		 &(struct slu_io_use){.silent = 3, .metadata_silent = 1});
	while (!count("Lustre servers do not report", NULL))
		usleep(20000);
	expect_one("any more (3 with OSTs, 1 with MDTs; is sluice-tbfd "
		   "--publish running there?): after a day their earlier "
		   "reports do not count for IOBandwidth=auto and "
		   "IOMetadata=auto",
		   "sysquery osts");
	ctl_send(&slu_io_use_desc,
		 &(struct slu_io_use){.unheard = 7, .metadata_unheard = 8});
	while (!count("no Lustre server reports", NULL))
		usleep(20000);
	expect_one("reports do not count for IOBandwidth=auto and "
		   "IOMetadata=auto",
		   "sysquery osts");
	ctl_send(&slu_io_use_desc,
		 &(struct slu_io_use){.silent = 2, .metadata_unheard = 8});
	while (!count("2 with OSTs;", NULL))
		usleep(20000);
	expect_one("not count for IOMetadata=auto", "no Lustre server reports");
	expect_one("not count for IOBandwidth=auto", "2 with OSTs");
	ctl_close();
	sluiced_end();
}
END_TEST

/* The file is invalid; is another than the one in force; is corrected and read
 * again. */
START_TEST(test_bad_or_changed_configuration)
{
	if (!sluiced_begin())
		return;
	meet((struct slu_hello_ctl){.conf_read = 1});
	expect_one("was written after slurmctld had read it", "reconfigure");
	ctl_close();
	meet((struct slu_hello_ctl){.conf_read = time(NULL) + 60});
	ck_assert_int_eq(count("sluice.conf", NULL), 0);
	slu_copy(sluiced_extra_conf, sizeof(sluiced_extra_conf),
		 "SetupTimeuot=5\n");
	sluiced_write_conf();
	expect_one("did you mean SetupTimeout?; the old one is used",
		   "\"type\":\"sluiced --check-conf\"");
	slu_copy(sluiced_extra_conf, sizeof(sluiced_extra_conf),
		 "SetupTimeout=500\n");
	sluiced_write_conf();
	expect_one("differs from what sluiced has read",
		   "\"type\":\"systemctl reload sluiced\"");
	kill(sluiced_pid, SIGHUP);
	for (int i = 0; i < 200 && count("sluice.conf", NULL); i++)
		usleep(50000);
	ck_assert_int_eq(count("sluice.conf", NULL), 0);
	ctl_close();
	sluiced_end();
	*sluiced_extra_conf = '\0';
}
END_TEST

/* Hosts with the same problem are one finding; a solved problem is none. */
START_TEST(test_probes)
{
#define ROW(result)                                                        \
	"{\\\"release\\\":\\\"1\\\",\\\"conf\\\":\\\"\\\",\\\"rows\\\":["  \
	"{\\\"check\\\":\\\"storage\\\",\\\"result\\\":\\\"" result "\\\"" \
	",\\\"text\\\":\\\"full\\\"}]}"
	char self[256] = "", *body;

	if (!sluiced_begin())
		return;
	meet((struct slu_hello_ctl){0});
	expect_one("never probed", "\"on\":\"far,n[1-2]\"");
	probe("n1", ROW("bad"));
	probe("n2", ROW("bad"));
	expect_one("n[1-2]: storage: full",
		   "\"on\":\"n[1-2]\",\"type\":\"sluice-node probe --push\"");
	expect_one("never probed", "\"on\":\"far\"");
	/* a host that is no node, such as the controller, has spoken */
	gethostname(self, sizeof(self) - 1);
	body = slu_asprintf("{\"host\":\"%s\",\"documents\":{}}", self);
	ck_assert_int_eq(post("/v1/sysmap/documents", body, NULL), 0);
	free(body);
	expect_one("never probed", "\"on\":\"far\"");
	probe("n2", ROW("ok"));
	expect_one("storage: full", "\"on\":\"n1\"");
	probe("n1", "[5]"); /* of another release, perhaps */
	ck_assert_int_eq(count("storage: full", NULL), 0);
	probe("n1", "{\\\"conf\\\":\\\"00ff\\\"}");
	expect_one("n1: another sluice.conf", "\"severity\":\"warning\"");
	ctl_close();
	sluiced_end();
}
END_TEST

/* An I/O node needs no room for jobs' file systems, unless jobs run there. */
START_TEST(test_io_node)
{
	struct slu_node_addr nodes[] = {
		{(char *)"ion1", sluiced_addr},
		{(char *)"ion2", sluiced_addr},
		{(char *)"n2", sluiced_addr},
	};

	strcpy(sluiced_extra_conf, "RecruitIdle=ion2\n");
	if (!sluiced_begin())
		return;
	meet((struct slu_hello_ctl){.nodes = nodes, .n_nodes = 3});
	probe("ion1", ROW("bad"));
	ck_assert_int_eq(count("storage: full", NULL), 0);
	probe("n2", ROW("bad"));
	expect_one("storage: full", "\"on\":\"n2\"");
	probe("ion2", ROW("bad"));
	expect_one("storage: full", "\"on\":\"ion2,n2\"");
	ctl_close();
	sluiced_end();
}
END_TEST

/* A node that did not arrive is named until it sends something. */
START_TEST(test_silent)
{
	double now;
	char *sql;

	if (!sluiced_begin())
		return;
	meet((struct slu_hello_ctl){0});
	probe("n1", "{}");
	now = slu_now_wall();
	sql = slu_asprintf(
		"INSERT INTO Buffer (BID, JobID, Restarts, Uid, Nodes, State,"
		" Created, Since, Failure, FailedIn, FailedAt, Driver, Plan)"
		" VALUES (900, 7, 0, 1000, 3, 6, %.3f, %.3f, 'far had not"
		" come', 1, %.3f, 'scratch', '{}'), (901, 8, 0, 1000, 3, 6,"
		" %.3f, %.3f, 'no plan', 1, %.3f, NULL, '{}');"
		"INSERT INTO BufferNode (BID, Position, Node, State) VALUES"
		" (900, 0, 'n2', 5), (900, 1, 'far', 5), (901, 0, 'n1', 5);",
		now, now, now - 60, now + 1, now, now - 60);
	write_db(sql);
	free(sql);
	expect_one("no request to sluiced since job 7 waited",
		   "\"on\":\"far,n2\"");
	expect_one("2 jobs failed in the last day in setup; job 8: no plan",
		   "\"type\":\"sysquery buffers 8\"");
	probe("n2", "{}");
	expect_one("no request to sluiced since job 7 waited",
		   "\"on\":\"far\"");
	expect(count("Sluice  of", NULL) == 0 &&
		       count("Sluice of an older release", NULL) == 0,
	       "what speaks to us is of our release");
	ctl_close();
	sluiced_end();
}
END_TEST

/* Jobs whose nodes asked nothing, until they have a file system; and what a
 * process still holds, until a probe reports the present state. */
START_TEST(test_remarks)
{
	double now = slu_now_wall();
	char *sql = slu_asprintf(
		"INSERT INTO Buffer (BID, JobID, Restarts, Uid, Nodes, State,"
		" Created, Since, Driver, Plan) VALUES (900, 7, 0, 1000, 2, 6,"
		" %.3f, %.3f, 'scratch', '{}');"
		"INSERT INTO BufferNode (BID, Position, Node, State) VALUES"
		" (900, 0, 'n1', 5), (900, 1, 'n2', 5);"
		"INSERT INTO BufferHistory (BID, Time, State, Text) VALUES"
		" (900, %.3f, 1, 'job ended: COMPLETED; it ran without: no"
		" node asked what to do'), (900, %.3f, 5, 'n2: some of the"
		" storage is held: /x/7.1 is in use by sh (5)');",
		now - 50, now - 40, now - 40, now - 40);

	if (!sluiced_begin())
		return;
	meet((struct slu_hello_ctl){0});
	write_db(sql);
	free(sql);
	expect_one("n[1-2]: job 7 ran without its file system",
		   "\"on\":\"n[1-2]\"");
	expect_one("job 7 has ended, and n2: some of the storage is held",
		   "\"on\":\"n2\"");
	write_db("INSERT INTO Buffer (BID, JobID, Restarts, Uid, Nodes, State,"
		 " Created, Since, Ready, Plan) VALUES (901, 8, 0, 1000, 1, 3,"
		 " 1e12, 1e12, 1e12, '{}');"
		 "INSERT INTO BufferNode (BID, Position, Node, State) VALUES"
		 " (901, 0, 'n2', 3)");
	expect_one("job 7 ran without its file system", "\"on\":\"n1\"");
	probe("n2", "{\\\"rows\\\":[{\\\"check\\\":\\\"held\\\","
		    "\\\"result\\\":\\\"note\\\",\\\"text\\\":\\\"sh\\\"}]}");
	expect_one("n2: held: sh", "\"severity\":\"note\"");
	ck_assert_int_eq(count("some of the storage is held", NULL), 0);
	probe("n2", "{}");
	ck_assert_int_eq(count("held", NULL), 0);
	ctl_close();
	sluiced_end();
}
END_TEST

/* A phase that lasts too long, by earlier ones; and which nodes are drained. */
START_TEST(test_phases)
{
	struct slu_job job = job_of_ann(17, true);
	struct slu_buf sql = {0};

	if (!sluiced_begin())
		return;
	meet((struct slu_hello_ctl){0});
	for (int i = 1; i <= 30; i++)
		slu_buf_printf(
			&sql,
			"INSERT INTO Buffer (BID, JobID, Restarts, Uid, Nodes,"
			" State, Created, Since, Driver, Plan) VALUES (%d, %d,"
			" 0, 1000, 1, 6, 1, 1, 'scratch', '{}');"
			"INSERT INTO BufferHistory (BID, Time, State) VALUES"
			" (%d, 100, 1), (%d, 105, 3), (%d, 200, 6);",
			i, i, i, i, i);
	write_db(sql.data);
	slu_buf_free(&sql);
	ctl_send(&slu_job_started_desc, &job);
	ctl_expect_any(&slu_buffer_desc);
	ck_assert_int_eq(count("job 17", NULL), 0);
	/* it began ten minutes ago: as sluiced reads it when it starts */
	ctl_close();
	sluiced_stop(SIGTERM, 0);
	write_db("UPDATE Buffer SET Since = Since - 600, Created = Created -"
		 " 600 WHERE JobID = 17");
	sluiced_start();
	expect_one("job 17 is in setup for", "95 of 100 took at most 5");
	expect_one("job 17 is in setup for",
		   "\"on\":\"n[1-2]\",\"type\":\"sluice-node status\"");
	sluiced_end();
}
END_TEST

/* A mapping that cannot be published, until one can be. */
START_TEST(test_mapping)
{
	struct slu_assignment a = {
		.epoch = 1, .policy = (char *)"MCKP", .ions = (char *)"n1"};
	FILE *file;

	if (!sluiced_begin())
		return;
	meet((struct slu_hello_ctl){0});
	rmdir(tmpfile_path("maps"));
	file = fopen(tmpfile_path("maps"), "w");
	ck_assert(file);
	fclose(file);
	ctl_send(&slu_assignment_desc, &a);
	ctl_expect_any(&slu_published_desc);
	expect_one("the mapping of I/O nodes cannot be published",
		   "\"kind\":\"mapping\"");
	expect_one("the mapping of I/O nodes cannot be published",
		   "\"type\":\"ls -ld ");
	unlink(tmpfile_path("maps"));
	mkdir(tmpfile_path("maps"), 0755);
	a.epoch = 2;
	ctl_send(&slu_assignment_desc, &a);
	ctl_expect_any(&slu_published_desc);
	ck_assert_int_eq(count("the mapping", NULL), 0);
	ctl_close();
	sluiced_end();
}
END_TEST

/* A node that cannot remove a leftover is drained, and named until it can. */
START_TEST(test_drained)
{
	if (!sluiced_begin())
		return;
	meet((struct slu_hello_ctl){0});
	expect(post("/v1/owed",
		    "{\"job_id\":0,\"node\":\"n1\",\"dirty\":\"/x/7.1\"}",
		    NULL) == 0,
	       "%s", err.text);
	expect(post("/v1/owed",
		    "{\"job_id\":0,\"node\":\"n1\",\"dirty\":\"/x/8.1\"}",
		    NULL) == 0,
	       "%s", err.text);
	expect_one("n1 drained: sluice: a leftover cannot be removed: "
		   "/x/8.1",
		   "\"on\":\"n1\",\"type\":\"sluice-node recover\"");
	ck_assert_int_eq(count("/x/7.1", NULL), 0);
	expect(post("/v1/owed", "{\"job_id\":0,\"node\":\"n1\",\"dirty\":\"\"}",
		    NULL) == 0,
	       "%s", err.text);
	ck_assert_int_eq(count(" drained:", NULL), 0);
	ctl_close();
	sluiced_end();
}
END_TEST

static int nobody_asks(void)
{
	struct json_object *findings = ask();
	int n = (int)json_object_array_length(findings);

	json_object_put(findings);
	return n;
}

/* Users see what is theirs: of the cluster that its link is down. */
START_TEST(test_users)
{
	if (!sluiced_begin())
		return;
	ck_assert_int_eq(as_nobody(nobody_asks), 1);
	meet((struct slu_hello_ctl){.release = (char *)"0.0.1"});
	write_db("INSERT INTO Buffer (BID, JobID, Restarts, Uid, Nodes, State,"
		 " Created, Since, Failure, FailedIn, FailedAt, Plan) VALUES"
		 " (900, 7, 0, 1000, 3, 6, 1e12, 1e12, 'broken', 1, 1e12,"
		 " '{}')");
	ck_assert_int_eq(as_nobody(nobody_asks), 0);
	ck_assert_int_eq(count("job 7: broken", NULL), 1);
	ctl_close();
	sluiced_end();
}
END_TEST

/* The command without an answer of sluiced: that is what it finds. */
START_TEST(test_no_answer)
{
	struct slu_ask a = {.server = "127.0.0.1:1",
			    .json = true,
			    .output = tmpfile_path("answer")};
	char text[2000] = "";
	FILE *file;

	if (!sluiced_begin())
		return;
	a.args = json_object_new_object();
	ck_assert_int_eq(slu_cmd_doctor(&a, &err), 0);
	ck_assert(a.differs);
	file = fopen(tmpfile_path("answer"), "r");
	ck_assert(file && fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	expect(strstr(text, "\"kind\":\"sluiced\"") &&
		       strstr(text, "systemctl start sluiced"),
	       "%s", text);
	json_object_put(a.args);
	a = (struct slu_ask){.file = "x"};
	ck_assert_int_eq(slu_cmd_doctor(&a, &err), -1);
	ck_assert_int_eq(err.kind, SLU_INVALID);
	sluiced_end();
}
END_TEST

TEST_MAIN("doctor", test_links, test_bad_or_changed_configuration, test_probes,
	  test_io_node, test_silent, test_silent_for_both, test_remarks,
	  test_phases, test_mapping, test_drained, test_users, test_no_answer)
