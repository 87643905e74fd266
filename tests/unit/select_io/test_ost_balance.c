/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how the choice of storage targets balances servers. */
#include "config.h"
#include "tests/unit/select_io/ost_choose_call.h"

/* `servers` of eight targets, the last used to `last`, the others to `used`;
 * `per_domain` of them in a failure domain (0: none is known). */
static struct json_object *alike(uint32_t servers, double used, double last,
				 uint32_t per_domain)
{
	struct json_object *all = json_object_new_object();

	for (uint32_t k = 0; k < servers; k++) {
		struct json_object *o = json_object_new_object();
		struct json_object *list = json_object_new_array();
		double u = k + 1 == servers ? last : used;
		char name[32];

		if (per_domain) {
			sprintf(name, "room%u", k / per_domain);
			slu_json_set_str(o, "domain", name);
		}
		for (uint32_t i = 0; i < 8; i++) {
			struct json_object *t = json_object_new_object();

			sprintf(name, "f-OST%04x", k * 8 + i);
			slu_json_set_str(t, "name", name);
			slu_json_set_u64(t, "index", k * 8 + i);
			slu_json_set_double(t, "total", 1e9);
			slu_json_set_double(t, "available", 1e9 * (1 - u));
			json_object_array_add(list, t);
		}
		json_object_object_add(o, "osts", list);
		sprintf(name, "oss%u", k);
		json_object_object_add(all, name, o);
	}
	return all;
}

/* How many stripes the file has on the server, or in the domain, that has most
 * of them. */
static uint32_t most_on_one(struct json_object *file, uint32_t per_group)
{
	uint32_t on[4096] = {0}, most = 0;

	for (size_t k = 0; k < json_object_array_length(file); k++) {
		uint32_t *n = &on[(uint32_t)json_object_get_int(
					  json_object_array_get_idx(file, k)) /
				  per_group];

		most = ++*n > most ? *n : most;
	}
	return most;
}

/* Stripes of a file are on as many servers, and in as many domains, as that is
 * worth: not where the others are far fuller. */
START_TEST(test_servers)
{
	static const struct {
		uint32_t servers, stripes, files, per_domain;
		double used, last;
		uint32_t most, most_in_domain;
	} cases[] = {
		{2, 4, 1, 0, 0.5, 0.5, 2, 0},
		{2, 16, 1, 0, 0.5, 0.5, 8, 0},
		{2, 3, 7, 0, 0.5, 0.5, 2, 0},
		{4, 4, 1, 2, 0.5, 0.5, 1, 2},
		{4, 2, 5, 2, 0.5, 0.5, 1, 1},
		{10, 8, 1, 0, 0.5, 0.495, 1, 0},
		{10, 8, 4, 0, 0.5, 0.495, 1, 0},
		{10, 8, 1, 0, 0.9, 0.1, 1, 0},
		{2, 4, 1, 0, 0.94, 0.1, 3, 0},
	};

	each(c, cases) for (uint64_t seed = 0; seed < 20; seed++)
	{
		const struct slu_ost_choose_request r = {.stripes = c->stripes,
							 .files = c->files,
							 .size = 1u << 30,
							 .seed = seed};
		struct json_object *all, *out, *list, *file;
		struct slu_err err;

		all = alike(c->servers, c->used, c->last, c->per_domain);
		expect_ok(slu_ost_choose(&slu_ost_choose_defaults, all, &r,
					 &out, &err),
			  err);
		json_object_object_get_ex(out, "files", &list);
		for (uint32_t i = 0; i < c->files; i++) {
			file = json_object_array_get_idx(list, i);
			ck_assert_uint_eq(json_object_array_length(file),
					  c->stripes);
			expect(most_on_one(file, 8) == c->most, "case %td: %s",
			       c - cases, json_object_to_json_string(list));
			if (c->per_domain)
				expect(most_on_one(file, 8 * c->per_domain) ==
					       c->most_in_domain,
				       "case %td: %s", c - cases,
				       json_object_to_json_string(list));
		}
		json_object_put(out);
		json_object_put(all);
	}
}
END_TEST

