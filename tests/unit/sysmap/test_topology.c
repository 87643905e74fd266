/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the network topology: parsing of topology.conf and JSON, and hops
 * between hosts against Floyd-Warshall. */
#include "config.h"
#include "sysmap/topology.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"

#include "common/jsonx.h"
#include "sysmap/database/receive.h"

#define UNKNOWN SLU_TOPOLOGY_UNKNOWN

static struct slu_err err;

static const char conf[] = "# two leaves and a spine\n"
			   "switchname=s1 Nodes=n[1-4] LinkSpeed=100\r\n"
			   "SwitchName=s2 nodes=n[5-8],io1 # the rest\n"
			   "\n"
			   "SwitchName=top Switches=s[1-2]\n"
			   "SwitchName=island Nodes=x1";

static struct slu_topology of_conf(const char *text)
{
	struct slu_topology t;
	char *copy = strdup(text);

	expect_ok(slu_topology_of_conf(copy, &t, &err), err);
	free(copy);
	return t;
}

START_TEST(test_conf)
{
	static const struct {
		const char *a, *b;
		uint32_t hops;
	} cases[] = {{"n1", "n1", 0},	    {"n1", "n4", 1},
		     {"n1", "n5", 3},	    {"io1", "n8", 1},
		     {"x1", "n1", UNKNOWN}, {"n1", "n9", UNKNOWN}};
	char *hosts[] = {"n7", "n1", "new", "n2", "io1", "gone", "x1"};
	const uint32_t want[] = {0, 1, 2, 1, 0, 2, 3};
	struct slu_topology t = of_conf(conf);
	uint32_t group[7];

	each(c, cases) expect(slu_topology_hops(&t, c->a, c->b) == c->hops,
			      "%s %s", c->a, c->b);
	ck_assert_uint_eq(slu_topology_leaf(&t, "n5"), 1);
	ck_assert_uint_eq(slu_topology_leaf(&t, "n9"), UNKNOWN);
	ck_assert_uint_eq(slu_topology_groups(&t, hosts, 7, group), 4);
	ck_assert_mem_eq(group, want, sizeof(want));
	ck_assert_uint_eq(t.sw[2].level, 1);
	slu_topology_free(&t);
}
END_TEST

/* Slurm reads them all alike. */
START_TEST(test_conf_words)
{
	static const char *const texts[] = {
		"SwitchName=a Nodes=\"n[1-8]\"",
		"SwitchName=a Nodes=n[1-4],\\\nn[5-8]\n",
		"SwitchName = a Nodes = n[1-8]",
	};
	struct slu_topology t;

	each(text, texts)
	{
		t = of_conf(*text);
		ck_assert_uint_eq(t.n, 1);
		expect(t.sw[0].hosts.n == 8, "%s", *text);
		slu_topology_free(&t);
	}
}
END_TEST

START_TEST(test_bad_conf)
{
	static const struct {
		const char *text;
		enum slu_kind kind;
		const char *words;
	} cases[] = {
		{"", SLU_NOTFOUND, "no SwitchName"},
		{"# SwitchName=s1\n", SLU_NOTFOUND, "no SwitchName"},
		{"SwitchName=a\nSwitchName=a\n", SLU_INVALID, "there twice"},
		{"SwitchName=a Switches=b\n", SLU_INVALID,
		 "switch a: there is no switch b"},
		{"SwitchName=a Nodes=n[1-\n", SLU_INVALID, "switch a: "},
		{"SwitchName=a Switches=s[\n", SLU_INVALID, "switch a: "},
		{"SwitchName=a Nodes=a[1-60000],b[1-9000]", SLU_INVALID, "a: "},
	};
	struct slu_topology t;
	char copy[64];

	each(c, cases)
	{
		strcpy(copy, c->text);
		expect_fail(slu_topology_of_conf(copy, &t, &err), err, c->kind,
			    c->words);
	}
}
END_TEST

/* As many as there may be, in time that grows with them; one more is refused,
 * and so are links and hosts without end. */
