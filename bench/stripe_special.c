/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Data-on-MDT and components that extend themselves gain: two small models
 * beside the simulation of bench/stripe.
 */

/*
 * A small file on a target takes opening it, asking the target for its size,
 * and a seek; on the metadata target its bytes come with the answer to opening
 * it. But all files are on one metadata target then.
 *
 * A file that is written until a target of it has no room: Lustre chooses the
 * targets of a component in turn. One that extends itself gets others if one of
 * its targets has no room for the next extension (lfs-setstripe(1), -z): here
 * those with the most. If there are not so many, it ends.
 */
#include "config.h"
#include "bench/stripe_special.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/stripe_sim.h"
#include "select_io/stripe/layout_cost.h"
#include "tests/unit/random.h"

#define N     64	/* targets */
#define SEED  7		/* of the first of */
#define RUNS  100	/* draws of their room */
#define MOST  (8 * TIB) /* free on the emptiest */
#define TIB   (UINT64_C(1) << 40)

#define FEW   64
#define SMALL 65536.0 /* bytes of a file */
#define FLASH 2000e6  /* bytes/s, and seconds to find a file, of such an MDT */
#define FIND  0.1e-3

/* Seconds of one file each of so many clients: what one waits for, or the
 * servers' work. */
static double small_files(uint32_t clients, double servers, double waits,
			  double work)
{
	return fmax(waits + work, clients * work / servers);
}

void stripe_small_files(bool csv)
{
	static const uint32_t clients[] = {1, 16, 64, 256, 1024};
	const double open = SLU_STRIPE_GLIMPSE;
	const double disk = SLU_STRIPE_SEEK + SMALL / SLU_STRIPE_DISK;

	if (!csv)
		printf("\nFiles of 64 KiB, one for each client, %d targets; time "
		       "on the MDT to that on targets\n\n%-8s %12s %12s\n",
		       FEW, "clients", "MDT as they", "of flash");
	for (size_t i = 0; i < sizeof(clients) / sizeof(*clients); i++) {
		uint32_t c = clients[i];
		double rival = small_files(c, FEW, 2 * open, disk);
		double same = small_files(c, 1, open, disk);
		double flash = small_files(c, 1, open, FIND + SMALL / FLASH);

		if (csv)
			printf("small files %u clients,time,s,%.5f,targets,"
			       "%.5f,%.3f\n",
			       c, flash, rival, flash / rival);
		else
			printf("%-8u %12.2f %12.2f\n", c, same / rival,
			       flash / rival);
	}
}

static double room[TARGETS]; /* bytes left */
static uint32_t n;	     /* targets */

static int fuller_last(const void *a, const void *b)
{
	double x = room[*(const uint32_t *)a], y = room[*(const uint32_t *)b];

	return (x < y) - (x > y);
}

/* The targets with the most room first. */
static void sort_targets(uint32_t *order)
{
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort(order, n, sizeof(*order), fuller_last);
}

static double least_of(const uint32_t *chosen, uint32_t stripes)
{
	double least = INFINITY;

	for (uint32_t i = 0; i < stripes; i++)
		least = fmin(least, room[chosen[i]]);
	return least;
}

/* Writes `bytes` evenly on its targets; what they have no room for. */
static double fill(const uint32_t *chosen, uint32_t stripes, double bytes)
{
	double each = fmin(bytes / stripes, least_of(chosen, stripes));

	for (uint32_t i = 0; i < stripes; i++)
		room[chosen[i]] -= each;
	return bytes - each * stripes;
}

/* Writes all of a component, of so many bytes; what it has no room for. */
static double fill_component(const struct slu_stripe_component *p,
			     double extend, double bytes, uint32_t *next)
{
	uint32_t chosen[TARGETS];
	double rest = 0;

	for (uint32_t i = 0; i < p->count; i++)
		chosen[i] = (*next)++ % n;
	if (extend == 0)
		return fill(chosen, p->count, bytes);
	while (bytes > 0 && rest == 0) {
		double step = fmin(extend, bytes);

		if (least_of(chosen, p->count) < step / p->count)
			sort_targets(chosen);
		rest = fill(chosen, p->count, step);
		bytes -= step - rest;
	}
	return bytes;
}

/* Bytes of a file that has become as large as it can. */
static double largest(const struct slu_stripe_layout *l, uint32_t first)
{
	double begin = 0, end, rest;

	for (size_t i = 0; i < l->n; i++) {
		end = l->part[i].end ? (double)l->part[i].end : 2.0 * n * MOST;
		rest = fill_component(&l->part[i], (double)l->extend[i],
				      end - begin, &first);
		begin = end;
		if (rest > 0)
			return end - rest;
	}
	return begin;
}

/* The part of all room that a file of unknown size can fill. */
static double filled(double least, uint32_t version)
{
	uint64_t seed = SEED, free[TARGETS];
	double sum = 0, all;

	for (int run = 0; run < RUNS; run++) {
		struct slu_stripe_request r = {
			.access = SLU_STRIPE_SEQUENTIAL,
			.targets = n,
			.lustre = version,
		};
		struct slu_stripe_layout l;

		all = 0;
		for (uint32_t i = 0; i < n; i++) {
			double part = (double)slu_random(&seed, 1000) / 1000;

			room[i] = floor((least + part * (1 - least)) * MOST);
			free[i] = (uint64_t)room[i];
			all += room[i];
		}
		slu_stripe_set_room(&r, free);
		slu_stripe_plan(&r, &l, NULL);
		sum += largest(&l, (uint32_t)slu_random(&seed, n)) / all;
	}
	return sum / RUNS;
}

void stripe_unequal_room(bool csv)
{
	static const double least[] = {1, 0.6, 0.4, 0.2, 0.05};
	static const uint32_t targets[] = {64, 256, TARGETS};

	if (!csv)
		printf("\nA file of unknown size on targets that have from so "
		       "much of 8 TiB to all of it free;\npart of all free "
		       "space that it can fill, without and with -z\n\n%-8s "
		       "%14d %14d %14d targets\n",
		       "least", 64, 256, TARGETS);
	for (size_t i = 0; i < sizeof(least) / sizeof(*least); i++) {
		csv ? 0 : printf("%-8.2f", least[i]);
		for (size_t t = 0; t < 3; t++) {
			double rival, ours;

			n = targets[t];
			rival = filled(least[i], SLU_STRIPE_EXTENDING - 1);
			ours = filled(least[i], SLU_STRIPE_EXTENDING);
			if (csv)
				printf("unknown size %u targets from %.2f "
				       "free,filled,part,%.3f,without -z,%.3f,"
				       "%.3f\n",
				       n, least[i], ours, rival, ours / rival);
			else
				printf("    %5.3f %5.3f", rival, ours);
		}
		csv ? 0 : putchar('\n');
	}
}
