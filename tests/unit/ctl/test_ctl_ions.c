/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how libsluice assigns I/O nodes to jobs: marks on nodes, failures,
 * restarts, sharing, and what the arbiter learns. */
#include "config.h"
#include "tests/unit/ctl/ctl_fake.h"

#define IONS "IONodes=io[1-2]\nMappingDir=/nowhere/map\nMappingTimeout=10"

START_TEST(test_ions_are_marked)
{
	struct slu_ctl *ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");

	slu_ctl_step(ctl, 1);
	ck_assert(has_done("mark io1 ion_free -;mark io2 ion_free -;"));
	forget();
	host_add(plain_job);
	slu_ctl_look(ctl, 7);
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 3);
	ck_assert(has_done("ion_assigned sluice: 7;"));
	forget();
	end_job(7, "COMPLETED", NULL);
	say_ended(ctl, 7);
	slu_ctl_step(ctl, 4);
	ck_assert(has_done("ion_free -;"));
	slu_ctl_release(ctl);
}
END_TEST

/* A job that is resized is followed with the next look at it. */
START_TEST(test_resized)
{
	struct slu_ctl *ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");
	struct slu_job *job = host_add(plain_job);
	uint64_t epoch;

	slu_ctl_step(ctl, 1);
	ck_assert_str_eq(ctl->assignment.jobs[0].nodes, "n[1-2]");
	epoch = ctl->epoch;
	slu_ctl_look(ctl, 7);
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 2.5);
	ck_assert_uint_eq(ctl->epoch, epoch);
	set_text(&job->nodes, "n2");
	job->node_cnt = 1;
	slu_ctl_look(ctl, 7);
	slu_ctl_step(ctl, 3);
	slu_ctl_step(ctl, 3.5);
	ck_assert_uint_gt(ctl->epoch, epoch);
	ck_assert_str_eq(ctl->assignment.jobs[0].nodes, "n2");
	slu_ctl_release(ctl);
}
END_TEST

/*
 * An I/O node that fails is taken out within seconds; one that returns is used.
 */
START_TEST(test_ion_fails)
{
	struct slu_ctl *ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");
	struct slu_job two = plain_job;

	two.job_id = 8;
	host_add(plain_job);
	host_add(two);
	slu_ctl_step(ctl, 1);
	ck_assert(has_done("mark io1 ion_assigned sluice: 7;"
			   "mark io2 ion_assigned sluice: 8;"));
	forget();
	slu_ctl_step(ctl, 2);
	ck_assert(!has_done("mark"));
	host.down = "io1";
	slu_ctl_step(ctl, 3.1);
	ck_assert(has_done("mark io1 ion_free -;"));
	forget();
	host.down = NULL;
	slu_ctl_step(ctl, 5.2);
	ck_assert(has_done("io1 ion_assigned sluice: "));
	forget();
	slu_ctl_step(ctl, 7.3); /* nothing has changed */
	ck_assert(!has_done("mark"));
	slu_ctl_release(ctl);
}
END_TEST

/* What an administrator overwrites is back within seconds, without an event. */
START_TEST(test_marks_are_put_back)
{
	struct slu_ctl *ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");

	host.marks_lost = true; /* nothing has been shown yet */
	host_add(plain_job);
	slu_ctl_step(ctl, 1);
	ck_assert(has_done("mark io1 ion_assigned sluice: 7;"
			   "mark io2 ion_assigned sluice: 7;"));
	forget();
	slu_ctl_step(ctl, 3.1);
	ck_assert(has_done("mark io1 ion_assigned sluice: 7;"
			   "mark io2 ion_assigned sluice: 7;"));
	forget();
	host.marks_lost = false;
	slu_ctl_step(ctl, 5.2);
	ck_assert(!has_done("mark"));
	slu_ctl_release(ctl);
}
END_TEST

/* One that cannot be given any, as it has lost all its nodes, does not keep the
 * others from theirs. */
