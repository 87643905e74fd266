/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the functions of libsluice that Slurm's plugins call: validation of
 * requests at submission, permissions, limits. */
#include "config.h"
#include "tests/unit/ctl/ctl_fake.h"
#include "tests/unit/tmpdir.h"
#include "wire/node.h"

START_TEST(test_one_object)
{
	struct slu_ctl_ops other = fake_ops;
	struct slu_ctl *a, *b;

	write_conf("");
	a = slu_ctl_acquire(&fake_ops, tmpfile_path("sluice.conf"));
	b = slu_ctl_acquire(&fake_ops, "/elsewhere");
	ck_assert_ptr_nonnull(a);
	ck_assert_ptr_eq(a, b);
	other.size--; /* a plugin of another release */
	ck_assert_ptr_null(slu_ctl_acquire(&other, "/elsewhere"));
	slu_ctl_release(a);
	slu_ctl_release(b);
	slu_ctl_release(NULL);
}
END_TEST

START_TEST(test_bad_configuration)
{
	struct slu_ctl_ask ask = {.option = "jobfs capacity=1MiB",
				  .prolog_flags = true};
	struct slu_ctl_submit submit = {.job = {.uid = 1}};
	struct slu_ctl *ctl;
	struct slu_err err;
	char *text = NULL;

	write_conf("Nonsense=1");
	ctl = slu_ctl_acquire(&fake_ops, tmpfile_path("sluice.conf"));
	ck_assert_ptr_nonnull(ctl);
	ck_assert(strstr(host.log, "Nonsense"));
	ctl->started = true;
	expect_fail(slu_ctl_validate(ctl, &ask, &text, &err), err, SLU_INVALID,
		    "not configured");
	slu_ctl_submit(ctl, &submit); /* jobs go on without us */
	ck_assert_int_eq(submit.note.predicted, 0);
	ask.option = NULL;
	expect_ok(slu_ctl_validate(ctl, &ask, &text, &err), err);
	ck_assert_str_eq(text, "");
	free(text);
	slu_ctl_release(ctl);
}
END_TEST

static const struct {
	const char *option, *script, *want, *refused;
	uint32_t het; /* 0: no; the component, from 1 */
	bool no_flags, array;
} asks[] = {
#define TO(path) \
	"jobfs capacity=1048576; stage_out source=$BB_JOBFS destination=" path
	{TO("/o/%a"), NULL, NULL, "this job is none", 0, 0, 0},
	{TO("/o/%%%a"), NULL, NULL, "this job is none", 0, 0, 0},
	{TO("/o/%a"), NULL, TO("/o/%a"), NULL, 0, 0, 1},
	{TO("/o/%%a"), NULL, TO("/o/%%a"), NULL, 0, 0, 0},
	{NULL, NULL, "", NULL, 0, 0, 0},
	{NULL, "#!/bin/sh\necho\n", "", NULL, 0, 0, 0},
	{"capacity=1MiB", NULL, "jobfs capacity=1048576", NULL, 0, 0, 0},
	{NULL, "#!/bin/sh\n#BB jobfs capacity=1MiB\n", "jobfs capacity=1048576",
	 NULL, 0, 0, 0},
	{"forward max=2", NULL, "forward max=2", NULL, 0, 0, 0},
	{"forward max=2", NULL, "forward max=2", NULL, 1, 1, 0},
	/* components, in their order: the first one needs one, too */
	{NULL, NULL, "", NULL, 1, 0, 0},
	{"capacity=1MiB", NULL, NULL, "component 1 of a", 2, 0, 0},
	{"capacity=1MiB", NULL, "jobfs capacity=1048576", NULL, 1, 0, 0},
	{NULL, NULL, "", NULL, 2, 0, 0},
	{"capacity=2MiB", NULL, "jobfs capacity=2097152", NULL, 3, 0, 0},
	{"forward max=2", NULL, "forward max=2", NULL, 1, 0, 0},
	{"capacity=1MiB", NULL, NULL, "component 1 of a", 2, 0, 0},
	{"persistent name=a", NULL, NULL, "job of its own", 1, 0, 0},
	{"capacity=1MiB", NULL, NULL, "PrologFlags", 0, 1, 0},
	{"jobfs type=nosuch capacity=1MiB", NULL, NULL, "nosuch", 0, 0, 0},
	{"jobfs capacity=1QiB", NULL, NULL, "1QiB", 0, 0, 0},
	{"capacity=3.5", NULL, NULL, "4B is less than 1MiB", 0, 0, 0},
};

