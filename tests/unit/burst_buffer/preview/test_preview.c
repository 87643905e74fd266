/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the check of stage-in sources before a job runs: what is missing, and
 * the sum of what exists, for files, directories, patterns and lists. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "burst_buffer/preview/stage_sources.h"
#include "common/str.h"

struct heard {
	struct slu_buf text;
	int steps; /* that are left; -1: as many as it takes */
};

static void tell(void *arg, int line, const char *text)
{
	struct heard *h = arg;

	slu_buf_printf(&h->text, "%d: %s\n", line, text);
}

static bool go_on(void *arg)
{
	struct heard *h = arg;

	return h->steps < 0 || h->steps-- > 0;
}

static void make_file(const char *name, size_t size)
{
	char path[4096], block[1024] = {1};
	int fd;

	snprintf(path, sizeof(path), "%s/%s", tmpdir(), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	ck_assert(fd >= 0);
	for (; size; size -= sizeof(block))
		ck_assert(write(fd, block, sizeof(block)) == sizeof(block));
	close(fd);
}

static void make_dir(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", tmpdir(), name);
	ck_assert(!mkdir(path, 0755));
}

static void make_tree(void)
{
	char path[4096];

	make_dir("in");
	make_dir("in/deep");
	make_file("in/a", 2048);
	make_file("in/deep/b", 4096);
	make_file("list", 1024);
	make_file("x1", 1024);
	make_file("x2", 1024);
	make_dir("ann.sim");
	make_file("ann.sim/c", 3072);
	snprintf(path, sizeof(path), "%s/in/link", tmpdir());
	ck_assert(!symlink("a", path));
	make_file("sparse", 0);
	snprintf(path, sizeof(path), "%s/sparse", tmpdir());
	ck_assert(!truncate(path, 1 << 30));
}

/* The request with the directory in place of "@"; "" for nothing to tell. */
static const struct {
	const char *request;
	uint64_t bytes, files;
	const char *told;
	int steps;
	bool cut;
} cases[] = {
	{"source=@/in", 6144, 2, "", -1, false},
	{"source=@/in/", 6144, 2, "", -1, false},
	{"source=@/in/a", 2048, 1, "", -1, false},
	{"source=@/in/a type=file", 2048, 1, "", -1, false},
	{"source=@/in/a type=directory", 0, 0,
	 "2: stage_in: @/in/a cannot be read on this host: Not a directory\n",
	 -1, false},
	{"source=@/none", 0, 0,
	 "2: stage_in: @/none cannot be read on this host: No such file or directory\n",
	 -1, false},
	{"source=@/x?", 2048, 2, "", -1, false},
	{"source=@/y*", 0, 0,
	 "2: stage_in: @/y* cannot be read on this host: No such file or directory\n",
	 -1, false},
	{"source=@/%u.%x", 3072, 1, "", -1, false},
	{"source=@/none.%j", 0, 0, "", -1, false},
	{"source=@/none.%%%a", 0, 0, "", -1, false},
	{"source=@/none.%%j", 0, 0,
	 "2: stage_in: @/none.%j cannot be read on this host: No such file or "
	 "directory\n",
	 -1, false},
	{"source=@/list type=list", 0, 0, "", -1, false},
	{"source=@/sparse", 0, 1, "", -1, false},
	{"source=@/in", 0, 0, "", 0, true},
	{"source=@/in/a\n#BB stage_in source=@/none destination=$BB_JOBFS/",
	 2048, 1, "", 0, true},
};

static char *with_dir(const char *text)
{
	struct slu_buf out = {0};

	slu_buf_puts(&out, "");
	for (; *text; text++)
		if (*text == '@')
			slu_buf_puts(&out, tmpdir());
		else
			slu_buf_add(&out, text, 1);
	return slu_buf_steal(&out);
}

START_TEST(test_sources)
{
	const struct slu_symbols sym = {
		.user = "ann", .job_name = "sim", .array_task_id = UINT32_MAX};

	make_tree();
	each(c, cases)
	{
		struct heard h = {.steps = c->steps};
		const struct slu_sources_look look = {
			.go_on = go_on, .tell = tell, .arg = &h};
		struct slu_sources sum;
		struct slu_request req;
		struct slu_err err = {0};
		char *request = with_dir(c->request), *told = with_dir(c->told);
		char *script = slu_asprintf(
			"#BB jobfs capacity=1G\n"
			"#BB stage_in destination=$BB_JOBFS/ %s\n"
			"#BB stage_out source=$BB_JOBFS/o destination=/none\n",
			request);

		slu_buf_puts(&h.text, "");
		expect(!slu_request_parse(NULL, script, &req, &err), "%s: %s",
		       script, err.text);
		slu_sources_see(&req, &sym, &look, &sum);
		expect(sum.bytes == c->bytes && sum.files == c->files &&
			       sum.cut == c->cut,
		       "%s: %llu bytes, %llu files, %d", request,
		       (unsigned long long)sum.bytes,
		       (unsigned long long)sum.files, sum.cut);
		ck_assert_str_eq(h.text.data ? h.text.data : "",
				 told ? told : "");
		slu_request_free(&req);
		slu_buf_free(&h.text);
		free(script);
		free(request);
		free(told);
	}
}
END_TEST

TEST_MAIN("preview", test_sources)