START_TEST(test_job_without_nodes)
{
	struct slu_job other = plain_job;
	struct slu_ctl *ctl;

	other.job_id = 8;
	other.nodes = NULL;
	other.node_cnt = 0;
	host_add(other);
	host_add(plain_job);
	ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");
	slu_ctl_step(ctl, 1);
	ck_assert(has_done("ion_assigned sluice: 7;"));
	ck_assert_ptr_nonnull(strstr(host.log, "job 8 has no nodes"));
	slu_ctl_release(ctl);
}
END_TEST

/* Names are the users': however long they are, sluiced gets the assignment. */
START_TEST(test_long_names)
{
	size_t half = SLU_LINE_MAX / 2; /* two are too long a line */
	char *name = calloc(1, half + 1);
	struct slu_ctl *ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");
	struct slu_job job = plain_job;
	struct slu_assignment *heard;

	job.name = memset(name, 'n', half);
	for (job.job_id = 7; job.job_id <= 8; job.job_id++)
		host_add(job);
	link_up(ctl, 1);
	slu_ctl_step(ctl, 2);
	ck_assert(ctl->linked);
	heard = daemon_hear(&slu_assignment_desc);
	ck_assert_ptr_nonnull(heard);
	ck_assert_uint_eq(heard->n_jobs, 2);
	ck_assert_str_eq(heard->jobs[0].ions, "io1");
	ck_assert_str_eq(heard->jobs[1].ions, "io2");
	slu_msg_free(&slu_assignment_desc, heard);
	slu_ctl_release(ctl);
	free(name);
}
END_TEST

/* A restart of slurmctld moves no job. */
START_TEST(test_ions_after_restart)
{
	struct slu_job other = plain_job;
	struct slu_ctl *ctl;

	other.job_id = 8;
	host_add(plain_job);
	host_add(other);
	host.comment[2] = "sluice: 8,99";
	host.comment[3] = "sluice: 7";
	ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");
	slu_ctl_step(ctl, 1);
	ck_assert(has_done("mark io1 ion_assigned sluice: 8;"
			   "mark io2 ion_assigned sluice: 7;"));
	slu_ctl_release(ctl);
}
END_TEST

/* It also keeps which jobs share I/O nodes. */
START_TEST(test_sharing_after_restart)
{
	static const struct {
		const char *io1, *io2, *marks;
	} cases[] = {
		{"sluice: 8,9*", "sluice: 7",
		 "mark io1 ion_shared sluice: 8,9*;"
		 "mark io2 ion_assigned sluice: 7;"},
		{"sluice: 7", "sluice: 9,8*",
		 "mark io1 ion_assigned sluice: 7;"
		 "mark io2 ion_shared sluice: 9,8*;"},
		{"sluice: 8", "sluice: 7*,9*",
		 "mark io1 ion_assigned sluice: 8;"
		 "mark io2 ion_shared sluice: 7*,9*;"},
		{"sluice: 7,8,9", "sluice: 99", /* an earlier release's */
		 "mark io1 ion_shared sluice: 7,8*,9*;"
		 "mark io2 ion_free -;"},
	};
	struct slu_job other = plain_job;
	struct slu_ctl *ctl;

	host_add(plain_job);
	for (other.job_id = 8; other.job_id <= 9; other.job_id++)
		host_add(other);
	each(c, cases)
	{
		host.comment[2] = c->io1;
		host.comment[3] = c->io2;
		ctl = ctl_by_hand(IONS "\nArbiterPolicy=STATIC");
		forget();
		slu_ctl_step(ctl, 1);
		expect(has_done(c->marks), "%s + %s: %.500s", c->io1, c->io2,
		       host.did);
		slu_ctl_release(ctl);
	}
}
END_TEST

/* Its mapping is to be left. */
static void expect_direct(struct slu_ctl *ctl)
{
	ck_assert_uint_eq(ctl->assignment.n_jobs, 1);
	ck_assert_str_eq(ctl->assignment.ions, "");
	ck_assert_str_eq(ctl->assignment.jobs[0].ions, "");
	ck_assert_str_eq(ctl->assignment.jobs[0].nodes, "n[1-2]");
}