START_TEST(test_many)
{
	struct slu_buf text = {0};
	struct slu_topology t;

	for (int i = 8191; i >= 0; i--)
		slu_buf_printf(&text, "SwitchName=s%d Nodes=n[%d-%d]%s\n", i,
			       8 * i, 8 * i + 7,
			       i ? "" : " Switches=s[1-8191],s[1-4000]");
	t = of_conf(text.data);
	ck_assert_uint_eq(t.n, 8192);
	ck_assert_uint_eq(t.sw[8191].n_links, 8191);
	ck_assert_uint_eq(slu_topology_hops(&t, "n15", "n65535"), 3);
	slu_topology_free(&t);
	slu_buf_puts(&text, "SwitchName=more\n");
	expect_fail(slu_topology_of_conf(text.data, &t, &err), err, SLU_INVALID,
		    "more than 8192 switches");
	slu_buf_reset(&text);
	for (int i = 0; i < 300; i++)
		slu_buf_printf(&text, "SwitchName=s%d Nodes=n[0-999]\n", i);
	expect_fail(slu_topology_of_conf(text.data, &t, &err), err, SLU_INVALID,
		    "more than 262144 hosts");
	slu_buf_free(&text);
}
END_TEST

START_TEST(test_many_links)
{
	struct json_object *document = json_object_new_array(), *obj, *links;
	struct slu_topology t;

	obj = json_object_new_object();
	links = json_object_new_array();
	slu_json_set_str(obj, "switch", "a");
	json_object_object_add(obj, "switches", links);
	json_object_array_add(document, obj);
	obj = json_object_new_object();
	slu_json_set_str(obj, "switch", "b");
	json_object_array_add(document, obj);
	for (size_t i = 0; i <= 1u << 20; i++)
		json_object_array_add(links, json_object_new_string("b"));
	expect_fail(slu_topology_of_json(document, &t, &err), err, SLU_INVALID,
		    "more than 1048576 links");
	json_object_array_del_idx(links, 0, 1);
	expect_ok(slu_topology_of_json(document, &t, &err), err);
	ck_assert_uint_eq(t.sw[0].n_links, 1);
	slu_topology_free(&t);
	json_object_put(document);
}
END_TEST

START_TEST(test_bad_json)
{
	static const char *const texts[] = {
		"{}",
		"[1]",
		"[{}]",
		"[{\"switch\":1}]",
		"[{\"switch\":\"a\",\"hosts\":\"[\"}]",
		"[{\"switch\":\"a\",\"switches\":[\"b\"]}]",
		"[{\"switch\":\"a\",\"switches\":[null]}]"};
	struct json_object *obj;
	struct slu_topology t;

	each(text, texts)
	{
		obj = slu_json_parse(*text, strlen(*text), &err);
		ck_assert_ptr_nonnull(obj);
		expect_fail(slu_topology_of_json(obj, &t, &err), err,
			    SLU_INVALID, "");
		json_object_put(obj);
	}
}
END_TEST

/* What the document says is what it was made from; the newest is read. */
START_TEST(test_document)
{
	struct slu_topology t = of_conf(conf), again;
	struct json_object *document = slu_topology_json(&t), *second;
	struct slu_document doc = {.extractor = "topology"};
	struct slu_map map = {.document = &doc, .n = 1};
	struct slu_receiver *r;
	struct slu_db *db;

	db = slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	ck_assert_ptr_nonnull(db);
	expect_fail(slu_topology_read(db, &again, &err), err, SLU_NOTFOUND,
		    "no topology of any host");
	r = slu_receiver_new(db, &err);
	for (int i = 0; i < 2; i++) {
		doc.text = (char *)(i ? slu_json_text(document) : "[]");
		doc.len = strlen(doc.text);
		doc.hash = slu_document_hash("topology", doc.text, doc.len);
		expect_ok(slu_receive_map(r, i ? "n1" : "n2", &map, 100 + i,
					  &err),
			  err);
	}
	expect_ok(slu_topology_read(db, &again, &err), err);
	second = slu_topology_json(&again);
	ck_assert_str_eq(slu_json_text(document), slu_json_text(second));
	json_object_put(document);
	json_object_put(second);
	slu_receiver_free(r);
	slu_db_close(db);
	slu_topology_free(&again);
	slu_topology_free(&t);
}
END_TEST

static void put_topology(struct slu_db *db, const char *host, char *text,
			 int64_t now)
{
	struct slu_document doc = {
		.extractor = "topology",
		.text = text,
		.len = strlen(text),
		.hash = slu_document_hash("topology", text, strlen(text))};
	struct slu_map map = {.document = &doc, .n = 1};
	struct slu_receiver *r = slu_receiver_new(db, &err);

	expect_ok(slu_receive_map(r, host, &map, now, &err), err);
	slu_receiver_free(r);
}

