/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fills in errors. The text is always one line (control characters become
 * blanks), so that it can be used in a log, a JSON document or a job's state
 * description.
 */
#include "config.h"
#include "common/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "common/str.h"

static void format(char *text, const char *fmt, va_list ap)
{
	if (vsnprintf(text, SLU_ERR_TEXT, fmt, ap) < 0)
		text[0] = '\0';
	slu_one_line(text);
}

/* Append as much of `more` as fits. */
static void append(char *text, const char *more)
{
	size_t len = strlen(text);

	snprintf(text + len, SLU_ERR_TEXT - len, "%s", more);
}

int slu_err(struct slu_err *err, enum slu_kind kind, const char *fmt, ...)
{
	struct slu_err made = {.kind = kind};
	va_list ap;

	va_start(ap, fmt);
	format(made.text, fmt, ap);
	va_end(ap);
	if (err)
		*err = made; /* only now, as it may be among the arguments */
	return -1;
}

int slu_errno(struct slu_err *err, enum slu_kind kind, const char *fmt, ...)
{
	struct slu_err made = {.kind = kind};
	char buf[128];
	const char *why = strerror_r(errno, buf, sizeof(buf));
	va_list ap;

	va_start(ap, fmt);
	format(made.text, fmt, ap);
	va_end(ap);
	append(made.text, ": ");
	append(made.text, why);
	if (err)
		*err = made;
	return -1;
}

int slu_err_prefix(struct slu_err *err, const char *fmt, ...)
{
	char text[SLU_ERR_TEXT];
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	format(text, fmt, ap);
	va_end(ap);
	append(text, ": ");
	append(text, err->text);
	memcpy(err->text, text, sizeof(text));
	return -1;
}

const char *slu_kind_name(enum slu_kind kind)
{
	switch (kind) {
	case SLU_NOTFOUND:
		return "notfound";
	case SLU_INVALID:
		return "invalid";
	case SLU_DENIED:
		return "denied";
	case SLU_BUSY:
		return "busy";
	case SLU_TIMEOUT:
		return "timeout";
	case SLU_IO:
		return "io";
	case SLU_NOMEM:
		return "nomem";
	case SLU_INTERNAL:
		return "internal";
	}
	return "unknown";
}
