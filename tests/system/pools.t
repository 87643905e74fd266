#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Pools of storage and their limits, on real Slurm with slurmdbd: what is
# shown, who waits for what and until when, what is refused, what is accounted.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

show() {
	on ctl scontrol -o show burst
}

shows() { # WORDS
	matches "$(show)" "$1"
}

holder() { # CAPACITY SBATCH-OPTION...: a job that keeps that much
	local size=$1
	shift
	submit --bb="capacity=$size" "$@" <<<$'#!/bin/bash\nsleep 300'
}

waits_for() { # JOB WORDS
	on ctl scontrol show job "$1" | grep -qE "BurstBufferState=.*$2"
}

refusal() { # SBATCH-OPTION...
	submit "$@" <<<$'#!/bin/bash\ntrue' 2>&1
}

starts_at() { # JOB: Unix seconds
	date -d "$(job_field "$1" StartTime)" +%s 2>/dev/null
}

starts_near() { # JOB JOB: the first when the second ends
	local start end
	start=$(starts_at "$1")
	end=$(date -d "$(job_field "$2" EndTime)" +%s)
	[ -n "$start" ] && [ $((start - end)) -ge -2 ] &&
		[ $((start - end)) -le 60 ]
}

test_shown() {
	check "the layout is Slurm's own" shows \
		'^Name=sluice DefaultPool=nodes Granularity=10MiB TotalSpace=[0-9]+MiB FreeSpace=[0-9]+MiB UsedSpace=0 '
	check "the other pools stand below" shows \
		'PoolName\[0\]=far Granularity=1 TotalSpace=1GiB FreeSpace=1GiB UsedSpace=0 '
}

test_refused() {
	check "more than the pool has is refused" matches \
		"$(refusal --bb=capacity=9GiB)" 'is more than pool nodes has'
	check "so is more than one node has" matches \
		"$(refusal -N1 --bb=capacity=1100MiB)" 'none can hold more than'
	check "and more than a user may have at a time" matches \
		"$(refusal --bb=capacity=1300MiB)" \
		'is more than the .* that a user may have of pool nodes'
	check "and an account that is denied" matches \
		"$(refusal --bb='type=far capacity=1MiB')" \
		'account users may not'
	check "or one that is not allowed" matches \
		"$(refusal --bb='type=phys capacity=1MiB')" \
		'account users may not have storage of pool phys'
	check "a user who is not allowed" matches \
		"$(refusal --bb='type=bobs capacity=1MiB')" \
		'user .* may not have storage of pool bobs'
	check "but not the one who is" matches "$(bounded_exec -u bob ctl \
		sbatch -H -N1 --bb='type=bobs capacity=1MiB' --wrap=true \
		2>&1)" Submitted
	check "a user who is denied everything" matches \
		"$(on ctl sbatch --bb=capacity=1MiB --wrap=true 2>&1)" \
		'user root may not ask for a file system'
	check "more than anybody may have" matches \
		"$(refusal --bb='type=far capacity=21GiB')" MaxCapacity
	bounded_exec -u bob ctl scancel -u bob
	check "and more than a job may have" matches \
		"$(refusal --bb='type=tiny capacity=11MiB')" 'MaxPerJob'
}

# Each of the jobs takes a node of its own.
test_waiting() {
	local first second other
	first=$(holder 795MiB -w n1 -t 10)
	check_within 30 "a job runs" buffer_is "$first" RUNNING
	check "what it has is used, in whole granules" shows \
		' UsedSpace=800MiB '
	check "by its job" shows 'JobID=[0-9]+ .* Pool=nodes Size=800MiB State=running'
	check "and its user" shows 'UserID=alice\([0-9]+\) Used=800MiB'
	second=$(holder 500MiB -w n3 -t 10)
	check_within 20 "a user who has enough waits" waits_for "$second" \
		'its_user_has_800MiB_of_the_1.2GiB|its user has 800MiB'
	check_within 10 "for a resource" prints BurstBufferResources \
		as_alice squeue -h -j "$second" -o %r
	check_within 20 "and is estimated to start when the other ends" \
		starts_near "$second" "$first"
	other=$(bounded_exec -u bob ctl sbatch --parsable -o /dev/null -w n2 \
		--bb=capacity=500MiB --wrap='sleep 300')
	check_within 20 "another user does not wait" buffer_is "$other" RUNNING
	as_alice scancel "$first"
	check_within 30 "when it has ended the other starts" \
		buffer_is "$second" RUNNING
	bounded_exec -u bob ctl scancel "$other"
	as_alice scancel "$second"
	check_within 30 "and all is free again" free_again
}

