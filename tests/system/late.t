#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each phase takes longer than its time on one node, then a node is lost: the
# job ends as the site says, its user is told why and on which node, the other
# nodes go, and the late one is drained only as long as it is at work.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
. "$(dirname "$0")/faults.sh"

reason() { # JOB: what squeue shows
	as_alice squeue -h -j "$1" -o %r
}

recorded() { # JOB WORDS: what its user reads with scontrol, also afterwards
	on ctl scontrol -o show job "$1" | grep -qE "AdminComment=.*$2"
}

late_node() { # of which sinfo says that it did not clean up
	on ctl sinfo -hN -n n2 -o '%T %E' |
		grep -qE "^dra.*the file system of job $1 .*is not cleaned up"
}

log_says() { # WORDS: to the administrator
	grep -qE -- "$1" "/run/sluice-clusters/$CLUSTER/log/ctl/sluiced.log"
}

# What follows every failure with n2 still stopped.
others_go() { # PHASE
	check_within 20 "$1: nodes other than the late one are idle" nodes_idle 'n[1,3]'
	check_within 20 "$1: the late node is drained, with the reason" \
		late_node "$JOB"
	go_on
	check_within 40 "$1: the late node cleans up when it continues" no_buffer_alive
	check "$1: nothing is left" nothing_left n1 n2 n3
	check_within 20 "$1: the late node is back in service" nodes_idle 'n[1-3]'
}

late_before() { # PHASE NAME
	job_in_phase "$1"
	check_within 20 "$1: AdminComment says that n2 is late" recorded "$JOB" \
		"$2 failed: not done after 8.00 s on n2"
	others_go "$1"
	check_within 20 "$1: the job is held" job_held "$JOB"
	check "$1: squeue says why" matches "$(reason "$JOB")" \
		"held: .*$2 failed: not done after 8.00 s on n2"
	check "$1: the held job did not run" fails copied "$JOB"
	as_alice scancel "$JOB"
}

test_stage_out() {
	job_in_phase STAGE_OUT
	check_within 20 "STAGE_OUT: AdminComment says that n2 is late" recorded \
		"$JOB" 'stage-out failed: not done after 8.00 s on n2; the data is kept on n\[1-3\]'
	others_go STAGE_OUT
	check_within 20 "STAGE_OUT: the job has failed" job_is "$JOB" FAILED
	check "STAGE_OUT: n1 keeps the data" matches \
		"$(on n1 ls /local/sluice/kept)" "^$JOB"
}

test_teardown() {
	job_in_phase TEARDOWN
	others_go TEARDOWN
	check "TEARDOWN: sluiced's log says that n2 is late" log_says \
		"job $JOB .*n2 did not clean up in time"
	check "TEARDOWN: the job completes" job_is "$JOB" COMPLETED
	check "TEARDOWN: the job's data is complete" output_complete in "$JOB"
}

sleeper() { # REQUEST SBATCH-OPTION...
	submit -N3 -w 'n[1-3]' "${@:2}" <<-EOT
		#!/bin/bash
		#BB jobfs capacity=60MiB $1
		#BB stage_out source=\$BB_JOBFS/out destination=/pfs/alice/lost.%j
		srun mkdir "\$BB_JOBFS/out" 2>/dev/null
		sync -f "\$BB_JOBFS"
		touch /pfs/alice/copied.\$SLURM_JOB_ID
		while [ -e /pfs/alice/wait ]; do sleep 0.2; done
	EOT
}

# n3's disk comes back as it was, but what it had is not the job's any more.
test_lost() {
	local plain tolerant
	touch "$PFS/alice/wait"
	plain=$(sleeper type=glusterfs --no-requeue)
	tolerant=$(sleeper 'type=scratch tolerate=1' --no-kill)
	wait_for 30 copied "$plain" && wait_for 30 copied "$tolerant"
	cluster crash n3
	check_within 60 "a job that loses a node ends as NODE_FAIL" job_is "$plain" \
		NODE_FAIL COMPLETING
	rm "$PFS/alice/wait"
	check_within 60 "AdminComment says that the lost node's data is lost" recorded \
		"$plain" 'stage-out failed: n3 was lost, and its data with it'
	check_within 40 "a job with tolerate=1 that loses a node completes" \
		job_is "$tolerant" COMPLETED
	check "the job with tolerate=1 has no buffer failure" \
		equal "$(buffer_failure "$tolerant")" ''
	check "the data of its other nodes is staged out" test -d \
		"$PFS/alice/lost.$tolerant"
	cluster boot n3
	check_within 40 "the job that lost its node is in state NODE_FAIL" \
		job_is "$plain" NODE_FAIL
	check_within 60 "no buffer is alive after the lost node's return" \
		no_buffer_alive
	check "no storage of the jobs is left" nothing_left n1 n2 n3
	check_within 40 "all nodes are in service again" nodes_idle 'n[1-3]'
}

fresh_cluster
cluster conf sluice.conf SetupTimeout=8 StageInTimeout=8 StageOutTimeout=8 \
	TeardownTimeout=8 OnSetupFailure=hold
cluster stop ctl sluiced
cluster start ctl sluiced
late_before SETUP setup
late_before STAGE_IN stage-in
test_stage_out
test_teardown
cluster conf sluice.conf SetupTimeout=120 StageOutTimeout=120
cluster stop ctl sluiced
cluster start ctl sluiced
test_lost
rm "$PFS/alice/bystander"
check "the database is sound" database_sound
finish
