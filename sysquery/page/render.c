/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the page's HTML document around its sections. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "sysquery/page/document.h"
#include "sysquery/page/draw/draw.h"
#include "sysquery/page/page.h"
#include "sysquery/page/svg/style.h"

static const struct {
	const char *id, *title;
	slu_draw_f *draw;
} sections[] = {
	{"now", "Now", slu_draw_now},
	{"buffers", "Buffers", slu_draw_buffers},
	{"ions", "I/O nodes", slu_draw_ions},
	{"errors", "Predicted run times", slu_draw_errors},
	{"limits", "Limits, granted and used", slu_draw_limits},
	{"lustre", "Lustre", slu_draw_lustre},
	{"machine", "The machine", slu_draw_machine},
};
#define SECTIONS (sizeof(sections) / sizeof(sections[0]))

/* No scripts, and nothing from other servers. */
static const char head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
	"<meta charset=\"utf-8\"/>\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
	"'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
	"form-action 'none'\"/>\n"
	"<meta name=\"viewport\" content=\"width=device-width, "
	"initial-scale=1\"/>\n"
	"<link rel=\"icon\" href=\"data:,\"/>\n";

static void when(struct slu_buf *out, int64_t t)
{
	char text[64] = "?";
	time_t at = (time_t)t;
	struct tm tm;

	if (localtime_r(&at, &tm))
		strftime(text, sizeof(text), "%F %R", &tm);
	slu_html_text(out, text);
}

/* "+01:00 (CET)" at that time. */
static void zone(struct slu_buf *out, int64_t t)
{
	char text[64] = "?";
	time_t at = (time_t)t;
	struct tm tm;

	if (localtime_r(&at, &tm))
		strftime(text, sizeof(text), "UTC%z (%Z)", &tm);
	slu_html_text(out, text);
}

static void header(const struct slu_page *p)
{
	slu_buf_puts(p->out,
		     "<header><h1>Sluice</h1>\n<p class=\"dim\">As of ");
	when(p->out, p->now);
	slu_buf_puts(p->out, ", since ");
	when(p->out, p->since);
	slu_buf_puts(p->out, "; times are those of ");
	zone(p->out, p->now);
	slu_buf_puts(p->out, p->own ? ". Of buffers, jobs and limits only what "
				      "is yours.</p>\n"
				    : ".</p>\n");
	slu_buf_puts(p->out, "<nav aria-label=\"Sections\"><ul>\n");
	for (size_t i = 0; i < SECTIONS; i++)
		slu_buf_printf(p->out, "<li><a href=\"#%s\">%s</a></li>\n",
			       sections[i].id, sections[i].title);
	slu_buf_puts(p->out, "</ul></nav></header>\n");
}

static void body(const struct slu_page *p)
{
	slu_buf_puts(p->out, "<body>\n<a class=\"skip\" href=\"#now\">To the "
			     "content</a>\n");
	slu_buf_puts(p->out, slu_page_patterns);
	header(p);
	slu_buf_puts(p->out, "<main>\n");
	for (size_t i = 0; i < SECTIONS; i++) {
		slu_html_section(p->out, sections[i].id, sections[i].title);
		sections[i].draw(p);
		slu_html_section_end(p->out);
	}
	slu_buf_puts(p->out, "</main>\n<footer class=\"dim\"><p>sysquery page, "
			     "Sluice " PACKAGE_VERSION
			     "</p></footer>\n</body>\n</html>\n");
}

/* The second name is that of sluiced 1.0.0. */
static bool is_page(const char *schema)
{
	return !strcmp(schema, "sluice.page") || !strcmp(schema, "sluice-page");
}

int slu_page_render(struct json_object *document, unsigned refresh,
		    struct slu_buf *out, struct slu_err *err)
{
	struct slu_page p = {
		.out = out,
		.doc = document,
		.since = (int64_t)slu_doc_number(document, "since"),
		.now = (int64_t)slu_doc_number(document, "now"),
		.own = !strcmp(slu_doc_text(document, "own"), "true"),
	};

	if (p.since >= p.now || !is_page(slu_doc_text(document, "schema")))
		return slu_err(err, SLU_INVALID, "this is no page's document");
	slu_buf_puts(out, head);
	if (refresh)
		slu_buf_printf(out,
			       "<meta http-equiv=\"refresh\" "
			       "content=\"%u\"/>\n",
			       refresh);
	slu_buf_puts(out, "<title>Sluice, ");
	when(out, p.now);
	slu_buf_puts(out, "</title>\n<style>\n");
	slu_buf_puts(out, slu_page_style);
	slu_buf_puts(out, "</style>\n</head>\n");
	body(&p);
	return out->failed ? slu_err(err, SLU_NOMEM, "the page is too long")
			   : 0;
}
