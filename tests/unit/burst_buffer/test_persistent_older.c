/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the restore of an older or empty database at any moment in a persistent
 * buffer's life. Unless its destruction was requested, its nodes keep all data,
 * in place or as kept data; if the buffer cannot go on, that is reported.
 */
#include "tests/unit/burst_buffer/persistent_world.h"
#include "tests/unit/tmpdir.h"
#include "common/file.h"
#include "common/str.h"

#define NODES 2
#define EMPTY (-1)

/* As `sluice-node serve` has it. */
static struct node {
	const char *name;
	uint32_t job;
	uint64_t buffer; /* that is noted */
	int pos;	 /* in `ups` */
	bool ran, kept, wiped, doubted;
} node[NODES];

static const char *const ups[] = {"storage", ":servers", "ready", ":ready"};
#define UP 4

static int ask_barrier(const struct node *n, const char *name)
{
	struct slu_barrier come = {.job_id = n->job,
				   .buffer = n->buffer,
				   .node = (char *)n->name,
				   .name = (char *)name,
				   .attr = (char *)n->name,
				   .ran = n->ran};
	struct slu_text *text = NULL;
	int rc = slu_buffers_barrier(b, &come, now, &text, &err);
	bool go = !rc && strstr(text->data, "\"go\"");

	slu_text_unref(text);
	return go ? 0 : -1;
}

/* The answer to a report; *ran as there. NULL: none. */
static const char *tell(const struct node *n, const char *step, bool ok,
			bool *ran)
{
	static char word[16];
	struct slu_report r = {.job_id = n->job,
			       .buffer = n->buffer,
			       .node = (char *)n->name,
			       .step = (char *)step,
			       .ok = ok,
			       .text = ok ? NULL : (char *)"kept",
			       .phase = (char *)"setup",
			       .ran = n->ran};
	struct slu_answer a;

	if (slu_buffers_report(b, &r, now, &a, &err))
		return NULL;
	slu_copy(word, sizeof(word), a.word);
	*ran = a.ran;
	slu_msg_clear(&slu_answer_desc, &a);
	return word;
}

static void get(const struct node *n)
{
	struct slu_node_ask ask = {
		.job_id = n->job, .buffer = n->buffer, .node = (char *)n->name};
	struct slu_text *text = NULL;
	char *secret;

	if (slu_buffers_plan(b, &ask, now, &text, &secret, &err) == 0)
		free(secret);
	slu_text_unref(text);
}

static void go_up(struct node *n)
{
	const char *step = ups[n->pos];
	bool ran;

	if (n->pos == 0)
		get(n);
	if (*step == ':' ? ask_barrier(n, step + 1)
			 : !slu_eq(tell(n, step, true, &ran), "go"))
		return;
	n->ran = ++n->pos == UP || n->ran;
}

static void go_down(struct node *n)
{
	bool knows = false;
	const char *word = tell(n, "down", true, &knows);

	if (!word)
		return;
	if (slu_eq(word, "skip") && n->ran && !knows) {
		n->doubted = tell(n, "doubted", false, &knows) != NULL;
		n->kept = true;
	}
	n->wiped = true;
	tell(n, "clean", true, &knows);
}

static void serve(struct node *n)
{
	struct slu_buf text = {0};
	struct slu_node_inventory owed;
	const struct slu_plan *p;

	expect_ok(slu_buffers_node_inventory(b, n->name, now, &text, &err),
		  err);
	expect_ok(slu_decode_text(&slu_node_inventory_desc, text.data, text.len,
				  &owed, &err),
		  err);
	slu_buf_free(&text);
	for (size_t i = 0; i < owed.n_plan; i++) {
		p = &owed.plan[i];
		if (n->buffer && (p->buffer != n->buffer || n->wiped))
			continue; /* another is not of concern here */
		n->job = p->job_id;
		n->buffer = p->buffer;
		if (p->over)
			go_down(n);
		else if (n->pos < UP)
			go_up(n);
		else if (p->unready)
			n->pos = 0;
	}
	slu_msg_clear(&slu_node_inventory_desc, &owed);
}

static bool destroyed; /* its owner wants it so */

