/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that a whole sluiced publishes the I/O nodes of jobs. */
#include <sched.h>
#include <sys/mount.h>
#include "common/file.h"
#include "tests/unit/sluiced/sluiced.h"

static void assign(uint64_t epoch, const char *ions)
{
	struct slu_ion_share share = {.job_id = 7,
				      .name = (char *)"sim",
				      .nodes = (char *)"n[1-2]",
				      .ions = (char *)(uintptr_t)ions,
				      .wanted = 2};
	struct slu_assignment a = {.epoch = epoch,
				   .time = 1000,
				   .event = (char *)"start 7",
				   .policy = (char *)"MCKP",
				   .ions = (char *)"ion[1-4]",
				   .total = 300,
				   .static_total = 100,
				   .jobs = &share,
				   .n_jobs = 1};

	ctl_send(&slu_assignment_desc, &a);
}

/* Job 7 has gone, or job `id` has come, since `base`. */
static void assign_since(uint64_t base, uint64_t epoch, uint32_t id, bool gone)
{
	struct slu_ion_share share = {
		.job_id = id, .nodes = (char *)"n3", .ions = (char *)"ion4"};
	struct slu_job_ref ref = {.job_id = id};
	struct slu_assignment a = {.epoch = epoch,
				   .base = base,
				   .gone = &ref,
				   .n_gone = gone,
				   .ions = (char *)"ion[1-4]",
				   .jobs = &share,
				   .n_jobs = !gone};

	ctl_send(&slu_assignment_desc, &a);
}

static bool there(const char *name)
{
	return access(tmpfile_path(name), F_OK) == 0;
}

static void expect_published(uint64_t epoch, bool ok)
{
	struct slu_published *p = ctl_expect(&slu_published_desc);

	ck_assert_uint_eq(p->epoch, epoch);
	ck_assert_int_eq(p->ok, ok);
	slu_msg_free(&slu_published_desc, p);
}

static void expect_asked(const char *args, const char *words)
{
	struct slu_buf text = {0};
	char *body = slu_asprintf("{\"question\":\"ions\",%s}", args);

	post("/v1/query", body, &text);
	expect((text.data && strstr(text.data, words)) ||
		       strstr(err.text, words),
	       "%s: %s, %s", args, text.data, err.text);
	free(body);
	slu_buf_free(&text);
}

START_TEST(test_publish)
{
	struct slu_buf text = {0};

	if (!sluiced_begin())
		return;
	ctl_meet();
	assign(1, "ion[1-2]");
	expect_published(1, true);
	expect_ok(slu_file_read(AT_FDCWD, tmpfile_path("maps/7.map"), 100,
				&text, &err),
		  err);
	ck_assert_str_eq(text.data, "n1 0\nn2 1\n");
	ck_assert_int_eq(post("/v1/query", "{\"question\":\"ions\"}", &text),
			 0);
	ck_assert_ptr_nonnull(strstr(text.data, "\"count\":2"));
	ck_assert_ptr_nonnull(strstr(text.data, "\"static_total\":100"));
	slu_buf_free(&text);
	assign_since(1, 2, 8, false);
	expect_published(2, true);
	ck_assert(there("maps/7.map") && there("maps/8.map"));
	assign_since(2, 3, 7, true);
	expect_published(3, true);
	ck_assert(!there("maps/7.map") && there("maps/8.map"));
	expect_asked("\"job_id\":7", "\"event\":\"start 7\"");
	expect_asked("\"job_id\":6", "job 6 is not running");
	expect_asked("\"job_id\":7,\"last\":-1", "negative");
	/* On what is not there: it is to connect again and say it all. */
	assign_since(77, 78, 8, true);
	ctl_close();
	ctl_meet();
	ck_assert(there("maps/8.map"));
	assign(79, "ion3");
	expect_published(79, true);
	ck_assert(there("maps/7.map") && !there("maps/8.map"));
	ctl_close();
	sluiced_end();
}
END_TEST

/* MappingDir hangs: it is reported to slurmctld in time, and all other requests
 * are served. Needs root, and FUSE to play the file system. */
START_TEST(test_publish_hangs)
{
	char options[64];
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (fuse < 0 || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mkdir(tmpfile_path("hung"), 0755) < 0 ||
	    mount("fuse", tmpfile_path("hung"), "fuse", 0, options) < 0)
		return;
	snprintf(sluiced_extra_conf, sizeof(sluiced_extra_conf),
		 "MappingTimeout=1\n");
	if (!sluiced_begin())
		return;
	/* The directory is the last line's, so change it by a reload. */
	{
		FILE *f = fopen(tmpfile_path("sluice.conf"), "w");

		fprintf(f,
			"Database=%s/db\nControlSocket=%s/ctl\n"
			"MappingDir=%s/hung\nDaemonAddr=127.0.0.1:%u\n"
			"SlurmUser=root\nIONodes=ion[1-4]\nMappingTimeout=1\n",
			tmpdir(), tmpdir(), tmpdir(), sluiced_port);
		fclose(f);
	}
	kill(sluiced_pid, SIGHUP);
	ctl_meet();
	/* Who waited for the directory would wait for ever. */
	assign(1, "ion1");
	ck_assert_int_eq(post("/v1/query", "{\"question\":\"jobs\"}", NULL), 0);
	expect_published(1, false);
	ctl_close();
	sluiced_end();
	umount2(tmpfile_path("hung"), MNT_DETACH);
	close(fuse);
}
END_TEST

TEST_MAIN("sluiced maps", test_publish, test_publish_hangs)
