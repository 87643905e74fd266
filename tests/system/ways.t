#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# All ways to ask for a buffer: srun, salloc, files, arrays, profiles, symbols;
# and what may become of a job that has one: it cannot be resized, it can be
# preempted, and its user can end its stage-out.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

# The path is one of the job's own, and writable.
WRITES='touch "${BB_JOBFS:?}/x" && echo "in $BB_JOBFS"'

quiet_end() { # TEXT
	check_within 40 "$1: no buffer is alive" no_buffer_alive
}

test_srun_salloc() {
	echo '#BB jobfs capacity=20MiB name=f' >"$PFS/alice/request"
	check "srun --bb" matches "$(as_alice srun -N2 --bb=capacity=20MiB \
		sh -c "$WRITES")" '^in /run/sluice/[0-9]+/mnt/data$'
	check "srun --bbf" matches "$(as_alice srun -N1 \
		--bbf=/pfs/alice/request sh -c 'cd "$BB_f" && pwd')" \
		'^/run/sluice/[0-9]+/mnt/data$'
	check "salloc --bb, for its steps" matches "$(as_alice salloc -N2 \
		--bb=capacity=20MiB srun sh -c "$WRITES" 2>&1)" '^in /run/'
	quiet_end "srun and salloc"
}

test_sbatch_file() {
	local job
	job=$(submit -N1 --bbf=/pfs/alice/request <<-'EOT'
		#!/bin/bash
		cd "${BB_f:?}" && touch x
	EOT
	)
	check_within 40 "sbatch --bbf" job_is "$job" COMPLETED
	job=$(submit -N1 --bb='profile=mine; stage_out type=file source=$BB_JOBFS/%u destination=/pfs/alice/%x.%j' -J nice <<-'EOT'
		#!/bin/bash
		echo "$SLURM_JOB_NAME" >"${BB_JOBFS:?}/alice"
	EOT
	)
	check_within 40 "a profile with symbols" job_is "$job" COMPLETED
	check "%u and %x are expanded in a profile's job" equal \
		"$(find "$PFS/alice/nice.$job" -type f -exec cat {} +)" nice
}

array_is() { # JOB STATE: all of its tasks
	local tasks
	tasks=$(on ctl scontrol -o show job "$1") &&
		! grep -qv "JobState=$2 " <<<"$tasks"
}

test_array() {
	local job
	job=$(submit -N1 --array=3-5 --bb='capacity=20MiB; stage_out type=file source=$BB_JOBFS/me destination=/pfs/alice/a.%A.%a' <<-'EOT'
		#!/bin/bash
		echo "$SLURM_ARRAY_TASK_ID" >"${BB_JOBFS:?}/me"
	EOT
	)
	check_within 60 "an array completes" array_is "$job" COMPLETED
	check "each task of an array has its own buffer" equal \
		"$(cat "$PFS/alice/a.$job".[345])" "$(printf '3\n4\n5')"
	quiet_end array
}

test_refused() {
	check "a buffer of another component than the first is refused" matches \
		"$(as_alice sbatch -N1 : -N1 --bb=capacity=20MiB \
			--wrap=true 2>&1)" 'component 1 .* and the first, .*does not'
	check "a persistent buffer of a component is refused" matches \
		"$(as_alice sbatch --bb='persistent name=x' -N1 : -N1 \
			--wrap=true 2>&1)" 'submit it as a job of its own'
	check "the probe reports a driver that is not installed" fails quietly on n1 \
		sluice-node probe --push
	on n2 sluice-node probe --push >/dev/null
	on n3 sluice-node probe --push >/dev/null
	cluster stop ctl sluiced
	cluster start ctl sluiced
	check_within 20 "a driver that no node has is refused at submission" \
		absent_refused
	check "a heterogeneous job without a buffer is accepted" \
		matches "$(as_alice sbatch -H -N1 : -N1 \
		--wrap=true 2>&1)" 'Submitted'
	on ctl scancel -u alice
}

absent_refused() {
	as_alice sbatch --bb='type=absent capacity=20MiB' -N1 --wrap=true \
		2>&1 | grep -q 'only 0 nodes can do absent, 3 cannot; n[123]: .*beeond'
}

