/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists the layouts that were measured in the paper "Evaluating Dynamic File
 * Striping for Lustre": Table II's directory types A to J, and the part of a
 * file in each (Tables III, IV, V).
 */
#include "config.h"
#include "select_io/stripe/composite_layout.h"

#include <stdlib.h>
#include <strings.h>
#include <string.h>

#define GIB (UINT64_C(1) << 30)
#define MIB (1u << 20)

/* Table II: stripe count, width in MB. */
static const struct {
	uint32_t count, width;
} types[] = {
	{4, 1},	 {8, 1},  {16, 1}, {64, 1}, {4, 2},
	{16, 2}, {64, 2}, {4, 4},  {16, 4}, {64, 4},
};

/* Types in order, and the watermarks between them in GB. */
static const struct preset {
	const char *name, *type;
	uint32_t mark[2];
} presets[] = {
	{"IOR.1", "A", {0}},	       {"IOR.2", "B", {0}},
	{"IOR.3", "C", {0}},	       {"IOR.4", "AB", {1024}},
	{"IOR.5", "AC", {1024}},       {"IOR.6", "ABC", {1024, 2048}},
	{"netflow.1", "A", {0}},       {"netflow.2", "B", {0}},
	{"netflow.3", "C", {0}},       {"netflow.4", "AB", {10}},
	{"netflow.5", "AC", {10}},     {"netflow.6", "ABC", {10, 20}},
	{"blast.1", "A", {0}},	       {"blast.2", "C", {0}},
	{"blast.3", "D", {0}},	       {"blast.4", "E", {0}},
	{"blast.5", "F", {0}},	       {"blast.6", "G", {0}},
	{"blast.7", "H", {0}},	       {"blast.8", "I", {0}},
	{"blast.9", "J", {0}},	       {"blast.10", "AEH", {26, 52}},
	{"blast.11", "CFI", {26, 52}}, {"blast.12", "DGJ", {26, 52}},
	{"blast.13", "ACD", {26, 52}}, {"blast.14", "EFG", {26, 52}},
	{"blast.15", "HIJ", {26, 52}}, {"blast.16", "AFJ", {26, 52}},
	{"blast.17", "AFJ", {20, 40}}, {"blast.18", "AFJ", {8, 28}},
};

/* Stripe counts and widths that are not in Table II. */
static const struct {
	const char *name;
	struct slu_stripe_layout layout;
} others[] = {
	{"tableI",
	 {.part = {{GIB, 4, MIB, "0-1 GB"},
		   {10 * GIB, 8, 2 * MIB, "1-10 GB"},
		   {0, 16, 4 * MIB, "10-14 GB"}},
	  .n = 3}},
	{"fig11",
	 {.part = {{26 * GIB, 16, MIB, "0-26 GB"},
		   {52 * GIB, 64, MIB, "26-52 GB"},
		   {0, 128, MIB, "remainder"}},
	  .n = 3}},
};

static const char *const places[] = {"first part", "second part", "remainder"};

static void build(const struct preset *p, struct slu_stripe_layout *out)
{
	size_t n = strlen(p->type);

	*out = (struct slu_stripe_layout){.n = n};
	for (size_t i = 0; i < n; i++)
		out->part[i] = (struct slu_stripe_component){
			.end = i + 1 < n ? p->mark[i] * GIB : 0,
			.count = types[p->type[i] - 'A'].count,
			.width = types[p->type[i] - 'A'].width * MIB,
			.why = n == 1	    ? "entire file"
			       : i + 1 == n ? places[2]
					    : places[i],
		};
}

int slu_stripe_preset(const char *name, struct slu_stripe_layout *out,
		      struct slu_err *err)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(*presets); i++)
		if (strcasecmp(presets[i].name, name) == 0) {
			build(&presets[i], out);
			return 0;
		}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcasecmp(others[i].name, name) == 0) {
			*out = others[i].layout;
			return 0;
		}
	return slu_err(err, SLU_NOTFOUND,
		       "there is no layout \"%.40s\": IOR.1 to 6, netflow.1 to "
		       "6, blast.1 to 18, tableI, fig11",
		       name);
}