/* An I/O node that is not in slurm.conf is down permanently, which is logged
 * once. */
START_TEST(test_ion_unknown)
{
	struct slu_ctl *ctl = ctl_by_hand("IONodes=io[1-2],ghost[1-2]\n"
					  "MappingDir=/nowhere/map\n"
					  "ArbiterPolicy=MCKP");
	const char *said;

	for (int i = 1; i < 10; i++)
		slu_ctl_step(ctl, i);
	said = strstr(host.log, "ghost[1-2]: no nodes");
	ck_assert_ptr_nonnull(said);
	ck_assert_ptr_null(strstr(said + 1, "ghost"));
	slu_ctl_release(ctl);
}
END_TEST

/* One that the configuration does not name any more holds no job, whether
 * slurmctld was there when it was changed or not. */
START_TEST(test_ion_taken_out)
{
	struct slu_ctl *ctl;

	host_add(plain_job);
	host.comment[2] = "sluice: 7";
	host.comment[3] = "sluice: 7";
	ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");
	slu_ctl_step(ctl, 1);
	ck_assert(!has_done("mark io1  -;"));
	write_conf("IONodes=io2\nMappingDir=/nowhere/map\n"
		   "ArbiterPolicy=MCKP");
	slu_ctl_reload(ctl);
	forget();
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 3);
	ck_assert(has_done("mark io1  -;"));
	ck_assert(has_done("mark io2 ion_assigned sluice: 7;"));
	ck_assert(!has_done("mark io2  -;"));
	write_conf("");
	slu_ctl_reload(ctl);
	forget();
	slu_ctl_step(ctl, 4);
	slu_ctl_step(ctl, 5);
	ck_assert(has_done("mark io1  -;mark io2  -;"));
	expect_direct(ctl);
	slu_ctl_release(ctl);
	/* Nor need slurmctld have been there. */
	ctl = ctl_by_hand("");
	slu_ctl_step(ctl, 1);
	expect_direct(ctl);
	slu_ctl_release(ctl);
	host.comment[2] = host.comment[3] = NULL;
	ctl = ctl_by_hand("");
	slu_ctl_step(ctl, 1);
	ck_assert_ptr_null(ctl->arbiter);
	slu_ctl_release(ctl);
}
END_TEST

/* A mapping has Slurm's names, and a client that does not find its own dies. */
START_TEST(test_other_host_name)
{
	struct slu_job other = plain_job;
	struct slu_ctl *ctl;

	host.hostname_differs[1] = true; /* n2 */
	host_add(plain_job);
	ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");
	slu_ctl_step(ctl, 1);
	ck_assert(strstr(host.log, "jobs on n2 are given no I/O nodes"));
	other.job_id = 8;
	other.nodes = "n1";
	other.node_cnt = 1;
	host_add(other);
	slu_ctl_look(ctl, 8);
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 3);
	ck_assert_uint_eq(ctl->assignment.n_jobs, 2);
	ck_assert_str_eq(ctl->assignment.jobs[0].ions, "");
	ck_assert_str_eq(ctl->assignment.jobs[1].ions, "io1");
	slu_ctl_release(ctl);
}
END_TEST

/* Clients of a GekkoFS of its own would look for its data on I/O nodes. */
START_TEST(test_job_of_gekkofs)
{
	struct slu_job job = plain_job, other = plain_job;
	struct slu_ctl *ctl =
		ctl_by_hand(IONS "\nArbiterPolicy=MCKP\nFileSystem=g "
				 "Driver=gekkofs Unauthenticated=accept\n"
				 "FileSystem=s Driver=scratch");
	int snapshots;

	other.job_id = 8;
	job.request = "jobfs type=g capacity=1048576; forward max=1";
	other.request = "jobfs type=s capacity=1048576";
	host_add(job);
	host_add(other);
	slu_ctl_step(ctl, 1);
	ck_assert_uint_eq(ctl->assignment.n_jobs, 2);
	ck_assert_str_eq(ctl->assignment.jobs[0].ions, "");
	ck_assert_str_ne(ctl->assignment.jobs[1].ions, "");
	ctl->stale = true;
	snapshots = host.snapshots;
	slu_ctl_step(ctl, 2);
	ck_assert_int_eq(host.snapshots, snapshots + 1);
	ck_assert_uint_eq(ctl->parsed.parsed, 2); /* each once */
	slu_ctl_release(ctl);
}
END_TEST

