/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of routes: looked up as a request is, and the same as the one in
 * sluiced(8). */
#include "sluiced/routes.h"
#include "tests/unit/harness.h"

static const struct {
	const char *method, *path;
	bool found;
} cases[] = {
	{"POST", "/v1/plan", true},   {"GET", "/v1/plan", false},
	{"GET", "/metrics", true},    {"POST", "/metrics", false},
	{"POST", "/v1/plan/", false}, {"POST", "/v1", false},
	{"POST", "", false},	      {"post", "/v1/plan", false},
};

START_TEST(test_find)
{
	each(c, cases)
	{
		const struct slu_route *r = slu_routes_find(c->method, c->path);

		expect((r != NULL) == c->found, "%s %s", c->method, c->path);
		if (r)
			ck_assert_str_eq(r->path, c->path);
	}
}
END_TEST

static const char *who_word(enum slu_who who)
{
	switch (who) {
	case SLU_WHO_ANYBODY:
		return "none needed|any|";
	case SLU_WHO_USER:
		return "any|any|";
	case SLU_WHO_HOST:
		return "root|the ";
	}
	return "?";
}

START_TEST(test_manual)
{
	const char *srcdir = getenv("srcdir");
	char path[512], line[512], want[256];
	size_t r = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/man/sluiced.8", srcdir ? srcdir : ".");
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "POST /", 6) && strncmp(line, "GET /", 5))
			continue;
		ck_assert_ptr_nonnull(slu_routes[r].path);
		snprintf(want, sizeof(want), "%s %s|%s", slu_routes[r].method,
			 slu_routes[r].path, who_word(slu_routes[r].who));
		expect(!strncmp(line, want, strlen(want)), "%s, not %s", line,
		       want);
		r++;
	}
	ck_assert_ptr_null(slu_routes[r].path);
	fclose(f);
}
END_TEST

/* What a row needs, so that routes.c can rely on it. */
START_TEST(test_rows)
{
	for (const struct slu_route *r = slu_routes; r->path; r++) {
		ck_assert_ptr_nonnull(r->handle);
		expect(!r->waits || (r->desc && r->who == SLU_WHO_HOST),
		       "%s: a long poll has a job", r->path);
		expect(r->who != SLU_WHO_HOST || r->host || r->node, "%s",
		       r->path);
		ck_assert_int_lt(r - slu_routes, SLU_METRICS_ROUTES);
	}
}
END_TEST

TEST_MAIN("sluiced_routes", test_find, test_manual, test_rows)
