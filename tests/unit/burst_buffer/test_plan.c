/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the plans of jobs' file systems: storage, layouts, links, refusals. */
#include "config.h"
#include "tests/unit/burst_buffer/plan_site.h"
#include "tests/unit/tmpdir.h"
#include "burst_buffer/storage/image.h"
#include "sysmap/database/receive.h"

/* Directories to lay out, with a file system of the job's and without; where no
 * size is said, for what is predicted. */
START_TEST(test_stripes)
{
	static const struct {
		const char *request, *target, *layout, *program;
	} cases[] = {
		{"stripe target=/l/%u/%j size=1K readers=3 access=random",
		 "/l/ann/17", "- 1024 1 3 0", "/opt/lfs"},
		{"stripe target=/x size=1K shared=yes", "/x",
		 "- 1024 0 0 0 six tasks", "/opt/lfs"},
		{"stripe target=/x stripes=2 pool=flash", "/x",
		 "- 777 0 0 2 pool flash", "/opt/lfs"},
		{"stripe target=/unsaid size=1K shared=yes", "/unsaid",
		 "- 1024 0 0 0 six tasks", "/opt/lfs"},
		{"jobfs type=tmp capacity=1K; stripe target=/x stripes=2 "
		 "fsname=big",
		 "/x", "big 777 0 0 2", "/opt/lfs"},
		{"stripe target=/x stripes=3 fsname=big per_file=yes", "/x",
		 "-c 3", "/opt/lfs"},
		{"jobfs type=lus capacity=2K", "", "big 2048 0 0 0",
		 "/opt/lfs"},
		{"jobfs type=plc capacity=2K", "", "- 2048 0 0 5", "lfs5"},
		{"jobfs type=own capacity=2K", NULL, NULL, NULL},
		{"jobfs type=off capacity=2K", NULL, NULL, NULL},
	};

	setup("NodeStorage=/s\nFileSystem=lus Driver=lustre root=/l "
	      "fsname=big lfs=/opt/lfs\n"
	      "FileSystem=own Driver=lustre root=/l stripe_count=4\n"
	      "FileSystem=off Driver=lustre root=/l layout=none\n"
	      "FileSystem=plc Driver=lustre root=/l layout=place lfs=lfs5 "
	      "stripe_count=5\n");
	each(c, cases)
	{
		struct slu_job j = job("n[1-2]", c->request);
		struct slu_plan_site s = site();
		struct slu_plan p;

		j.file_size = 777.5;
		j.node_cnt = 6;
		j.tasks = strstr(c->request, "unsaid") ? 0 : 6;
		targets_known = true;
		expect_ok(slu_plan_make(&j, &s, &p, &err), err);
		ck_assert_uint_eq(p.n_stripe, c->target != NULL);
		if (c->target) {
			ck_assert_str_eq(p.stripe[0].target, c->target);
			ck_assert_str_eq(p.stripe[0].layout, c->layout);
			ck_assert_str_eq(p.stripe[0].program, c->program);
			ck_assert_str_eq(p.stripe[0].why,
					 p.stripe[0].per_file
						 ? "each file is placed when "
						   "it is made"
						 : "because");
		}
		if (strncmp(c->request, "jobfs", 5)) {
			ck_assert_str_eq(p.driver, "none");
			ck_assert_str_eq(p.fs, "none");
			ck_assert(p.node[0].client && p.node[1].client);
			ck_assert_str_eq(p.node[1].addr, "10.0.0.2");
		}
		slu_msg_clear(&slu_plan_desc, &p);
		/* where nobody knows targets, only what was asked for */
		targets_known = false;
		expect_ok(slu_plan_make(&j, &s, &p, &err), err);
		ck_assert_uint_eq(p.n_stripe, c->target && *c->target);
		slu_msg_clear(&slu_plan_desc, &p);
	}
	teardown();
}
END_TEST