free_again() {
	no_buffer_alive && show | grep -q ' UsedSpace=0 '
}

# Two jobs on one node: the second cannot have what the first was promised.
test_one_node() {
	local first second
	first=$(holder 600MiB -w n1 -n1)
	check_within 30 "a job has a part of a node" buffer_is "$first" RUNNING
	second=$(bounded_exec -u bob ctl sbatch --parsable -o /dev/null -w n1 \
		-n1 --bb=capacity=600MiB --wrap=true)
	check_within 30 "another there does not get what it was promised" \
		promised "$second"
	bounded_exec -u bob ctl scancel "$second"
	second=$(bounded_exec -u bob ctl sbatch --parsable -o /dev/null -w n1 \
		-n1 --bb=capacity=100MiB --wrap=true)
	check_within 40 "but gets what is left" job_is "$second" COMPLETED
	as_alice scancel "$first"
	check_within 30 "both are gone" no_buffer_alive
}

# A job that needs much of a pool is not passed by those that would put it off.
test_turn() {
	local first large late
	first=$(holder '700MiB type=turn' -w n1 -n1 -t 10)
	check_within 30 "a job has most of a pool" buffer_is "$first" RUNNING
	large=$(holder '800MiB type=turn' -w n2 -n1 -t 10)
	check_within 20 "one that needs more waits" waits_for "$large" \
		'waits.for.800MiB.of.pool.turn'
	late=$(holder '300MiB type=turn' -w n3 -n1 -t 20)
	check_within 20 "one that needs less would put it off" \
		waits_for "$late" "job.$large.is.before.it"
	check_within 30 "one that ends before goes ahead" job_is "$(submit \
		-w n3 -n1 -t 1 --bb='capacity=300MiB type=turn' \
		<<<$'#!/bin/bash\ntrue')" COMPLETED
	as_alice scancel "$first"
	check_within 40 "the large one is next" buffer_is "$large" RUNNING
	check "before the one that needs less" equal \
		"$(job_field "$late" JobState)" PENDING
	as_alice scancel "$large"
	check_within 40 "which then runs" buffer_is "$late" RUNNING
	as_alice scancel "$late"
	check_within 30 "all are gone" no_buffer_alive
}

promised() { # JOB
	matches "$(buffer_failure "$1")" 'hold 6[0-9]{2}(\.[0-9])?MiB of' \
		>/dev/null
}

accounted() { # JOB
	on ctl sacct -nPX -j "$1" -o reqtres,alloctres |
		grep -qE 'bb/sluice=200M.*\|.*bb/sluice=200M'
}

test_accounted() {
	local job
	job=$(submit -N2 --bb=capacity=200MiB <<<$'#!/bin/bash\ntrue')
	check_within 40 "a job completes" job_is "$job" COMPLETED
	check_within 30 "sacct knows its capacity" accounted "$job"
	job=$(submit -N1 <<-'EOT'
		#!/bin/bash
		#BB jobfs capacity=20MiB
		#BB stage_out source=$BB_JOBFS/ destination=/pfs/alice/kept.%j
		echo a >"$BB_JOBFS/a"
	EOT
	)
	check_within 60 "sacct says what was staged out" prints \
		'COMPLETED.*staged out 1 file, .*verified' \
		on ctl sacct -nPX -j "$job" -o state,admincomment
	check_within 30 "and its file system is gone" no_buffer_alive
	on ctl sacctmgr -i modify user alice set MaxTRESPerJob=bb/sluice=150 \
		>/dev/null
	sleep 2
	check "a limit of the association holds" limited
	on ctl sacctmgr -i modify user alice set MaxTRESPerJob=bb/sluice=-1 \
		>/dev/null
}

