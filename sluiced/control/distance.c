/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes the distances between I/O nodes and compute nodes in the network's
 * topology. Hosts at the same switch are one place: one breadth-first search
 * per place with I/O nodes, whatever the number of hosts.
 */
#include "sluiced/control/distance.h"

#include <stdlib.h>
#include <string.h>

#include "common/str.h"

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

/* The I/O nodes of each place, and the distances from it. */
static int add_place(const struct slu_topology *t, const struct slu_hosts *ions,
		     uint32_t leaf, struct slu_distances *out, uint32_t *far)
{
	struct slu_distance *to = &out->to[out->n_to];
	struct slu_hosts here = {0};
	int rc = 0;

	for (size_t i = 0; i < ions->n && rc == 0; i++)
		if (slu_topology_leaf(t, ions->name[i]) == leaf)
			rc = slu_hosts_add(&here, ions->name[i]);
	if (rc == 0)
		rc = slu_topology_far(t, here.name[0], far + out->n_to * t->n);
	to->hosts = rc == 0 ? slu_hosts_text(&here) : NULL;
	slu_hosts_free(&here);
	out->n_to += to->hosts != NULL;
	return to->hosts ? 0 : -1;
}

static int add_row(const struct slu_topology *t, uint32_t leaf,
		   struct slu_distances *out, const uint32_t *far)
{
	const struct slu_hosts *all = &t->sw[leaf].hosts;
	struct slu_distance *from = &out->from[out->n_from];
	struct slu_hosts here = {0};
	struct slu_buf hops = {0};
	int rc = 0;

	for (size_t i = 0; i < all->n && rc == 0; i++)
		if (slu_topology_leaf(t, all->name[i]) == leaf)
			rc = slu_hosts_add(&here, all->name[i]);
	for (size_t p = 0; p < out->n_to; p++) {
		uint32_t v = far[p * t->n + leaf];

		if (v == SLU_TOPOLOGY_UNKNOWN)
			slu_buf_puts(&hops, p ? " -" : "-");
		else
			slu_buf_printf(&hops, p ? " %u" : "%u", v + 1);
	}
	if (rc == 0 && here.n) {
		from->hosts = slu_hosts_text(&here);
		from->hops = slu_buf_steal(&hops);
		out->n_from++;
		rc = from->hosts && from->hops ? 0 : -1;
	}
	slu_hosts_free(&here);
	slu_buf_free(&hops);
	return rc;
}

int slu_distance_message(const struct slu_topology *t,
			 const struct slu_hosts *ions,
			 struct slu_distances *out, struct slu_err *err)
{
	struct slu_distances fresh = {
		.to = calloc(t->n + 1, sizeof(*fresh.to)),
		.from = calloc(t->n + 1, sizeof(*fresh.from)),
	};
	bool *has_ions = calloc(t->n + 1, sizeof(*has_ions));
	uint32_t *far = NULL, places = 0;
	int rc = fresh.to && fresh.from && has_ions ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < ions->n; i++) {
		uint32_t leaf = slu_topology_leaf(t, ions->name[i]);

		if (leaf == SLU_TOPOLOGY_UNKNOWN || has_ions[leaf])
			continue;
		has_ions[leaf] = true;
		places++;
	}
	if (rc == 0) {
		far = calloc((size_t)places * t->n + 1, sizeof(*far));
		rc = far ? 0 : -1;
	}
	for (uint32_t i = 0; rc == 0 && i < t->n; i++)
		if (has_ions[i])
			rc = add_place(t, ions, i, &fresh, far);
	for (uint32_t i = 0; rc == 0 && places && i < t->n; i++)
		rc = add_row(t, i, &fresh, far);
	free(far);
	free(has_ions);
	if (rc < 0) {
		slu_msg_clear(&slu_distances_desc, &fresh);
		return nomem(err);
	}
	*out = fresh;
	return 0;
}