START_TEST(test_stripes_refused)
{
	struct slu_job j = job("n1", "stripe target=/x readers=13");
	struct slu_plan_site s;
	struct slu_plan p;

	setup("DenyUsers=ann");
	s = site();
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_DENIED, "ann");
	teardown();
	setup("");
	s = site();
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_INVALID,
		    "stripe: bad luck");
	j = job("n1", "stripe target=x");
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_INVALID,
		    "stripe: target x: must be an absolute path");
	j = job("n1", "stripe target=/x/%q");
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_INVALID, "%q");
	j = job("n1", "stripe target=/x/%x per_file=yes");
	j.name = (char *)(uintptr_t) "a:/b";
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_INVALID,
		    "%x holds a '/'");
	j.name = (char *)(uintptr_t) "a:b";
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_INVALID,
		    "target=/x/a:b: with per_file=yes its path has no");
	teardown();
}
END_TEST

START_TEST(test_complete_plan)
{
	struct slu_job j =
		job("n[1-3]", "jobfs type=glu capacity=10GiB name=w; "
			      "stage_in source=/in/%u destination=$BB_w/%x; "
			      "stage_out source=$BB_w/out destination=/o-%j "
			      "type=file on=success");
	struct slu_plan_site s;
	struct slu_plan p;

	setup("RunDir=/run/x\nSetupTimeout=11\nStageInTimeout=12\n"
	      "StageOutTimeout=13\nTeardownTimeout=14\nKeepFailed=2");
	s = site();
	push("n1", "/scratch", 50 * GIB);
	push("n2", "/", 0); /* as of a minute ago */
	push("n3", "/local", 10 * GIB / 3 + 1);
	expect_ok(slu_plan_make(&j, &s, &p, &err), err);
	ck_assert_uint_eq(p.job_id, 17);
	ck_assert_uint_eq(p.uid, 1000);
	ck_assert_uint_eq(p.gid, 100);
	ck_assert_str_eq(p.name, "w");
	ck_assert_str_eq(p.fs, "glu");
	ck_assert_str_eq(p.driver, "glusterfs");
	ck_assert_uint_eq(p.capacity, 10 * GIB);
	ck_assert_uint_eq(p.n_option, 3);
	ck_assert_str_eq(p.option[0].key, "shard");
	ck_assert_str_eq(p.option[0].value, "16MB");
	ck_assert_str_eq(p.option[1].key, "ports");
	ck_assert_uint_eq(p.n_node, 3);
	ck_assert_str_eq(p.node[0].name, "n1");
	ck_assert_str_eq(p.node[0].addr, "n1");
	ck_assert_str_eq(p.node[0].storage, "/scratch/sluice");
	ck_assert_str_eq(p.node[1].addr, "10.0.0.2");
	ck_assert_str_eq(p.node[1].storage, "/sluice");
	ck_assert_str_eq(p.node[2].storage, "/local/sluice");
	ck_assert_uint_eq(p.node[2].capacity, 10 * GIB / 3 + 1);
	ck_assert(p.node[2].staging);
	ck_assert_uint_eq(p.n_stage, 2);
	ck_assert(!p.stage[0].out && p.stage[1].out);
	ck_assert_str_eq(p.stage[0].source, "/in/ann");
	ck_assert_str_eq(p.stage[0].destination, "/run/x/17/mnt/data/work");
	ck_assert_str_eq(p.stage[0].type, "auto");
	ck_assert_str_eq(p.stage[0].on, "always");
	ck_assert_str_eq(p.stage[1].source, "/run/x/17/mnt/data/out");
	ck_assert_str_eq(p.stage[1].destination, "/o-17");
	ck_assert_str_eq(p.stage[1].type, "file");
	ck_assert_str_eq(p.stage[1].on, "success");
	ck_assert_int_eq(p.setup_timeout, 11);
	ck_assert_int_eq(p.stage_in_timeout, 12);
	ck_assert_int_eq(p.stage_out_timeout, 13);
	ck_assert_int_eq(p.teardown_timeout, 14);
	ck_assert_int_eq(p.keep_failed, conf->keep_failed);
	slu_msg_clear(&slu_plan_desc, &p);
	teardown();
}
END_TEST

