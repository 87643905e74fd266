/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints tables and messages to fit the terminal. Without a terminal, tables
 * have their full width and no colors; but COLUMNS in the environment still
 * limits the width, since watch(1) sets it for the command that it runs.
 */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "common/width.h"

bool slu_ask_terminal(const struct slu_ask *ask)
{
	return !ask->output && isatty(STDOUT_FILENO);
}

/* no-color.org: NO_COLOR with any text but an empty one means no colors. */
static bool wants_color(const struct slu_ask *ask)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return slu_ask_terminal(ask) && !(no && *no) &&
	       !(term && strcmp(term, "dumb") == 0);
}

struct slu_table_look slu_ask_look(const struct slu_ask *ask)
{
	return (struct slu_table_look){
		.width = ask->wide || ask->output ? 0 : slu_table_width(),
		.color = wants_color(ask),
		.more = "--wide",
		.whole = ask->whole,
	};
}

/* The screen is emptied where the new answer is at hand, so that it does not
 * flicker; where there is none, the time parts the answers. */
void slu_ask_clear_screen(const struct slu_ask *ask, FILE *out)
{
	time_t now = time(NULL);
	char text[32];
	struct tm tm;

	if (slu_ask_terminal(ask))
		fputs("\033[H\033[2J", out);
	if (slu_ask_table(ask) && localtime_r(&now, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		fprintf(out, "%s\n", text);
}

int slu_ask_tabulate(const struct slu_ask *ask, struct json_object *rows,
		     const struct slu_column *columns, struct slu_buf *out,
		     struct slu_err *err)
{
	struct slu_table_look look = slu_ask_look(ask);

	return slu_table(rows, columns, &look, out, err);
}

static void wrap(const char *text, size_t width, struct slu_buf *out)
{
	do {
		size_t n = width ? slu_width_line(text, width) : strlen(text);

		slu_buf_add(out, text, n);
		slu_buf_add(out, "\n", 1);
		text += n + strspn(text + n, " ");
	} while (*text);
}

void slu_ask_say_command(struct slu_buf *out, const char *command,
			 const char *operand)
{
	char *text = slu_asprintf("%s %s\n", command, operand);

	if (text)
		slu_buf_printf(out, "%s\n", slu_one_line(slu_trim(text)));
	else
		out->failed = true;
	free(text);
}

void slu_ask_say(const struct slu_ask *ask, struct slu_buf *out,
		 const char *format, ...)
{
	struct slu_table_look look = slu_ask_look(ask);
	char *text = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		out->failed = true;
	else
		wrap(slu_one_line(text), look.width, out);
	va_end(ap);
	free(text);
}

bool slu_ask_table(const struct slu_ask *ask)
{
	if (ask->json || ask->table)
		return ask->table;
	return ask->wide || ask->fields || slu_ask_terminal(ask);
}

int slu_ask_section(const struct slu_ask *ask, const char *heading,
		    struct json_object *rows, const struct slu_column *columns,
		    struct slu_buf *out, struct slu_err *err)
{
	if (!json_object_is_type(rows, json_type_array))
		return slu_err(err, SLU_IO, "the answer is not a list");
	if (json_object_array_length(rows) == 0)
		return 0;
	if (out->len)
		slu_buf_puts(out, "\n");
	if (heading)
		slu_ask_say(ask, out, "%s", heading);
	return slu_ask_tabulate(ask, rows, columns, out, err);
}
