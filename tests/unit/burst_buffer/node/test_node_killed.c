/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests sluice-node up and down on two nodes against a whole sluiced, killed at
 * each of their requests: with scratch at all of them; with glusterfs, which
 * shares most of them, at every third, unless SLUICE_ALL_KILLS is set; and with
 * glusterfs over two devices of each node.
 */
#include "config.h"
#include "tests/unit/burst_buffer/node/node_life.h"
#include "common/str.h"
#include "sysmap/database/receive.h"

/* More than one life has requests. */
#define KILLS_SCRATCH	16
#define KILLS_GLUSTERFS 28

static int glusterfs_step;

/* Killed at the k-th request of n1, before sluiced gets it or after: run again,
 * it goes on, with the same result. */
static void killed_life(const char *type, int k, bool after, int last)
{
	struct node_shared *s;

	if (!begin(type, ""))
		return;
	s = &node_shared[0];
	s->kill_at = k;
	s->after = after;
	whole_life(!strcmp(type, "glusterfs"), false);
	/* Every request had its turn. */
	expect(k < last || s->requests < k, "%d requests", s->requests);
	nodes_end();
}

START_TEST(test_scratch)
{
	killed_life("scratch", 1 + _i, _i % 2, KILLS_SCRATCH);
}
END_TEST

START_TEST(test_glusterfs)
{
	int k = 1 + _i * glusterfs_step;

	if (!no_glusterfs())
		killed_life("glusterfs", k, k % 2, KILLS_GLUSTERFS);
}
END_TEST

/* The map has two like devices of each node. */
static void tell_devices(void)
{
	struct slu_err err;
	struct slu_db *db = slu_db_open(at("db"), SLU_DB_WRITE, &err);
	struct slu_receiver *r = slu_receiver_new(db, &err);
	struct slu_document doc = {.extractor = "mountpoints"};
	const struct slu_map map = {.document = &doc, .n = 1};
	static const char one[] = "{\"device\":\"/dev/sd%c\","
				  "\"mountpoint\":\"%s/%s\","
				  "\"filesystem\":\"xfs\","
				  "\"size\":99999999999,\"options\":\"rw\"}";
	struct slu_buf text = {0};

	slu_buf_puts(&text, "[");
	slu_buf_printf(&text, one, 'a', world, "storage");
	slu_buf_puts(&text, ",");
	slu_buf_printf(&text, one, 'b', world, "storage2");
	slu_buf_puts(&text, "]");
	doc.text = text.data;
	doc.len = text.len;
	doc.hash = slu_document_hash(doc.extractor, doc.text, doc.len);
	for (int i = 1; i <= 2; i++)
		expect_ok(
			slu_receive_map(r, i == 1 ? "n1" : "n2", &map, 1, &err),
			err);
	slu_buf_free(&text);
	slu_receiver_free(r);
	slu_db_close(db);
}

/* 0: the job's storage is on both devices. */
static int on_both(const char *arg)
{
	(void)arg;
	return access(at("storage/sluice/7.1/fs/brick"), F_OK) ||
			       access(at("storage2/sluice/7.1/fs/brick"), F_OK)
		       ? 30
		       : 0;
}

/* A share over two devices of each node: killed at any request, nothing is left
 * on either. */
START_TEST(test_devices)
{
	int k = 1 + _i * glusterfs_step;
	struct node_shared *s;

	sluiced_storage = "storage*";
	if (no_glusterfs() || !begin("glusterfs", "NodeDevices=all\n"))
		return;
	tell_devices();
	s = &node_shared[0];
	s->kill_at = k;
	s->after = k % 2;
	job_starts(request);
	up();
	ctl_until("RUNNING");
	nodes_all(on_both, "on both devices", 0);
	run_tasks(true);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ck_assert_str_eq(ctl_text, "");
	expect_output(true);
	expect_nothing_left();
	expect(k < KILLS_GLUSTERFS || s->requests < k, "%d requests",
	       s->requests);
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node_killed");

	glusterfs_step = getenv("SLUICE_ALL_KILLS") ? 1 : 3;
	add(suite, "scratch", test_scratch, KILLS_SCRATCH);
	add(suite, "glusterfs", test_glusterfs,
	    (KILLS_GLUSTERFS + glusterfs_step - 1) / glusterfs_step);
	add(suite, "devices", test_devices,
	    (KILLS_GLUSTERFS + glusterfs_step - 1) / glusterfs_step);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("node_killed");

	return rc ? rc : run();
}
