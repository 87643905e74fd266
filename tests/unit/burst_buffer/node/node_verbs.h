/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_NODE_VERBS_H
#define SLU_TESTS_NODE_VERBS_H

/* Runs subcommands of sluice-node as the program does, on a node n1 whose
 * directories are below tmpdir(), with a sluiced of the test. */

#include "burst_buffer/node/commands/commands.h"
#include "burst_buffer/node/verbs.h"
#include "common/file.h"
#include "tests/unit/sluiced/sluiced.h"
#include <pwd.h>

static struct slu_node_options options;

static inline const char *path_of(const char *name)
{
	return tmpfile_path(name);
}

static inline void put(const char *name, const char *text)
{
	expect_ok(slu_file_write(AT_FDCWD, path_of(name), text, strlen(text),
				 0644, false, &err),
		  err);
}

static inline void make_dirs(const char *name)
{
	expect_ok(slu_mkdirs(path_of(name), 0755, &err), err);
}

typedef int verb_f(struct slu_node *n);

/* Run a subcommand as the program does; what it prints comes in *out. */
static inline int run(verb_f *verb, char **out)
{
	int code = -1, keep[2] = {dup(1), dup(2)};
	struct slu_buf text = {0};
	struct slu_node n;

	fflush(stdout);
	fflush(stderr);
	ck_assert_ptr_nonnull(freopen(path_of("printed"), "w", stdout));
	dup2(fileno(stdout), 2);
	if (!slu_node_open(&n, &options, &err))
		code = verb(&n);
	slu_node_close(&n);
	fflush(stdout);
	dup2(keep[0], 1);
	dup2(keep[1], 2);
	close(keep[0]);
	close(keep[1]);
	slu_file_read(AT_FDCWD, path_of("printed"), 1 << 20, &text, &err);
	*out = slu_buf_steal(&text);
	return code;
}

/* The same where only the exit code and some words matter. */
static inline void expect_run(verb_f *verb, int want, const char *words)
{
	char *out;
	int code = run(verb, &out);

	expect(code == want && strstr(out, words), "%d, \"%s\" without \"%s\"",
	       code, out, words);
	free(out);
}

/* A node n1 in a directory. */
static inline void node_begin(const char *more)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "RunDir=%s/run\nNodeStorage=%s/storage\nSlurmUser=%s\n"
		 "DaemonAddr=127.0.0.1:%u\nFileSystem=fs Driver=scratch\n%s",
		 tmpdir(), tmpdir(), getpwuid(getuid())->pw_name,
		 sluiced_port ? sluiced_port : 1, more);
	put("node.conf", text);
	setenv("SLUICE_CONF", path_of("node.conf"), 1);
	setenv("SLURMD_NODENAME", "n1", 1);
	chmod(tmpdir(), 0755);
	options = (struct slu_node_options){.job_id = 7, .log = "-"};
	make_dirs("run/io");
}

#endif
