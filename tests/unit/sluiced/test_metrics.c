/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the names of metrics: those in the alert rules, the dashboard and the
 * guide's page are printed by sluiced or sluice-tbfd, every printed one is on
 * that page, and counters are named as counters.
 */
#include "config.h"
#include "tests/unit/sluiced/sluiced.h"

#include <ctype.h>
#include "common/file.h"
#include "common/jsonx.h"
#include "select_io/tbfd/tbfd.h"

#define PAGE "doc/monitoring.md"

static struct slu_buf printed;

static void read_file(const char *name, struct slu_buf *out)
{
	const char *src = getenv("srcdir");
	char *path = slu_asprintf("%s/%s", src ? src : ".", name);

	expect_ok(slu_file_read(AT_FDCWD, path, 1 << 20, out, &err), err);
	free(path);
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Is the whole name in the text, with one of these characters behind it? */
static bool has(const char *text, const char *name, const char *behind)
{
	const size_t len = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += len)
		if ((at == text || !in_name(at[-1])) && at[len] &&
		    strchr(behind, at[len]))
			return true;
	return false;
}

static bool is_printed(const char *name)
{
	return has(printed.data, name, " {");
}

/* Call fn for each name "sluice_..." of the text. */
static void each_name(const char *text,
		      void (*fn)(const char *name, const char *where),
		      const char *where)
{
	char name[128];
	size_t n;

	for (const char *at = text; (at = strstr(at, "sluice_")); at += n) {
		for (n = 0; in_name(at[n]); n++)
			;
		if (at > text && in_name(at[-1]))
			continue;
		ck_assert_uint_lt(n, sizeof(name));
		snprintf(name, sizeof(name), "%.*s", (int)n, at);
		fn(name, where);
	}
}

static void expect_printed(const char *name, const char *where)
{
	char *bucket = slu_asprintf("%s_bucket", name);

	expect(is_printed(name) || is_printed(bucket), "%s: nobody prints %s",
	       where, name);
	free(bucket);
}

/* Whether a type line calls it a counter, and what it is called. */
static void check_types(void)
{
	char *copy = strdup(printed.data), *rest = copy, *line;
	char name[128], type[32];
	bool total;

	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "# TYPE %127s %31s", name, type) != 2)
			continue;
		total = strlen(name) > 6 &&
			!strcmp(name + strlen(name) - 6, "_total");
		expect(total == !strcmp(type, "counter"), "%s is a %s", name,
		       type);
	}
	free(copy);
}

/* Old names are said where the new one is. */
static bool is_old(const char *name)
{
	char *total = slu_asprintf("%s_total", name);
	bool old = is_printed(total);

	free(total);
	return old;
}

static void check_page(void)
{
	struct slu_buf page = {0};
	char *copy = strdup(printed.data), *rest = copy, *line, name[128];

	read_file(PAGE, &page);
	while ((line = strsep(&rest, "\n")))
		if (sscanf(line, "# TYPE %127s ", name) == 1 && !is_old(name))
			expect(has(page.data, name, "`"), "%s lacks %s", PAGE,
			       name);
	free(copy);
	slu_buf_free(&page);
}

static void print_tbfd(const char *unit)
{
	struct json_object *state = json_object_new_object();
	struct slu_buf out = {0};

	slu_json_set_str(state, "unit", unit);
	slu_tbfd_metrics(state, &out);
	slu_buf_puts(&printed, out.data);
	slu_buf_free(&out);
	json_object_put(state);
}