START_TEST(test_validate)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_err err;
	char *text;

	each(c, asks)
	{
		struct slu_ctl_ask ask = {.option = c->option,
					  .script = c->script,
					  .uid = 1000,
					  .het = c->het > 0,
					  .het_offset = c->het - 1,
					  .array = c->array,
					  .prolog_flags = !c->no_flags};

		if (c->refused) {
			expect_fail(slu_ctl_validate(ctl, &ask, &text, &err),
				    err, SLU_INVALID, c->refused);
			continue;
		}
		expect_ok(slu_ctl_validate(ctl, &ask, &text, &err), err);
		ck_assert_str_eq(text, c->want);
		ck_assert(slu_ctl_has_buffer(text) ==
			  !strncmp(c->want, "jobfs", 5));
		free(text);
	}
	ck_assert_uint_eq(slu_ctl_capacity(ctl, 0, "jobfs capacity=1048576"),
			  1 << 20);
	ck_assert_uint_eq(slu_ctl_capacity(ctl, 1,
					   "persistent_create name=a "
					   "capacity=7; persistent name=a"),
			  7);
	ck_assert_uint_eq(slu_ctl_capacity(ctl, 0, "forward max=2"), 0);
	ck_assert_uint_eq(slu_ctl_capacity(ctl, 0, NULL), 0);
	ck_assert(!slu_ctl_has_persistent(NULL));
	ck_assert(!slu_ctl_has_persistent("jobfs name=persistent capacity=1"));
	ck_assert(slu_ctl_has_persistent("persistent name=a"));
	ck_assert(slu_ctl_has_persistent(
		"forward max=2; persistent_destroy name=a"));
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_no_arrays)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_ctl_ask ask = {.option = "persistent_destroy name=a",
				  .prolog_flags = true};
	struct slu_err err;
	char *text;

	expect_ok(slu_ctl_validate(ctl, &ask, &text, &err), err);
	free(text);
	ask.array = true;
	expect_fail(slu_ctl_validate(ctl, &ask, &text, &err), err, SLU_INVALID,
		    "job array");
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_allowed_users)
{
	struct slu_ctl *ctl = ctl_by_hand("AllowUsers=daemon");
	struct slu_ctl_ask ask = {.option = "jobfs capacity=1MiB",
				  .prolog_flags = true};
	struct slu_err err;
	char *text;

	users_asked(ctl, 1);
	ask.uid = 1; /* daemon */
	expect_ok(slu_ctl_validate(ctl, &ask, &text, &err), err);
	free(text);
	ask.uid = 2;
	ck_assert_int_eq(slu_ctl_validate(ctl, &ask, &text, &err), -1);
	slu_ctl_release(ctl);
}
END_TEST

static void teach(struct slu_ctl *ctl, uint32_t limit_asked, int64_t run)
{
	struct slu_job job = {.job_id = 1,
			      .uid = 1000,
			      .name = "x",
			      .node_cnt = 1,
			      .nodes = "n1",
			      .start = 1000,
			      .end = 1000 + run,
			      .limit_asked = limit_asked};

	slu_learn(ctl->site->predictor, &job);
}

static void submit_anew(struct slu_ctl *ctl, struct slu_ctl_submit *submit)
{
	free(submit->tell);
	slu_ctl_submit(ctl, submit);
}