/* A path in the configuration needs no map; an unknown user is a number. */
START_TEST(test_fixed_storage_needs_no_map)
{
	struct slu_job j = job("n7", "jobfs capacity=1; "
				     "stage_in source=/%u "
				     "destination=$BB_JOBFS");
	struct slu_plan_site s;
	struct slu_plan p;

	setup("NodeStorage=/local/bb");
	s = site();
	s.addr = NULL;
	j.user = NULL;
	j.array_job_id = 16;
	j.array_task_id = 4;
	expect_ok(slu_plan_make(&j, &s, &p, &err), err);
	ck_assert_str_eq(p.fs, "glu");
	ck_assert_str_eq(p.node[0].storage, "/local/bb");
	ck_assert_str_eq(p.node[0].addr, "n7");
	ck_assert_uint_eq(p.node[0].capacity, 1);
	ck_assert_str_eq(p.stage[0].source, "/1000");
	slu_msg_clear(&slu_plan_desc, &p);
	teardown();
}
END_TEST

/* Only some nodes give storage; the others need not have any. */
START_TEST(test_some_nodes)
{
	struct slu_job j = job("n[1-4]", "jobfs profile=fast capacity=10GiB "
					 "nodes=2 dw=striped; stage_in "
					 "source=/l destination=$BB_JOBFS "
					 "type=list");
	struct slu_plan_site s;
	struct slu_plan p;

	setup("");
	s = site();
	push("n1", "/s", 50 * GIB);
	push("n2", "/s", 50 * GIB);
	expect_ok(slu_plan_make(&j, &s, &p, &err), err);
	ck_assert_str_eq(p.dw, "striped");
	ck_assert_uint_eq(p.n_node, 4);
	ck_assert_uint_eq(p.node[1].capacity, 5 * GIB);
	ck_assert(!p.node[1].client && p.node[2].client && p.node[3].client);
	ck_assert_uint_eq(p.node[3].capacity, 0);
	ck_assert_str_eq(p.node[3].storage, "");
	ck_assert_str_eq(p.stage[0].type, "list");
	ck_assert_str_eq(p.node[1].storage, "/s/sluice");
	/* the profile's comes first */
	ck_assert_uint_eq(p.n_option, 4);
	ck_assert_str_eq(p.option[0].key, "shard");
	ck_assert_str_eq(p.option[0].value, "1MB");
	slu_msg_clear(&slu_plan_desc, &p);

	/* storage= instead of the largest disk */
	j = job("n[1-2]", "jobfs profile=slow capacity=1GiB type=glu "
			  "coherence=private");
	expect_ok(slu_plan_make(&j, &s, &p, &err), err);
	ck_assert_str_eq(p.node[1].storage, "/slow/bb");
	/* and what the request says, before both */
	ck_assert_str_eq(p.option[0].key, "coherence");
	ck_assert_str_eq(p.option[0].value, "private");
	slu_msg_clear(&slu_plan_desc, &p);

	j = job("n[1-2]", "jobfs type=tmp capacity=1GiB tolerate=1");
	expect_ok(slu_plan_make(&j, &s, &p, &err), err);
	ck_assert_uint_eq(p.tolerate, 1);
	slu_msg_clear(&slu_plan_desc, &p);
	teardown();
}
END_TEST

