/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/unit/harness.h"
#include "burst_buffer/request/request.h"

static struct slu_conf *site(const char *more)
{
	char text[512];
	struct slu_conf *conf;
	struct slu_err err = {0};

	snprintf(text, sizeof(text),
		 "Database=/d\nDaemonAddr=h:1\nMaxCapacity=1TiB\n%s\n", more);
	conf = slu_conf_parse(text, "test", &err);
	expect(conf, "%s", err.text);
	return conf;
}

#define FS \
	"FileSystem=tmp Driver=scratch Default=yes\nFileSystem=glu Driver=glusterfs"

START_TEST(test_check)
{
	static const struct {
		const char *conf, *text, *user, *want; /* NULL: it is fine */
	} cases[] = {
		{FS, "", NULL, NULL},
		{FS, "forward max=3", "eve", NULL},
		{FS, "capacity=1TiB", "eve", NULL},
		{FS, "capacity=1TiB type=glu", NULL, NULL},
		{FS, "capacity=1025GiB", NULL,
		 "capacity 1TiB is more than the 1TiB"},
		{FS, "capacity=2TiB", NULL, "2TiB is more than the 1TiB"},
		{FS, "capacity=1 type=nfs", NULL,
		 "no file system nfs; type= may be tmp, glu"},
		{"FileSystem=glu Driver=glusterfs", "capacity=1", NULL, NULL},
		{"", "capacity=1", NULL, "none is configured"},
		{FS "\nAllowUsers=ann,bob", "capacity=1", "bob", NULL},
		{FS "\nAllowUsers=ann,bob", "capacity=1", "eve",
		 "user eve may not"},
		{FS "\nDenyUsers=eve", "capacity=1", "eve", "user eve may not"},
		{FS "\nDenyUsers=eve", "capacity=1", "bob", NULL},
		{FS "\nAllowUsers=eve\nDenyUsers=eve", "capacity=1", "eve",
		 "may not"},
		{FS "\nDenyUsers=eve", "forward", "eve", NULL},
		{FS, "stage_in source=/a destination=$BB_JOBFS", NULL,
		 "needs a jobfs"},
#define IN(src, dst) \
	"capacity=1 name=w; stage_in source=" src " destination=" dst
#define OUT(src, dst) \
	"capacity=1 name=w; stage_out source=" src " destination=" dst
		{FS, IN("/a", "$BB_w"), NULL, NULL},
		{FS, IN("/a/%u/%x.%j-%A_%a%%", "$BB_w/b/%j"), NULL, NULL},
		{FS, IN("a", "$BB_w"), NULL,
		 "stage_in: source a: must be an absolute"},
		{FS, IN("/a", "/b"), NULL,
		 "stage_in: destination /b: must be $BB_w[/...]"},
		{FS, IN("/a", "$BB_JOBFS/b"), NULL, "must be $BB_w"},
		{FS, IN("/a", "$BB_ww/b"), NULL, "must be $BB_w"},
		{FS, IN("/a", "$BB_"), NULL, "must be $BB_w"},
		{FS, IN("/a", "$HOME/b"), NULL, "must be $BB_w"},
		{FS, IN("/a", "$BB_w/$BB_w"), NULL, "must be $BB_w"},
		{FS, IN("/a/$BB_w", "$BB_w"), NULL, "without $"},
		{FS, IN("$BB_w/a", "$BB_w"), NULL, "must be an absolute"},
		{FS, IN("/a/../b", "$BB_w"), NULL,
		 "stage_in: /a/../b: \"..\" is refused"},
		{FS, IN("/a/..", "$BB_w"), NULL, "\"..\" is refused"},
		{FS, IN("/..", "$BB_w"), NULL, "\"..\" is refused"},
		{FS, IN("/a", "$BB_w/.."), NULL, "\"..\" is refused"},
		{FS, IN("/a..b/...", "$BB_w/..c/d.."), NULL, NULL},
		{FS, IN("/a%", "$BB_w"), NULL, "% stands only before"},
		{FS, IN("/a%n", "$BB_w"), NULL, "% stands only before"},
		{FS, IN("/a", "$BB_w/%t"), NULL, "% stands only before"},
		{FS, OUT("$BB_w/o", "/b"), NULL, NULL},
		{FS, OUT("/b", "$BB_w/o"), NULL,
		 "stage_out: destination $BB_w/o: must be an absolute"},
		{FS, OUT("/b", "/o"), NULL,
		 "stage_out: source /b: must be $BB_w"},
		{FS, OUT("$BB_w/../x", "/b"), NULL, "\"..\" is refused"},
	};
	struct slu_request req;
	struct slu_err err;

	each(c, cases)
	{
		struct slu_conf *conf = site(c->conf);

		expect_ok(slu_request_parse(c->text, NULL, &req, &err), err);
		err = (struct slu_err){0};
		if (slu_request_check(&req, conf, c->user, &err) == 0)
			expect(!c->want, "%s|%s passed", c->conf, c->text);
		else
			expect(c->want && strstr(err.text, c->want), "%s: %s",
			       c->text, err.text);
		slu_request_free(&req);
		slu_conf_free(conf);
	}
}
END_TEST

TEST_MAIN("request_check", test_check)
