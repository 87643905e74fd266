/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the tables of state transitions: every state with every event, invalid
 * numbers included. */
#include "config.h"
#include "tests/unit/harness.h"
#include <stdbool.h>
#include "burst_buffer/lifecycle/transitions.h"

/* Columns: MOUNTED READY ENDED ENDED_DATA STAGED GONE RAN. */
START_TEST(test_buffer)
{
	static const char *const want[][8] = {
		{"SETUP", "STAGE_IN", "RUNNING", "TEARDOWN", NULL, NULL, NULL,
		 "RUNNING"},
		{"STAGE_IN", NULL, "RUNNING", "TEARDOWN", NULL, NULL, NULL,
		 "RUNNING"},
		{"RUNNING", NULL, NULL, "TEARDOWN", "STAGE_OUT", NULL, NULL},
		{"STAGE_OUT", NULL, NULL, NULL, NULL, "TEARDOWN", NULL},
		{"TEARDOWN", NULL, NULL, NULL, NULL, NULL, "DONE", "RUNNING"},
		{"DONE", NULL, NULL, NULL, NULL, NULL, NULL, "RUNNING"},
	};
	int state, event;

	for (state = -1; state < 9; state++)
		for (event = -1; event < 9; event++) {
			bool known = state >= 1 && state <= 6 && event >= 1 &&
				     event <= 7;
			const char *goal =
				known ? want[state - 1][event] : NULL;
			int next = (int)slu_bb_next((enum slu_bb_state)state,
						    (enum slu_bb_event)event);

			if (known)
				ck_assert_str_eq(slu_bb_name(state),
						 want[state - 1][0]);
			if (goal)
				ck_assert_str_eq(slu_bb_name(next), goal);
			else
				expect(next == 0, "%d %d", state, event);
		}
}
END_TEST

/* Columns: FETCH SET_UP BEGIN WIPED LOSE FORGO. */
START_TEST(test_node)
{
	static const char *const want[][7] = {
		{"PLANNED", "UP", NULL, "DOWN", "CLEAN", "PLANNED", "CLEAN"},
		{"UP", "UP", "READY", "DOWN", "CLEAN", "LOST", "UP"},
		{"READY", "READY", "READY", "DOWN", "CLEAN", "LOST", "READY"},
		{"DOWN", NULL, NULL, "DOWN", "CLEAN", "LOST", "DOWN"},
		{"CLEAN", NULL, NULL, "CLEAN", "CLEAN", "CLEAN", "CLEAN"},
		{"LOST", NULL, NULL, "LOST", "CLEAN", "LOST", "LOST"},
	};
	int state, event;

	for (state = -1; state < 9; state++)
		for (event = -1; event < 9; event++) {
			bool known = state >= 1 && state <= 6 && event >= 1 &&
				     event <= 6;
			const char *goal =
				known ? want[state - 1][event] : NULL;
			int next =
				(int)slu_node_next((enum slu_bb_node)state,
						   (enum slu_node_event)event);

			if (known)
				ck_assert_str_eq(slu_node_name(state),
						 want[state - 1][0]);
			if (goal)
				ck_assert_str_eq(slu_node_name(next), goal);
			else
				expect(next == 0, "%d %d", state, event);
		}
}
END_TEST

/* Whatever happens, the life goes forward and every state can end. */
START_TEST(test_forward)
{
	int state, event, next;
	bool on;

	for (state = SLU_BB_SETUP; state < SLU_BB_DONE; state++) {
		on = false;
		for (event = SLU_BB_MOUNTED; event <= SLU_BB_RAN; event++) {
			next = (int)slu_bb_next((enum slu_bb_state)state,
						(enum slu_bb_event)event);
			/* but for what was not known */
			ck_assert(next == 0 || next > state ||
				  event == SLU_BB_RAN);
			on = on || next;
		}
		ck_assert(on);
	}
	for (state = SLU_NODE_PLANNED; state <= SLU_NODE_LOST; state++)
		ck_assert_int_eq(
			slu_node_next((enum slu_bb_node)state, SLU_NODE_WIPED),
			SLU_NODE_CLEAN);
}
END_TEST

START_TEST(test_names)
{
	ck_assert_ptr_null(slu_bb_name(0));
	ck_assert_ptr_null(slu_bb_name(-1));
	ck_assert_ptr_null(slu_bb_name(7));
	ck_assert_ptr_null(slu_node_name(0));
	ck_assert_ptr_null(slu_node_name(7));
	ck_assert_ptr_null(slu_bb_phase((enum slu_bb_state)7));
	ck_assert_str_eq(slu_bb_phase(SLU_BB_STAGE_OUT), "stage-out");
}
END_TEST

TEST_MAIN("transitions", test_buffer, test_node, test_forward, test_names)