/* What happens, in order. Returns false at the end. */
static bool live(int step)
{
	static const char out[] = "persistent name=camp; stage_out "
				  "source=$BB_camp/a destination=/a";

	now += 1;
	up.seconds += 1;
	look();
	if (step == 0)
		waits(7, OWNER, CREATE " lifetime=5d");
	else if (step <= 12)
		serve(&node[step % NODES]);
	else if (step == 13)
		begin_job(20, OWNER, out);
	else if (step == 14)
		report(20, "n1", "ready", true);
	else if (step == 15)
		end_job(20, OWNER, out);
	else if (step == 16)
		report(20, "n1", "clean", true);
	else if (step == 17)
		report(20, "n2", "clean", true);
	else if (step == 18)
		destroyed = true,
		waits(8, OWNER, "persistent_destroy name=camp");
	else if (step <= 26)
		serve(&node[step % NODES]);
	return step < 26;
}

static void copy_db(const char *from, const char *to)
{
	struct slu_buf text = {0};

	expect_ok(slu_file_read(AT_FDCWD, from, 1 << 26, &text, &err), err);
	expect_ok(slu_file_write(AT_FDCWD, to, text.data, text.len, 0600, false,
				 &err),
		  err);
	slu_buf_free(&text);
}

static void stopped(void (*fn)(const char *db, const char *older))
{
	const char *path = tmpfile_path("persist.db");

	slu_buffers_free(b);
	slu_db_close(db);
	fn(path, tmpfile_path("older.db"));
	db = slu_db_open(path, SLU_DB_WRITE, &err);
	expect(db, "%s", err.text);
	b = NULL;
	again();
}

static void take_copy(const char *path, const char *older)
{
	copy_db(path, older);
}

static void put_back(const char *path, const char *older)
{
	copy_db(older, path);
}

static void put_empty(const char *path, const char *older)
{
	(void)older;
	unlink(path);
}

static bool is_there(void)
{
	return last.buffer == node[0].buffer && slu_eq(last.state, "RUNNING");
}

static void expect_safe(int copied, int restored, bool promised, bool heard)
{
	bool whole = true;

	for (int i = 0; i < NODES && promised; i++) {
		expect(!node[i].wiped || node[i].kept,
		       "%s was wiped (copy of step %d, restored at %d)",
		       node[i].name, copied, restored);
		expect(!node[i].kept || node[i].doubted,
		       "nobody was told (copy of step %d, restored at %d)",
		       copied, restored);
		whole = whole && !node[i].wiped;
	}
	expect(!promised || !heard || copied <= 0 || (whole && is_there()),
	       "copy of step %d, restored at %d: %s %s", copied, restored,
	       last.state, last.text);
}

/* How long no node serves it after that. */
static void restore_at(int copied, int restored, double unserved)
{
	bool promised;

	setup();
	memset(node, 0, sizeof(node));
	node[0].name = "s1";
	node[1].name = "s2";
	destroyed = false;
	damaged = true; /* job 20 is perhaps never cleaned up */
	for (int step = 0; step <= restored; step++) {
		if (step == copied)
			stopped(take_copy);
		if (!live(step))
			break;
	}
	/* a node that does not know yet that all are ready has no data */
	promised = node[0].ran && node[1].ran && !destroyed;
	stopped(copied == EMPTY ? put_empty : put_back);
	pass(unserved);
	for (int turn = 0; turn < 400; turn++) {
		pass(1);
		serve(&node[turn % NODES]);
	}
	expect_safe(copied, restored, promised, unserved == 0);
	teardown();
}

START_TEST(test_any_moment)
{
	for (int copied = EMPTY; copied < 20; copied++)
		for (int restored = copied < 0 ? 0 : copied; restored < 27;
		     restored++)
			restore_at(copied, restored, 0);
}
END_TEST

/* Longer than it may take to set one up. */
START_TEST(test_unserved)
{
	for (int copied = EMPTY; copied < 20; copied += 2)
		for (int restored = copied < 0 ? 0 : copied; restored < 27;
		     restored += 2)
			restore_at(copied, restored, 300);
}
END_TEST

/* The next one does not get its numbers, and so not its data. */
START_TEST(test_numbers)
{
	uint32_t first;

	setup();
	now = 1800000000;
	make(7, CREATE);
	first = last.job_id;
	stopped(put_empty);
	pass(61);
	waits(8, OWNER, "persistent_create name=other type=glu capacity=1GiB");
	ck_assert_str_eq(last.name, "other");
	ck_assert_uint_gt(last.job_id, first);
	waits(9, OWNER, "persistent_create name=third type=glu capacity=1GiB");
	ck_assert_uint_gt(last.job_id, first + 1);
	teardown();
}
END_TEST

TEST_MAIN("persistent_older", test_any_moment, test_unserved, test_numbers)