START_TEST(test_submit)
{
	struct slu_ctl *ctl = ctl_by_hand("PredictMode=fill");
	struct slu_ctl_submit submit = {
		.job = {.uid = 1000, .name = "x", .node_cnt = 1},
		.guarded = true};

	slu_guard_step(ctl, 1000);
	submit_anew(ctl, &submit); /* nothing known */
	ck_assert_uint_eq(submit.note.tight, 0);
	ck_assert_int_eq(submit.note.predicted, 0);
	for (int i = 0; i < 5; i++)
		teach(ctl, 0, 600);
	submit_anew(ctl, &submit);
	ck_assert_int_eq(submit.note.predicted, 600);
	ck_assert(submit.note.has_asked && !submit.note.asked);
	expect(submit.note.tight >= 10 && submit.note.tight < 600, "%u",
	       submit.note.tight);
	submit.max_limit = submit.default_limit = 5; /* the partition's */
	submit_anew(ctl, &submit);
	ck_assert_uint_eq(submit.note.tight, 0);
	/* A limit that the user has given stays. */
	submit.has_limit = true;
	submit.job.limit_asked = 60;
	teach(ctl, 60, 600);
	submit_anew(ctl, &submit);
	ck_assert_int_eq(submit.note.predicted, 600);
	ck_assert_int_eq(submit.note.asked, 3600);
	ck_assert_uint_eq(submit.note.tight, 0);
	free(submit.tell);
	slu_ctl_release(ctl);
}
END_TEST

static bool reserved_ahead(const void *host, uint32_t from, uint32_t to)
{
	const uint32_t *begins = host;

	return *begins >= from && *begins < to;
}

/* The announced limit is the one that the job gets, once the host has judged
 * it. */
START_TEST(test_granted_limit_is_announced)
{
	static const uint32_t in_7 = 7, in_20 = 20;
	static const struct {
		uint32_t given, usual, most;
		bool unknown;
		const uint32_t *reserved;
		uint32_t limit; /* that it gets */
		const char *words, *missing;
	} cases[] = {
		{0, 0, 0, false, NULL, 11, "0:11:00 and grows to unlimited",
		 "in place"},
		{0, 60, 0, false, NULL, 11, "0:11:00 and grows to 1:00:00",
		 "reserv"},
		{0, 5, 0, false, NULL, 11, "be 0:11:00 in place of 0:05:00 by",
		 "grows"},
		{0, 5, 7, false, NULL, 7, "be 0:07:00 in place of 0:05:00 by",
		 "grows"},
		{0, 7, 7, false, NULL, 7,
		 "runs like this one took its limit of 0:07:00 or longer",
		 "is to be"},
		{0, 7, 0, true, NULL, 7, /* Slurm fills in 7 at most */
		 "runs like this one took its limit of 0:07:00 or longer",
		 "is to be"},
		{0, 20, 0, true, NULL, 20, "jobs like this one", "limit"},
		{0, 60, 0, false, &in_7, 11, "be 0:11:00 and grows", "reserv"},
		{0, 60, 0, false, &in_20, 11, "while a reservation is in the",
		 "in place"},
		{60, 5, 0, false, NULL, 60, "you asked for 1:00:00",
		 "is to be"},
	};
	struct slu_ctl *ctl = ctl_by_hand("PredictMode=fill\nPredictTell=yes\n"
					  "PredictFloor=660");

	slu_guard_step(ctl, 1000);
	for (int i = 0; i < 5; i++)
		teach(ctl, 0, 595);
	each(c, cases)
	{
		struct slu_ctl_submit submit = {
			.job = {.uid = 1000,
				.name = "x",
				.node_cnt = 1,
				.limit_asked = c->given},
			.guarded = true,
			.has_limit = c->given,
			.default_limit = c->usual,
			.default_unknown = c->unknown,
			.reserved = c->reserved ? reserved_ahead : NULL,
			.host = c->reserved,
			.max_limit = c->most};
		struct slu_limit_rules rules = {
			.given = c->given,
			.unknown = c->unknown,
			.whole = c->given   ? c->given
				 : c->usual ? c->usual
					    : SLU_LIMIT_NONE,
			.most = c->most ? c->most : SLU_LIMIT_NONE};
		uint32_t limit = 0;

		slu_ctl_submit(ctl, &submit);
		expect(submit.tell && strstr(submit.tell, c->words) &&
			       !strstr(submit.tell, c->missing),
		       "case %td: %s", c - cases, submit.tell);
		free(submit.tell);
		if (submit.note.limit == SLU_LIMIT_MEANT)
			limit = slu_ctl_reconsider_limit(&rules, &submit.note);
		expect((limit ? limit : rules.whole) == c->limit,
		       "case %td: %u", c - cases, limit);
	}
	slu_ctl_release(ctl);
}
END_TEST

