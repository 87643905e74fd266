/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sluiced's table of HTTP routes: the look-up of a request, and that
 * sluiced(8) has the same table. */
#include "sluiced/http/api/exchange.h"
#include "sluiced/http/api/routes.h"
#include "tests/unit/harness.h"

static const struct {
	const char *method, *path;
	bool found;
} cases[] = {
	{"POST", "/v1/plan", true},   {"GET", "/v1/plan", false},
	{"GET", "/v1/conf", true},    {"POST", "/v1/conf", false},
	{"GET", "/metrics", true},    {"POST", "/metrics", false},
	{"POST", "/v1/plan/", false}, {"POST", "/v1", false},
	{"POST", "", false},	      {"post", "/v1/plan", false},
};

START_TEST(test_routes_by_method_and_path)
{
	each(c, cases)
	{
		const struct slu_route *r =
			slu_route_find(slu_routes, c->method, c->path);

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
		return "none|any|";
	case SLU_WHO_USER:
		return "any|any|";
	case SLU_WHO_ADMIN:
		return "SlurmUser|any|";
	case SLU_WHO_HOST:
		return "root|named|";
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
START_TEST(test_every_row_is_complete)
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

static int never(struct slu_daemon *d, struct slu_req *req, struct slu_buf *out,
		 struct slu_err *err)
{
	(void)d, (void)out, (void)err;
	ck_abort_msg("%s was handled", req->path);
	return -1;
}

/* After a failed commit the cache differs from the database: no request is
 * answered from it, and none waits for an answer. */
START_TEST(test_nothing_is_answered_after_failed_commit)
{
	static const struct slu_log log;
	static const struct slu_request_batch_ops ops; /* none is called */
	static const struct slu_route route = {.path = "/v1/x",
					       .handle = never};
	struct slu_daemon d = {.failed = true, .log = &log};
	struct slu_req req = {.route = &route, .path = (char *)"/v1/x"};

	slu_request_batch_init(&d.turn, NULL, NULL, &log, &ops);
	d.turn.open = true; /* so that the answer is kept for us */
	slu_routes_handle(&d, &req);
	ck_assert_ptr_eq(d.turn.held, &req);
	ck_assert_int_eq(req.rc, -1);
	expect_err(req.err, SLU_IO, "stopping");
	slu_request_batch_init(&d.turn, NULL, NULL, &log, &ops);
	d.turn.open = true;
	req.rc = 0;
	ck_assert(slu_routes_parked(&d, &req.parked, false));
	ck_assert_ptr_eq(d.turn.held, &req);
	ck_assert_int_eq(req.rc, -1);
}
END_TEST

TEST_MAIN("sluiced_routes", test_routes_by_method_and_path, test_manual,
	  test_every_row_is_complete,
	  test_nothing_is_answered_after_failed_commit)
