/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes means over equal intervals (bins) of the time that the HTML page
 * shows.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include "sysquery/page/collect/collect.h"

void slu_bins_add(double bin[SLU_BINS], const struct slu_page_query *q,
		  double from, double to, double value)
{
	double width = (double)(q->now - q->since) / SLU_BINS;
	double a = (from - (double)q->since) / width;
	double b = (to - (double)q->since) / width;

	a = fmax(a, 0);
	b = fmin(b, SLU_BINS);
	for (int i = (int)a; i < SLU_BINS && i < b; i++)
		bin[i] += value * (fmin(b, i + 1) - fmax(a, i));
}

struct json_object *slu_bins_json(const double bin[SLU_BINS])
{
	struct json_object *list = json_object_new_array();
	char text[48];
	double v;

	for (int i = 0; i < SLU_BINS; i++) {
		v = round(bin[i] * 1000) / 1000;
		snprintf(text, sizeof(text), "%.12g", v);
		json_object_array_add(list, json_object_new_double_s(v, text));
	}
	return list;
}
