/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements the rivals of bench/mckp (see the header). The dynamic program
 * also stores the chosen items. They are not read here, but a solver that
 * returns them has to store them, so that is part of its time.
 */
#include "config.h"
#include "bench/mckp_rivals.h"

#include <math.h>
#include <stdlib.h>
#ifdef HAVE_GLPK_H
#include <glpk.h>
#endif
#include "bench/measure.h"

double bench_textbook(const struct slu_mckp_problem *p, double *seconds)
{
	size_t width = (size_t)p->capacity + 1;
	double *row = calloc(2 * width, sizeof(*row)), value;
	unsigned char *choice = malloc(width * p->n);
	double start = bench_now();

	for (uint32_t i = 0; i < p->n; i++) {
		double *from = row + (i & 1) * width;
		double *to = row + (~i & 1) * width;

		for (size_t c = 0; c < width; c++) {
			to[c] = -1e300;
			for (uint32_t j = 0; j < p->class[i].n; j++) {
				const struct slu_mckp_item *item =
					&p->class[i].item[j];

				if (item->weight <= c &&
				    from[c - item->weight] + item->value >
					    to[c]) {
					to[c] = from[c - item->weight] +
						item->value;
					choice[i * width + c] =
						(unsigned char)j;
				}
			}
		}
	}
	value = row[(p->n & 1) * width + p->capacity];
	*seconds = bench_now() - start;
	free(row);
	free(choice);
	return value;
}

#ifdef HAVE_GLPK_H
double bench_glpk(const struct slu_mckp_problem *p, double *seconds)
{
	size_t n = (size_t)p->n * ITEMS, k = 1;
	int *row = calloc(2 * n + 1, sizeof(*row));
	int *col = calloc(2 * n + 1, sizeof(*col));
	double *v = calloc(2 * n + 1, sizeof(*v)), value, start = bench_now();
	glp_prob *mip = glp_create_prob();
	glp_iocp how;
	int rc;

	glp_set_obj_dir(mip, GLP_MAX);
	glp_add_rows(mip, (int)p->n + 1);
	glp_add_cols(mip, (int)n);
	glp_set_row_bnds(mip, (int)p->n + 1, GLP_UP, 0, p->capacity);
	for (uint32_t i = 0; i < p->n; i++) {
		glp_set_row_bnds(mip, (int)i + 1, GLP_FX, 1, 1);
		for (uint32_t j = 0; j < ITEMS; j++) {
			int c = (int)(i * ITEMS + j) + 1;

			glp_set_col_kind(mip, c, GLP_BV);
			glp_set_obj_coef(mip, c, p->class[i].item[j].value);
			row[k] = (int)i + 1;
			col[k] = c;
			v[k++] = 1;
			row[k] = (int)p->n + 1;
			col[k] = c;
			v[k++] = p->class[i].item[j].weight;
		}
	}
	glp_load_matrix(mip, (int)k - 1, row, col, v);
	glp_init_iocp(&how);
	how.presolve = GLP_ON;
	how.msg_lev = GLP_MSG_OFF;
	how.tm_lim = 20000;
	rc = glp_intopt(mip, &how);
	value = rc == 0 && glp_mip_status(mip) == GLP_OPT ? glp_mip_obj_val(mip)
							  : NAN;
	*seconds = bench_now() - start;
	glp_delete_prob(mip);
	free(row);
	free(col);
	free(v);
	return value;
}
#endif
