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

has_start() { # JOB: does its AdminComment say when it will start?
	on ctl scontrol -o show job "$1" |
		grep -qE 'AdminComment=.*start: 50 % by 20[-0-9]*T[0-9:]*, 90 % by 20[-0-9]*T[0-9:]*'"${2:-}"
}

has_no_start() {
	! on ctl scontrol -o show job "$1" | grep -q 'AdminComment=.*start: '
}

cluster_up --nodes 2 --ions 0
cluster conf sluice.conf StartNotes=2
on ctl pkill -HUP sluiced
history >"$PFS/jobs" # of 20 s, with limits of 10 minutes
check "a history is imported" quietly on ctl "$SYSQUERY" import sacct /pfs/jobs
first=$(short 60 --exclusive -w n1)
second=$(short 60 --exclusive -w n2)
wait_for 20 job_is "$second" RUNNING
waits=$(short 1 --exclusive)
behind=$(short 1 --exclusive -N2)
told=$(ask_start alice "$waits")
note "$told"
check "the start of a waiting job is predicted with quantiles" \
	matches "$told" '"start_10":[0-9]+,"start_50":[0-9]+,"start_90":[0-9]+'
check "the likely nodes are predicted" \
	matches "$told" '"likely_nodes":"n[12]","sure":[01]'
check "the numbers of jobs before it are given" matches "$told" '"running":2,"ahead":0'
soon=$(start_50 "$waits")
check "the predicted start is earlier than by limits" [ "${soon:-999}" -lt 300 ]
check "the predicted start is in the future" [ "${soon:-0}" -ge 0 ]
check "the job behind it has a later predicted start" \
	[ "$(start_50 "$behind")" -ge "${soon:-0}" ]
check_within 20 "the AdminComment of a waiting job has its start and nodes" \
	has_start "$waits" ', on n[12] (1|\.[0-9])'
check_within 10 "so has that of the job behind it" \
	has_start "$behind" ', on n1 (1|\.[0-9]), n2 (1|\.[0-9])'
check "a running job's has none" has_no_start "$first"
check "another user's job is not predicted" matches "$(ask_start bob "$waits")" \
	'does not wait, or is not yours'
check "root may ask for any job" \
	matches "$(on ctl "$SYSQUERY" --json start "$waits")" start_50
check "a running job has no predicted start" matches "$(ask_start alice "$first")" \
	'does not wait'
held=$(short 1 -H)
check "a held job has no predicted start" matches "$(ask_start alice "$held")" \
	'waits for something whose end cannot be predicted \(JobHeldUser\)'
on ctl scontrol hold "$behind"
check_within 20 "a start that is not predicted any more is not in the AdminComment" \
	has_no_start "$behind"
on ctl scontrol release "$behind"
check_within 20 "that of a released job has one again" has_start "$behind"
as_alice scancel "$behind"
check "nor has a cancelled one" has_no_start "$behind"
check "--table shows the probability of the nodes" \
	prints '^exactly on n[12]: probability [01]' \
	bounded_exec -u alice ctl "$SYSQUERY" --table start "$waits"
check_within 90 "the waiting job runs" job_is "$waits" COMPLETED
check "when it has begun its start is not in the AdminComment" \
	has_no_start "$waits"
shares=$(short 90 -n1 -w n1)
wait_for 60 job_is "$shares" RUNNING
shared=$(short 1 -w n1 -n2)
told=$(ask_start alice "$shared")
check "on shared nodes a start is predicted" matches "$told" start_50
check "on shared nodes no nodes are predicted" fails matches "$told" likely_nodes
check_within 20 "the AdminComment of a job on shared nodes has only its start" \
	has_start "$shared" '($|[^,:0-9])'
# Before the submission.
{
	echo 'JobID|User|UID|Partition|Start|End|State|NNodes|JobName'
	for i in {1..12}; do
		at=$(($(date +%s) - i * 86400))
		echo "$((9000 + i))|alice|$(on ctl id -u alice)|main|$at|$((at + 7700))|COMPLETED|1|long"
	done
} >"$PFS/long"
check "a longer history is imported" quietly on ctl "$SYSQUERY" import sacct /pfs/long
check "with PredictMode=fill no default limit is too short" fails prints warning \
	bounded_exec -u alice ctl "$SYSQUERY" --table predict --name long
cluster conf sluice.conf PredictMode=advise
on ctl pkill -HUP sluiced
check_within 10 "with advise it is warned of" prints \
	'warning: [0-9]+ of the last [0-9]+ runs like this one took its limit of 1:00:00' \
	bounded_exec -u alice ctl "$SYSQUERY" --table predict --name long
check "a limit that is long enough is not" fails prints warning \
	bounded_exec -u alice ctl "$SYSQUERY" --table predict --name long --limit 150
cluster conf sluice.conf StartNotes=0
on ctl pkill -HUP sluiced
check_within 30 "with StartNotes=0 it is removed" has_no_start "$shared"
check "that job still waits" job_is "$shared" PENDING
finish
