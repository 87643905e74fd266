/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_TRANSITIONS_H
#define SLU_LIFECYCLE_TRANSITIONS_H

/*
 * The states of a buffer, and of each of its nodes, with the events that change
 * them: two tables without side effects. The numbers are in databases: never
 * change or reuse one.
 *
 *	SETUP -> STAGE_IN -> RUNNING -> STAGE_OUT -> TEARDOWN -> DONE
 *
 * STAGE_IN and STAGE_OUT are left out when there is nothing to stage. A failure
 * is no state: it is kept beside the state in which it happened, and the buffer
 * goes on when the job ends.
 */

enum slu_bb_state {
	SLU_BB_SETUP = 1,
	SLU_BB_STAGE_IN = 2,
	SLU_BB_RUNNING = 3,
	SLU_BB_STAGE_OUT = 4,
	SLU_BB_TEARDOWN = 5,
	SLU_BB_DONE = 6,
};

/* A remark in the history: the job that a failure had held does not exist any
 * more. */
#define SLU_BB_HOLD_OVER "the job was cancelled while it was held"

enum slu_bb_event {
	SLU_BB_MOUNTED = 1, /* mounted, and there is something to stage in */
	SLU_BB_READY = 2,   /* every node is ready */
	SLU_BB_ENDED = 3,   /* the job has ended; nothing is to be staged out */
	SLU_BB_ENDED_DATA = 4, /* the job has ended; data is to be staged out */
	SLU_BB_STAGED = 5,     /* stage-out is over, successful or not */
	SLU_BB_GONE = 6,       /* no node has anything of it any more */
	/* a node knows that the job has run and the record does not: the
	 * database is older */
	SLU_BB_RAN = 7,
};

/*
 * PLANNED: does not know the buffer. UP: has got the plan. READY: set up. DOWN:
 * is being taken down. CLEAN: has nothing of it any more. LOST: does not answer
 * and is not waited for; when it comes back it becomes CLEAN.
 */
enum slu_bb_node {
	SLU_NODE_PLANNED = 1,
	SLU_NODE_UP = 2,
	SLU_NODE_READY = 3,
	SLU_NODE_DOWN = 4,
	SLU_NODE_CLEAN = 5,
	SLU_NODE_LOST = 6,
};

enum slu_node_event {
	SLU_NODE_FETCH = 1,  /* it asks for the plan */
	SLU_NODE_SET_UP = 2, /* it reports ready */
	SLU_NODE_BEGIN = 3,  /* its down begins */
	SLU_NODE_WIPED = 4,  /* it reports clean */
	SLU_NODE_LOSE = 5,   /* slurmctld or a deadline gave it up */
	SLU_NODE_FORGO = 6,  /* the job ended before it asked for the plan */
};

/* The state after the event; the same state if the event changes nothing; 0 if
 * it cannot happen in this state. */
enum slu_bb_state slu_bb_next(enum slu_bb_state state, enum slu_bb_event event);
enum slu_bb_node slu_node_next(enum slu_bb_node state,
			       enum slu_node_event event);

/* "SETUP", ...; NULL: not the number of a state. */
const char *slu_bb_name(int state);
const char *slu_node_name(int state);
/* What users call it: "setup", "stage-in", ... */
const char *slu_bb_phase(enum slu_bb_state state);

#endif
