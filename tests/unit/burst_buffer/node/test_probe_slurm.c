/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests what `sluice-node probe` reports about Slurm's settings: the output of
 * a real slurmctld, with one setting changed at a time. */
#include "config.h"
#include "burst_buffer/node/probe/probe.h"
#include "common/file.h"
#include "common/jsonx.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"
#include <fcntl.h>
#include <sys/stat.h>

static const char plugstack[] = "required /usr/lib/slurm/spank_sluice.so\n";

static const struct {
	const char *key, *value; /* this line instead */
	const char *plugstack;
	const char *result, *words; /* of a row; NULL: "ok" and no other */
} cases[] = {
	{"ClusterName", "other", plugstack, NULL, NULL},
	{"BurstBufferType", "(null)", plugstack, "bad", "BurstBufferType="},
	{"BurstBufferType", "burst_buffer/lua", plugstack, "bad",
	 "BurstBufferType="},
	{"PrEpPlugins", "sluice", plugstack, "bad", "lacks script"},
	{"PrEpPlugins", "script", plugstack, "note", "lacks sluice"},
	{"PrEpPlugins", "(null)", plugstack, "note", "lacks sluice"},
	{"PrEpPlugins", "prep/sluice,prep/script", plugstack, NULL, NULL},
	{"PrologFlags", "(null)", plugstack, "bad", "PrologFlags="},
	{"PrologFlags", "Alloc", plugstack, "bad", "PrologFlags="},
	{"PrologFlags", "AllocX,DeferBatch", plugstack, "bad", "PrologFlags="},
	{"PrologFlags", "Alloc,Serial,DeferBatch", plugstack, "bad", "Serial"},
	{"PrologFlags", "DeferBatch,Contain,Alloc", plugstack, NULL, NULL},
	{"PrologEpilogTimeout", "100", plugstack, "bad", "at least 350"},
	{"PrologEpilogTimeout", "350", plugstack, NULL, NULL},
	{"PrologTimeout", "10", plugstack, "bad", "PrologTimeout=10"},
	{"EpilogTimeout", "10", plugstack, "bad", "EpilogTimeout=10"},
	{"EpilogTimeout", "350", plugstack, NULL, NULL},
	{"NamespaceType", "namespace/tmpfs", plugstack, "note", "tmpfs"},
	{"NamespaceType", "(null)", plugstack, NULL, NULL},
	{"Prolog[0]", "wipes", plugstack, "bad", "must not wipe it"},
	{"JobContainerType", "job_container/tmpfs", plugstack, "note", "tmpfs"},
	{"JobContainerType", "(null)", plugstack, NULL, NULL},
	{"SlurmUser", "root(0)", plugstack, "bad", "is root in slurm.conf"},
	{"Prolog", "wipes", plugstack, "bad", "must not wipe it"},
	{"Prolog", "harmless", plugstack, "note", "must not wipe its"},
	{"ClusterName", "other", "# required spank_sluice.so\n", "bad",
	 "lacks the line"},
	{"ClusterName", "other", "optional spank_sluice.so\n", "bad",
	 "lacks the line"},
	{"ClusterName", "other", "\n required\tspank_sluice.so run=/r # we\n",
	 NULL, NULL},
	{"ClusterName", "other", "include nowhere.d/*\n", "bad",
	 "lacks the line"},
	{"ClusterName", "other", "include plugstack.*\n", "bad",
	 "lacks the line"},
	{"ClusterName", "other", "include oth*r.stack\n", NULL, NULL},
	{"ClusterName", "other", NULL, "bad", "cannot be read"},
	{"PlugStackConfig", "other.conf", plugstack, "bad", "cannot be read"},
};

static void put(const char *name, const char *text)
{
	struct slu_err err;

	expect_ok(slu_file_write(AT_FDCWD, tmpfile_path(name), text,
				 strlen(text), 0644, false, &err),
		  err);
}

/* The recorded text with one line changed, or one more. A value that names one
 * of our files becomes its path. */
static char *config_with(const char *key, const char *value)
{
	const char *srcdir = getenv("srcdir");
	struct slu_buf text = {0}, out = {0};
	char path[512], *line, *rest;
	struct slu_err err;

	snprintf(path, sizeof(path), "%s/tests/fixtures/slurm/show-config",
		 srcdir ? srcdir : ".");
	expect_ok(slu_file_read(AT_FDCWD, path, 1 << 20, &text, &err), err);
	slu_buf_printf(&out, "%-23s = %s\n", key,
		       access(tmpfile_path(value), F_OK) ? value
							 : tmpfile_path(value));
	rest = text.data;
	while ((line = strsep(&rest, "\n"))) {
		size_t len = strlen(key);

		if (strncmp(line, key, len) || line[len] != ' ')
			slu_buf_printf(&out, "%s\n", line);
	}
	slu_buf_free(&text);
	return slu_buf_steal(&out);
}

static void expect_row(struct json_object *rows, const char *result,
		       const char *words, const char *label)
{
	size_t n = json_object_array_length(rows);
	const char *is = "", *text = "";

	for (size_t i = 0; i < n; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		slu_json_str(row, "result", &is, NULL);
		slu_json_str(row, "text", &text, NULL);
		if (!strcmp(is, result) && strstr(text, words))
			return;
	}
	ck_abort_msg("%s: no %s with \"%s\", but %s %s", label, result, words,
		     is, text);
}

START_TEST(test_settings)
{
	struct slu_err err;
	struct slu_conf *conf = slu_conf_parse(
		"SetupTimeout=100\nStageInTimeout=200\nStageOutTimeout=300\n"
		"TeardownTimeout=50\n",
		"test", &err);

	put("wipes", "#!/bin/sh\nrm -rf /local/sluice/*\n");
	put("harmless", "#!/bin/sh\nexit 0\n");
	put("other.stack", plugstack);
	each(c, cases)
	{
		struct slu_probe p = {.rows = json_object_new_array(),
				      .stable = json_object_new_array(),
				      .storage = "/local/sluice"};
		char *config = config_with(c->key, c->value);

		unlink(tmpfile_path("plugstack.conf"));
		if (c->plugstack)
			put("plugstack.conf", c->plugstack);
		slu_probe_slurm(&p, conf, config, tmpdir());
		expect_row(p.rows, c->result ? c->result : "ok",
			   c->words ? c->words : "22.05.8", c->value);
		expect(json_object_array_length(p.rows) == 1, "%s: %s",
		       c->value, slu_json_text(p.rows));
		expect((p.bad > 0) == slu_eq(c->result, "bad"), "%s", c->value);
		json_object_put(p.rows);
		json_object_put(p.stable);
		free(config);
	}
	slu_conf_free(conf);
}
END_TEST

TEST_MAIN("probe_slurm", test_settings)