# Three components on a node each, the last without a buffer. What the first
# writes and what the second was given is staged out.
het_job() { # INPUT OF THE SECOND, ITS OUTPUT, [SBATCH-OPTION...]
	submit "${@:3}" <<-EOT
		#!/bin/bash
		#SBATCH -N1 -w n1
		#BB jobfs capacity=20MiB
		#BB stage_out type=file source=\$BB_JOBFS/me destination=/pfs/alice/het.%j
		#SBATCH hetjob
		#SBATCH -N1 -w n2
		#BB jobfs capacity=20MiB
		#BB stage_in type=file source=$1 destination=\$BB_JOBFS/in
		#BB stage_out type=file source=\$BB_JOBFS/in destination=$2
		#SBATCH hetjob
		#SBATCH -N1 -w n3
		echo begins >>/pfs/alice/began.\$SLURM_JOB_ID
		head -c 300K /dev/urandom | tee "\${BB_JOBFS:?}/me" >/pfs/alice/het.copy
		srun --het-group=1 sh -c 'cmp "\${BB_JOBFS:?}/in" $1 && hostname' || exit
		srun --het-group=2 hostname
	EOT
}

het_is() { # JOB STATE: its first two components
	job_is "$1" "$2" && job_is "$(($1 + 1))" "$2"
}

het_out() { # JOB: byte by byte
	cmp "$PFS/alice/het.$1" "$PFS/alice/het.copy" &&
		cmp "$PFS/alice/het.$(($1 + 1))" "$PFS/alice/het.in"
}

test_het() {
	local job next
	head -c 400K /dev/urandom >"$PFS/alice/het.in"
	chown --reference="$PFS/alice" "$PFS/alice/het.in"
	job=$(het_job /pfs/alice/het.in /pfs/alice/het.%j)
	next=$(submit -N1 -d "afterok:$job" <<-EOT
		#!/bin/bash
		cmp /pfs/alice/het.$job /pfs/alice/het.copy &&
			cmp /pfs/alice/het.$((job + 1)) /pfs/alice/het.in
	EOT
	)
	check_within 60 "a heterogeneous job completes" \
		het_is "$job" COMPLETED
	check "het: each component has its own buffer on its own node" equal \
		"$(job_wrote "$job" | xargs)" "n2 n3"
	check_within 60 "het: all data is staged out before a dependent job starts" \
		job_is "$next" COMPLETED
	check "het: the staged-out data is equal" het_out "$job"
	quiet_end heterogeneous
}

member_ready() { # JOB
	[ "$(query "SELECT count(*) FROM BufferNode JOIN Buffer USING (BID)
		WHERE JobID = $1 AND BufferNode.State = 3")" -gt 0 ]
}

# The second component's node is stopped while it sets up: sets $het.
het_half() {
	on n2 sh -c 'until pkill -STOP -x sluice-node; do sleep 0.01; done' &
	het=$(het_job /pfs/alice/het.in /pfs/alice/het.%j)
	check_within 60 "het: the first component is set up" member_ready "$het"
	wait $!
}

test_het_together() {
	local het
	het_half
	check "het: the second component is not set up" \
		fails member_ready "$((het + 1))"
	kill_slurmctld
	cluster start ctl slurmctld
	check "het: the script does not begin before both are set up" \
		test ! -e "$PFS/alice/began.$het"
	thaw n2
	check_within 60 "het: the job completes when both are set up" \
		het_is "$het" COMPLETED
	check "het: the script ran once, though slurmctld was killed" equal \
		"$(cat "$PFS/alice/began.$het")" begins
	quiet_end "killed slurmctld"
	check "het: after the kill the staged-out data is equal" het_out "$het"
	on ctl scancel -u alice
}

test_het_cancelled() {
	local het
	het_half
	as_alice scancel "$het"
	thaw n2
	check_within 30 "het: cancelled while one component is set up" \
		het_is "$het" CANCELLED
	quiet_end "cancelled"
	check "het: nothing is left of the cancelled job" nothing_left n1 n2
	check "het: the script of the cancelled job never began" \
		test ! -e "$PFS/alice/began.$het"
}

test_het_set_up_fails() {
	local job
	job=$(het_job /pfs/alice/no-such /pfs/alice/het.%j)
	check_within 40 "het: a component that cannot be staged in holds the first" \
		held_for "$job" no-such
	check "het: a component that cannot be staged in is held" \
		held_for "$((job + 1))" no-such
	quiet_end "held"
	check "het: nothing is left of the held job" nothing_left n1 n2
	check "het: the script of the held job never began" \
		test ! -e "$PFS/alice/began.$job"
	as_alice scancel "$job"
}

held_for() { # JOB WORDS
	[ "$(job_field "$1" Priority)" = 0 ] &&
		on ctl scontrol -o show job "$1" | grep -q "held: .*$2"
}

test_het_stage_out_fails() {
	local job next
	job=$(het_job /pfs/alice/het.in /pfs/out/)
	next=$(submit -N1 -d "afterok:$job" <<<$'#!/bin/bash\ntrue')
	check_within 60 "het: a failed stage-out of the second component fails the job" \
		\
		\
		het_is "$job" FAILED
	check_within 20 "het: a dependent job does not start after that" \
		prints DependencyNeverSatisfied job_field "$next" Reason
	quiet_end "stage-out failed"
	as_alice scancel "$next"
}

