/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the warnings of shares that NodeDevices=all does not spread over the
 * devices of a node. */
#include "config.h"
#include "burst_buffer/request/site/fstype.h"
#include "sluiced/one_device.h"
#include "tests/unit/harness.h"

static char said[4000];
static struct slu_err err;

static void hear(void *arg, enum slu_level level, const char *line)
{
	(void)arg;
	ck_assert_int_eq(level, SLU_WARN);
	strcat(said, line);
	strcat(said, "\n");
}

static const char *check(const char *text)
{
	const struct slu_log log = {.fn = hear, .max = SLU_INFO};
	struct slu_conf *conf = slu_conf_parse(text, "f", &err);

	ck_assert_msg(conf != NULL, "%s", err.text);
	*said = '\0';
	slu_one_device_check(conf, &log);
	slu_conf_free(conf);
	return said;
}

#define LINE "NodeDevices=all: shares "

START_TEST(test_lines)
{
	static const struct {
		const char *conf, *said;
	} cases[] = {
		{"FileSystem=g Driver=glusterfs", ""},
		{"FileSystem=g Driver=glusterfs storage=auto", ""},
		{"FileSystem=d Driver=lustre", ""}, /* not on nodes' devices */
		{"NodeStorage=/nvme*,flash", ""},
		{"FileSystem=t Driver=scratch",
		 LINE "of FileSystem=t lie on one device of a node each, as "
		      "the driver scratch uses one\n"},
		{"FileSystem=k Driver=gekkofs storage=/x\n"
		 "FileSystem=g Driver=GlusterFS Storage=/y\n",
		 LINE "of FileSystem=k lie on one device of a node each, as "
		      "the driver gekkofs uses one\n" LINE
		      "of FileSystem=g lie on one device of a node each, as "
		      "storage=/y is one directory\n"},
		{"FileSystem=g Driver=glusterfs\n"
		 "Profile=big type=g storage=/z",
		 LINE "by Profile=big lie on one device of a node each, as "
		      "storage=/z is one directory\n"},
		{"NodeStorage=/local",
		 LINE "lie on one device of a node each where NodeStorage says "
		      "so, as /local is one directory: give a list of tiers "
		      "or patterns\n"},
	};

	each(c, cases)
	{
		char text[400];

		ck_assert_str_eq(check(c->conf), "");
		snprintf(text, sizeof(text), "NodeDevices=each\n%s", c->conf);
		ck_assert_str_eq(check(text), "");
		snprintf(text, sizeof(text), "NodeDevices=all\n%s", c->conf);
		ck_assert_str_eq(check(text), c->said);
	}
}
END_TEST

/* No driver is silent: it spreads its shares, has none on nodes, or is
 * named. */
START_TEST(test_every_driver)
{
	for (const struct slu_fstype *t = slu_fstypes; t->name; t++) {
		char text[200];

		snprintf(text, sizeof(text),
			 "NodeDevices=all\nFileSystem=x Driver=%s", t->name);
		expect(!*check(text) == (t->spreads || t->remote), "%s",
		       t->name);
	}
}
END_TEST

TEST_MAIN("one_device", test_lines, test_every_driver)
