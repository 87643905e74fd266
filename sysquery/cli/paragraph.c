/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Breaks paragraphs into lines; widths are columns of the terminal. */
#include "config.h"
#include "sysquery/cli/paragraph.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/width.h"

#define LEAST 8 /* minimum columns of text, on any terminal */

static size_t room(const struct slu_text_page *page)
{
	const size_t width = page->width ? page->width : SLU_PAGE_WIDTH;

	return width > SLU_PAGE_LABEL + LEAST ? width - SLU_PAGE_LABEL : LEAST;
}

static void next_line(struct slu_text_page *page, size_t *at)
{
	slu_buf_printf(page->text, "\n%*s", SLU_PAGE_LABEL, "");
	*at = 0;
}

/* *at: columns of the line in use. */
static void add_word(struct slu_text_page *page, const char *word, size_t *at)
{
	const size_t width = slu_width(word), most = room(page);
	size_t len;

	if (*at && *at + 1 + width > most) {
		next_line(page, at);
	} else if (*at) {
		slu_buf_puts(page->text, " ");
		++*at;
	}
	while (page->width && slu_width(word) > most) {
		len = slu_width_prefix(word, most);
		slu_buf_add(page->text, word, len);
		word += len;
		next_line(page, at);
	}
	slu_buf_puts(page->text, word);
	*at += slu_width(word);
}

void slu_paragraph(struct slu_text_page *page, const char *label,
		   const char *text)
{
	char *copy, *rest, *word;
	size_t at = 0;

	if (!text || !*text)
		return;
	copy = rest = strdup(text);
	if (!copy) {
		page->text->failed = true;
		return;
	}
	slu_one_line(copy);
	slu_buf_printf(page->text, "%-*s", SLU_PAGE_LABEL, label);
	while ((word = strsep(&rest, " ")))
		if (*word)
			add_word(page, word, &at);
	slu_buf_puts(page->text, "\n");
	free(copy);
}

void slu_paragraphf(struct slu_text_page *page, const char *label,
		    const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0) {
		page->text->failed = true;
		text = NULL;
	}
	va_end(args);
	slu_paragraph(page, label, text);
	free(text);
}