/* Servers run near their disk, far from it, or anywhere. */
START_TEST(test_bind)
{
	static const struct {
		const char *request, *cpus, *why;
	} cases[] = {
		{"jobfs capacity=2", "4-7", "NUMA node 1, near sdb"},
		{"jobfs capacity=2 bind=far", "0-3",
		 "NUMA node 0, far from sdb"},
		{"jobfs capacity=2 bind=none", NULL, NULL},
		{"jobfs type=tmp capacity=2", NULL, NULL},
	};
	static const char numa[] =
		"[{\"node\":0,\"cpus\":\"0-3\"},"
		"{\"node\":1,\"cpus\":\"4-7\",\"disks\":[\"sdb\"]}]";
	struct slu_document doc = {.extractor = "numa",
				   .text = (char *)(uintptr_t)numa,
				   .len = strlen(numa)};
	struct slu_map map = {.document = &doc, .n = 1};
	struct slu_plan_site s;
	struct slu_plan p;

	setup("NodeStorage=/s");
	s = site();
	push("n2", "/s", 50 * GIB);
	doc.hash = slu_document_hash(doc.extractor, numa, doc.len);
	expect_ok(slu_receive_map(receiver, "n1", &map, 1, &err), err);
	push("n1", "/s", 50 * GIB);
	expect_ok(slu_receive_map(receiver, "n1", &map, 1, &err), err);
	each(c, cases)
	{
		struct slu_job j = job("n[1-2]", c->request);

		expect_ok(slu_plan_make(&j, &s, &p, &err), err);
		expect(slu_eq(p.node[0].cpus, c->cpus) &&
			       slu_eq(p.node[0].cpus_why, c->why),
		       "%s: %s: %s", c->request, p.node[0].cpus,
		       p.node[0].cpus_why);
		ck_assert_ptr_null(p.node[1].cpus);
		slu_msg_clear(&slu_plan_desc, &p);
	}
	teardown();
}
END_TEST

START_TEST(test_pool)
{
	struct slu_job j = job("n[1-3]", "jobfs capacity=1000");
	struct slu_plan_site s;
	struct slu_plan p;

	setup("Pool=two Nodes=n[1-2] Granularity=1MiB DenyAccounts=phys\n"
	      "NodeStorage=/s");
	s = site();
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_INVALID,
		    "n3 is not of pool two (");
	j.request = (char *)"jobfs capacity=1000 nodes=2";
	expect_ok(slu_plan_make(&j, &s, &p, &err), err);
	ck_assert_str_eq(p.pool, "two");
	ck_assert_uint_eq(p.capacity, 1 << 20);
	slu_msg_clear(&slu_plan_desc, &p);
	j.account = (char *)"phys";
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_DENIED,
		    "account phys may not");
	teardown();
}
END_TEST

START_TEST(test_refused)
{
	static const struct {
		const char *nodes, *request;
		enum slu_kind kind;
		const char *words;
	} cases[] = {
		{"n[1-2]", "jobfs capacity=208GiB", SLU_BUSY,
		 "n1 has only 100GiB for /s/sluice, each node must give "
		 "104GiB"},
		{"n[1,3]", "jobfs capacity=1GiB", SLU_NOTFOUND,
		 "nothing of n3: run sysmap --push"},
		{"n1", "jobfs capacity=8TiB", SLU_INVALID, "MaxCapacity"},
		{"n1", "jobfs capacity=1 type=x", SLU_INVALID,
		 "no file system x"},
		{"n1", "jobfs", SLU_INVALID, "capacity= is missing"},
		{"n[1-2]", "jobfs capacity=1 nodes=3", SLU_INVALID,
		 "nodes=3: the job has only 2 nodes"},
		{"n1", "jobfs capacity=1 profile=x", SLU_INVALID,
		 "no profile x"},
		{"n1",
		 "jobfs capacity=1; stage_in source=/%a destination=$BB_JOBFS",
		 SLU_INVALID, "array task"},
		{"n1",
		 "jobfs capacity=1; stage_in source=/../%j "
		 "destination=$BB_JOBFS",
		 SLU_INVALID, "\"..\" is refused"},
		{"", "jobfs capacity=1", SLU_INVALID, "has no nodes"},
		{NULL, "jobfs capacity=1", SLU_INVALID, "has no nodes"},
		{"n[1", "jobfs capacity=1", SLU_INVALID, "n[1"},
	};
	struct slu_plan_site s;

	setup("MaxCapacity=1TiB");
	s = site();
	push("n1", "/s", 50 * GIB);
	push("n2", "/s", 2 * GIB);
	each(c, cases)
	{
		struct slu_job j = job(c->nodes, c->request);
		struct slu_plan p;

		expect_fail(slu_plan_make(&j, &s, &p, &err), err, c->kind,
			    c->words);
	}
	teardown();
}
END_TEST

