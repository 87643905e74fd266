/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the answers about Lustre's targets in a whole sluiced, from the
 * statistics of Lustre's servers. */
#include <math.h>
#include <sched.h>
#include <sys/mount.h>
#include "common/file.h"
#include "common/jsonx.h"
#include "select_io/ost/recent_placements.h"
#include "select_io/ost/server_report.h"
#include "select_io/tbf/job_totals.h"
#include "select_io/tbfd/publisher.h"
#include "sluiced/ingestion/server_reports.h"
#include "sluiced/questions/answerers.h"
#include "tests/unit/sluiced/sluiced.h"

/* A target that is nearly full, of a server below "oss". */
static void put_target(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/sys/fs/lustre/obdfilter/%s",
		 tmpfile_path("oss"), name);
	expect_ok(slu_mkdirs(path, 0755, &err), err);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path),
			 "%s/sys/fs/lustre/obdfilter/%s/kbytes%s",
			 tmpfile_path("oss"), name, i ? "avail" : "total");
		expect_ok(slu_file_write(AT_FDCWD, path, i ? "100\n" : "1000\n",
					 i ? 4 : 5, 0644, false, &err),
			  err);
	}
}

/* A file of a target, below proc/fs/lustre. */
static void put_file(const char *target, const char *name, const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/proc/fs/lustre/%s",
		 tmpfile_path("oss"), target);
	expect_ok(slu_mkdirs(path, 0755, &err), err);
	strcat(path, name);
	expect_ok(slu_file_write(AT_FDCWD, path, text, strlen(text), 0644,
				 false, &err),
		  err);
}

static void put_mdt(const char *name)
{
	char target[100];

	snprintf(target, sizeof(target), "mdt/%s", name);
	put_file(target, "/md_stats", "open 3 samples [reqs]\n");
}

static void put_job_stats(const char *target, const char *text)
{
	put_file(target, "/job_stats", text);
}

/* root's "writer" has written 200 KiB each time. */
static const char three_writers[] =
	"{\"jobs\":[{\"job_id\":5,\"name\":\"writer\",\"start\":100,"
	"\"end\":200,\"state\":\"COMPLETED\"},{\"job_id\":6,"
	"\"name\":\"writer\",\"start\":300,\"end\":500,"
	"\"state\":\"COMPLETED\"}],\"io\":["
	"{\"job_id\":5,\"start\":100,\"written_bytes\":204800},"
	"{\"job_id\":6,\"start\":300,\"written_bytes\":204800}]}";

/* What a busy server weighs is the administrator's to say: 0.2 of its
 * processors, 0.4 of its memory, and a tenth of the target is full; its network
 * is the busiest, which is 3 beside convex costs and 1 beside linear ones. */
START_TEST(test_osts_weights)
{
	static const struct {
		const char *conf, *cost;
	} cases[] = {
		{"", "\"cost\":3.4,"},
		{"PlacementAlpha=1\nPlacementBeta=0\n", "\"cost\":3.3,"},
		{"PlacementAlpha=0\nPlacementBeta=1\n", "\"cost\":3.5,"},
		{"PlacementAlpha=0\nPlacementBeta=0\n", "\"cost\":3.1,"},
		{"PlacementCost=linear\n", "\"cost\":1.4,"},
		{"PlacementCost=linear-raw\n", "\"cost\":50000130,"},
	};
	static const char said[] =
		"{\"cpu\":20,\"memory\":40,\"network\":5e7,\"osts\":[{\"name\":"
		"\"f-OST0002\",\"index\":2,\"total\":1000,"
		"\"available\":900}]}";
	struct slu_buf reply = {0};

	ck_assert(sluiced_begin());
	ctl_meet();
	ck_assert_int_eq(post("/v1/osts?host=n1", said, NULL), 0);
	each(c, cases)
	{
		snprintf(sluiced_extra_conf, sizeof(sluiced_extra_conf), "%s",
			 c->conf);
		sluiced_write_conf();
		kill(sluiced_pid, SIGHUP);
		for (int i = 0; i < 500; i++) {
			ck_assert_int_eq(post("/v1/query",
					      "{\"question\":\"osts\"}",
					      &reply),
					 0);
			if (strstr(reply.data, c->cost))
				break;
			usleep(20000); /* until the file is read */
		}
		expect(strstr(reply.data, c->cost), "%s: %s", c->conf,
		       reply.data);
	}
	sluiced_extra_conf[0] = '\0';
	slu_buf_free(&reply);
	sluiced_end();
}
END_TEST

