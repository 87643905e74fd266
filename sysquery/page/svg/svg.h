/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PAGE_SVG_H
#define SLU_PAGE_SVG_H

/*
 * Draws SVG pictures: scales, and the few marks that are used, with a title and
 * a description for readers who cannot see them. Colours are classes of
 * style.c, where colours with a meaning also differ by brightness or pattern. A
 * picture is SLU_SVG_WIDTH wide in its own units and is scaled to the page.
 */

#include <stdint.h>
#include "common/str.h"

#define SLU_SVG_WIDTH 960.0
#define SLU_SVG_LEFT  84.0  /* where the plot begins beside its axis */
#define SLU_SVG_RIGHT 948.0 /* and ends */
#define SLU_SVG_ROWS  6.0   /* where rows begin below the title */

struct slu_scale {
	double from, to; /* values, from < to; of a log one > 0 */
	double at, end;	 /* where these are drawn */
	bool log;
};
/* Where a value is drawn; values outside are drawn at the nearer end. */
double slu_scale_at(const struct slu_scale *scale, double value);
enum slu_axis { SLU_AXIS_NUMBER, SLU_AXIS_SECONDS, SLU_AXIS_MBPS };
/* From 0 to a round value above `most`, whose quarters are round, too. */
struct slu_scale slu_scale_up(double most, enum slu_axis kind, double at,
			      double end);
/* Of time, across the picture. */
struct slu_scale slu_scale_time(int64_t since, int64_t now);

/* id: a constant of the caller; title, description: escaped. */
void slu_svg_begin(struct slu_buf *out, const char *id, const char *title,
		   const char *description, double height);
void slu_svg_end(struct slu_buf *out);

/* tip: the tooltip, NULL: none. */
void slu_svg_rect(struct slu_buf *out, const char *class, double x, double y,
		  double width, double height, const char *tip);
void slu_svg_line(struct slu_buf *out, const char *class, double x1, double y1,
		  double x2, double y2);
void slu_svg_cross(struct slu_buf *out, const char *class, double x, double y,
		   double size);
void slu_svg_dot(struct slu_buf *out, const char *class, double x, double y,
		 const char *tip);
/* anchor: start, middle, end. `most`: number of characters that fit, the rest
 * is cut; 0: all. */
void slu_svg_text(struct slu_buf *out, const char *class, double x, double y,
		  const char *anchor, size_t most, const char *text);

/* Axes: with lines across the plot. `label` is written beside it. */
void slu_svg_axis_time(struct slu_buf *out, const struct slu_scale *x,
		       double top, double bottom);
void slu_svg_axis_y(struct slu_buf *out, const struct slu_scale *y,
		    double right, enum slu_axis kind, const char *label);
void slu_svg_axis_x(struct slu_buf *out, const struct slu_scale *x, double top,
		    double bottom, enum slu_axis kind, const char *label);

/* n values over equal parts of x, as a stepped line, or as the area between
 * low and high. */
void slu_svg_steps(struct slu_buf *out, const char *class,
		   const struct slu_scale *x, const struct slu_scale *y,
		   const double *value, size_t n);
void slu_svg_area(struct slu_buf *out, const char *class,
		  const struct slu_scale *x, const struct slu_scale *y,
		  const double *low, const double *high, size_t n);

enum slu_mark { SLU_MARK_AREA, SLU_MARK_LINE, SLU_MARK_CROSS };
struct slu_legend {
	const char *class, *text;
	enum slu_mark mark;
};
/* A legend at y; a NULL class ends it. */
void slu_svg_legend(struct slu_buf *out, double y,
		    const struct slu_legend *legend);

#endif
