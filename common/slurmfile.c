/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads Slurm's configuration files. Comments and continued lines are found
 * before '\' is removed, and separately on each line of the file. */
#include "config.h"
#include "common/slurmfile.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEPTH_MAX 8    /* Includes within Includes */
#define FILES_MAX 1024 /* altogether */
#define BLANKS	  " \t\r\v\f"

struct reader {
	const struct slu_slurmfile *how;
	const char *name; /* of the file */
	size_t line;
	unsigned int depth, files;
};

/* Ends the key in front of `end` at a blank, an operator or '='. */
static char *key_end(char *at)
{
	return at + strcspn(at, BLANKS "=");
}

/* The value at `at`, which ends at *end. Quotes count where a blank or nothing
 * follows them. */
static char *value_at(char *at, char **end)
{
	char *quote = *at == '"' ? strchr(at + 1, '"') : NULL;

	if (quote && strchr(BLANKS, quote[1])) { /* or the end */
		*quote = '\0';
		*end = quote + 1;
		return at + 1;
	}
	*end = at + strcspn(at, BLANKS);
	return at;
}

bool slu_slurmfile_word(char **line, char **key, char **value)
{
	char *at = *line + strspn(*line, BLANKS), *end = key_end(at), *sign;

	*key = at;
	*value = end;
	if (!*at)
		return false;
	sign = end + strspn(end, BLANKS);
	if (*sign && strchr("-+*/", *sign) && sign[1] == '=')
		sign++;
	if (*sign == '=') {
		*value = value_at(sign + 1 + strspn(sign + 1, BLANKS), line);
		/* KEY+=VALUE */
		if (end == sign && end > at + 1 && strchr("-+*/", end[-1]))
			end--;
	} else {
		*line = end;
	}
	if (**line)
		*(*line)++ = '\0';
	*end = '\0';
	return true;
}

/* Cuts a comment and the line's end off. True: the next line continues it. */
static bool strip(char *line)
{
	size_t slashes = 0, len;

	for (char *at = line; *at; at++) {
		if (*at == '#' && slashes % 2 == 0)
			*at = '\0';
		if (!*at)
			break;
		slashes = *at == '\\' ? slashes + 1 : 0;
	}
	len = strlen(line);
	while (len && strchr(BLANKS, line[len - 1]))
		line[--len] = '\0';
	for (slashes = 0; slashes < len && line[len - 1 - slashes] == '\\';)
		slashes++;
	if (slashes % 2 == 0)
		return false;
	line[len - 1] = '\0';
	return true;
}

/* Replaces '\' and the character behind it by that character. */
static void unescape(char *line)
{
	char *to = line;

	for (; *line; line++) {
		if (*line == '\\' && line[1])
			line++;
		*to++ = *line;
	}
	*to = '\0';
}

static int read_file(struct reader *r, const char *path, struct slu_err *err);

/* Handles Include FILE. If FILE is missing, the including file is wrong. */
static int include(struct reader *r, const char *path, struct slu_err *err)
{
	const char *slash = strrchr(r->name, '/');
	char *full;
	int ret;

	if (!r->how->read)
		return slu_err(err, SLU_INVALID, "Include has no place here");
	if (r->depth == DEPTH_MAX || r->files == FILES_MAX)
		return slu_err(err, SLU_INVALID, "Includes go too %s",
			       r->depth == DEPTH_MAX ? "deep" : "far");
	if (*path == '/' || !slash)
		full = strdup(path);
	else
		full = slu_asprintf("%.*s/%s", (int)(slash - r->name), r->name,
				    path);
	if (!full)
		return slu_err(err, SLU_NOMEM, "out of memory");
	ret = read_file(r, full, err);
	free(full);
	if (ret && err && err->kind == SLU_NOTFOUND)
		err->kind = SLU_INVALID;
	return ret;
}

static int take_line(struct reader *r, char *line, struct slu_err *err)
{
	static const char word[] = "include";
	const size_t len = sizeof(word) - 1;
	int ret;

	unescape(line);
	line = slu_trim(line);
	if (!*line)
		return 0;
	if (strncasecmp(line, word, len) == 0 && line[len] &&
	    strchr(BLANKS, line[len])) {
		line = slu_trim(line + len);
		line[strcspn(line, BLANKS)] = '\0';
		ret = include(r, line, err);
	} else {
		ret = r->how->line(r->how->arg, line, r->name, r->line, err);
	}
	return ret ? slu_err_prefix(err, "%s:%zu", r->name, r->line) : 0;
}

static int take_text(struct reader *r, char *text, struct slu_err *err)
{
	struct slu_buf whole = {0};
	char *line;
	int ret = 0;

	while (ret == 0 && (line = strsep(&text, "\n"))) {
		bool more = strip(line);

		r->line++;
		slu_buf_puts(&whole, line);
		if (more && text)
			continue;
		if (whole.failed)
			ret = slu_err(err, SLU_NOMEM, "out of memory");
		else if (whole.data)
			ret = take_line(r, whole.data, err);
		slu_buf_reset(&whole);
	}
	slu_buf_free(&whole);
	return ret;
}

static int read_file(struct reader *r, const char *path, struct slu_err *err)
{
	struct reader inner = {.how = r->how,
			       .name = path,
			       .depth = r->depth + 1,
			       .files = r->files + 1};
	struct slu_buf text = {0};
	int ret = r->how->read(r->how->arg, path, &text, err);

	if (ret == 0 && text.data)
		ret = take_text(&inner,
				text.data + slu_byte_order_mark(text.data),
				err);
	r->files = inner.files;
	slu_buf_free(&text);
	return ret;
}

int slu_slurmfile_read(const struct slu_slurmfile *how, const char *path,
		       struct slu_err *err)
{
	struct reader r = {.how = how};

	return read_file(&r, path, err);
}

int slu_slurmfile_parse(const struct slu_slurmfile *how, const char *name,
			char *text, struct slu_err *err)
{
	struct reader r = {.how = how, .name = name};

	return take_text(&r, text, err);
}
