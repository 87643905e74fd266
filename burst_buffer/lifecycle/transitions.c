/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of transitions: rows are states, columns events; a transition that
 * is not listed is 0 and refused. Events that may be repeated (slurmctld and
 * nodes repeat messages) leave later states as they are.
 */
#include "config.h"
#include <stddef.h>
#include "burst_buffer/lifecycle/transitions.h"

#define BB_STATES   (SLU_BB_DONE + 1)
#define BB_EVENTS   (SLU_BB_RAN + 1)
#define NODE_STATES (SLU_NODE_LOST + 1)
#define NODE_EVENTS (SLU_NODE_FORGO + 1)

/* These numbers are in databases. */
_Static_assert(SLU_BB_SETUP == 1 && SLU_BB_STAGE_IN == 2 &&
		       SLU_BB_RUNNING == 3 && SLU_BB_STAGE_OUT == 4 &&
		       SLU_BB_TEARDOWN == 5 && SLU_BB_DONE == 6,
	       "numbers of buffer states are for ever");
_Static_assert(SLU_NODE_PLANNED == 1 && SLU_NODE_UP == 2 &&
		       SLU_NODE_READY == 3 && SLU_NODE_DOWN == 4 &&
		       SLU_NODE_CLEAN == 5 && SLU_NODE_LOST == 6,
	       "numbers of node states are for ever");

static const unsigned char bb_table[BB_STATES][BB_EVENTS] = {
	[SLU_BB_SETUP] =
		{
			[SLU_BB_MOUNTED] = SLU_BB_STAGE_IN,
			[SLU_BB_READY] = SLU_BB_RUNNING,
			[SLU_BB_RAN] = SLU_BB_RUNNING,
			[SLU_BB_ENDED] = SLU_BB_TEARDOWN,
		},
	[SLU_BB_STAGE_IN] =
		{
			[SLU_BB_READY] = SLU_BB_RUNNING,
			[SLU_BB_RAN] = SLU_BB_RUNNING,
			[SLU_BB_ENDED] = SLU_BB_TEARDOWN,
		},
	[SLU_BB_RUNNING] =
		{
			[SLU_BB_ENDED] = SLU_BB_TEARDOWN,
			[SLU_BB_ENDED_DATA] = SLU_BB_STAGE_OUT,
		},
	[SLU_BB_STAGE_OUT] =
		{
			[SLU_BB_STAGED] = SLU_BB_TEARDOWN,
		},
	[SLU_BB_TEARDOWN] =
		{
			/* only if the record has never been RUNNING */
			[SLU_BB_RAN] = SLU_BB_RUNNING,
			[SLU_BB_GONE] = SLU_BB_DONE,
		},
	[SLU_BB_DONE] =
		{
			[SLU_BB_RAN] = SLU_BB_RUNNING,
		},
};

static const unsigned char node_table[NODE_STATES][NODE_EVENTS] = {
	[SLU_NODE_PLANNED] =
		{
			[SLU_NODE_FETCH] = SLU_NODE_UP,
			[SLU_NODE_BEGIN] = SLU_NODE_DOWN,
			[SLU_NODE_WIPED] = SLU_NODE_CLEAN,
			/* the node has nothing, so nothing is lost */
			[SLU_NODE_LOSE] = SLU_NODE_PLANNED,
			[SLU_NODE_FORGO] = SLU_NODE_CLEAN,
		},
	[SLU_NODE_UP] =
		{
			[SLU_NODE_FETCH] = SLU_NODE_UP,
			[SLU_NODE_SET_UP] = SLU_NODE_READY,
			[SLU_NODE_BEGIN] = SLU_NODE_DOWN,
			[SLU_NODE_WIPED] = SLU_NODE_CLEAN,
			[SLU_NODE_LOSE] = SLU_NODE_LOST,
			[SLU_NODE_FORGO] = SLU_NODE_UP,
		},
	[SLU_NODE_READY] =
		{
			[SLU_NODE_FETCH] = SLU_NODE_READY,
			[SLU_NODE_SET_UP] = SLU_NODE_READY,
			[SLU_NODE_BEGIN] = SLU_NODE_DOWN,
			[SLU_NODE_WIPED] = SLU_NODE_CLEAN,
			[SLU_NODE_LOSE] = SLU_NODE_LOST,
			[SLU_NODE_FORGO] = SLU_NODE_READY,
		},
	[SLU_NODE_DOWN] =
		{
			[SLU_NODE_BEGIN] = SLU_NODE_DOWN,
			[SLU_NODE_WIPED] = SLU_NODE_CLEAN,
			[SLU_NODE_LOSE] = SLU_NODE_LOST,
			[SLU_NODE_FORGO] = SLU_NODE_DOWN,
		},
	[SLU_NODE_CLEAN] =
		{
			[SLU_NODE_BEGIN] = SLU_NODE_CLEAN,
			[SLU_NODE_WIPED] = SLU_NODE_CLEAN,
			[SLU_NODE_LOSE] = SLU_NODE_CLEAN,
			[SLU_NODE_FORGO] = SLU_NODE_CLEAN,
		},
	[SLU_NODE_LOST] =
		{
			[SLU_NODE_BEGIN] = SLU_NODE_LOST,
			[SLU_NODE_WIPED] = SLU_NODE_CLEAN,
			[SLU_NODE_LOSE] = SLU_NODE_LOST,
			[SLU_NODE_FORGO] = SLU_NODE_LOST,
		},
};

static const struct {
	const char *name, *phase;
} bb_names[BB_STATES] = {
	[SLU_BB_SETUP] = {"SETUP", "setup"},
	[SLU_BB_STAGE_IN] = {"STAGE_IN", "stage-in"},
	[SLU_BB_RUNNING] = {"RUNNING", "run"},
	[SLU_BB_STAGE_OUT] = {"STAGE_OUT", "stage-out"},
	[SLU_BB_TEARDOWN] = {"TEARDOWN", "teardown"},
	[SLU_BB_DONE] = {"DONE", "done"},
};

static const char *const node_names[NODE_STATES] = {
	[SLU_NODE_PLANNED] = "PLANNED", [SLU_NODE_UP] = "UP",
	[SLU_NODE_READY] = "READY",	[SLU_NODE_DOWN] = "DOWN",
	[SLU_NODE_CLEAN] = "CLEAN",	[SLU_NODE_LOST] = "LOST",
};

enum slu_bb_state slu_bb_next(enum slu_bb_state state, enum slu_bb_event event)
{
	if ((unsigned)state >= BB_STATES || (unsigned)event >= BB_EVENTS)
		return 0;
	return bb_table[state][event];
}

enum slu_bb_node slu_node_next(enum slu_bb_node state,
			       enum slu_node_event event)
{
	if ((unsigned)state >= NODE_STATES || (unsigned)event >= NODE_EVENTS)
		return 0;
	return node_table[state][event];
}

const char *slu_bb_name(int state)
{
	return (unsigned)state < BB_STATES ? bb_names[state].name : NULL;
}

const char *slu_bb_phase(enum slu_bb_state state)
{
	return (unsigned)state < BB_STATES ? bb_names[state].phase : NULL;
}

const char *slu_node_name(int state)
{
	return (unsigned)state < NODE_STATES ? node_names[state] : NULL;
}