START_TEST(test_plan_without_storage)
{
	struct slu_job j = job("a1,b[2-3]", "rubbish");
	struct slu_plan p;

	expect_ok(slu_plan_bare(&j, &p, &err), err);
	ck_assert_uint_eq(p.n_node, 3);
	ck_assert_str_eq(p.node[2].name, "b3");
	ck_assert_str_eq(p.name, "JOBFS");
	slu_msg_clear(&slu_plan_desc, &p);
	j.nodes = NULL;
	expect_fail(slu_plan_bare(&j, &p, &err), err, SLU_INVALID, "no nodes");
}
END_TEST

START_TEST(test_secret)
{
	static const unsigned char one[32] = {1}, two[32] = {2};
	struct slu_plan p = {.job_id = 17, .buffer = 3};
	char *secret[5];
	int i, j;

	secret[0] = slu_plan_secret(one, &p);
	secret[1] = slu_plan_secret(two, &p);
	p.buffer = 4;
	secret[2] = slu_plan_secret(one, &p);
	p.job_id = 1;
	p.buffer = 73;
	secret[3] = slu_plan_secret(one, &p);
	p.job_id = 17;
	p.buffer = 3;
	secret[4] = slu_plan_secret(one, &p);
	for (i = 0; i < 5; i++) {
		ck_assert_uint_eq(strspn(secret[i], "0123456789abcdef"), 32);
		ck_assert_uint_eq(strlen(secret[i]), 32);
		for (j = 0; j < i; j++)
			expect((strcmp(secret[i], secret[j]) == 0) ==
				       (i == 4 && j == 0),
			       "%d %d", i, j);
	}
	for (i = 0; i < 5; i++)
		free(secret[i]);
}
END_TEST

START_TEST(test_chunk)
{
	static const struct {
		const char *fs;
		double request;
		const char *want;
	} cases[] = {
		{"glusterfs coherence=private shard=auto", 0, "64M"},
		{"glusterfs coherence=private shard=auto", 1e3, "4M"},
		{"glusterfs coherence=private shard=auto", 4 << 20, "4M"},
		{"glusterfs coherence=private shard=auto", (4 << 20) + 1, "8M"},
		{"glusterfs coherence=private shard=auto", 1e15, "512M"},
		{"glusterfs coherence=private shard=7MB", 1e15, "7MB"},
		{"lustre root=/x stripe_size=auto", 0, "1M"},
		{"lustre root=/x stripe_size=auto", 1, "64K"},
		{"lustre root=/x stripe_size=AUTO", 65537, "128K"},
		{"lustre root=/x stripe_size=auto", -3, "1M"},
		{"beeond chunk=auto", 0, "512K"},
		{"beeond chunk=auto", 1e6, "1M"},
		{"beeond chunk=128KiB", 1e6, "128KiB"},
	};

	each(c, cases)
	{
		struct slu_job j = job("n1", "jobfs type=it capacity=1MB");
		struct slu_plan_site s;
		struct slu_plan p;
		char text[100];
		const char *got = NULL;

		snprintf(text, sizeof(text), "FileSystem=it Driver=%s", c->fs);
		setup(text);
		s = site();
		push("n1", "/scratch", 50 * GIB);
		j.request_size = c->request;
		expect_ok(slu_plan_make(&j, &s, &p, &err), err);
		for (size_t i = 0; i < p.n_option; i++)
			if (strcmp(p.option[i].key, "shard") == 0 ||
			    strcmp(p.option[i].key, "stripe_size") == 0 ||
			    strcmp(p.option[i].key, "chunk") == 0)
				got = p.option[i].value;
		ck_assert_str_eq(got, c->want);
		slu_msg_clear(&slu_plan_desc, &p);
		teardown();
	}
}
END_TEST

