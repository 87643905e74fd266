/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the scales and marks of svg.h. A scale ends at a round value. */
#include "config.h"
#include "sysquery/page/svg/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sysquery/page/svg/html.h"

double slu_scale_at(const struct slu_scale *s, double v)
{
	double share = s->log ? log(v / s->from) / log(s->to / s->from)
			      : (v - s->from) / (s->to - s->from);

	if (!(share > 0))
		share = 0;
	return s->at + fmin(share, 1) * (s->end - s->at);
}

/* The first of an ascending list that is at least v, or the last. */
static double round_up(const double *list, size_t n, double v)
{
	while (n > 1 && *list < v)
		list++, n--;
	return *list;
}

struct slu_scale slu_scale_up(double most, enum slu_axis kind, double at,
			      double end)
{
	static const double times[] = {20,     60,    120,   240,    480,
				       1200,   2400,  3600,  7200,   14400,
				       28800,  57600, 86400, 172800, 345600,
				       691200, 1.4e6, 2.8e6};
	static const double round[] = {1, 2, 4, 8, 10};
	double unit = most > 0 ? pow(10, floor(log10(most))) : 1, to;

	if (kind == SLU_AXIS_SECONDS && most < 2.8e6)
		to = round_up(times, sizeof(times) / sizeof(times[0]), most);
	else
		to = unit * round_up(round, 5, most / unit);
	if (kind == SLU_AXIS_NUMBER)
		to = fmax(to, 4);
	return (struct slu_scale){0, to, at, end, false};
}

struct slu_scale slu_scale_time(int64_t since, int64_t now)
{
	return (struct slu_scale){(double)since, (double)now, SLU_SVG_LEFT,
				  SLU_SVG_RIGHT, false};
}

void slu_svg_begin(struct slu_buf *out, const char *id, const char *title,
		   const char *description, double height)
{
	slu_buf_puts(out, "<figure><figcaption>");
	slu_html_text(out, title);
	slu_buf_printf(out,
		       "</figcaption>\n<svg role=\"img\" viewBox=\"0 0 %g %g\" "
		       "aria-labelledby=\"t-%s d-%s\"><title id=\"t-%s\">",
		       SLU_SVG_WIDTH, height, id, id, id);
	slu_html_text(out, title);
	slu_buf_printf(out, "</title><desc id=\"d-%s\">", id);
	slu_html_text(out, description);
	slu_buf_puts(out, "</desc>\n");
}

void slu_svg_end(struct slu_buf *out)
{
	slu_buf_puts(out, "</svg></figure>\n");
}

/* Closes an element. */
static void close_mark(struct slu_buf *out, const char *name, const char *tip)
{
	if (!tip) {
		slu_buf_puts(out, "/>\n");
		return;
	}
	slu_buf_puts(out, "><title>");
	slu_html_text(out, tip);
	slu_buf_printf(out, "</title></%s>\n", name);
}

void slu_svg_rect(struct slu_buf *out, const char *class, double x, double y,
		  double width, double height, const char *tip)
{
	slu_buf_printf(out,
		       "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\""
		       " height=\"%.1f\"",
		       class, x, y, fmax(width, 0), fmax(height, 0));
	close_mark(out, "rect", tip);
}

void slu_svg_line(struct slu_buf *out, const char *class, double x1, double y1,
		  double x2, double y2)
{
	slu_buf_printf(out,
		       "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\""
		       " y2=\"%.1f\"/>\n",
		       class, x1, y1, x2, y2);
}

void slu_svg_cross(struct slu_buf *out, const char *class, double x, double y,
		   double size)
{
	slu_svg_line(out, class, x - size, y - size, x + size, y + size);
	slu_svg_line(out, class, x - size, y + size, x + size, y - size);
}

void slu_svg_dot(struct slu_buf *out, const char *class, double x, double y,
		 const char *tip)
{
	slu_buf_printf(out,
		       "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"",
		       class, x, y);
	close_mark(out, "circle", tip);
}

/* Bytes of the first `n` characters of UTF-8. */
static size_t prefix(const char *text, size_t n)
{
	size_t i = 0;

	while (text[i] && (n > 0 || ((unsigned char)text[i] & 0xc0) == 0x80))
		n -= ((unsigned char)text[i++] & 0xc0) != 0x80;
	return i;
}

/* The text, truncated to what fits. Caller frees. */
static char *cut(const char *text, size_t most)
{
	size_t all = strlen(text);

	if (!most || prefix(text, most) == all)
		return strdup(text);
	return slu_asprintf("%.*s…", (int)prefix(text, most - 1), text);
}

void slu_svg_text(struct slu_buf *out, const char *class, double x, double y,
		  const char *anchor, size_t most, const char *text)
{
	char *shown = cut(text ? text : "", most);

	slu_buf_printf(out,
		       "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" "
		       "text-anchor=\"%s\">",
		       class, x, y, anchor);
	slu_html_text(out, shown);
	slu_buf_puts(out, "</text>\n");
	free(shown);
}

void slu_svg_steps(struct slu_buf *out, const char *class,
		   const struct slu_scale *x, const struct slu_scale *y,
		   const double *value, size_t n)
{
	double width = (x->end - x->at) / (double)n, last = -1, at;

	slu_buf_printf(out, "<path class=\"%s\" d=\"M%.1f %.1f", class, x->at,
		       n ? slu_scale_at(y, value[0]) : y->at);
	for (size_t i = 0; i < n; i++) {
		at = slu_scale_at(y, value[i]);
		if (at != last && i)
			slu_buf_printf(out, "H%.1fV%.1f",
				       x->at + width * (double)i, at);
		last = at;
	}
	slu_buf_printf(out, "H%.1f\"/>\n", x->end);
}

void slu_svg_area(struct slu_buf *out, const char *class,
		  const struct slu_scale *x, const struct slu_scale *y,
		  const double *low, const double *high, size_t n)
{
	double width = (x->end - x->at) / (double)n;

	if (!n)
		return;
	slu_buf_printf(out, "<path class=\"%s\" d=\"M%.1f %.1f", class, x->at,
		       slu_scale_at(y, high[0]));
	for (size_t i = 1; i < n; i++)
		slu_buf_printf(out, "H%.1fV%.1f", x->at + width * (double)i,
			       slu_scale_at(y, high[i]));
	slu_buf_printf(out, "H%.1fV%.1f", x->end, slu_scale_at(y, low[n - 1]));
	for (size_t i = n - 1; i > 0; i--)
		slu_buf_printf(out, "H%.1fV%.1f", x->at + width * (double)i,
			       slu_scale_at(y, low[i - 1]));
	slu_buf_printf(out, "H%.1fZ\"/>\n", x->at);
}

static void mark(struct slu_buf *out, const struct slu_legend *legend, double x,
		 double y)
{
	switch (legend->mark) {
	case SLU_MARK_AREA:
		slu_svg_rect(out, legend->class, x, y - 10, 18, 11, NULL);
		break;
	case SLU_MARK_LINE:
		slu_svg_line(out, legend->class, x, y - 4, x + 18, y - 4);
		break;
	case SLU_MARK_CROSS:
		slu_svg_cross(out, legend->class, x + 9, y - 4, 5);
		break;
	}
}

void slu_svg_legend(struct slu_buf *out, double y,
		    const struct slu_legend *legend)
{
	double x = SLU_SVG_LEFT;

	for (; legend->class; legend++) {
		mark(out, legend, x, y);
		slu_svg_text(out, "label", x + 24, y, "start", 0, legend->text);
		x += 42 + 6.6 * (double)strlen(legend->text);
	}
}
