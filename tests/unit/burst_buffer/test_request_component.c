/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which lines of a script belong to which component of a heterogeneous
 * job. */
#include "config.h"
#include "tests/unit/harness.h"
#include "burst_buffer/request/request.h"

/* What of a script is a component's. */
struct part_case {
	const char *script;
	uint32_t component;
	const char *want;
};

#define TWO                                                                 \
	"#!/bin/sh\n#SBATCH -N1\n#BB jobfs capacity=1GiB\n#SBATCH hetjob\n" \
	"#BB forward\n\n#SBATCH -N2\n  cat <<E\n#BB stage_in\n\n#DWx\nE"

static const struct part_case parts[] = {
	{"", 0, ""},
	{"#!/bin/sh\n#BB forward\ndate\n", 0, "#!/bin/sh\n#BB forward\ndate\n"},
	{"#!/bin/sh\n#BB forward\ndate", 1, "#!/bin/sh\n\n\nexit 0\n"},
	{TWO, 0,
	 "#!/bin/sh\n#SBATCH -N1\n#BB jobfs capacity=1GiB\n#SBATCH hetjob\n"
	 "#EXCLUDED #BB forward\n\n#SBATCH -N2\n  cat <<E\n"
	 "#BB stage_in\n\n#DWx\nE"},
	{TWO, 1, "#!/bin/sh\n\n\n\n#BB forward\n\n#SBATCH -N2\n\nexit 0\n"},
	{TWO, 2, "#!/bin/sh\n\n\n\n\n\n\n\nexit 0\n"},
	{"#!/bin/sh\n#SLURM packjob\n#DW jobdw capacity=1GiB", 1,
	 "#!/bin/sh\n\n#DW jobdw capacity=1GiB\nexit 0\n"},
	{"#!/bin/sh\n#SLURM packjob\n#DW jobdw capacity=1GiB", 0,
	 "#!/bin/sh\n#SLURM packjob\n#EXCLUDED #DW jobdw capacity=1GiB"},
	{"#!/bin/sh\n# no hetjob\n#BB forward", 1, "#!/bin/sh\n\n\n\nexit 0\n"},
};

START_TEST(test_component)
{
	each(c, parts)
	{
		char *text = slu_request_component(c->script, c->component);

		ck_assert_str_eq(text, c->want);
		free(text);
	}
}
END_TEST

TEST_MAIN("request component", test_component)