sleeper() { # SBATCH-OPTION...
	submit --bb='capacity=20MiB; stage_out type=file source=$BB_JOBFS/x destination=/pfs/alice/' "$@" <<-'EOT'
		#!/bin/bash
		head -c 5M /dev/zero >"${BB_JOBFS:?}/x"
		sleep 300
	EOT
}

test_resize() {
	local job
	job=$(sleeper -N2)
	check_within 30 "a job with a buffer runs" buffer_is "$job" RUNNING
	check "fewer nodes for a running job are refused" \
		matches "$(on ctl scontrol update \
		JobId="$job" NumNodes=1 2>&1)" 'not supported'
	check "other nodes for a running job are refused" \
		matches "$(on ctl scontrol update \
		JobId="$job" NodeList=n1 2>&1)" 'not supported'
	check "another request for a running job is refused" \
		matches "$(on ctl scontrol update \
		JobId="$job" BurstBuffer=capacity=1GiB 2>&1)" 'not supported'
	check "the job keeps its nodes" equal "$(job_field "$job" NumNodes)" 2
	check "a longer limit for a running job is accepted" on ctl scontrol update \
		JobId="$job" TimeLimit=3:00:00
	rm -f "$PFS/alice/x"
	as_alice scancel --hurry "$job"
	check_within 30 "scancel --hurry cancels the job" job_is "$job" CANCELLED
	quiet_end "in a hurry"
	check "scancel --hurry skips the stage-out" test ! -e "$PFS/alice/x"
	check "the buffer's history says that the job ended in a hurry" \
		history_has "$job" "cancelled with scancel"
}

history_has() { # JOB WORDS
	[ "$(query "SELECT count(*) FROM BufferHistory JOIN Buffer USING (BID)
		WHERE JobID = $1 AND instr(Text, '$2') > 0")" -gt 0 ]
}

# Held by stopping n1's detached worker, which may have ended before that.
hold_stage_out() { # sets job
	local try
	for try in 1 2 3; do
		rm -f "$PFS/alice/x"
		job=$(sleeper -N1 -w n1)
		wait_for 30 buffer_is "$job" RUNNING
		hold_worker n1 "$job" &
		as_alice scancel "$job"
		wait $!
		! wait_for 10 buffer_is "$job" STAGE_OUT || return 0
		note "try $try: it was over before it was held"
		thaw n1
	done
	return 1
}

test_hurry_after_end() {
	local job
	check "a cancelled job is staging out" hold_stage_out
	check "another user cannot end its stage-out" fails quietly \
		bounded_exec -u bob ctl scancel --hurry "$job"
	as_alice scancel --hurry "$job"
	check_within 10 "its owner can end its stage-out" history_has "$job" cancelled
	thaw n1
	check_within 40 "the node is released after that" no_buffer_alive
	check "data that was not staged out is kept" matches \
		"$(on n1 ls /local/sluice/kept)" "^$job"
}

test_preempted() {
	local low high
	rm -f "$PFS/alice/x"
	low=$(sleeper -N2 -w 'n[1-2]' --requeue)
	wait_for 30 buffer_is "$low" RUNNING
	high=$(submit -p high -N2 -w 'n[1-2]' --exclusive <<<$'#!/bin/bash\ntrue')
	check_within 60 "a job of higher priority preempts a job with a buffer" \
		job_is "$high" COMPLETED
	check "the preempted job is pending" job_is "$low" PENDING
	check_within 20 "the preempted job's buffer is gone" no_buffer_alive
	check "the preempted job's data is staged out" test -s "$PFS/alice/x"
	check "the preempted job's buffer has no failure" \
		equal "$(buffer_failure "$low")" ""
	as_alice scancel "$low"
}

cluster_up --nodes 3 --ions 0
cluster conf sluice.conf "FileSystem=absent Driver=beeond server=/no/beeond"
cluster conf sluice.conf "Profile=mine capacity=30MiB nodes=1"
cluster conf slurm.conf PreemptType=preempt/partition_prio \
	PreemptMode=REQUEUE \
	"PartitionName=high Nodes=n[1-2] PriorityTier=10 MaxTime=INFINITE DefaultTime=60 State=UP"
cluster stop ctl slurmctld
cluster stop ctl sluiced
cluster start ctl sluiced
cluster start ctl slurmctld
wait_for 30 nodes_idle 'n[1-3]'
test_srun_salloc
test_sbatch_file
test_array
test_refused
test_het
test_het_together
test_het_cancelled
test_het_set_up_fails
test_het_stage_out_fails
test_resize
test_hurry_after_end
test_preempted
check "no node was drained" no_node_drained
check "the database is sound" database_sound
finish
