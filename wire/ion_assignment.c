/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables (codec.h) of the messages about I/O nodes: their assignment to jobs,
 * and their distances from compute nodes.
 */
#include "wire/ion_assignment.h"

#include "wire/field.h"

#define T struct slu_job_ref
static const struct slu_field job_ref_fields[] = {
	NEEDED(U32, job_id),
	LAST,
};
static DESC(job_ref_desc, "job_ref", job_ref_fields);
#undef T

#define T struct slu_ion_point
static const struct slu_field ion_point_fields[] = {
	NEEDED(U32, ions),
	FIELD(U32, runs),
	FIELD(DOUBLE, mean),
	FIELD(DOUBLE, spread),
	FIELD(DOUBLE, error),
	FIELD(DOUBLE, bandwidth),
	LAST,
};
static DESC(ion_point_desc, "ion_point", ion_point_fields);
#undef T

#define T struct slu_ion_share
static const struct slu_field ion_share_fields[] = {
	NEEDED(U32, job_id),
	FIELD(STR, name),
	FIELD(STR, nodes),
	FIELD(STR, ions),
	FIELD(U32, wanted),
	FIELD(U32, in_effect),
	FIELD(DOUBLE, bandwidth),
	FIELD(BOOL, shared),
	FIELD(STR, why),
	FIELD(U32, node_cnt),
	FIELD(U32, tasks),
	FIELD(U32, limit),
	FIELD(U32, uid),
	FIELD(STR, account),
	FIELD(DOUBLE, counts),
	MANY(curve, n_curve, ion_point_desc),
	LAST,
};
static DESC(ion_share_desc, "ion_share", ion_share_fields);
#undef T

#define T struct slu_assignment
static const struct slu_field assignment_fields[] = {
	NEEDED(U64, epoch),
	FIELD(U64, base),
	MANY(gone, n_gone, job_ref_desc),
	FIELD(I64, time),
	FIELD(STR, policy),
	FIELD(STR, event),
	FIELD(STR, ions),
	FIELD(U32, pool),
	FIELD(U32, compute),
	FIELD(BOOL, direct),
	FIELD(U32, least),
	FIELD(U32, user_most),
	FIELD(U32, account_most),
	FIELD(DOUBLE, total),
	FIELD(DOUBLE, static_total),
	FIELD(DOUBLE, table_total),
	FIELD(DOUBLE, table_static),
	FIELD(DOUBLE, bound),
	FIELD(BOOL, proved),
	MANY(jobs, n_jobs, ion_share_desc),
	LAST,
};
DESC(slu_assignment_desc, "assignment", assignment_fields);
#undef T

#define T struct slu_distance
static const struct slu_field distance_fields[] = {
	NEEDED(STR, hosts),
	FIELD(STR, hops),
	LAST,
};
static DESC(distance_desc, "distance", distance_fields);
#undef T

#define T struct slu_distances
static const struct slu_field distances_fields[] = {
	MANY(to, n_to, distance_desc),
	MANY(from, n_from, distance_desc),
	LAST,
};
DESC(slu_distances_desc, "distances", distances_fields);
#undef T