static void spoil(struct slu_db *db, const char *text)
{
	ck_assert_int_eq(slu_db_exec(db, &err,
				     "UPDATE Datatable SET Data = '[{}]' WHERE "
				     "Data = ?",
				     "s", text),
			 1);
}

/* A wrong one that is in the database already: the one before is read, be it
 * of another host or what the same one had. */
START_TEST(test_wrong_newest)
{
	static char text[4][64];
	struct slu_topology t;
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);

	for (int i = 0; i < 4; i++) {
		snprintf(text[i], sizeof(text[i]),
			 "[{\"switch\":\"s%d\",\"hosts\":\"n1\"}]", i);
		put_topology(db, i == 1 ? "n2" : "n1", text[i], 100 + i);
	}
	for (int i = 3; i >= 0; i--) {
		expect_ok(slu_topology_read(db, &t, &err), err);
		ck_assert_int_eq(t.sw[0].name[1], '0' + i);
		slu_topology_free(&t);
		spoil(db, text[i]);
	}
	expect_fail(slu_topology_read(db, &t, &err), err, SLU_INVALID,
		    "the newest topology in the resource map");
	slu_db_close(db);
}
END_TEST

/* Against all pairs by Floyd and Warshall, on random graphs. */

#define SWITCHES 12

static void random_document(uint64_t *seed, struct slu_buf *out,
			    uint32_t far[SWITCHES][SWITCHES])
{
	for (int a = 0; a < SWITCHES; a++)
		for (int b = 0; b < SWITCHES; b++)
			far[a][b] = a == b ? 0 : UNKNOWN / 4;
	slu_buf_puts(out, "[");
	for (int a = 0; a < SWITCHES; a++) {
		slu_buf_printf(out,
			       "%s{\"switch\":\"s%d\",\"hosts\":\"h%d,r%d\","
			       "\"switches\":[",
			       a ? "," : "", a, a, a / 2);
		for (int b = 0, n = 0; b < a; b++) {
			if (slu_random(seed, 5))
				continue;
			far[a][b] = far[b][a] = 1;
			slu_buf_printf(out, "%s\"s%d\"", n++ ? "," : "", b);
		}
		slu_buf_puts(out, "]}");
	}
	slu_buf_puts(out, "]");
	for (int k = 0; k < SWITCHES; k++)
		for (int a = 0; a < SWITCHES; a++)
			for (int b = 0; b < SWITCHES; b++)
				if (far[a][k] + far[k][b] < far[a][b])
					far[a][b] = far[a][k] + far[k][b];
}

/* Host h<a> hangs on switch a, host r<a> on 2a and 2a + 1. */
static void check_pair(const struct slu_topology *t,
		       uint32_t far[SWITCHES][SWITCHES], int a, int b)
{
	uint32_t best = far[a][2 * (b / 2)];
	char x[16], y[16];

	if (far[a][2 * (b / 2) + 1] < best)
		best = far[a][2 * (b / 2) + 1];
	snprintf(x, sizeof(x), "h%d", a);
	snprintf(y, sizeof(y), "r%d", b / 2);
	ck_assert_uint_eq(slu_topology_hops(t, x, y),
			  best >= UNKNOWN / 4 ? UNKNOWN : best + 1);
	ck_assert_uint_eq(slu_topology_hops(t, y, x),
			  slu_topology_hops(t, x, y));
}

START_TEST(test_hops)
{
	uint64_t seed = 1;
	uint32_t far[SWITCHES][SWITCHES];
	struct json_object *obj;
	struct slu_topology t;
	struct slu_buf text = {0};

	for (int round = 0; round < 50; round++) {
		slu_buf_reset(&text);
		random_document(&seed, &text, far);
		obj = slu_json_parse(text.data, text.len, &err);
		expect_ok(slu_topology_of_json(obj, &t, &err), err);
		for (int a = 0; a < SWITCHES; a++)
			for (int b = 0; b < SWITCHES; b++)
				check_pair(&t, far, a, b);
		slu_topology_free(&t);
		json_object_put(obj);
	}
	slu_buf_free(&text);
}
END_TEST

TEST_MAIN("topology", test_conf, test_conf_words, test_many, test_many_links,
	  test_bad_conf, test_bad_json, test_document, test_wrong_newest,
	  test_hops)
