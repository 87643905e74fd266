/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the cache of Lustre targets: after any history of reports and questions
 * its answers are those computed from the reports themselves. */
#include "config.h"
#include "tests/unit/select_io/ost_answers.h"
#include "tests/unit/random.h"
#include "select_io/ost/known_targets.h"

#define HOSTS	6
#define ROUNDS	60
#define HISTORY 40

static uint64_t seed = 1;

static uint64_t below(uint64_t n)
{
	return slu_random(&seed, n);
}

static void add_target(struct json_object *list, unsigned index)
{
	struct json_object *one = json_object_new_object();
	char name[32];

	snprintf(name, sizeof(name), "%s-OST%04x", below(40) ? "f" : "g",
		 index);
	slu_json_set_str(one, "name", name);
	slu_json_set_u64(one, "index", index);
	slu_json_set_u64(one, "total", 9000000);
	slu_json_set_u64(one, "available", 1000000 + below(8) * 1000000);
	slu_json_set_u64(one, "read", below(3) * 1000000);
	slu_json_set_u64(one, "io_ms", 1 + below(6));
	if (below(20) == 0)
		slu_json_set_str(one, "state", "degraded");
	json_object_array_add(list, one);
}

/* What host h says; now and then of one target less, of one of another's, or
 * which target is closed. */
static struct json_object *report(unsigned h, double now)
{
	struct json_object *said = json_object_new_object();
	struct json_object *list = json_object_new_array(), *closed, *one;

	slu_json_set_u64(said, "cpu", below(100));
	slu_json_set_u64(said, "memory", below(100));
	slu_json_set_u64(said, "network", below(1000000));
	slu_json_set_u64(said, "moved", below(1000000));
	slu_json_set_u64(said, "peak", below(4) * 100000000);
	slu_json_set_double(said, "came", now);
	slu_json_set_str(said, "domain", below(2) ? "r1" : "r2");
	for (unsigned i = 0; i < 3; i++)
		if (below(30))
			add_target(list, h * 3 + i);
	if (below(30) == 0)
		add_target(list, (unsigned)below(HOSTS * 3));
	json_object_object_add(said, "osts", list);
	if (below(20))
		return said;
	closed = json_object_new_array();
	one = json_object_new_object();
	slu_json_set_str(one, "name", "f-OST0001");
	slu_json_set_str(one, "why", "drained");
	json_object_array_add(closed, one);
	json_object_object_add(said, "closed", closed);
	return said;
}

struct world {
	struct json_object *servers, *again; /* the same documents, twice */
	struct slu_known_targets *known;
	struct slu_recent_placements *recent, *other;
	double now;
};

static struct json_object *copy_of(struct json_object *obj)
{
	return parse(slu_json_text(obj));
}

static void hear(struct world *w)
{
	unsigned h = (unsigned)below(HOSTS);
	struct json_object *said = report(h, w->now), *old = NULL;
	char name[8];

	snprintf(name, sizeof(name), "h%u", h);
	json_object_object_get_ex(w->servers, name, &old);
	old = json_object_get(old);
	json_object_object_add(w->again, name, copy_of(said));
	json_object_object_add(w->servers, name, said);
	slu_known_targets_said(w->known, name, said);
	json_object_put(old);
}

static void forget_one(struct world *w)
{
	char name[8];

	snprintf(name, sizeof(name), "h%u", (unsigned)below(HOSTS));
	json_object_object_del(w->servers, name);
	json_object_object_del(w->again, name);
	slu_known_targets_said(w->known, NULL, NULL);
}

/* As a process would answer that has the documents. */
static struct json_object *
by_documents(struct world *w, const struct slu_known_ask *ask, int *rc)
{
	struct json_object *out = NULL, *lesson;
	struct json_object_iter at;
	struct slu_err why;

	json_object_object_foreachC(w->again, at)
	{
		double came = 0;

		slu_json_double_opt(at.val, "came", &came, NULL);
		slu_json_set_double(at.val, "age", w->now - came);
	}
	slu_recent_placements_write(w->other, w->again, w->now);
	*rc = slu_ost_choose(ask->settings, w->again, ask->request, &out, &why);
	if (*rc)
		return NULL;
	if (ask->dry)
		slu_json_set_bool(out, "dry", true);
	lesson = slu_recent_placements_of_answer(out);
	slu_recent_placements_add(w->other, lesson, ask->uid, w->now);
	json_object_put(lesson);
	return out;
}

static void same(struct json_object *a, struct json_object *b, const char *key)
{
	char *first = strdup(text_of(a, key));

	expect(!strcmp(first, text_of(b, key)), "%s: %s, not %s", key, first,
	       text_of(b, key));
	free(first);
}

static void ask_both(struct world *w)
{
	static const double bytes[] = {0x1p30, 0x1p31};
	struct json_object *without = parse("[1,7]");
	struct slu_ost_choose_settings set = slu_ost_choose_defaults;
	struct slu_ost_choose_request r = {
		.stripes = 1 + (uint32_t)below(6),
		.files = (uint32_t)below(5),
		.size = below(2) * below(UINT64_C(1) << 31),
		.fsname = below(3) ? "f" : NULL,
		.seed = 1 + below(1000),
		.without = below(4) ? NULL : without,
		.predicted = bytes,
		.n_predicted = below(4) ? 0 : 2,
	};
	struct slu_known_ask ask = {.settings = &set,
				    .request = &r,
				    .uid = below(2) ? 1000 : 0,
				    .dry = below(5) == 0};
	struct json_object *out = NULL, *want;
	struct slu_err why;
	int rc, expected;

	if (below(10) == 0)
		set.cost = SLU_OST_LINEAR;
	want = by_documents(w, &ask, &expected);
	rc = slu_known_targets_place(w->known, w->servers, w->recent, &ask,
				     w->now, &out, &why);
	ck_assert_int_eq(rc, expected);
	if (rc == 0) {
		same(out, want, "files");
		same(out, want, "missing");
		same(out, want, "stripe_bytes");
		ck_assert(!json_object_object_get_ex(out, "osts", NULL));
	}
	json_object_put(out);
	json_object_put(want);
	json_object_put(without);
}

START_TEST(test_same)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct world w = {
			.servers = json_object_new_object(),
			.again = json_object_new_object(),
			.known = slu_known_targets_new(),
			.recent = slu_recent_placements_new(),
			.other = slu_recent_placements_new(),
		};

		for (int k = 0; k < HISTORY; k++) {
			w.now += (double)below(9);
			if (below(40) == 0)
				forget_one(&w);
			else if (below(3))
				hear(&w);
			else
				ask_both(&w);
		}
		slu_known_targets_free(w.known);
		slu_recent_placements_free(w.recent);
		slu_recent_placements_free(w.other);
		json_object_put(w.servers);
		json_object_put(w.again);
	}
}
END_TEST

TEST_MAIN("known targets", test_same)
