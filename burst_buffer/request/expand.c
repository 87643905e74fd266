/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expands the symbols in a request's paths: %j, %u, %x and others, as in
 * sbatch's file names, and $BB_<name>, the path of the job file system. Users
 * choose some of the values (a job's name); one with a '/' is refused, and so
 * is a path with "..": expansion never changes the components of a path.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/request.h"
#include "common/str.h"

#define PATH_LIMIT 4095

static bool has_dotdot(const char *path)
{
	const char *p = path;
	size_t n;

	while (*p) {
		n = strcspn(p, "/");
		if (n == 2 && strncmp(p, "..", 2) == 0)
			return true;
		p += n + (p[n] == '/');
	}
	return false;
}

static int put_text(struct slu_buf *buf, char symbol, const char *value,
		    bool pattern, struct slu_err *err)
{
	const char *c;

	if (!value || !*value)
		return slu_err(err, SLU_INVALID, "%%%c is not known", symbol);
	for (c = value; *c; c++)
		if (*c == '/' || (unsigned char)*c < ' ' || *c == 0x7f)
			return slu_err(err, SLU_INVALID,
				       "%%%c holds a '/' or a control "
				       "character and cannot stand in a path",
				       symbol);
	if (pattern && strpbrk(value, "*?["))
		return slu_err(err, SLU_INVALID,
			       "%%%c is %.100s, and *, ? and [ would make the "
			       "source a pattern: write the name itself, with "
			       "such characters in brackets, [*]",
			       symbol, value);
	slu_buf_puts(buf, value);
	return 0;
}

static int put_symbol(struct slu_buf *buf, char symbol,
		      const struct slu_symbols *sym, struct slu_err *err)
{
	uint32_t array = sym->array_job_id ? sym->array_job_id : sym->job_id;

	switch (symbol) {
	case '%':
		slu_buf_puts(buf, "%");
		return 0;
	case 'j':
		slu_buf_printf(buf, "%u", (unsigned)sym->job_id);
		return 0;
	case 'A':
		slu_buf_printf(buf, "%u", (unsigned)array);
		return 0;
	case 'a':
		if (sym->array_task_id == UINT32_MAX)
			return slu_err(err, SLU_INVALID,
				       "%%a stands for the number of an array "
				       "task, and this job is none");
		slu_buf_printf(buf, "%u", (unsigned)sym->array_task_id);
		return 0;
	case 'u':
		return put_text(buf, symbol, sym->user, sym->pattern, err);
	case 'x':
		return put_text(buf, symbol, sym->job_name, sym->pattern, err);
	}
	return slu_err(err, SLU_INVALID,
		       "%% stands only before j, A, a, u, x and %%");
}

/* Step over `head` when the text begins with it. */
static bool skip(const char **p, const char *head)
{
	size_t n = strlen(head);

	if (strncmp(*p, head, n) != 0)
		return false;
	*p += n;
	return true;
}

/* $BB_<name>, not followed by more of a name. */
static int put_mount(struct slu_buf *buf, const char **p,
		     const struct slu_symbols *sym, struct slu_err *err)
{
	if (!skip(p, "$BB_") || !skip(p, sym->fs_name) || (**p && **p != '/'))
		return slu_err(err, SLU_INVALID, "$ stands only in $BB_%s",
			       sym->fs_name);
	slu_buf_puts(buf, sym->mount);
	return 0;
}

static int expand(struct slu_buf *buf, const char *p,
		  const struct slu_symbols *sym, struct slu_err *err)
{
	while (*p) {
		if (*p == '$') {
			if (put_mount(buf, &p, sym, err))
				return -1;
		} else if (*p == '%') {
			if (put_symbol(buf, p[1], sym, err))
				return -1;
			p += 2;
		} else {
			slu_buf_add(buf, p++, 1);
		}
	}
	if (buf->failed)
		return slu_err(err, SLU_INVALID, "longer than %d bytes",
			       PATH_LIMIT);
	if (has_dotdot(buf->data))
		return slu_err(err, SLU_INVALID,
			       "\"..\" is refused; name the place itself");
	return 0;
}

char *slu_request_expand(const char *text, const struct slu_symbols *sym,
			 struct slu_err *err)
{
	struct slu_buf buf = {.max = PATH_LIMIT};

	if (expand(&buf, text, sym, err) == 0)
		return slu_buf_steal(&buf);
	slu_buf_free(&buf);
	slu_err_prefix(err, "%.200s", text);
	return NULL;
}