/* Room for what is predicted is kept, and the file is spread all the same. */
START_TEST(test_servers_predicted)
{
	static const double bytes[] = {4e9, 70e9};
	const struct slu_ost_choose_request r = {.stripes = 4,
						 .size = 1u << 30,
						 .predicted = bytes,
						 .n_predicted = 2};
	struct json_object *all = alike(2, 0.5, 0.5, 0), *out, *list;
	struct slu_err err;

	expect_ok(slu_ost_choose(&slu_ost_choose_defaults, all, &r, &out, &err),
		  err);
	json_object_object_get_ex(out, "files", &list);
	ck_assert_uint_eq(most_on_one(json_object_array_get_idx(list, 0), 8),
			  2);
	json_object_put(out);
	json_object_put(all);
}
END_TEST

START_TEST(test_balance)
{
	static const struct {
		double used, mean, excess;
	} space[] = {
		{0.2, 0.4, 0},
		{0.4, 0.4, 0},
		{0.406, 0.4, 0},
		{0.41, 0.4, 16 * 0.004 + 64 * 0.01},
		{0.6, 0.4, 16 * 0.194 + 2},
		{0.6, 0, 16 * 0.6 + 2},
	};
	static const struct {
		double moved, peak, balance;
	} server[] = {
		{0, 0, 0},	{1e9, 1e9, 15},	  {3e8, 1e9, 4.5},
		{9e9, 1e9, 15}, {1e5, 1e5, 0.15}, /* hardly anything */
	};
	const struct slu_ost_choose_settings *s = &slu_ost_choose_defaults;

	each(c, space) ck_assert_double_eq_tol(
		slu_ost_excess(s, c->used, c->mean), c->excess, 1e-9);
	ck_assert_double_eq_tol(slu_ost_busy(s, 0, 0), 0.1, 1e-9);
	ck_assert_double_eq_tol(slu_ost_busy(s, 5e8, 1e9), 0.35, 1e-9);
	ck_assert_double_eq_tol(slu_ost_busy(s, 9e9, 1e9), 1.1, 1e-9);
	each(c, server) ck_assert_double_eq_tol(
		slu_ost_balance(s, c->moved, c->peak), c->balance, 1e-9);
}
END_TEST

/* What servers have moved, of the most that one of them could: a's targets are
 * dearer than b's, and c, which does not say, is between them. Where no peak
 * is said it is the most that one moves. */
START_TEST(test_balanced_servers)
{
	static const struct {
		const char *a, *b;
		double want[3];
	} cases[] = {
		{"\"moved\":3e8,\"peak\":1e9",
		 "\"moved\":1e8,\"peak\":5e8",
		 {4.6, 1.6, 3.1}},
		{"\"moved\":3e8",
		 "\"moved\":1e8,\"peak\":5e8",
		 {9.1, 3.1, 6.1}},
		{"\"moved\":3e8", "\"moved\":1e8", {15.1, 5.1, 10.1}},
	};
	char servers[512];
	double cost = 0;

	each(c, cases)
	{
		struct json_object *out, *list;

		snprintf(servers, sizeof(servers),
			 "{\"a\":{%s,\"osts\":[{\"name\":\"f-OST0000\","
			 "\"index\":0,\"total\":1000,\"available\":900}]},"
			 "\"b\":{%s,\"osts\":[{\"name\":\"f-OST0001\","
			 "\"index\":1,\"total\":1000,\"available\":900}]},"
			 "\"c\":{\"osts\":[{\"name\":\"f-OST0002\","
			 "\"index\":2,\"total\":1000,\"available\":900}]}}",
			 c->a, c->b);
		out = choose(servers, 0, 0, 0);
		json_object_object_get_ex(out, "osts", &list);
		for (size_t i = 0; i < 3; i++) {
			ck_assert(!slu_json_double_opt(
				json_object_array_get_idx(list, i), "cost",
				&cost, NULL));
			ck_assert_double_eq_tol(cost, c->want[i], 1e-9);
		}
		json_object_put(out);
	}
}
END_TEST

TEST_MAIN("ost_balance", test_servers, test_servers_predicted, test_balance,
	  test_balanced_servers)
