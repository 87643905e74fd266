#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a job waits for, as its user reads it: the sentence is there while it is
# true, of single jobs and of tasks of an array, also when slurmctld is killed
# meanwhile; and it is gone when the job waits for nodes alone.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
. "$(dirname "$0")/limits.sh"

shown() { # JOB: as job_field has it, but with the blanks in it
	on ctl scontrol show job "$1" | sed -n 's/^ *BurstBufferState=//p'
}

waits_for() { # JOB WORDS
	shown "$1" | grep -qE -- "$2"
}

says_nothing() { # JOB
	[ -z "$(shown "$1")" ]
}

reason_is() { # JOB REASON
	[[ $(job_field "$1" Reason) =~ ^($2)$ ]]
}

why() { # JOB
	as_alice sysquery --json why "$1"
}

holder() { # CAPACITY SBATCH-OPTION...: a job that keeps that much
	submit --bb="type=turn capacity=$1" -t10 "${@:2}" <<<$'#!/bin/bash\nsleep 300'
}

# What it waited for is there, but its node is not.
test_nodes() {
	local first plain job
	first=$(holder 900MiB -w n1)
	check_within 30 "a job has most of a pool" buffer_is "$first" RUNNING
	plain=$(submit -N1 -w n2 --exclusive -t10 <<<$'#!/bin/bash\nsleep 300')
	job=$(holder 300MiB -w n2)
	check_within 30 "another waits for storage" waits_for "$job" \
		'waits for 300MiB of pool turn'
	as_alice scancel "$first"
	check_within 60 "with storage free, the job waits for its node" \
		reason_is "$job" 'Resources|Priority|Nodes_required.*'
	check_within 20 "with storage free, BurstBufferState is empty" \
		says_nothing "$job"
	check "with storage free, bbstat does not list the job" \
		fails matches "$(bbstat)" \
		"^job $job "
	check "with storage free, sysquery why refers to Slurm" \
		matches "$(why "$job")" \
		'"kind":"slurm"'
	as_alice scancel "$plain"
	check_within 60 "the job runs when its node is free" buffer_is "$job" RUNNING
	as_alice scancel "$job"
	check_within 30 "no buffer is alive after the job" no_buffer_alive
}

# Two tasks that wait as one job.
test_array() {
	local first array id
	first=$(holder 900MiB -w n1)
	check_within 30 "a job has most of a pool" buffer_is "$first" RUNNING
	array=$(submit --bb="type=turn capacity=300MiB" -N1 -t10 --array=1-2 \
		<<<$'#!/bin/bash\ntrue')
	check_within 30 "an array waits for storage" waits_for "$array" \
		'waits for 300MiB of pool turn'
	check "sysquery why: the array waits for storage" matches "$(why "$array")" \
		'"kind":"storage","because":"waits for 300MiB'
	check "bbstat shows how long the array has waited" \
		matches "$(bbstat "$array")" \
		"^job $array \(for .*\): waits for 300MiB of pool turn"
	kill_slurmctld
	cluster start ctl slurmctld
	check_within 60 "after slurmctld's restart the array waits" reason_is "$array" \
		BurstBufferResources
	check_within 30 "after slurmctld's restart it waits for storage" \
		waits_for "$array" \
		'waits for 300MiB of pool turn: jobs have 900MiB'
	check_within 30 "after slurmctld's restart bbstat shows the wait" prints \
		"^job $array \(for .*\): waits for 300MiB" bbstat
	sleep 12 # less is not noted
	as_alice scancel "$first"
	check_within 90 "both tasks of the array run" array_done "$array"
	for id in $(task_ids "$array"); do
		check "task $id: AdminComment has the time it waited for storage" \
			matches \
			"$(on ctl scontrol -o show job "$id")" \
			'AdminComment=.*waited 0:00:[0-9]+ for storage'
		check_within 20 "task $id: sysquery job shows the time it waited for storage" \
			\
			prints \
			'^Waited .* for storage that others had' \
			as_alice sysquery job "$id" --table
		check "task $id: BurstBufferState has no wait any more" \
			fails waits_for "$id" waits
	done
}

