#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A copy of the database is restored that is from before a job's end, when the
# job is over, or runs once more: what was staged out stays so, no job is called
# failed for it, and no node is drained.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

history_has() { # JOB WORDS
	[ "$(query "SELECT count(*) FROM BufferHistory JOIN Buffer USING (BID)
		WHERE JobID = $1 AND instr(Text, '$2') > 0")" -gt 0 ]
}

copy_database() {
	rm -f "$DB.older"
	sqlite3 "$DB" "VACUUM INTO '$DB.older'"
}

restore_database() {
	cluster stop ctl sluiced
	rm -f "$DB-wal" "$DB-shm"
	mv "$DB.older" "$DB"
	chown --reference="$(dirname "$DB")" "$DB"
	cluster start ctl sluiced
}

not() {
	! "$@"
}

writer() { # TYPE
	rm -f "$PFS"/alice/{go,began}
	submit -N2 <<-EOT
		#!/bin/bash
		#BB jobfs capacity=60MiB type=$1
		#BB stage_out source=\$BB_JOBFS/out/ destination=/pfs/alice/older.%j
		srun mkdir -p "\${BB_JOBFS:?}/out" && touch /pfs/alice/began
		[ -z "\$SLURM_RESTART_COUNT" ] || touch /pfs/alice/again
		until [ -e /pfs/alice/go ]; do sleep 0.2; done
		srun sh -c 'hostname >\$BB_JOBFS/out/\$SLURM_PROCID'
	EOT
}

# Their health checks come within a minute.
is_done_again() { # JOB
	[ "$(query "SELECT count(*) FROM Buffer
		WHERE JobID = $1 AND (State <> 6 OR Failure IS NOT NULL)")" = 0 ]
}

expect_well() { # WHAT JOB
	check_within 90 "$1: the record is corrected from the nodes' reports" \
		is_done_again "$2"
	check "$1: the job stays COMPLETED" job_is "$2" COMPLETED
	check "$1: no node was drained in the meantime" \
		not history_has "$2" 'left without having been cleaned'
	check "$1: no node is drained at the end" no_node_drained
	check "$1: the staged-out data is unchanged" equal \
		"$(find "$PFS/alice/older.$2" -type f -exec cat {} + | sort)" "$(printf 'n1\nn2')"
	check_within 40 "$1: nothing is left" nothing_left n1 n2
}

test_ended() { # TYPE
	local job
	job=$(writer "$1")
	check_within 40 "$1: a job runs" [ -e "$PFS/alice/began" ]
	copy_database
	touch "$PFS/alice/go"
	check_within 60 "$1: it completes" job_is "$job" COMPLETED
	check_within 60 "$1: its buffer is done" no_buffer_alive
	restore_database
	check_within 30 "$1: with the older database the buffer is in STAGE_OUT" \
		buffer_is "$job" STAGE_OUT
	expect_well "$1" "$job"
}

# Of its first run, while the second runs.
test_requeued() {
	local job
	job=$(writer glusterfs)
	check_within 40 "requeued: a job runs" [ -e "$PFS/alice/began" ]
	copy_database
	on ctl scontrol requeue "$job"
	check_within 60 "requeued: the job is pending" job_is "$job" PENDING
	check_within 60 "requeued: the first run's stage-out is over" \
		history_has "$job" 'stage-out is over'
	sleep 5
	on ctl scontrol update "JobId=$job" StartTime=now
	check_within 60 "requeued: it runs again" [ -e "$PFS/alice/again" ]
	restore_database
	sleep 5
	touch "$PFS/alice/go"
	check_within 90 "requeued: it completes" job_is "$job" COMPLETED
	expect_well requeued "$job"
}

cluster_up --nodes 2 --ions 0
test_ended glusterfs
test_ended scratch
test_requeued
check "the database is sound" database_sound
finish