/* The answer to a question of these members, in a buffer that is used again;
 * NULL: it is refused as invalid. */
static const char *ask(const char *members)
{
	static struct slu_buf reply;
	char *text = slu_asprintf("{\"question\":%s}", members);
	int rc = post("/v1/query", text, &reply);

	free(text);
	expect(rc == 0 || rc == SLU_INVALID, "%s: %s", members, err.text);
	return rc ? NULL : reply.data;
}

static void expect_words(const char *answer, const char *words)
{
	expect(answer && strstr(answer, words), "%s, not %s",
	       answer ? answer : "refused", words);
}

/* How much of files is in memory, in kB. */
static long resident(void)
{
	struct slu_buf text = {0};
	long kib = 0;

	expect_ok(slu_file_read(AT_FDCWD, "/proc/self/status", 65536, &text,
				&err),
		  err);
	sscanf(strstr(text.data, "RssFile:"), "RssFile: %ld", &kib);
	slu_buf_free(&text);
	return kib;
}

/* What a storage server says is kept and asked for; what was answered counts,
 * and what the application will write. */
START_TEST(test_osts)
{
	static const char said[] =
		"{\"cpu\":20,\"osts\":[{\"name\":\"f-OST0002\",\"index\":2,"
		"\"total\":1000,\"available\":900}]}";
	static const char one[] = "\"osts\",\"stripes\":1";
	struct slu_tbfd_publisher oss = {.host = "n2"};
	const char *answer;
	long kib;

	ck_assert(sluiced_begin());
	ctl_meet();
	oss.http = http;
	oss.root = strdup(tmpfile_path("oss"));
	oss.io = slu_job_totals_new();
	ck_assert_int_eq(post("/v1/osts?host=far", said, NULL), SLU_DENIED);
	ck_assert_int_eq(post("/v1/osts?host=n1", "[]", NULL), SLU_INVALID);
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"osts\",\"stripes\":1}", NULL),
			 SLU_NOTFOUND);
	ck_assert_int_eq(post("/v1/osts?host=n1", said, NULL), 0);
	put_target("f-OST0007");
	put_mdt("f-MDT0000");
	/* Lustre keeps the record of one that is idle, 9, for ten minutes */
	put_job_stats("obdfilter/f-OST0007",
		      "- job_id: 7\n  snapshot_time: 2000\n"
		      "- job_id: cp.0\n  snapshot_time: 1990\n"
		      "- job_id: 9\n  snapshot_time: 1800\n");
	expect_ok(slu_tbfd_publish_jobs(&oss, 1, &err), err);
	kib = resident();
	slu_tbfd_publish_slim();
	expect(resident() < kib, "%ld kB are not less", kib);
	expect_ok(slu_tbfd_publish_server(&oss, 1, &err), err);
	for (int i = 0; i < 3; i++) { /* only to look: nothing is promised */
		answer = ask("\"osts\",\"stripes\":1,\"dry\":true");
		expect_words(answer, "lfs setstripe -c 1 -o 2\"");
		expect_words(answer, "\"cost\":0.2,");
	}
	answer = ask(one);
	expect_words(answer, "\"server\":\"n1\"");
	expect_words(answer, "\"name\":\"f-OST0007\"");
	expect_words(answer, "lfs setstripe -c 1 -o 2\"");
	expect_words(answer, "\"cost\":0.2,");
	answer = ask("\"osts\"");
	expect_words(answer, "\"mdts\":[{\"name\":\"f-MDT0000\"}]");
	expect_words(answer, "\"available\":100,\"jobs\":2}");
	expect_words(answer, "\"servers\":{\"n1\":{\"cpu\":20,");
	ck_assert_int_eq(post("/v1/import", three_writers, NULL), 0);
	answer = ask("\"osts\",\"stripes\":1,\"size\":102400,"
		     "\"name\":\"writer\"");
	expect_words(answer, "\"ahead\":1,\"bytes\":204800,"
			     "\"stripes\":2,\"fits\":true");
	ck_assert_ptr_null(strstr(answer, "\"cost\":0.2,"));
	ck_assert_ptr_null(ask("\"osts\",\"stripes\":3000"));
	ck_assert_ptr_null(ask("\"osts\",\"stripes\":2000,\"files\":3000"));
	ck_assert_str_eq(ask("\"running\""), "{}");
	ctl_close();
	slu_job_totals_free(oss.io);
	slu_tbfd_publisher_clear(&oss);
	free((char *)(uintptr_t)oss.root);
	sluiced_end();
}
END_TEST

