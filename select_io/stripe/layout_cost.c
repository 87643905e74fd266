/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes a file's cost in closed form: seeks, bytes of the busiest target and
 * server, and openings.
 */
#include "config.h"
#include "select_io/stripe/layout_cost.h"

#include <math.h>
#include <string.h>

#define MIB (1u << 20)

double slu_stripe_disk(const struct slu_cost_site *site)
{
	return site->disk > 0 ? site->disk : SLU_STRIPE_DISK;
}

/* Bytes of the file that are in the part. */
static uint64_t length(const struct slu_file_part *p, uint64_t size)
{
	uint64_t end = p->end < size ? p->end : size;

	return end > p->begin ? end - p->begin : 0;
}

uint64_t slu_stripe_bytes(const struct slu_file_part *p, uint64_t size,
			  uint32_t stripe)
{
	uint64_t bytes = length(p, size), row, rest, before;

	if (p->count == 0 || p->width == 0)
		return 0;
	row = (uint64_t)p->width * p->count;
	rest = bytes % row;
	before = (uint64_t)p->width * stripe;
	rest = rest > before ? rest - before : 0;
	return bytes / row * p->width + (rest < p->width ? rest : p->width);
}

/* The most of the part that one target has. A target may have several of its
 * stripes. */
static uint64_t most_on_target(const struct slu_file_layout *l,
			       const struct slu_file_part *p, uint64_t size)
{
	const uint32_t *ost = &l->ost[p->first];
	uint64_t most = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		uint64_t bytes = slu_stripe_bytes(p, size, i);

		for (uint32_t k = i + 1; k < p->named; k++)
			if (ost[k] == ost[i])
				bytes += slu_stripe_bytes(p, size, k);
		most = bytes > most ? bytes : most;
		if (p->named == 0)
			break; /* the first has most */
	}
	return most;
}

static uint32_t server_of(const struct slu_cost_site *site, uint32_t ost)
{
	return ost < site->n ? site->target[ost].server : 0;
}

/* The same of a server. Targets whose server is unknown have one each. */
static uint64_t most_on_server(const struct slu_file_layout *l,
			       const struct slu_file_part *p, uint64_t size,
			       const struct slu_cost_site *site)
{
	uint64_t most = 0, bytes;

	if (p->named == 0) {
		bytes = slu_stripe_bytes(p, size, 0);
		return site->servers
			       ? bytes * ((p->count - 1) / site->servers + 1)
			       : bytes;
	}
	for (uint32_t s = 1; s <= site->servers; s++) {
		bytes = 0;
		for (uint32_t i = 0; i < p->named; i++)
			if (server_of(site, l->ost[p->first + i]) == s)
				bytes += slu_stripe_bytes(p, size, i);
		most = bytes > most ? bytes : most;
	}
	return most;
}

static double sequential(const struct slu_file_layout *l,
			 const struct slu_file_part *p, uint64_t size,
			 const struct slu_cost_site *site)
{
	double bytes = (double)length(p, size);
	double nodes = site->readers > 1 ? site->readers : 1;
	double server = site->server > 0 ? site->server : SLU_STRIPE_PORT;
	double slowest = bytes / (SLU_STRIPE_NODE * nodes);

	if (p->mdt || p->count == 0)
		return fmax(slowest, bytes / slu_stripe_disk(site));
	slowest = fmax(slowest, (double)most_on_target(l, p, size) /
					slu_stripe_disk(site));
	return fmax(slowest, (double)most_on_server(l, p, size, site) / server);
}

static double at_random(const struct slu_file_part *p, uint64_t size,
			const struct slu_cost_site *site)
{
	double reads = ceil((double)length(p, size) / MIB), at_once = 1;
	double fetch =
		p->width < SLU_STRIPE_FETCH ? p->width : SLU_STRIPE_FETCH;

	if (site->readers > 1 && p->count > 1)
		at_once = site->readers < p->count ? site->readers : p->count;
	return reads * (SLU_STRIPE_SEEK + fetch / slu_stripe_disk(site)) /
	       at_once;
}

double slu_stripe_seconds(const struct slu_file_layout *l, uint64_t size,
			  const struct slu_cost_site *site)
{
	double seconds = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct slu_file_part *p = &l->part[i];

		if (p->made)
			seconds += SLU_STRIPE_GLIMPSE * p->count;
		seconds += site->access == SLU_STRIPE_RANDOM
				   ? at_random(p, size, site)
				   : sequential(l, p, size, site);
	}
	return seconds;
}

void slu_stripe_as_file(const struct slu_stripe_layout *planned, uint64_t size,
			struct slu_file_layout *out)
{
	uint64_t begin = planned->mdt;

	memset(out, 0, sizeof(*out));
	if (planned->mdt)
		out->part[out->n++] = (struct slu_file_part){
			.end = planned->mdt, .made = true, .mdt = true};
	for (size_t i = 0; i < planned->n; i++) {
		const struct slu_stripe_component *c = &planned->part[i];

		out->part[out->n++] = (struct slu_file_part){
			.begin = begin,
			.end = c->end ? c->end : UINT64_MAX,
			.count = c->count,
			.width = c->width,
			.made = begin < size || i == 0,
		};
		begin = c->end;
	}
}