task_ids() { # ARRAY: the number that each task has of its own
	on ctl scontrol -o show job "$1" | grep -o '^JobId=[0-9]*' | cut -d= -f2
}

array_done() { # ARRAY
	local states
	states=$(on ctl scontrol -o show job "$1" | grep -o ' JobState=[^ ]*')
	[ "$(grep -c COMPLETED <<<"$states")" = 2 ]
}

# What is free is kept for one that is before it.
test_promised() {
	local first large late
	first=$(holder 700MiB -w n1)
	check_within 30 "a job has most of a pool" buffer_is "$first" RUNNING
	large=$(holder 800MiB -w n2)
	check_within 30 "one that needs more waits" waits_for "$large" \
		'waits for 800MiB of pool turn'
	late=$(submit --bb='type=turn capacity=300MiB' -w n3 -N1 -t20 \
		--array=1-2 <<<$'#!/bin/bash\ntrue')
	check_within 30 "an array that would put it off waits" \
		waits_for "$late" "job $large, which is before it"
	check "sysquery why: the array waits for reserved storage" \
		matches "$(why "$late")" \
		'"kind":"promised-storage"'
	kill_slurmctld
	cluster start ctl slurmctld
	check_within 60 "after slurmctld's restart the reserved storage is waited for" \
		reason_is "$late" \
		BurstBufferResources
	check_within 30 "after slurmctld's restart the job before it is named" \
		waits_for "$late" \
		"job $large, which is before it"
	as_alice scancel "$large" "$first"
	check_within 90 "both tasks run when the pool is free" array_done "$late"
}

# With a tight limit it could start before a reservation, but must not.
test_limit() {
	local first job limit
	history >"$PFS/jobs"
	on ctl sysquery import sacct /pfs/jobs >/dev/null
	cluster conf sluice.conf PredictMode=tighten PredictFloor=60 \
		PredictQuantile=0.6
	on ctl scontrol reconfigure
	wait_for 40 is_tight
	first=$(holder 900MiB -w n1)
	check_within 30 "a job has most of a pool" buffer_is "$first" RUNNING
	job=$(short 1 -w n2 --bb='type=turn capacity=300MiB')
	limit=$(job_field "$job" TimeLimit)
	check "the job's limit is tightened" equal "$limit" 00:01:00
	check_within 30 "the tightened job waits for storage" waits_for "$job" \
		'waits for 300MiB of pool turn'
	on ctl scontrol create reservation ReservationName=soon Duration=10 \
		StartTime=now+4minutes Nodes=n2 Users=root >/dev/null
	as_alice scancel "$first"
	check_within 60 "before a reservation the job has its whole limit" \
		whole_or_reserved "$job"
	check_within 30 "before a reservation it does not wait for storage" \
		fails waits_for "$job" 'pool turn'
	on ctl scontrol delete ReservationName=soon
	check_within 90 "the job runs when the reservation is deleted" \
		job_is "$job" COMPLETED
}

whole_or_reserved() { # JOB
	[ "$(job_field "$1" TimeLimit)" = 00:10:00 ]
}

is_tight() {
	local job rc
	job=$(short 1 -H)
	[ "$(job_field "$job" TimeLimit)" = 00:01:00 ]
	rc=$?
	on ctl scancel "$job"
	return "$rc"
}

cluster_up --nodes 3 --ions 0 --disk 1500M
cluster conf sluice.conf "Pool=turn Size=1GiB" \
	"FileSystem=turn Driver=scratch Pool=turn"
cluster stop ctl sluiced
cluster start ctl sluiced
on ctl scontrol reconfigure
wait_for 20 knows turn
test_nodes
test_array
test_promised
test_limit
check "no node was drained" no_node_drained
check "the database is sound" database_sound
finish