#define RECRUITS                                                      \
	"IONodes=io[1-2]\nRecruitIdle=io2\nMappingDir=/nowhere/map\n" \
	"ArbiterPolicy=MCKP"

/* A compute node is an I/O node as long as a job of ours holds it for that. */
START_TEST(test_recruited)
{
	struct slu_job recruit = plain_job, theirs = plain_job;
	struct slu_ctl *ctl = ctl_by_hand(RECRUITS);

	recruit.job_id = 8;
	recruit.name = theirs.name = "sluice-recruit";
	recruit.nodes = theirs.nodes = "io2";
	recruit.node_cnt = theirs.node_cnt = 1;
	recruit.uid = geteuid();
	theirs.uid = 1000 + geteuid();
	host_add(theirs);
	slu_ctl_step(ctl, 1);
	expect(has_done("mark io1 ion_assigned sluice: 7;mark io2  -;"),
	       "%.300s", host.did);
	host_add(recruit);
	slu_ctl_look(ctl, 8);
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 3);
	expect(has_done("mark io2 ion_free -;"), "%.300s", host.did);
	ck_assert_uint_eq(ctl->assignment.n_jobs, 2);
	ck_assert_str_eq(ctl->assignment.jobs[1].ions, "");
	theirs.job_id = 9;
	host_add(theirs);
	slu_ctl_look(ctl, 9);
	slu_ctl_step(ctl, 4);
	slu_ctl_step(ctl, 5);
	expect(has_done("mark io2 ion_assigned sluice: 9;"), "%.300s",
	       host.did);
	forget();
	end_job(8, "PREEMPTED", NULL);
	say_ended(ctl, 8);
	slu_ctl_step(ctl, 6);
	expect(has_done("mark io2  -;"), "%.300s", host.did);
	ck_assert_str_eq(ctl->assignment.jobs[0].ions, "io1");
	ck_assert_str_eq(ctl->assignment.ions, "io[1-2]");
	slu_ctl_release(ctl);
}
END_TEST

/* What the last job of the assignment holds, and why. */
static void expect_share(struct slu_ctl *ctl, const char *event,
			 const char *ions, const char *why)
{
	const struct slu_assignment *a = &ctl->assignment;

	ck_assert_str_eq(a->event, event);
	ck_assert_uint_gt(a->n_jobs, 0);
	ck_assert_str_eq(a->jobs[a->n_jobs - 1].ions, ions);
	expect(strstr(a->jobs[a->n_jobs - 1].why, why), "%s",
	       a->jobs[a->n_jobs - 1].why);
}

/*
 * The history is sent to the arbiter once and then used; later rows are
 * updates. When a new configuration is read the history is sent again, with
 * imported rows: until it is complete, neither the knowledge nor the assignment
 * changes.
 */
