# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What chaos and chaos_limits share: drawing what happens, noting when it did.
# Sourced after lib.sh.
EVENTS=$LOGS/$TEST.events
JOB_PLAN=$LOGS/$TEST.job-plan
FAULT_PLAN=$LOGS/$TEST.fault-plan

event() {
	printf '%(%H:%M:%S)T %s\n' -1 "$*" >>"$EVENTS"
}

# Plans. RANDOM gives one sequence per seed, but only in the shell itself: a
# command substitution is another shell, which draws a seed of its own.
draw_plans() { # of SEED
	RANDOM=$SEED
	plan_jobs >"$JOB_PLAN"
	RANDOM=$SEED
	plan_faults >"$FAULT_PLAN"
}

pick() { # VARIABLE WORD...: one of the words
	local variable=$1
	shift
	shift $((RANDOM % $#))
	printf -v "$variable" %s "$1"
}

queue_has_room() {
	local n
	n=$(LIMIT=20 as_alice squeue -h -u alice -t PD,R,CF,CG 2>/dev/null |
		wc -l)
	[ "${PIPESTATUS[0]}" = 0 ] && [ "$n" -lt $((2 * NODES)) ]
}

queue_is_empty() {
	[ -z "$(on ctl squeue -h -u alice 2>&1)" ]
}

no_assertion() {
	! grep -rhE 'ssertion .*failed|xassert|[Ss]egmentation fault|core dumped|stack smashing|corrupted|double free' \
		"/run/sluice-clusters/$CLUSTER/log/"
}