# Above it a job is refused, or waits, as the site enforces limits.
limited() {
	local out
	out=$(holder 200MiB -N1 2>&1)
	if [[ $out =~ ^[0-9]+$ ]]; then
		wait_for 10 limit_named "$out"
		out=$?
		as_alice scancel "${BASH_REMATCH[0]}"
		return "$out"
	fi
	matches "$out" 'policy|limit'
}

limit_named() {
	as_alice squeue -h -j "$1" -o %r | grep -qE 'BB|Burst'
}

short() { # SBATCH-OPTION...
	submit -N1 -J short "$@" <<<$'#!/bin/sh\ntrue' 2>/dev/null
}

limited_to() { # JOB LIMIT
	[ "$(job_field "$1" TimeLimit)" = "$2" ]
}

walled() { # a longer request waits as it would, with its own limit
	on ctl scontrol -o show job "$1" |
		grep -qE 'Reason=(QOS|Assoc)MaxWall.* TimeLimit=00:10:00'
}

# Where a QOS has one, Slurm does not ask the association's.
other_wall() {
	on ctl sacctmgr -i modify qos normal set MaxWall=100 >/dev/null
	check_within 20 "a wall of the QOS goes before a user's" tight
	on ctl sacctmgr -i modify qos normal set MaxWall=-1 >/dev/null
}

# A careful limit gets nobody past a wall that the request does not pass.
test_walls() {
	history 9 >"$PFS/jobs"
	on ctl /opt/sluice/bin/sysquery import sacct /pfs/jobs >/dev/null
	cluster conf sluice.conf PredictMode=tighten PredictFloor=60 \
		PredictQuantile=0.6
	on ctl scontrol reconfigure
	check_within 40 "limits are tight" tight
	for wall in "qos normal" "user alice"; do
		# shellcheck disable=SC2086
		on ctl sacctmgr -i modify $wall set MaxWall=5 >/dev/null
		check_within 20 "$wall: a longer request waits" kept_waiting
		check "$wall: one within the wall is tight" tight -t4
		on ctl sacctmgr -i modify qos normal set Flags=DenyOnLimit \
			>/dev/null
		check_within 20 "$wall: or is refused" fails short -H -t10
		on ctl sacctmgr -i modify qos normal set Flags-=DenyOnLimit \
			>/dev/null
		[ "$wall" = "qos normal" ] || other_wall
		# shellcheck disable=SC2086
		on ctl sacctmgr -i modify $wall set MaxWall=-1 >/dev/null
	done
}

tight() { # SBATCH-OPTION...
	local job rc
	job=$(short -H -t10 "$@")
	limited_to "$job" 00:01:00
	rc=$?
	on ctl scancel "$job"
	return "$rc"
}

kept_waiting() {
	local job rc
	job=$(short -t10)
	wait_for 5 walled "$job" 2>/dev/null
	rc=$?
	on ctl scancel "$job"
	return "$rc"
}

bounded_by_bob() { # JOB
	bounded_exec -u bob ctl scontrol update job "$1" TimeLimit=5 &&
		on ctl scontrol -o show job "$1" |
		grep -q 'TimeLimit=00:05:00.*limit 0:05:00 of 0:10:00;'
}

# The coordinator of an account may change its jobs, as their owners may.
test_coordinator() {
	local job
	job=$(short -H -t10)
	check "who coordinates nothing changes no limit" fails bounded_by_bob "$job" 2>/dev/null
	on ctl sacctmgr -i add coordinator account=users names=bob >/dev/null
	check_within 20 "a coordinator changes a tight one, not the whole one" \
		bounded_by_bob "$job"
	on ctl scancel "$job"
}