START_TEST(test_arbiter_learns)
{
	struct slu_ctl *ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");
	struct slu_history_row row = {
		.job = plain_job, .io_bandwidth = 100, .read_bytes = 1e9};
	struct slu_history_row more = {.job = plain_job, .read_bytes = 6e8};
	struct slu_history_end end = {.rows = 2};
	struct slu_job other = plain_job;

	row.job.end = more.job.end = row.job.start + 10;
	row.job.ions = 1;
	more.job.ions = 2;
	host_add(plain_job);
	other.job_id = 8;
	other.nodes = "n1";
	other.node_cnt = 1;
	link_up(ctl, 1);
	daemon_tell(&row);
	daemon_tell(&more);
	daemon_say(&slu_history_end_desc, &end);
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 2);
	expect_share(ctl, "history read", "io1", "1 gave 100.0 MB/s (1 run)");
	daemon_say(&slu_history_row_desc, &row);
	slu_ctl_step(ctl, 3);
	host_add(other);
	slu_ctl_look(ctl, 8);
	slu_ctl_step(ctl, 4);
	slu_ctl_step(ctl, 5);
	expect_share(ctl, "start 8", "io2", "no history");
	end_job(7, "COMPLETED", NULL);
	say_ended(ctl, 7);
	slu_ctl_step(ctl, 6);

	write_conf(IONS "\nArbiterPolicy=MCKP\nMaxGiveBack=7");
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 7);
	slu_ctl_step(ctl, 7.5);
	link_up(ctl, 8);
	expect_share(ctl, "all jobs read", "io2", "no history");
	for (int i = 0; i < 3; i++)
		daemon_tell(&row);
	slu_ctl_step(ctl, 9);
	other = plain_job;
	other.job_id = 9;
	host_add(other);
	slu_ctl_look(ctl, 9);
	slu_ctl_step(ctl, 10);
	slu_ctl_step(ctl, 11);
	expect_share(ctl, "start 9", "io1", "1 gave 100.0 MB/s (2 runs)");
	daemon_say(&slu_history_end_desc, &end);
	slu_ctl_step(ctl, 12);
	slu_ctl_step(ctl, 13);
	expect_share(ctl, "history read", "io1", "1 gave 100.0 MB/s (3 runs)");
	slu_ctl_release(ctl);
}
END_TEST

/* A job that names no patterns gets those of its application's volumes, known
 * at the start of the job, or later from the history. */
START_TEST(test_arbiter_predicts)
{
	static const char table[] = "pattern,op,layout,1,2\n"
				    "x,write,file-per-process,60,90\n"
				    "w,write,shared,50,90\n";
	char conf[256], path[] = "/tmp/test_ctl.XXXXXX";
	struct slu_history_row row = {.job = plain_job,
				      .written_bytes = 4096,
				      .calls = 4,
				      .called_bytes = 4096,
				      .shared_bytes = 4096,
				      .consecutive = 1};
	struct slu_history_end end = {.rows = 1};
	struct slu_job other = plain_job, *heard = NULL;
	struct slu_ctl *ctl;
	int fd = mkstemp(path);

	ck_assert_int_eq(write(fd, table, sizeof(table) - 1),
			 sizeof(table) - 1);
	close(fd);
	snprintf(conf, sizeof(conf), IONS "\nPerformanceTable=%s", path);
	ctl = ctl_by_hand(conf);
	row.job.node_cnt = 17; /* whatever their number */
	host_add(plain_job);
	link_up(ctl, 1);
	daemon_tell(&row);
	daemon_say(&slu_history_end_desc, &end);
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 2);
	expect_share(ctl, "history read", "io[1-2]",
		     "PerformanceTable: w:4096, predicted by 1 run"
		     " (1KiB requests, strided, shared files)");
	other.job_id = 8;
	other.nodes = "n1";
	host_add(other);
	slu_ctl_look(ctl, 8);
	slu_ctl_step(ctl, 4);
	slu_ctl_step(ctl, 5);
	expect_share(ctl, "start 8", "io2", "w:4096, predicted by 1 run");
	while (!heard || heard->job_id != 8) {
		slu_msg_free(&slu_job_started_desc, heard);
		heard = daemon_hear(&slu_job_started_desc);
		ck_assert_ptr_nonnull(heard);
	}
	ck_assert(heard->request_size == 1024 && heard->file_size == 4096);
	slu_msg_free(&slu_job_started_desc, heard);
	unlink(path);
	slu_ctl_release(ctl);
}
END_TEST

TEST_MAIN("ctl ions", test_ions_are_marked, test_resized, test_ion_fails,
	  test_marks_are_put_back, test_arbiter_predicts,
	  test_ions_after_restart, test_job_without_nodes, test_long_names,
	  test_other_host_name, test_recruited, test_job_of_gekkofs,
	  test_sharing_after_restart, test_ion_taken_out, test_ion_unknown,
	  test_arbiter_learns)
