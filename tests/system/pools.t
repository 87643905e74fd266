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
	check "scontrol show burst has the default pool in Slurm's layout" shows \
		'^Name=sluice DefaultPool=nodes Granularity=10MiB TotalSpace=[0-9]+MiB FreeSpace=[0-9]+MiB UsedSpace=0 '
	check "scontrol show burst lists the other pools" shows \
		'PoolName\[0\]=far Granularity=1 TotalSpace=1GiB FreeSpace=1GiB UsedSpace=0 '
}

test_refused() {
	check "more than the pool's size is refused" matches \
		"$(refusal --bb=capacity=9GiB)" 'is more than pool nodes has'
	check "more than the largest node's storage is refused" matches \
		"$(refusal -N1 --bb=capacity=1100MiB)" 'none can hold more than'
	check "more than MaxPerUser is refused" matches \
		"$(refusal --bb=capacity=1300MiB)" \
		'is more than the .* that a user may have of pool nodes'
	check "an account in DenyAccounts is refused" matches \
		"$(refusal --bb='type=far capacity=1MiB')" \
		'account users may not'
	check "an account that is not in AllowAccounts is refused" matches \
		"$(refusal --bb='type=phys capacity=1MiB')" \
		'account users may not have storage of pool phys'
	check "a user who is not in AllowUsers is refused" matches \
		"$(refusal --bb='type=bobs capacity=1MiB')" \
		'user .* may not have storage of pool bobs'
	check "a user in AllowUsers is accepted" matches "$(bounded_exec -u bob ctl \
		sbatch -H -N1 --bb='type=bobs capacity=1MiB' --wrap=true \
		2>&1)" Submitted
	check "a user in DenyUsers is refused" matches \
		"$(on ctl sbatch --bb=capacity=1MiB --wrap=true 2>&1)" \
		'user root may not ask for a file system'
	check "more than MaxCapacity is refused" matches \
		"$(refusal --bb='type=far capacity=21GiB')" MaxCapacity
	bounded_exec -u bob ctl scancel -u bob
	check "more than MaxPerJob is refused" matches \
		"$(refusal --bb='type=tiny capacity=11MiB')" 'MaxPerJob'
}

# Each of the jobs takes a node of its own.
test_waiting() {
	local first second other
	first=$(holder 795MiB -w n1 -t 10)
	check_within 30 "a job runs" buffer_is "$first" RUNNING
	check "the pool's used space is the job's, in whole granules" shows \
		' UsedSpace=800MiB '
	check "scontrol show burst has the job's usage" \
		shows 'JobID=[0-9]+ .* Pool=nodes Size=800MiB State=running'
	check "scontrol show burst has the user's usage" \
		shows 'UserID=alice\([0-9]+\) Used=800MiB'
	second=$(holder 500MiB -w n3 -t 10)
	check_within 20 "a user who has reached MaxPerUser waits" waits_for "$second" \
		'its_user_has_800MiB_of_the_1.2GiB|its user has 800MiB'
	check_within 10 "its reason is BurstBufferResources" \
		prints BurstBufferResources \
		as_alice squeue -h -j "$second" -o %r
	check_within 20 "its estimated start is the other job's end" \
		starts_near "$second" "$first"
	other=$(bounded_exec -u bob ctl sbatch --parsable -o /dev/null -w n2 \
		--bb=capacity=500MiB --wrap='sleep 300')
	check_within 20 "another user's job starts meanwhile" buffer_is "$other" RUNNING
	as_alice scancel "$first"
	check_within 30 "the waiting job starts when the other has ended" \
		buffer_is "$second" RUNNING
	bounded_exec -u bob ctl scancel "$other"
	as_alice scancel "$second"
	check_within 30 "the pool is free after all jobs" free_again
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
	check_within 30 "a job on the same node does not get reserved storage" \
		promised "$second"
	bounded_exec -u bob ctl scancel "$second"
	second=$(bounded_exec -u bob ctl sbatch --parsable -o /dev/null -w n1 \
		-n1 --bb=capacity=100MiB --wrap=true)
	check_within 40 "a job on the same node gets the remaining storage" \
		job_is "$second" COMPLETED
	as_alice scancel "$first"
	check_within 30 "no buffer is alive after both jobs" no_buffer_alive
}

