# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Cancel a job, or kill a daemon, in every phase of its buffer's life. The job
# ends as Slurm's rules say, its data is complete or reported missing, nothing
# is left on any node, the database is sound, and a job without a buffer never
# notices. Sourced after buffer.sh by the tests that name the faults; PHASES
# in the environment picks some phases.
: "${PHASES:=SETUP STAGE_IN RUNNING STAGE_OUT TEARDOWN}"
NODES="n1 n2 n3"

# n2 is held in a phase by stopping what runs there for the buffer, when what
# the phase begins with is there. While the job runs there is nothing to stop:
# the job itself waits.
hold_helper() { # PHASE JOB: which is released when all is ready to look
	local sign=plan.json
	[ "$1" = SETUP ] || sign=mnt/data/in
	LIMIT=30 on n2 sh -c "
		scontrol release $2
		until [ -e /run/sluice/$2/$sign ]
		do sleep 0.01; done
		pkill -STOP -x sluice-node"
}

go_on() { # always true
	thaw n2
	rm -f "$PFS/alice/wait"
}

hold_in() { # PHASE JOB
	local holder
	case $1 in
	SETUP | STAGE_IN)
		hold_helper "$1" "$2"
		return
		;;
	esac
	on ctl scontrol release "$2"
	wait_for 20 buffer_is "$2" RUNNING
	# A step that a killed slurmd was to start fails, whatever Sluice does.
	[ "$1" != RUNNING ] || { wait_for 60 copied "$2" && return; }
	hold_worker n2 "$2" "$([ "$1" = STAGE_OUT ] || echo unmounted)" &
	holder=$!
	rm "$PFS/alice/wait"
	wait "$holder"
}

# A job held in a phase: JOB. Setting up takes 0.2 s; a job that got past is
# waited for and the next one tried.
job_in_phase() { # PHASE
	local try
	for try in 1 2 3 4 5; do
		touch "$PFS/alice/wait"
		JOB=$(buffer_script in | submit -H -J "$1" -N3 -w 'n[1-3]')
		hold_in "$1" "$JOB" && sleep 1 && buffer_is "$JOB" "$1" &&
			return
		go_on
		note "try $try: phase $1 of job $JOB was over"
		wait_for 60 job_ended "$JOB"
	done
	false
}

inject() { # FAULT PHASE JOB
	case $1 in
	cancel) as_alice scancel "$3" ;;
	slurmctld) kill_slurmctld ;;
	sluiced) cluster kill ctl sluiced ;;
	slurmd)
		[[ $2 = STAGE_OUT || $2 = TEARDOWN ]] || go_on
		cluster kill n2 slurmd
		;;
	sluice-node) cluster kill n2 sluice-node ;;
	esac
	sleep 1
	case $1 in
	slurmctld | sluiced) cluster start ctl "$1" ;;
	slurmd) cluster start n2 "$1" ;;
	esac
}

# Slurm sends a terminate again only after half a minute, and looks for a job
# whose prolog died with slurmd only when a node registers: a slurmd that reads
# its configuration does. (A slurmctld that does so starts anew since 24.11, and
# takes all jobs for active then.)
settled() { # JOB
	local node
	job_ended "$1" && return
	for node in n1 n2 n3 n4; do
		on "$node" pkill -HUP -x 'slurmd(-.+)?'
	done
	job_held "$1" && as_alice scancel "$1"
	sleep 1
	false
}

job_held() {
	[ "$(job_field "$1" JobState)" = PENDING ] &&
		[ "$(job_field "$1" Priority)" = 0 ]
}

# Cancelled before its end: CANCELLED. Else COMPLETED with all its data; where
# a node's part was killed it may have failed, with a reason on record.
ends_well() { # FAULT PHASE JOB
	local state
	state=$(job_field "$3" JobState)
	case $1.$2 in
	cancel.SETUP | cancel.STAGE_IN | cancel.RUNNING)
		equal "$state" CANCELLED
		return
		;;
	esac
	if [ "$state" = COMPLETED ]; then
		output_complete in "$3"
	else
		note "job is $state: $(buffer_failure "$3")"
		[[ $1 = slurmd || $1 = sluice-node ]] &&
			[ "$(buffer_failure "$3")" ]
	fi
}

# Slurm takes the node as free when slurmd is back, though it is still at work.
drained_at_work() { # TEXT
	check_within 90 "$1: its node is drained while it is at work" \
		slurm_drained n2
	check "$1: the drain reason is ours" matches "$(on ctl sinfo -hN -n n2 -o %E)" \
		"cleaned"
}

slurm_drained() { # HOST
	on ctl scontrol reconfigure
	on ctl sinfo -hN -n "$1" -o %T | grep -q drain
}

# A requeued job waits until its credential has expired, two minutes; started
# earlier it would get no prolog on nodes that know the credential.
short_timeouts() {
	local host
	cluster conf slurm.conf BatchStartTimeout=20 AuthInfo=cred_expire=30
	for host in n1 n2 n3 n4; do
		cluster stop "$host" slurmd
	done
	cluster stop ctl slurmctld
	cluster start ctl slurmctld
	for host in n1 n2 n3 n4; do
		cluster start "$host" slurmd
	done
	wait_for 20 nodes_idle 'n[1-4]'
}

# After trouble the next test gets a cluster without it.
fresh_cluster() {
	[ ! -e "$PFS" ] || { cluster_save_logs && cluster down; }
	cluster_up --nodes 4 --ions 0
	short_timeouts
	make_input in 600 8
	touch "$PFS/alice/bystander"
	BYSTANDER=$(bystander_script | submit -N1 -w n4)
}

# A step of which a killed slurmctld has forgotten the end keeps its CPU as
# long as the job lives; the next ones do without. A step that is asked of a
# slurmctld in the moment of its death fails, with and without Sluice.
bystander_script() {
	cat <<-'EOT'
		#!/bin/bash
		while [ -e /pfs/alice/bystander ]; do
			srun --overlap true || {
				sleep 20
				srun --overlap true || exit 1
			}
			sleep 1
		done
	EOT
}

test_fault() { # FAULT PHASE
	local failed=$FAILED
	try_fault "$1" "$2"
	[ "$FAILED" = "$failed" ] || fresh_cluster
}

try_fault() { # FAULT PHASE
	local what="$1 in $2"
	job_in_phase "$2" || { check "$what: phase reached" false && return; }
	inject "$1" "$2" "$JOB"
	[ "$1.$2" != slurmd.STAGE_OUT ] || drained_at_work "$what"
	go_on
	check_within 90 "$what: the job ends" settled "$JOB"
	check_within 30 "$what: no buffer is alive" no_buffer_alive
	check "$what: its state and data are as expected" ends_well "$1" "$2" "$JOB"
	# shellcheck disable=SC2086
	check "$what: nothing is left" nothing_left $NODES
	check "$what: no node is drained" no_node_drained
	check "$what: the database is sound" database_sound
}

run_faults() { # FAULT...
	local fault phase
	fresh_cluster
	for fault; do
		for phase in $PHASES; do
			test_fault "$fault" "$phase"
		done
	done
	rm "$PFS/alice/bystander"
	check_within 150 "a job without a buffer completes" \
		job_is "$BYSTANDER" COMPLETED
	check "a job without a buffer was not requeued" equal \
		"$(job_field "$BYSTANDER" Restarts)" 0
	finish
}
