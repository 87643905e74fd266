/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CLI_PARAGRAPH_H
#define SLU_SYSQUERY_CLI_PARAGRAPH_H

/* Formats a page of labels with paragraphs of text beside them, as `sysquery
 * job` prints it. Lines are broken at blanks to fit the width. */

#include "common/str.h"

#define SLU_PAGE_WIDTH 80
#define SLU_PAGE_LABEL 12 /* columns before the text */

struct slu_text_page {
	struct slu_buf *text;
	/* Columns of the terminal: longer words are broken, too; 0: not a
	 * terminal, lines have SLU_PAGE_WIDTH columns, and longer paths are not
	 * broken. */
	size_t width;
};

/* Characters that a terminal should not get are '?'. A NULL or empty text adds
 * nothing. */
void slu_paragraph(struct slu_text_page *page, const char *label,
		   const char *text);
void slu_paragraphf(struct slu_text_page *page, const char *label,
		    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