# A job that needs much of a pool is not passed by those that would put it off.
test_turn() {
	local first large late
	first=$(holder '700MiB type=turn' -w n1 -n1 -t 10)
	check_within 30 "a job uses most of pool turn" buffer_is "$first" RUNNING
	large=$(holder '800MiB type=turn' -w n2 -n1 -t 10)
	check_within 20 "a job that needs more waits for pool turn" waits_for "$large" \
		'waits.for.800MiB.of.pool.turn'
	late=$(holder '300MiB type=turn' -w n3 -n1 -t 20)
	check_within 20 "a later job that would delay it waits, too" \
		waits_for "$late" "job.$large,.which.is.before.it"
	check_within 30 "a later job that ends before is started" job_is "$(submit \
		-w n3 -n1 -t 1 --bb='capacity=300MiB type=turn' \
		<<<$'#!/bin/bash\ntrue')" COMPLETED
	as_alice scancel "$first"
	check_within 40 "the job that needs more runs next" buffer_is "$large" RUNNING
	check "the job that would delay it still waits" equal \
		"$(job_field "$late" JobState)" PENDING
	as_alice scancel "$large"
	check_within 40 "the job that would delay it runs in the end" \
		buffer_is "$late" RUNNING
	as_alice scancel "$late"
	check_within 30 "no buffer is alive after all jobs" no_buffer_alive
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
	check_within 30 "sacct shows bb/sluice in ReqTRES and AllocTRES" \
		accounted "$job"
	job=$(submit -N1 <<-'EOT'
		#!/bin/bash
		#BB jobfs capacity=20MiB
		#BB stage_out source=$BB_JOBFS/ destination=/pfs/alice/kept.%j
		echo a >"$BB_JOBFS/a"
	EOT
	)
	check_within 60 "sacct's AdminComment says what was staged out" prints \
		'COMPLETED.*staged out 1 file, .*verified' \
		on ctl sacct -nPX -j "$job" -o state,admincomment
	check_within 30 "no buffer is alive after the accounted job" no_buffer_alive
	on ctl sacctmgr -i modify user alice set MaxTRESPerJob=bb/sluice=150 \
		>/dev/null
	sleep 2
	check "an association's limit of bb/sluice is enforced" limited
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
	check_within 20 "a QOS's MaxWall precedes the user's: the limit is tightened" \
		tight
	on ctl sacctmgr -i modify qos normal set MaxWall=-1 >/dev/null
}

# A careful limit gets nobody past a wall that the request does not pass.
test_walls() {
	history 9 >"$PFS/jobs"
	on ctl /opt/sluice/bin/sysquery import sacct /pfs/jobs >/dev/null
	cluster conf sluice.conf PredictMode=tighten PredictFloor=60 \
		PredictQuantile=0.6
	on ctl scontrol reconfigure
	check_within 40 "limits are tightened without MaxWall" tight
	for wall in "qos normal" "user alice"; do
		# shellcheck disable=SC2086
		on ctl sacctmgr -i modify $wall set MaxWall=5 >/dev/null
		check_within 20 "$wall: a request above MaxWall waits with its own limit" \
			\
			kept_waiting
		check "$wall: a request within MaxWall is tightened" tight -t4
		on ctl sacctmgr -i modify qos normal set Flags=DenyOnLimit \
			>/dev/null
		check_within 20 "$wall: a request above MaxWall is refused with DenyOnLimit" \
			\
			fails short -H -t10
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
	check "a user who is no coordinator cannot change another's limit" \
		fails bounded_by_bob "$job" 2>/dev/null
	on ctl sacctmgr -i add coordinator account=users names=bob >/dev/null
	check_within 20 "a coordinator's change applies to the tightened limit" \
		bounded_by_bob "$job"
	on ctl scancel "$job"
}

# It has slurmctld ask its plugins to read their configurations.
test_removal() {
	local log=/run/sluice-clusters/$CLUSTER/log/ctl/slurmctld.log reads
	reads=$(grep -c 'configuration was read again' "$log")
	on ctl sacctmgr -i add user carol account=users >/dev/null
	on ctl sacctmgr -i delete user carol >/dev/null
	check_within 20 "slurmctld removes an association" \
		grep -q 'Removed association .*user:carol' "$log"
	sleep 2
	check "sluice.conf is not read again after the removal" equal \
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
	check "a job's partition restricts it to nodes of one pool" \
		ran_on 'n[12]' -p main -N1
	check "two nodes come from the first pool" ran_on 'n\[1-2\]' -p main -N2
	check "a partition with nodes of one pool is used" ran_on 'n\[1-2\]' -p west -N2
	check "excluded nodes are taken into account" ran_on n3 -p east -N1 -x n2
	check "required nodes are taken into account" ran_on n3 -N1 -w n3
	check "the nodes of any of several partitions are used" \
		ran_on 'n\[1-2\]' -p east,west -N2
	check "pool= chooses the pool" ran_on n3 -N1 \
		--bb='type=near capacity=20MiB pool=right'
	check "a request that no pool can satisfy is refused with the pools" matches \
		"$(refusal -p east -N2 --bb='type=near capacity=20MiB')" \
		'needs 2 nodes of one pool; where it may run are 1 of left \(n\[1-2\]\), 1 of right \(n3\)'
	check "a pool that is not the file system's is refused" matches \
		"$(refusal -N1 --bb='type=near capacity=20MiB pool=far')" \
		'near has no such pool \(it is in left,right\)'
	job=$(submit -H -N1 -p main --bb='type=near capacity=20MiB' \
		<<<$'#!/bin/bash\ntrue')
	check "the job's ExcNodeList has the other pool's nodes" \
		matches "$(job_field "$job" ExcNodeList)" \
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
check_within 20 "the pool's size comes from the resource map" shows ' TotalSpace=[1-9]'
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
