/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the helpers of stage_trees.h. */
#include "config.h"
#include "tests/unit/burst_buffer/node/stage_trees.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

char *top;
char src[4096], dst[4096];
struct slu_err err;

void setup(void)
{
	top = tree_new();
	snprintf(src, sizeof(src), "%s", in(top, "src"));
	snprintf(dst, sizeof(dst), "%s", in(top, "dst"));
	make_dir(src, 0755);
	make_dir(dst, 0755);
	memset(&err, 0, sizeof(err));
}

void teardown(void)
{
	tree_remove(top);
}

int manifest(void)
{
	int fd = open(in(top, "manifest"), O_RDWR | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	return fd;
}

int all_nodes(enum slu_act_name act, struct slu_stage_part part)
{
	int pipefd[2], rc = 0;
	pid_t pid[8];

	ck_assert(!pipe(pipefd));
	for (part.self = 0; part.self < part.n; part.self++) {
		pid[part.self] = fork();
		if (!pid[part.self]) {
			struct slu_stage_result r;
			struct slu_err e = {0};

			part.manifest = open(in(top, "manifest"), O_RDONLY);
			if (!slu_stage(act, &part, &r, &e))
				_exit(0);
			_exit(write(pipefd[1], &e, sizeof(e)) > 0 ? 1 : 2);
		}
	}
	for (unsigned i = 0; i < part.n; i++) {
		int status;

		waitpid(pid[i], &status, 0);
		rc |= status;
	}
	if (rc)
		ck_assert_int_eq(read(pipefd[0], &err, sizeof(err)),
				 sizeof(err));
	close(pipefd[0]);
	close(pipefd[1]);
	return rc ? -1 : 0;
}

int stage_part(struct slu_stage_part part, struct slu_stage_result *result)
{
	struct slu_stage_result r;
	int rc = -1;

	part.manifest = manifest();
	if (!slu_stage(SLU_PREPARE, &part, result ? result : &r, &err) &&
	    !all_nodes(SLU_COPY, part) && !all_nodes(SLU_VERIFY, part))
		rc = slu_stage(SLU_FINISH, &part, &r, &err);
	close(part.manifest);
	return rc;
}

void same(const char *a, const char *b)
{
	const char *how = tree_differs(a, b, 1);

	ck_assert_msg(!how, "%s", how);
}

int stage(const char *source, const char *destination, unsigned n)
{
	struct slu_stage_part part = {
		.source = source,
		.destination = destination,
		.n = n,
		.durable = true,
	};

	return stage_part(part, NULL);
}

void grow(const char *dir, int depth, unsigned seed)
{
	static const char *const odd[] = {"plain",  "new\nline", "-rf",
					  "sp ace", "\xff\xfe",	 "$(x);&'\""};
	char name[300];

	for (unsigned i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "%s/%s", dir, odd[i]);
		make_file(name, (seed + i) * 977u % 70000, seed + i);
		if (i % 2)
			ck_assert(!chmod(name, 0444));
	}
	make_link(in(dir, "dangling"), "nowhere\n");
	make_link(in(dir, "absolute"), "/etc/passwd");
	make_file(in(dir, "zero"), 0, 0);
	ck_assert(!link(in(dir, "plain"), in(dir, "hard")));
	memset(name, 'L', 255);
	name[255] = '\0';
	make_text(in(dir, name), "long name");
	make_dir(in(dir, "nothing"), 0700);
	if (depth) {
		char sub[4096];

		snprintf(sub, sizeof(sub), "%s", in(dir, "sub"));
		make_dir(sub, 0755);
		grow(sub, depth - 1, seed + 10);
		ck_assert(!chmod(sub, depth % 2 ? 0555 : 0750));
	}
}

void failed_with(int rc, const char *words)
{
	ck_assert_int_eq(rc, -1);
	ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
	ck_assert_ptr_null(strchr(err.text, '\n'));
}

void become_nobody(void)
{
	if (geteuid())
		return;
	ck_assert(!chown(top, 65534, 65534));
	ck_assert(!chown(src, 65534, 65534));
	ck_assert(!chown(dst, 65534, 65534));
	ck_assert(!setresgid(65534, 65534, 65534));
	ck_assert(!setresuid(65534, 65534, 65534));
}
