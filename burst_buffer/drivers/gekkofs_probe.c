/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks for `sluice-node probe` whether the daemon and the client of GekkoFS
 * run on this machine, and which release they are. Both are started, as an
 * installed program may lack libraries.
 */
#include "config.h"
#include "burst_buffer/drivers/gekkofs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "common/file.h"
#include "common/proc.h"

#define SECONDS	    10.0
#define LIBRARY_MAX (256u << 20)

static const char *server(const struct slu_fs_conf *conf)
{
	return slu_fs_option(conf, "server", "/usr/bin/gkfs_daemon");
}

static const char *library(const struct slu_fs_conf *conf)
{
	return slu_fs_option(conf, "library", "/usr/lib/libgkfs_intercept.so");
}

static int look_for(const char *path, int how, const char *what,
		    struct slu_buf *why)
{
	if (*path == '/' && !access(path, how))
		return 0;
	slu_buf_printf(why,
		       "%s is missing: install GekkoFS and name its full path "
		       "with %s=\n",
		       path, what);
	return 1;
}

/* The first library that the loader does not find. */
static bool lacks(const char *path, struct slu_buf *why)
{
	char *argv[] = {"ldd", (char *)path, NULL};
	struct slu_buf out = {.max = 1 << 20};
	char *rest, *line;
	bool found = false;

	slu_run(argv, SECONDS, &out, NULL);
	for (rest = out.data; !found && (line = strsep(&rest, "\n"));) {
		found = strstr(line, "not found");
		line += strspn(line, "\t ");
		if (found)
			slu_buf_printf(why, "%s: %s (ldd)\n", path, line);
	}
	slu_buf_free(&out);
	return found;
}

/* The program checks its required options before it prints its version. */
static int ask_version(const struct slu_fs_conf *conf, struct slu_buf *out,
		       struct slu_err *err)
{
	char *argv[] = {
		(char *)server(conf), "--version", "-m", "x", "-r", "x", NULL};

	out->max = 65536;
	return slu_run(argv, SECONDS, out, err);
}

static int run_server(const struct slu_fs_conf *conf, struct slu_buf *why)
{
	struct slu_buf out = {0};
	struct slu_err err;
	int bad = ask_version(conf, &out, &err) ? 1 : 0;

	slu_buf_free(&out);
	if (bad && !lacks(server(conf), why))
		slu_buf_printf(why, "%s\n", err.text);
	return bad;
}

static int start_client(struct slu_aside *aside, void *arg, void *out,
			struct slu_err *err)
{
	const struct slu_fs_conf *conf = arg;
	const char *files = slu_fs_option(conf, "files", SLU_GKFS_FILES);
	struct rlimit limit;
	char *argv[] = {"true", NULL};
	struct slu_buf text = {0};

	(void)aside, (void)out;
	slu_buf_printf(&text,
		       "nofile %s\nLIBGKFS_HOSTS_FILE=/nonexistent\n"
		       "LIBGKFS_LOG=none\nIPATH_NO_BACKTRACE=1\n"
		       "LD_PRELOAD=%s\n",
		       files, library(conf));
	slu_instance_enter(text.data);
	if (!getrlimit(RLIMIT_NOFILE, &limit)) { /* exactly so many */
		limit.rlim_cur = strtoul(files, NULL, 10);
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
	return slu_run(argv, SECONDS - 1, NULL, err);
}

/* Starts a client. A working one reports that there are no hosts, and ends. */
static int run_client(const struct slu_fs_conf *conf, struct slu_buf *why)
{
	struct slu_aside aside = {
		.fn = start_client, .arg = (void *)conf, .seconds = SECONDS};
	struct slu_err err;

	if (lacks(library(conf), why))
		return 1;
	if (!slu_aside(&aside, "the client", NULL, &err))
		slu_buf_printf(why, "%s: it does nothing\n", library(conf));
	else if (strstr(err.text, "hosts"))
		return 0;
	else
		slu_buf_printf(why, "%s: its client fails (files=%s?): %s\n",
			       library(conf),
			       slu_fs_option(conf, "files", SLU_GKFS_FILES),
			       err.text);
	return 1;
}

int slu_gkfs_probe(const struct slu_fs_conf *conf, struct slu_buf *why)
{
	int bad = look_for(server(conf), X_OK, "server", why) +
		  look_for(library(conf), R_OK, "library", why);

	return bad ? bad : run_server(conf, why) + run_client(conf, why);
}

/* Our library for forked processes (burst_buffer/preload/forked.c) replaces a
 * hook that only clients with libsyscall_intercept have, which shows in their
 * symbols. */
static bool is_hooked(const char *path)
{
	static const char hook[] = "intercept_hook_point";
	struct slu_buf text = {0};
	bool is = slu_file_read(AT_FDCWD, path, LIBRARY_MAX, &text, NULL) ||
		  memmem(text.data, text.len, hook, strlen(hook));

	slu_buf_free(&text);
	return is;
}

void slu_gkfs_release(const struct slu_fs_conf *conf, char text[64])
{
	struct slu_buf out = {0};
	struct slu_err err;

	*text = '\0';
	if (!ask_version(conf, &out, &err) && out.data)
		snprintf(text, 64, "%.*s%s", (int)strcspn(out.data, "\n"),
			 out.data,
			 is_hooked(library(conf))
				 ? ""
				 : ", forked processes unguarded");
	slu_buf_free(&out);
}
