#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# When and on which nodes a job that waits will start, by what such jobs take
# and not by their limits.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/limits.sh"
SYSQUERY=/opt/sluice/bin/sysquery

ask_start() { # USER JOB
	bounded_exec -u "$1" ctl "$SYSQUERY" --json start "$2" 2>&1
}

start_50() { # JOB: s from now
	local at
	at=$(ask_start alice "$1" | sed -n 's/.*"start_50":\([0-9]*\).*/\1/p')
	[ "$at" ] && echo $((at - $(on ctl date +%s)))
}

cluster_up --nodes 2 --ions 0
history >"$PFS/jobs" # of 20 s, with limits of 10 minutes
check "a history is imported" quietly on ctl "$SYSQUERY" import sacct /pfs/jobs
first=$(short 60 --exclusive -w n1)
second=$(short 60 --exclusive -w n2)
wait_for 20 job_is "$second" RUNNING
waits=$(short 1 --exclusive)
behind=$(short 1 --exclusive -N2)
told=$(ask_start alice "$waits")
note "$told"
check "who waits is told a start" matches "$told" '"start_10":[0-9]+,"start_50":[0-9]+,"start_90":[0-9]+'
check "which nodes" matches "$told" '"likely_nodes":"n[12]","sure":[01]'
check "what is before it" matches "$told" '"running":2,"ahead":0'
soon=$(start_50 "$waits")
check "by what such jobs take" [ "${soon:-999}" -lt 300 ]
check "not by their limits" [ "${soon:-0}" -ge 0 ]
check "who waits behind it is told a later one" \
	[ "$(start_50 "$behind")" -ge "${soon:-0}" ]
check "another user is not told" matches "$(ask_start bob "$waits")" \
	'does not wait, or is not yours'
check "root is" matches "$(on ctl "$SYSQUERY" --json start "$waits")" start_50
check "who runs does not wait" matches "$(ask_start alice "$first")" \
	'does not wait'
held=$(short 1 -H)
check "of who is held nobody knows" matches "$(ask_start alice "$held")" \
	'waits for something else \(JobHeldUser\)'
check "in a table" prints '^exactly on n[12]: probability [01]' \
	bounded_exec -u alice ctl "$SYSQUERY" --table start "$waits"
check_within 90 "it starts" job_is "$waits" COMPLETED
shares=$(short 30 -n1 -w n1)
wait_for 60 job_is "$shares" RUNNING
shared=$(short 1 -w n1 -n2)
told=$(ask_start alice "$shared")
check "where nodes are shared it is told when" matches "$told" start_50
check "and not where" fails matches "$told" likely_nodes
finish