/* A pool, an assignment and IOStart, so that all is there. */
static void print_sluiced(void)
{
	struct slu_assignment a = {.epoch = 1,
				   .policy = (char *)"MCKP",
				   .ions = (char *)"n1",
				   .pool = 1,
				   .total = 3,
				   .static_total = 2};
	struct slu_io_use io = {.capacity = 1,
				.demand = 2,
				.waiting = 3,
				.waited = 4,
				.bound = 5,
				.advised = 6,
				.metadata_capacity = 7,
				.metadata_demand = 8,
				.metadata_waiting = 9};
	const char *reply;

	ctl_meet();
	ctl_send(&slu_io_use_desc, &io);
	ctl_send(&slu_assignment_desc, &a);
	ctl_expect_any(&slu_published_desc);
	for (int i = 0; i < 200; i++) {
		reply = raw("GET /metrics HTTP/1.1\r\nHost: x\r\n"
			    "Connection: close\r\n\r\n");
		if (strstr(reply, "sluice_pool_bytes{"))
			break;
		usleep(50000);
	}
	slu_buf_puts(&printed, strstr(reply, "\r\n\r\n"));
	ctl_close();
}

/* Each metric of IOStart has the value that is its. */
static void check_io(void)
{
	static const char *const lines[] = {
		"io_capacity_bytes 1",	      "io_demand_bytes 2",
		"io_jobs_waiting 3",	      "io_waited_total 4",
		"io_waited_bound_total 5",    "io_advised_total 6",
		"io_metadata_capacity_ops 7", "io_metadata_demand_ops 8",
		"io_metadata_jobs_waiting 9",
	};

	each(l, lines)
	{
		char *line = slu_asprintf("\nsluice_%s\n", *l);

		expect(strstr(printed.data, line), "%s: %s", *l, printed.data);
		free(line);
	}
}

START_TEST(test_metrics_in_dashboards_exist)
{
	static const char *const files[] = {"etc/prometheus/sluice.rules.yml",
					    "etc/grafana/sluice.json", PAGE,
					    "doc/watching.md"};

	*sluiced_extra_conf = '\0';
	if (!sluiced_begin())
		return;
	print_sluiced();
	print_tbfd("RPCs");
	print_tbfd("bytes");
	expect(is_printed("sluice_ion_gain_ratio") &&
		       strstr(printed.data, "\nsluice_ion_gain_ratio 1.5\n"),
	       "%s", printed.data);
	each(f, files)
	{
		struct slu_buf text = {0};

		read_file(*f, &text);
		each_name(text.data, expect_printed, *f);
		slu_buf_free(&text);
	}
	check_types();
	check_io();
	check_page();
	slu_buf_free(&printed);
	sluiced_end();
}
END_TEST

/* Predictions are summed once for each run, of those that say something. */
START_TEST(test_predictions)
{
	static const struct {
		uint32_t id, predicted, limit;
		int ran;
		const char *state;
	} runs[] = {
		{1, 100, 10, 150, "COMPLETED"}, {1, 100, 10, 150, "COMPLETED"},
		{2, 100, 0, 70, "FAILED"},	{3, 0, 10, 70, "COMPLETED"},
		{4, 100, 10, 70, "NODE_FAIL"},
	};
	const char *reply;

	*sluiced_extra_conf = '\0';
	if (!sluiced_begin())
		return;
	ctl_meet();
	each(r, runs)
	{
		struct slu_job job = job_of_ann(r->id, false);

		job.start = 1000000;
		job.end = 1000000 + r->ran;
		job.predicted = r->predicted;
		job.limit_asked = r->limit;
		job.state = (char *)(uintptr_t)r->state;
		ctl_send(&slu_history_desc, &job);
		ctl_expect_any(&slu_stored_desc);
	}
	reply = raw("GET /metrics HTTP/1.1\r\nHost: x\r\n"
		    "Connection: close\r\n\r\n");
	expect(strstr(reply, "\nsluice_predicted_jobs_total 2\n") &&
		       strstr(reply, "\nsluice_predicted_short_total 1\n") &&
		       strstr(reply,
			      "\nsluice_prediction_error_seconds_total 80\n") &&
		       strstr(reply, "\nsluice_requested_jobs_total 1\n") &&
		       strstr(reply,
			      "\nsluice_request_error_seconds_total 450\n"),
	       "%s", reply);
	ctl_close();
	sluiced_end();
}
END_TEST

TEST_MAIN("metrics", test_metrics_in_dashboards_exist, test_predictions)