/* With shard= what is staged out is verified by content. */
START_TEST(test_content)
{
	static const char *const lines[] = {
		"FileSystem=it Driver=glusterfs",
		"FileSystem=it Driver=glusterfs coherence=private shard=4MiB",
		"FileSystem=it Driver=beeond",
	};

	each(line, lines)
	{
		struct slu_job j =
			job("n1", "jobfs type=it capacity=1MB; "
				  "stage_in source=/a destination=$BB_JOBFS; "
				  "stage_out source=$BB_JOBFS destination=/b");
		struct slu_plan_site s;
		struct slu_plan p;

		setup(*line);
		s = site();
		push("n1", "/scratch", 50 * GIB);
		expect_ok(slu_plan_make(&j, &s, &p, &err), err);
		ck_assert_uint_eq(p.n_stage, 2);
		ck_assert(!p.stage[0].content && p.stage[1].out);
		ck_assert_int_eq(p.stage[1].content, line == lines + 1);
		slu_msg_clear(&slu_plan_desc, &p);
		teardown();
	}
}
END_TEST

/* In a large job not all nodes run a server, but as many as its capacity needs,
 * or as many as are configured. */
START_TEST(test_servers)
{
	static const struct {
		const char *nodes, *request;
		size_t servers; /* 0: none is possible */
	} cases[] = {
		{"n[1-3]", "jobfs type=auto capacity=1GiB", 3},
		{"n[1-64]", "jobfs type=auto capacity=1GiB", 32},
		{"n[1-64]", "jobfs type=auto capacity=1GiB nodes=40", 40},
		{"n[1-64]", "jobfs type=auto capacity=1GiB nodes=all", 64},
		{"n[1-64]", "jobfs type=auto capacity=1GiB split=switch", 64},
		{"n[1-64]", "jobfs type=eight capacity=1GiB", 8},
		{"n[1-4]", "jobfs type=eight capacity=1GiB", 4},
		{"n[1-64]", "jobfs type=every capacity=1GiB", 64},
		{"n[1-64]", "jobfs type=auto capacity=2000GiB", 32},
		{"n[1-64]", "jobfs type=auto capacity=4000GiB", 64},
		{"n[1-64]", "jobfs type=auto capacity=9000GiB", 0},
		{"n[1-64]", "jobfs type=eight capacity=1000GiB", 16},
		{"n[1-64]", "jobfs type=eight capacity=1000GiB nodes=8", 0},
		{"n[1-64]", "jobfs type=tmp capacity=64MiB", 64},
	};

	setup("NodeStorage=/s\n"
	      "FileSystem=auto Driver=glusterfs\n"
	      "FileSystem=eight Driver=glusterfs servers=8\n"
	      "FileSystem=every Driver=glusterfs servers=all\n");
	for (int i = 1; i <= 64; i++) {
		char name[8];

		snprintf(name, sizeof(name), "n%d", i);
		push(name, "/s", 100 * GIB);
	}
	each(c, cases)
	{
		struct slu_job j = job(c->nodes, c->request);
		struct slu_plan_site s = site();
		struct slu_plan p;
		uint64_t sum = 0;
		size_t n = 0;
		int rc;

		s.ask_room = true;
		rc = slu_plan_make(&j, &s, &p, &err);
		ck_assert_msg((rc == 0) == (c->servers > 0), "%s: %s",
			      c->request, err.text);
		if (rc) {
			ck_assert_int_eq(err.kind, SLU_BUSY);
			continue;
		}
		for (size_t i = 0; i < p.n_node; i++) {
			n += !p.node[i].client;
			sum += p.node[i].capacity;
			ck_assert(p.node[i].client == (i >= c->servers));
		}
		ck_assert_uint_eq(n, c->servers);
		ck_assert_uint_eq(p.givers, c->servers);
		ck_assert_uint_ge(sum, p.capacity);
		slu_msg_clear(&slu_plan_desc, &p);
	}
	teardown();
	unlink(tmpfile_path("plan.db"));
}
END_TEST

TEST_MAIN("plan", test_servers, test_chunk, test_content, test_complete_plan,
	  test_stripes, test_stripes_refused, test_fixed_storage_needs_no_map,
	  test_some_nodes, test_bind, test_pool, test_refused,
	  test_plan_without_storage, test_secret)