/* A user who asks for too little gets a warning, whatever is done about it. */
START_TEST(test_warned)
{
	static const struct {
		const char *conf;
		uint32_t given, usual;
		bool warns, forecasts;
	} cases[] = {
		{"PredictMode=off", 5, 0, false, false},
		{"PredictMode=advise", 5, 0, true, false},
		{"PredictMode=advise", 30, 0, false, false},
		{"PredictMode=advise", 0, 5, true, false},
		{"PredictMode=advise", 0, 0, false, false},
		{"PredictMode=fill", 5, 0, true, false},
		{"PredictMode=fill", 0, 5, false, false}, /* it gets enough */
		{"PredictMode=tighten", 5, 0, true, false},
		{"PredictTell=yes", 5, 0, true, false},
		{"PredictTell=yes", 60, 0, false, true},
		/* a forecast below the request would contradict the warning */
		{"PredictMode=early\nPredictTell=yes\nPredictFloor=60", 5, 0,
		 true, false},
		{"PredictMode=early\nPredictTell=yes\nPredictFloor=60", 60, 0,
		 false, true},
		/* so do runs a forecast by the share of the request */
		{"PredictTell=yes", 12, 0, false, false},
	};

	each(c, cases)
	{
		struct slu_ctl *ctl = ctl_by_hand(c->conf);
		struct slu_ctl_submit submit = {
			.job = {.uid = 1000,
				.name = "x",
				.node_cnt = 1,
				.limit_asked = c->given},
			.guarded = true,
			.has_limit = c->given,
			.default_limit = c->usual};

		slu_guard_step(ctl, 1000);
		for (int i = 0; i < 5; i++)
			teach(ctl, 60, 600);
		slu_ctl_submit(ctl, &submit);
		expect((submit.tell &&
			strstr(submit.tell, "sluice: warning: 5 of the last 5 "
					    "runs")) == c->warns,
		       "case %td: %s", c - cases, submit.tell);
		expect((submit.tell && strstr(submit.tell, "take about")) ==
			       c->forecasts,
		       "case %td: %s", c - cases, submit.tell);
		expect(!strstr(c->conf, "early") ||
			       strstr(submit.tell, "the limit is to be"),
		       "case %td: %s", c - cases, submit.tell);
		expect(c->given != 12 ||
			       strstr(submit.tell,
				      "5 of the last 5 runs like this one took "
				      "0:10:00 or longer"),
		       "case %td: %s", c - cases, submit.tell);
		free(submit.tell);
		slu_ctl_release(ctl);
	}
}
END_TEST

/* A short run of another kind without a limit does not hide what all runs of
 * the name took: the filled limit is enough for them, and none is warned of it.
 */
START_TEST(test_filled_by_name)
{
	static const struct {
		const char *conf;
		uint32_t most, limit;
		bool warns;
	} cases[] = {
		{"PredictMode=fill\nPredictTell=yes", 0, 131, false},
		{"PredictMode=tighten\nPredictTell=yes", 0, 131, false},
		{"PredictMode=early\nPredictTell=yes", 0, 131, false},
		{"PredictMode=fill\nPredictTell=yes", 90, 90, true},
	};

	each(c, cases)
	{
		struct slu_ctl *ctl = ctl_by_hand(c->conf);
		struct slu_ctl_submit submit = {
			.job = {.uid = 1000, .name = "x", .node_cnt = 1},
			.guarded = true,
			.default_limit = 60,
			.max_limit = c->most};
		struct slu_job other = {.job_id = 1,
					.uid = 1000,
					.name = "y",
					.node_cnt = 1,
					.nodes = "n1",
					.start = 1000,
					.end = 1005};

		slu_guard_step(ctl, 1000);
		for (int i = 0; i < 6; i++)
			teach(ctl, 240, 7800);
		slu_learn(ctl->site->predictor, &other);
		slu_ctl_submit(ctl, &submit);
		expect(submit.note.tight == c->limit, "case %td: %u, %s",
		       c - cases, submit.note.tight, submit.tell);
		expect(strstr(submit.tell, "in place of 1:00:00 by default"),
		       "case %td: %s", c - cases, submit.tell);
		expect(!!strstr(submit.tell, "warning") == c->warns,
		       "case %td: %s", c - cases, submit.tell);
		free(submit.tell);
		slu_ctl_release(ctl);
	}
}
END_TEST