#define WROTE(job, rpcs, bytes)                                              \
	"- job_id: " job "\n  write_bytes: { samples: " rpcs ", sum: " bytes \
	" }\n"

/* What Lustre's servers have seen of a job is part of its history, however
 * often they or sluiced begin anew; what is not a job that ran waits. */
START_TEST(test_server_reports_reach_the_history)
{
	struct slu_job job = job_of_ann(5, false);
	struct slu_tbfd_publisher p[2] = {{.host = "n1"}, {.host = "n2"}};

	ck_assert(sluiced_begin());
	job.start -= 1000;
	ctl_meet();
	ctl_send(&slu_job_started_desc, &job);
	ctl_done(true);
	for (int i = 0; i < 2; i++) {
		p[i].http = http;
		p[i].root = strdup(tmpfile_path("oss"));
		p[i].io = slu_job_totals_new();
	}
	put_job_stats("obdfilter/f-OST0007",
		      "job_stats:\n" WROTE("5", "1", "100")
			      WROTE("cp.0", "1", "1") WROTE("6", "1", "1"));
	expect_ok(slu_tbfd_publish_jobs(&p[0], 1000, &err), err);
	ck_assert_int_eq(
		post("/v1/jobstats", "{\"node\":\"far\",\"job\":[]}", NULL),
		SLU_DENIED);
	ck_assert_int_eq(post("/v1/jobstats",
			      "{\"node\":\"n1\",\"job\":[{\"job_id\":6},"
			      "{\"job_id\":5}]}",
			      NULL),
			 SLU_INVALID);
	expect_ok(slu_tbfd_publish_jobs(&p[0], 1040, &err), err);
	ck_assert_uint_eq(slu_job_totals_count(p[0].io), 2);
	sluiced_stop(SIGKILL, -SIGKILL);
	put_job_stats("obdfilter/f-OST0007",
		      "job_stats:\n" WROTE("5", "3", "300"));
	expect_ok(slu_tbfd_publish_jobs(&p[0], 1050, &err), err);
	ck_assert_int_lt(slu_tbfd_publish_jobs(&p[0], 1100, &err), 0);
	sluiced_start();
	ctl_close();
	ctl_connect();
	ctl_hello(&job, 1);
	ctl_expect_any(&slu_history_end_desc);
	expect_ok(slu_tbfd_publish_jobs(&p[0], 1105, &err), err);
	/* A file whose beginning lies on a metadata target; most of what is
	 * done there is no I/O. */
	put_job_stats("mdt/f-MDT0000",
		      "job_stats:\n- job_id: 5\n  open: { samples: 9, unit: "
		      "usecs }\n  write_bytes: { samples: 1, sum: 50 }\n");
	/* Two servers; one of them was started in between. */
	for (int i = 0; i < 2; i++) {
		expect_ok(slu_tbfd_publish_jobs(&p[1], 2000 + 100 * i, &err),
			  err);
		expect_ok(slu_tbfd_publish_jobs(&p[1], 2050 + 100 * i, &err),
			  err);
		slu_job_totals_free(p[1].io);
		p[1].io = slu_job_totals_new();
		p[1].host = "n1";
	}
	job.state = (char *)"COMPLETED";
	job.end = job.start + 60;
	ctl_send(&slu_job_ended_desc, &job);
	ctl_done(true);
	ctl_send(&slu_history_desc, &job);
	ctl_expect_any(&slu_stored_desc);
	expect_words(ask("\"jobs\""), "\"written_bytes\":700,");
	expect_words(ask("\"jobs\""), "\"io_from\":\"job_stats\",\"rpcs\":8");
	for (int i = 0; i < 2; i++) {
		slu_job_totals_free(p[i].io);
		slu_tbfd_publisher_clear(&p[i]);
		free((char *)(uintptr_t)p[i].root);
	}
	ctl_close();
	sluiced_end();
}
END_TEST

