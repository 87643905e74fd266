/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads sluice.conf on a node. No process of ours runs there all the time, so
 * the last file that was read without an error is kept in RunDir and used if
 * the present one is bad: otherwise a mistake in the file, or a key that this
 * release does not know, would fail each job that begins or ends, and drain the
 * node.
 */
#include "config.h"
#include "burst_buffer/node/node.h"

#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "common/file.h"
#include "common/str.h"

#define KEPT "sluice.conf" /* in RunDir */

static void keep(const struct slu_conf *conf, const struct slu_buf *text)
{
	struct slu_buf kept = {0};
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" KEPT, conf->run_dir);
	if (slu_file_read(AT_FDCWD, path, SLU_CONF_MOST, &kept, NULL) ||
	    kept.len != text->len || memcmp(kept.data, text->data, text->len)) {
		slu_mkdirs(conf->run_dir, 0755, NULL);
		slu_file_swap(AT_FDCWD, path, text->data, text->len, 0644,
			      NULL);
	}
	slu_buf_free(&kept);
}

/* Parses only the lines of RunDir. */
static struct slu_conf *parse_run_dir(char *text)
{
	static const char key[] = "RunDir";
	struct slu_buf lines = {0};
	struct slu_conf *conf;
	char *line;

	slu_buf_puts(&lines, "\n");
	while ((line = strsep(&text, "\n"))) {
		line += strspn(line, " \t");
		if (!strncasecmp(line, key, strlen(key)))
			slu_buf_printf(&lines, "%s\n", line);
	}
	conf = slu_conf_parse(lines.data, KEPT, NULL);
	slu_buf_free(&lines);
	return conf;
}

/* Loads the kept copy from the RunDir that this bad file names. */
static struct slu_conf *load_kept(char *text)
{
	struct slu_conf *where = parse_run_dir(text), *conf;
	char path[PATH_MAX];

	if (!where)
		return NULL;
	snprintf(path, sizeof(path), "%s/" KEPT, where->run_dir);
	conf = slu_conf_load(path, NULL);
	slu_conf_free(where);
	return conf;
}

struct slu_conf *slu_node_conf(const char *path, struct slu_err *err)
{
	struct slu_buf text = {0};
	struct slu_conf *conf = slu_conf_load_text(path, &text, err);

	if (conf && !geteuid())
		keep(conf, &text);
	else if (!conf && text.data)
		conf = load_kept(text.data);
	slu_buf_free(&text);
	return conf;
}