/* Other plugins, or the site, may have changed what holds: it counts. */
START_TEST(test_settle)
{
	static const struct {
		uint32_t tight, whole;
		struct slu_limit_rules rules;
		uint32_t want;
	} cases[] = {
		{10, 60, {.given = true, .whole = 60, .most = 60}, 10},
		{10, 60, {.given = true, .whole = 5, .most = 60}, 0},
		{10, 60, {.given = true, .whole = 60, .most = 30}, 0},
		{10,
		 60,
		 {.given = true, .left = true, .whole = 60, .most = 60},
		 0},
		{10, 0, {.whole = 5, .most = 60}, 10},
		{10, 0, {.whole = 5, .most = 8}, 8},
		{10, 0, {.whole = 5, .most = 5}, 0},
		{10, 0, {.unknown = true, .whole = 5, .most = 60}, 0},
	};

	each(c, cases)
	{
		struct slu_note note = {.limit = SLU_LIMIT_MEANT,
					.tight = c->tight,
					.whole = c->whole};
		uint32_t got = slu_ctl_reconsider_limit(&c->rules, &note);

		expect(got == c->want && note.tight == c->want &&
			       note.whole == (got ? c->whole : 0) &&
			       note.limit == (got ? SLU_LIMIT_GUARDED
						  : SLU_LIMIT_USERS),
		       "case %td: %u", c - cases, got);
	}
}
END_TEST

START_TEST(test_stale_env)
{
	static const struct {
		const char *entry;
		bool stale;
	} entries[] = {
		{"SLUICE_BUFFER=7", true},
		{"SLUICE_ANYTHING=", true},
		{"SPANK_SLUICE_BUFFER=1", true},
		{"SPANK_SPANK_SLUICE_BUFFER=1", true},
		{"SPANK_SLUICE_BUFFER", true},
		{"SPANK_OF_MINE=1", false},
		{"SPANK_LD_PRELOAD=/opt/gk.so", false},
		{"BB_JOBFS=/run/sluice/7/mnt/data", true},
		{"BB_JOBFS=/home/u/x", false},
		{"BB_JOBFS=/run/sluicers/x", false},
		{"BB_GUN", false},
		{"LIBGKFS_FORWARDING_MAP_FILE=/nowhere/map/7.map", true},
		{"LIBGKFS_FORWARDING_MAP_FILE=/home/u/own.map", false},
		{"PATH=/run/sluice/bin", false},
		{"LIBGKFS_HOSTS_FILE=/run/sluice/7/hosts", true},
		{"LIBGKFS_HOSTS_FILE=/home/u/hosts", false},
		{"DW_JOB_STRIPED=/run/sluice/7/mnt/data/", true},
		{"DW_PERSISTENT_STRIPED_x=/run/sluice/7/mnt/data/", true},
		{"DW_PERSISTENT_x=/home/u/x", false},
		{"LD_PRELOAD=/opt/gk.so", true},
		{"LD_PRELOAD=/opt/gk.so:/opt/gk.so /opt/gk.so::", true},
		{"LD_PRELOAD=/opt/gk.so.1", false},
		{"LD_PRELOAD=/opt/gk.so.1:/x/opt/gk.so:/opt/gk.s", false},
	};
	char preload[] = "LD_PRELOAD=/a.so:/opt/gk.so:/b.so /opt/gk.so";
	struct slu_ctl *ctl = ctl_by_hand("RunDir=/run/sluice\n"
					  "MappingDir=/nowhere/map\n"
					  "FileSystem=g Driver=gekkofs "
					  "library=/opt/gk.so "
					  "Unauthenticated=accept");

	each(e, entries)
	{
		char entry[100];

		snprintf(entry, sizeof(entry), "%s", e->entry);
		expect(slu_ctl_stale_env(ctl, entry) == e->stale, "%s",
		       e->entry);
	}
	ck_assert(!slu_ctl_stale_env(ctl, preload));
	ck_assert_str_eq(preload, "LD_PRELOAD=/a.so:/b.so");
	slu_ctl_release(ctl);
}
END_TEST

#define FROM(path) \
	"jobfs capacity=1MiB; stage_in source=" path " destination=$BB_JOBFS/"