/* The layout of a file, asked for by what is known of it. */
START_TEST(test_stripe)
{
	static const struct {
		const char *members, *words; /* NULL: refused */
	} cases[] = {
		{"\"size\":1000", "lfs setstripe -c 1 -S 1M\""},
		{"\"lustre\":\"2.5\",\"targets\":9,\"size\":99000000000",
		 "lfs setstripe -c 9 -S 4M\""},
		{"\"preset\":\"blast.18\"", "-E 28G -c 16 -S 2M"},
		{"\"preset\":\"IOR.6\",\"lustre\":\"2.10\"", "-E 1T -c 4"},
		{"\"preset\":\"IOR.6\",\"lustre\":\"2.5\"", NULL},
		{"\"preset\":\"IOR.1\",\"lustre\":\"2.5\"", "-c 4 -S 1M"},
		{"\"preset\":\"IOR.1\",\"access\":\"random\"", NULL},
		{"\"preset\":\"IOR.1\",\"readers\":9", NULL},
		{"\"preset\":\"blast.3\",\"targets\":4", NULL},
		{"\"targets\":0,\"size\":1000", NULL},
		{"\"lustre\":\"x\"", NULL},
		{"\"access\":\"x\"", NULL},
	};

	ck_assert(sluiced_begin());
	each(c, cases)
	{
		char members[120];
		const char *answer;

		snprintf(members, sizeof(members), "\"stripe\",%s", c->members);
		answer = ask(members);
		if (c->words)
			expect_words(answer, c->words);
		else
			expect(!answer, "%s: %s", members, answer);
	}
	sluiced_end();
}
END_TEST

/* Of 100 ticks between two looks, waiting for disks is no work; counters that
 * go back, or are not there, change nothing. */
START_TEST(test_processor_load_from_proc_stat)
{
	static const struct {
		double now;
		const char *text;
		double percent;
	} cases[] = {
		{10, "cpu  100 0 50 800 40 5 5 0 0 0\ncpu0 1 1 1 1\n", 0},
		{11, "cpu  999 0 50 800 40 5 5 0 0 0\n", 0},
		{12, "cpu  150 5 60 820 50 6 8 1 0 0\n", 70},
		{17, "cpu  150 5 60 910 60 6 8 1 0 0\n", 0},
		{22, "cpu  249 5 60 911 60 6 8 1 0 0\n", 99},
		{27, "cpu  1 0 0 1 0 0 0 0 0 0\n", 99},
		{32, "nothing\n", 99},
		{37, "cpu  2 0 0 4 0 0 0 0 0 0\n", 25},
	};
	struct slu_cpu_load b = {0};

	each(c, cases)
	{
		expect_ok(slu_file_write(AT_FDCWD, tmpfile_path("stat"),
					 c->text, strlen(c->text), 0644, false,
					 &err),
			  err);
		slu_busy_look(&b, tmpfile_path("stat"), c->now);
		expect(fabs(b.percent - c->percent) < 1e-9, "%g: %g, not %g",
		       c->now, b.percent, c->percent);
	}
	slu_busy_look(&b, "/none", 99);
	ck_assert_double_eq(b.percent, 25);
}
END_TEST

/* What a host that this program is on says of its processor, in ticks. */
static void put_stat(unsigned working, unsigned idle)
{
	FILE *f = fopen(tmpfile_path("stat"), "w");

	ck_assert_ptr_nonnull(f);
	fprintf(f, "cpu  %u 0 0 %u 0 0 0 0 0 0\n", working, idle);
	ck_assert_int_eq(fclose(f), 0);
}

/* The same file is /proc/stat for this process and its children. */
static bool replace_stat(void)
{
	put_stat(1000, 1000);
	return unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount(tmpfile_path("stat"), "/proc/stat", NULL, MS_BIND, NULL) ==
		       0;
}

static void say_space(unsigned of_two, unsigned of_seven)
{
	char *text = slu_asprintf(
		"{\"osts\":[{\"name\":\"f-OST0002\",\"index\":2,\"total\":"
		"9000000,\"available\":%u},{\"name\":\"f-OST0007\",\"index\":"
		"7,\"total\":9000000,\"available\":%u}]}",
		of_two, of_seven);

	ck_assert_int_eq(post("/v1/osts?host=n1", text, NULL), 0);
	free(text);
}

/* While the host of a running sluiced works for 90 % of the time the ranking
 * of before answers, whatever servers say, and nothing is predicted. */