# It has slurmctld ask its plugins to read their configurations.
test_removal() {
	local log=/run/sluice-clusters/$CLUSTER/log/ctl/slurmctld.log reads
	reads=$(grep -c 'configuration was read again' "$log")
	on ctl sacctmgr -i add user carol account=users >/dev/null
	on ctl sacctmgr -i delete user carol >/dev/null
	check_within 20 "an association is removed" \
		grep -q 'Removed association .*user:carol' "$log"
	sleep 2
	check "which is no reason to read sluice.conf again" equal \
		"$(grep -c 'configuration was read again' "$log")" "$reads"
}

ran_on() { # NODES SBATCH-OPTION...
	local nodes=$1 job
	shift
	job=$(submit --bb='type=near capacity=20MiB' "$@" <<<$'#!/bin/bash\ntrue')
	wait_for 60 job_is "$job" COMPLETED &&
		matches "$(job_field "$job" NodeList)" "^$nodes\$"
}

# A job's pool follows from where it may run, and where it runs from its pool.
test_partitions() {
	local job
	check "a job gets nodes of one pool, by its partition" \
		ran_on 'n[12]' -p main -N1
	check "two nodes are of the first pool" ran_on 'n\[1-2\]' -p main -N2
	check "which a partition may have alone" ran_on 'n\[1-2\]' -p west -N2
	check "what it excludes counts" ran_on n3 -p east -N1 -x n2
	check "and what it names" ran_on n3 -N1 -w n3
	check "any of its partitions" ran_on 'n\[1-2\]' -p east,west -N2
	check "it may choose itself" ran_on n3 -N1 \
		--bb='type=near capacity=20MiB pool=right'
	check "what cannot be is refused with the names" matches \
		"$(refusal -p east -N2 --bb='type=near capacity=20MiB')" \
		'needs 2 nodes of one pool; where it may run are 1 of left \(n\[1-2\]\), 1 of right \(n3\)'
	check "and a pool that is not the file system's" matches \
		"$(refusal -N1 --bb='type=near capacity=20MiB pool=far')" \
		'near has no such pool \(it is in left,right\)'
	job=$(submit -H -N1 -p main --bb='type=near capacity=20MiB' \
		<<<$'#!/bin/bash\ntrue')
	check "its record says which" matches "$(job_field "$job" ExcNodeList)" \
		'^n3$'
	as_alice scancel "$job"
}

cluster_up --dbd --nodes 3 --ions 0 --disk 1G
cluster conf sluice.conf \
	"Pool=nodes Granularity=10MiB MaxPerUser=1200MiB" \
	"Pool=far Size=1GiB DenyAccounts=users" \
	"Pool=tiny Size=1GiB MaxPerJob=10MiB" \
	"Pool=turn Size=1GiB" "FileSystem=turn Driver=scratch Pool=turn" \
	"Pool=bobs Size=1GiB AllowUsers=bob" \
	"FileSystem=bobs Driver=scratch Pool=bobs" \
	"Pool=phys Size=1GiB AllowAccounts=physics" \
	"FileSystem=phys Driver=scratch Pool=phys" \
	"Pool=left Nodes=n[1-2]" "Pool=right Nodes=n3" \
	"FileSystem=near Driver=scratch Pool=left,right" \
	"DenyUsers=root" "MaxCapacity=20GiB" \
	"FileSystem=far Driver=scratch Pool=far" \
	"FileSystem=tiny Driver=scratch Pool=tiny"
cluster conf slurm.conf "AccountingStorageEnforce=limits" \
	"PartitionName=east Nodes=n[2-3] MaxTime=1:00:00 State=UP" \
	"PartitionName=west Nodes=n[1-2] MaxTime=1:00:00 State=UP" \
	"SchedulerParameters=bf_interval=2,sched_interval=2,batch_sched_delay=1,sched_min_interval=0"
cluster stop ctl sluiced
cluster start ctl sluiced
cluster stop ctl slurmctld
cluster start ctl slurmctld
wait_for 20 nodes_idle 'n[1-3]'
check_within 20 "the resource map fills the pool" shows ' TotalSpace=[1-9]'
test_shown
test_refused
test_partitions
test_waiting
test_one_node
test_turn
test_accounted
test_walls
test_coordinator
test_removal
check "no node was drained" no_node_drained
check "the database is sound" database_sound
finish