/* Earlier runs of uid 1000 on two nodes with data of /d, and a job that asks;
 * its client waits for 300 s unless the table says another. */
static const struct {
	const char *what;
	int64_t runs[8];
	const char *option;
	uint32_t uid, nodes, max, client_timeout;
	const char *refused;
} waits[] = {
	{"three slow ones",
	 {500, 412, 20},
	 FROM("/d"),
	 1000,
	 2,
	 2,
	 300,
	 "took 412 s (median of 3 runs); salloc and srun give up after 300 s"},
	{"two say nothing", {500, 412}, FROM("/d"), 1000, 2, 2, 300, NULL},
	{"none is known", {0}, FROM("/d"), 1000, 2, 2, 300, NULL},
	{"a run that is not known is none",
	 {0, 0, 0, 412, 412},
	 FROM("/d"),
	 1000,
	 2,
	 2,
	 300,
	 NULL},
	{"mostly quick ones",
	 {500, 299, 20},
	 FROM("/d"),
	 1000,
	 2,
	 2,
	 300,
	 NULL},
	{"at the limit",
	 {300, 300, 300},
	 FROM("/d"),
	 1000,
	 2,
	 2,
	 300,
	 "took 300 s"},
	{"the lower of two in the middle",
	 {500, 10, 500, 10},
	 FROM("/d"),
	 1000,
	 2,
	 2,
	 300,
	 NULL},
	{"the last five count",
	 {10, 10, 10, 500, 501, 502},
	 FROM("/d"),
	 1000,
	 2,
	 2,
	 300,
	 "took 500 s (median of 5 runs)"},
	{"it has become quick",
	 {500, 500, 500, 10, 10, 10},
	 FROM("/d"),
	 1000,
	 2,
	 2,
	 300,
	 NULL},
	{"sbatch waits for ever",
	 {500, 500, 500},
	 FROM("/d"),
	 1000,
	 2,
	 2,
	 0,
	 NULL},
	{"other data", {500, 500, 500}, FROM("/e"), 1000, 2, 2, 300, NULL},
	{"no data", {500, 500, 500}, "capacity=1MiB", 1000, 2, 2, 300, NULL},
	{"another user", {500, 500, 500}, FROM("/d"), 1001, 2, 2, 300, NULL},
	{"more nodes", {500, 500, 500}, FROM("/d"), 1000, 4, 4, 300, NULL},
	{"a range of nodes",
	 {500, 500, 500},
	 FROM("/d"),
	 1000,
	 2,
	 4,
	 300,
	 NULL},
	{"at least two",
	 {500, 500, 500},
	 FROM("/d"),
	 1000,
	 2,
	 0,
	 300,
	 "took 500 s"},
};

START_TEST(test_patience)
{
	each(c, waits)
	{
		struct slu_ctl *ctl = ctl_by_hand("");
		struct slu_ctl_ask ask = {.option = FROM("/d"),
					  .uid = 1000,
					  .prolog_flags = true};
		struct slu_job job = {.uid = 1000, .node_cnt = 2};
		struct slu_err err;
		char *text;

		expect_ok(slu_ctl_validate(ctl, &ask, &job.request, &err), err);
		each(seconds, c->runs)
		{
			job.prepared = *seconds; /* 0: teaches nothing */
			slu_setup_times_learn(&ctl->ready, &job);
		}
		free(job.request);
		ask = (struct slu_ctl_ask){.option = c->option,
					   .uid = c->uid,
					   .min_nodes = c->nodes,
					   .max_nodes = c->max,
					   .client_timeout = c->client_timeout,
					   .prolog_flags = true};
		if (c->refused) {
			expect_fail(slu_ctl_validate(ctl, &ask, &text, &err),
				    err, SLU_INVALID, c->refused);
		} else {
			expect(!slu_ctl_validate(ctl, &ask, &text, &err),
			       "%s: %s", c->what, err.text);
			free(text);
		}
		slu_ctl_release(ctl);
	}
}
END_TEST

TEST_MAIN("ctl hooks", test_one_object, test_bad_configuration, test_validate,
	  test_patience, test_allowed_users, test_no_arrays, test_submit,
	  test_granted_limit_is_announced, test_settle, test_warned,
	  test_filled_by_name, test_stale_env)