START_TEST(test_busy_host)
{
	static const char writer[] = "\"osts\",\"stripes\":1,\"size\":1024,"
				     "\"name\":\"writer\",\"dry\":true";
	const char *answer;

	if (!replace_stat()) {
		puts("skipped: no mounts of our own are possible");
		return;
	}
	ck_assert(sluiced_begin());
	ctl_meet();
	ck_assert_int_eq(post("/v1/import", three_writers, NULL), 0);
	say_space(8000000, 2000000);
	answer = ask(writer);
	expect_words(answer, "\"files\":[[2]]");
	expect_words(answer, "\"predicted\":[{");
	put_stat(1090, 1010);
	sleep(3);
	say_space(2000000, 8000000);
	answer = ask(writer);
	expect_words(answer, "\"ranked\":true");
	expect_words(answer, "\"files\":[[2]]");
	ck_assert_ptr_null(strstr(answer, "predicted"));
	put_stat(1120, 1080);
	sleep(3);
	say_space(2000000, 8000000);
	answer = ask(writer);
	expect_words(answer, "\"files\":[[7]]");
	expect_words(answer, "\"predicted\":[{");
	ck_assert_ptr_null(strstr(answer, "ranked"));
	ctl_close();
	sluiced_end();
}
END_TEST

/* Where a target's server is not one of slurmctld's nodes, its name has to be
 * looked up first. */
static void say_target(const char *server, int index, int available)
{
	char path[120], text[200];
	int rc = -1;

	snprintf(path, sizeof(path), "/v1/osts?host=%s", server);
	snprintf(text, sizeof(text),
		 "{\"osts\":[{\"name\":\"f-OST000%d\",\"index\":%d,"
		 "\"total\":1000,\"available\":%d}]}",
		 index, index, available);
	for (int i = 0; i < 500 && rc; i++) {
		rc = post(path, text, NULL);
		if (rc)
			usleep(20000);
	}
	expect(rc == 0, "%s: %s", server, err.text);
}

static bool is_on(const char *answer, int a, int b)
{
	char one[40], other[40];

	snprintf(one, sizeof(one), "\"files\":[[%d,%d]]", a, b);
	snprintf(other, sizeof(other), "\"files\":[[%d,%d]]", b, a);
	return strstr(answer, one) || strstr(answer, other);
}

#define TWO "\"osts\",\"stripes\":2,\"dry\":true"

/* Three servers, of which the two that are emptier share a rack: two stripes
 * are in both racks, as soon as sluice.conf says so, by a process and by the
 * daemon itself. */
START_TEST(test_domains)
{
	char self[65] = "";
	const char *answer;

	if (gethostname(self, sizeof(self) - 1) < 0)
		return;
	snprintf(sluiced_extra_conf, sizeof(sluiced_extra_conf),
		 "FailureDomain=a Servers=n1\n"
		 "FailureDomain=b Servers=n2,%s\n",
		 self);
	ck_assert(sluiced_begin());
	ctl_meet();
	say_target("n1", 1, 899);
	say_target("n2", 2, 900);
	say_target(self, 3, 900);
	answer = ask(TWO);
	expect(is_on(answer, 1, 2) || is_on(answer, 1, 3), "%s", answer);
	answer = ask(TWO ",\"brief\":true");
	expect(is_on(answer, 1, 2) || is_on(answer, 1, 3), "%s", answer);
	expect_words(ask("\"osts\""), "\"domain\":\"b\"");
	sluiced_extra_conf[0] = '\0';
	sluiced_write_conf();
	kill(sluiced_pid, SIGHUP);
	answer = ask(TWO ",\"brief\":true");
	for (int i = 0; i < 500 && !is_on(answer, 2, 3); i++) {
		usleep(20000); /* until the file is read */
		answer = ask(TWO ",\"brief\":true");
	}
	expect(is_on(answer, 2, 3), "%s", answer);
	answer = ask(TWO);
	expect(is_on(answer, 2, 3), "%s", answer);
	ctl_close();
	sluiced_end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_osts,
				      test_processor_load_from_proc_stat,
				      test_server_reports_reach_the_history,
				      test_stripe,
				      test_osts_weights,
				      test_busy_host,
				      test_domains};

	if (getuid() != 0 ||
	    system("PATH=/usr/sbin:/sbin:$PATH command -v munged >/dev/null")) {
		puts("skipped: this needs root and munged");
		return 77;
	}
	return run_tests("sluiced osts", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
