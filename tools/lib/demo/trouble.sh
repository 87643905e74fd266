# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Question 5: a job cancelled while it is staged in, and one whose output
# cannot be written. Sourced by tools/demo.

buffer_is() { # JOB STATE
	[ "$(ask buffers "$1" 2>/dev/null | jq -r '.buffers[-1].state')" = "$2" ]
}

over() { # JOB
	[[ $(job_state "$1") =~ ^(CANCELLED|FAILED|COMPLETED)$ ]]
}

cancelled_job() {
	local job try
	for try in 1 2 3; do # it may be through before it is seen
		job=$(submit --time=5 -o 'job-%j.out' translate.sh)
		wait_for 10 buffer_is "$job" STAGE_IN
		as_alice scancel "$job"
		watch_job "$job"
		wait_for 20 over "$job"
		[ "$(job_state "$job")" != CANCELLED ] || break
	done
	CANCELLED=$job
}

unwritable_job() {
	local job
	job=$(sed 's|/pfs/alice/output.%j|/pfs/output.%j|' \
		"$PFS/alice/translate.sh" |
		submit --time=5 -o 'job-%j.out')
	watch_job "$job"
	wait_for 20 over "$job"
	UNWRITABLE=$job
}

told() { # JOB: what its user is told
	as_alice sysquery buffers "$1" --json |
		jq -r '.buffers[-1].failure // .buffers[-1].history[-1].text // "-"'
}

# Hosts where something of a job's file system is left.
left_behind() {
	local i
	for ((i = 1; i <= 8; i++)); do
		cluster exec "n$i" sh -c 'ls -d /run/sluice/[0-9]* ||
			pgrep -x sluice-node || pgrep "^glusterfs" ||
			grep " /run/sluice/" /proc/self/mountinfo' \
			>/dev/null 2>&1 && echo "n$i"
	done
	true
}

show_trouble() {
	local left
	question 5 "And when something goes wrong?"
	cancelled_job
	unwritable_job
	{
		printf 'job\twhat happened\tstate\twhat alice is told\n'
		printf '%s\t%s\t%s\t%s\n' \
			"$CANCELLED" "cancelled while staging in" \
			"$(job_state "$CANCELLED")" "$(told "$CANCELLED")" \
			"$UNWRITABLE" "output not writable" \
			"$(job_state "$UNWRITABLE")" "$(told "$UNWRITABLE")"
	} | table
	say "What job $UNWRITABLE could not write is kept on its nodes for two" \
		"days, for \`sluice-node fetch\`."
	for _ in {1..30}; do # an epilog may be at its end
		left=$(left_behind)
		[ -n "$left" ] || break
		sleep 1
	done
	[ -z "$left" ]
	verdict $? "no daemon, mount or note of a job is left on any node $left"
}
