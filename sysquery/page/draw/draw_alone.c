/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes what is around pictures that are a page of their own. */
#include "config.h"
#include "sysquery/page/draw/draw.h"
#include "sysquery/page/svg/style.h"

void slu_draw_alone_begin(struct slu_buf *out, const char *title)
{
	slu_buf_printf(out,
		       "<!DOCTYPE html>\n<html lang=\"en\"><head>"
		       "<meta charset=\"utf-8\"/><title>%s</title>\n<style>\n",
		       title);
	slu_buf_puts(out, slu_page_style);
	slu_buf_puts(out, "</style></head>\n<body>\n");
	slu_buf_puts(out, slu_page_patterns);
	slu_buf_printf(out, "<main>\n<h1>%s</h1>\n", title);
}

void slu_draw_alone_end(struct slu_buf *out)
{
	slu_buf_puts(out, "</main>\n</body></html>\n");
}
