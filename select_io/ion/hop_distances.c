/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores hops as a matrix, a row per group of hosts and a column per place of
 * I/O nodes, with sorted indexes from names to rows and columns.
 */
#include <stdlib.h>
#include <string.h>
#include "select_io/ion/hop_distances.h"

struct host {
	char *name; /* borrowed from the lists below */
	uint32_t index;
};

struct index {
	struct host *host;
	size_t n;
};

struct slu_hop_distances {
	struct index rows, places;
	uint32_t n_rows, n_places;
	struct slu_hosts *lists; /* n_rows + n_places */
	uint32_t *hops;		 /* n_rows x n_places */
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct host *)a)->name,
		      ((const struct host *)b)->name);
}

/* UINT32_MAX: it is not in the index. */
static uint32_t look_up(const struct index *x, const char *name)
{
	struct host key = {(char *)name, 0}, *found = NULL;

	if (x->n)
		found = bsearch(&key, x->host, x->n, sizeof(key), by_name);
	return found ? found->index : UINT32_MAX;
}

static int make_index(struct index *x, const struct slu_hosts *lists,
		      uint32_t n, struct slu_err *err)
{
	size_t all = 0;

	for (uint32_t i = 0; i < n; i++)
		all += lists[i].n;
	x->host = calloc(all + 1, sizeof(*x->host));
	if (!x->host)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (uint32_t i = 0; i < n; i++)
		for (size_t k = 0; k < lists[i].n; k++)
			x->host[x->n++] = (struct host){lists[i].name[k], i};
	qsort(x->host, x->n, sizeof(*x->host), by_name);
	return 0;
}

/* Parses "2 4 -": a number or '-' for each place. */
static int read_hops(const char *text, uint32_t *hops, uint32_t n,
		     struct slu_err *err)
{
	char *end;

	for (uint32_t i = 0; i < n; i++) {
		unsigned long v = SLU_HOPS_UNKNOWN;

		text += strspn(text, " ");
		end = (char *)text + (*text == '-');
		if (*text >= '0' && *text <= '9')
			v = strtoul(text, &end, 10);
		if (end == text)
			return slu_err(err, SLU_INVALID,
				       "%u hops for %u places", i, n);
		hops[i] = v < SLU_HOPS_UNKNOWN ? (uint32_t)v : SLU_HOPS_UNKNOWN;
		text = end;
	}
	return *text ? slu_err(err, SLU_INVALID, "more hops than %u places", n)
		     : 0;
}

static int take(struct slu_hop_distances *near, const struct slu_distances *m,
		struct slu_err *err)
{
	for (uint32_t i = 0; i < near->n_rows; i++) {
		const struct slu_distance *d = &m->from[i];

		if (slu_hosts_parse(d->hosts ? d->hosts : "", &near->lists[i],
				    err) < 0 ||
		    read_hops(d->hops ? d->hops : "",
			      near->hops + (size_t)i * near->n_places,
			      near->n_places, err) < 0)
			return slu_err_prefix(err, "distances of %s", d->hosts);
	}
	for (uint32_t i = 0; i < near->n_places; i++)
		if (slu_hosts_parse(m->to[i].hosts ? m->to[i].hosts : "",
				    &near->lists[near->n_rows + i], err) < 0)
			return -1;
	if (make_index(&near->rows, near->lists, near->n_rows, err) < 0)
		return -1;
	return make_index(&near->places, near->lists + near->n_rows,
			  near->n_places, err);
}

struct slu_hop_distances *slu_hop_distances_new(const struct slu_distances *m,
						struct slu_err *err)
{
	struct slu_hop_distances *near;

	if (m->n_to > SLU_HOP_DISTANCES_MAX || m->n_from > SLU_HOSTS_MAX) {
		slu_err(err, SLU_INVALID, "too many distances");
		return NULL;
	}
	near = calloc(1, sizeof(*near));
	if (near) {
		near->n_rows = (uint32_t)m->n_from;
		near->n_places = (uint32_t)m->n_to;
		near->lists =
			calloc(m->n_from + m->n_to + 1, sizeof(*near->lists));
		near->hops =
			calloc(m->n_from * m->n_to + 1, sizeof(*near->hops));
	}
	if (!near || !near->lists || !near->hops)
		slu_err(err, SLU_NOMEM, "out of memory");
	else if (take(near, m, err) == 0)
		return near;
	slu_hop_distances_free(near);
	return NULL;
}

void slu_hop_distances_free(struct slu_hop_distances *near)
{
	if (!near)
		return;
	for (uint32_t i = 0; near->lists && i < near->n_rows + near->n_places;
	     i++)
		slu_hosts_free(&near->lists[i]);
	free(near->lists);
	free(near->hops);
	free(near->rows.host);
	free(near->places.host);
	free(near);
}

uint32_t slu_hop_distances_places(const struct slu_hop_distances *near)
{
	return near->n_places + 1;
}

uint32_t slu_hop_distances_place(const struct slu_hop_distances *near,
				 const char *ion)
{
	uint32_t place = look_up(&near->places, ion);

	return place < near->n_places ? place : near->n_places;
}

void slu_hop_distances_sum(const struct slu_hop_distances *near,
			   const struct slu_hosts *hosts, uint32_t *far)
{
	memset(far, 0, slu_hop_distances_places(near) * sizeof(*far));
	for (size_t i = 0; i < hosts->n; i++) {
		uint32_t row = look_up(&near->rows, hosts->name[i]);

		if (row == UINT32_MAX)
			continue;
		for (uint32_t k = 0; k < near->n_places; k++)
			far[k] += near->hops[(size_t)row * near->n_places + k];
		far[near->n_places] += SLU_HOPS_UNKNOWN;
	}
}
