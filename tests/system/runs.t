#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs that do not go from start to end in one piece: put back before anything
# of them was launched, and suspended in the middle.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

history_has() { # JOB WORDS
	[ "$(query "SELECT count(*) FROM BufferHistory JOIN Buffer USING (BID)
		WHERE JobID = $1 AND instr(Text, '$2') > 0")" -gt 0 ]
}

# The site's own Prolog runs after the buffer is ready and before the launch.
slow_prolog() {
	cat >"$PFS/prolog" <<-'EOT'
		#!/bin/bash
		while [ -e /pfs/hold ]; do sleep 0.2; done
	EOT
	chmod 755 "$PFS/prolog"
	touch "$PFS/hold"
	cluster conf slurm.conf Prolog=/pfs/prolog
	on ctl scontrol reconfigure
}

test_unlaunched() {
	local job
	slow_prolog
	job=$(submit -N2 <<-'EOT'
		#!/bin/bash
		#BB jobfs capacity=60MiB
		#BB stage_out source=$BB_JOBFS/out destination=/pfs/alice
		echo result >"${BB_JOBFS:?}/out"
	EOT
	)
	check_within 30 "the buffer is ready, the prologs are not over" \
		buffer_is "$job" RUNNING
	on ctl scontrol requeue "$job"
	rm "$PFS/hold"
	check_within 30 "unlaunched: nothing is staged out after the requeue" \
		history_has "$job" "nothing is staged out"
	check_within 60 "unlaunched: no buffer is alive" no_buffer_alive
	check "unlaunched: the buffer has no failure" \
		equal "$(buffer_failure "$job")" ""
	check "unlaunched: nothing is left on the nodes" nothing_left n1 n2
	check_within 20 "unlaunched: no node is drained" no_node_drained
	# It would start anew in two minutes: sooner slurmd runs no prolog again.
	as_alice scancel "$job"
	check_within 20 "unlaunched: the requeued job can be cancelled" \
		job_is "$job" CANCELLED
}

runs_again() { # JOB
	matches_job "$1" 'Restarts=[1-9]' && buffer_is "$1" RUNNING
}

again_or_missed() { # JOB
	history_has "$1" 'ran no prolog' || runs_again "$1"
}

# Started again at once, slurmd may run no prolog: as often as not, and not where
# its credentials' records are looked through at other times than those of
# 22.05. What it does then comes of itself; nobody is to see a job that FAILED.
test_soon() {
	local job try
	rm -f "$PFS/alice/soon"
	for try in 1 2 3 4 5 6; do
		job=$(submit -N1 -w n1 --bb='capacity=30MiB' <<-'EOT'
			#!/bin/bash
			[ -d "${BB_JOBFS:?}" ] || exit 1
			until [ -e /pfs/alice/soon ]; do sleep 0.2; done
		EOT
		)
		check_within 30 "soon: a job runs" buffer_is "$job" RUNNING
		on ctl scontrol requeue "$job"
		wait_for 30 job_is "$job" PENDING # its last epilog is over
		on ctl scontrol update "JobId=$job" StartTime=now
		check_within 60 "soon: put back, it runs or is put back again" \
			again_or_missed "$job"
		! history_has "$job" 'ran no prolog' || break
		as_alice scancel "$job"
		check_within 30 "soon: no buffer is alive" no_buffer_alive
	done
	note "soon: try $try of 6"
	touch "$PFS/alice/soon"
	! history_has "$job" 'ran no prolog' || start_later "$job"
}

# The same for certain: the prolog of a job does nothing, as if there were none.
test_missed() {
	local job stack=/run/sluice-clusters/$CLUSTER/etc/slurm/plugstack.conf
	cat >"$PFS/node" <<-'EOT'
		#!/bin/sh
		[ "$1" = up ] && [ -e /pfs/skip ] && exit 0
		exec /opt/sluice/bin/sluice-node "$@"
	EOT
	chmod 755 "$PFS/node"
	cp "$stack" "$PFS/plugstack"
	touch "$PFS/skip"
	sed -i 's|$| node=/pfs/node|' "$stack"
	job=$(submit -N2 --bb='capacity=30MiB' --wrap='echo task >>ran')
	check_within 60 "missed: a run without a prolog is requeued" \
		history_has "$job" 'ran no prolog'
	rm "$PFS/skip"
	start_later "$job"
	check "missed: the script ran once" equal "$(cat "$PFS/alice/ran")" task
	job=$(submit -N1 --no-requeue --bb='capacity=30MiB' --wrap=true)
	check_within 60 "missed: a job with a prolog completes" job_is "$job" COMPLETED
	mv "$PFS/plugstack" "$stack"
}

start_later() { # JOB
	check_within 30 "soon: the job without a prolog is pending" \
		job_is "$1" PENDING
	check "soon: AdminComment says that slurmd ran no prolog" \
		matches_job "$1" 'setup failed: n1: slurmd ran no prolog'
	check_within 30 "soon: nothing is left of the run without a prolog" \
		nothing_left n1 n2
	sleep 5
	on ctl scontrol update "JobId=$1" StartTime=now
	check_within 60 "soon: the requeued job completes later" job_is "$1" COMPLETED
	check_within 30 "soon: no buffer is alive after that" no_buffer_alive
	check_within 20 "soon: no node is drained" no_node_drained
}

end_of() { # JOB: Unix seconds
	date -d "$(job_field "$1" EndTime)" +%s
}

test_suspended() {
	local job before after
	# Its setting up takes five seconds. It sleeps longer than it may take
	# until it is noticed that it is suspended, 60 s, which its sleep counts.
	on n1 sh -c 'until pkill -STOP -x sluice-node; do sleep 0.01; done
		sleep 5; pkill -CONT .' &
	job=$(submit -N1 -w n1 -t 3 --bb='capacity=30MiB' <<-'EOT'
		#!/bin/bash
		sleep 150
	EOT
	)
	check_within 30 "suspended: a job with a buffer runs" buffer_is "$job" RUNNING
	check_within 30 "suspended: the set-up's time is added to the job's limit" \
		ends_after "$job" 4
	before=$(end_of "$job")
	on ctl scontrol suspend "$job"
	check_within 90 "suspended: the predicted elapsed time stands still" \
		stands_still "$job"
	on ctl scontrol resume "$job"
	check_within 30 "resumed: the added time is kept" \
		ends_after "$job" 6
	after=$(end_of "$job")
	check "resumed: the suspended time is added to the job's end" \
		[ $((after - before)) -ge 2 ]
	as_alice scancel "$job"
	check_within 60 "resumed: no buffer is alive after the job" no_buffer_alive
}

has_run() { # JOB: seconds, as its prediction counts them
	on ctl sysquery --json predict "$1" | grep -o '"elapsed":[0-9]*'
}

stands_still() { # JOB
	local before
	before=$(has_run "$1") && sleep 3 && [ "$(has_run "$1")" = "$before" ]
}

# More than so many seconds after its start and limit.
ends_after() { # JOB SECONDS
	local start
	start=$(date -d "$(job_field "$1" StartTime)" +%s)
	[ $(($(end_of "$1") - start - 180)) -ge "$2" ]
}

# Its nodes' own watchers may have told already what it is.
begun_anew() { # JOB
	buffer_is "$1" SETUP || history_has "$1" 'taken over from n'
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

# The database is restored as it was before the job began.
test_restored() {
	local job
	cluster stop ctl sluiced
	copy_database
	cluster start ctl sluiced
	job=$(submit -N2 --bb='capacity=30MiB; stage_out source=$BB_JOBFS/out destination=/pfs/alice/restored.%j' <<-'EOT'
		#!/bin/bash
		until [ -e /pfs/alice/go ]; do sleep 0.2; done
		srun sh -c 'mkdir -p $BB_JOBFS/out; hostname >$BB_JOBFS/out/$SLURM_PROCID'
	EOT
	)
	check_within 30 "restored: a job with a buffer runs" buffer_is "$job" RUNNING
	restore_database
	check_within 30 "restored: with an older database the buffer is in set-up" \
		begun_anew "$job"
	on n2 sh -c "setsid sluice-node watch --job $job --period 0.5 \
		>/dev/null 2>&1 </dev/null & "
	check_within 30 "restored: the nodes' reports correct the buffer's state" \
		buffer_is "$job" RUNNING
	check "restored: the history says from which node" \
		history_has "$job" 'taken over from n'
	touch "$PFS/alice/go"
	check_within 60 "restored: the job completes" job_is "$job" COMPLETED
	check "restored: its output is staged out" equal \
		"$(find "$PFS/alice/restored.$job" -type f -exec cat {} + | sort)" "$(printf 'n1\nn2')"
	check_within 40 "restored: nothing is left on the nodes" nothing_left n1 n2
}

# A job whose second node stands still while it is set up: JOB. One that got
# past is waited for, and the next tried.
held_job() { # PHASE SIGN: file of the job on a node by which it has begun
	local try
	for try in 1 2 3 4 5; do
		rm -f "$PFS/alice/go_on"
		JOB=$(submit -H -N2 <<-'EOT'
			#!/bin/bash
			#BB jobfs capacity=200MiB
			#BB stage_in source=/pfs/alice/in/ destination=$BB_JOBFS/in
			#BB stage_out source=$BB_JOBFS/out/ destination=/pfs/alice/whole.%j
			cp -r "${BB_JOBFS:?}/in" "$BB_JOBFS/out"
			until [ -e /pfs/alice/go_on ]; do sleep 0.2; done
		EOT
		)
		LIMIT=30 on n2 sh -c "scontrol release $JOB
			until [ -e /run/sluice/$JOB/$2 ]; do sleep 0.01; done
			pkill -STOP -x sluice-node"
		sleep 1
		buffer_is "$JOB" "$1" && return
		thaw n2
		touch "$PFS/alice/go_on"
		note "try $try: phase $1 of job $JOB was over"
		wait_for 60 job_is "$JOB" COMPLETED
	done
	false
}

# It is restored under a job that runs, as it was while that was set up: nobody
# but the nodes knows that there is something to stage out.
test_restored_in() { # PHASE SIGN
	check "a job is held in $1" held_job "$@" || return
	copy_database
	thaw n2
	check_within 30 "$1: the job of the restored database runs" \
		buffer_is "$JOB" RUNNING
	restore_database
	check "$1: with the older database the buffer is in an earlier phase" \
		begun_before "$1"
	touch "$PFS/alice/go_on"
	check_within 60 "$1: the job completes" job_is "$JOB" COMPLETED
	check "$1: all data is staged out" \
		diff -r "$PFS/alice/in" "$PFS/alice/whole.$JOB"
	check "$1: the history says which node has corrected the record" \
		history_has "$JOB" 'says that the job has run'
	check_within 40 "$1: nothing is left" nothing_left n1 n2
	check_within 20 "$1: no node is drained" no_node_drained
}

# Or a node has told already.
begun_before() { # PHASE
	buffer_is "$JOB" "$1" ||
		history_has "$JOB" 'says that the job has run'
}

writer() { # NODE FILE: waits for it, and has its data staged out
	submit -N1 -w "$1" <<-EOT
		#!/bin/bash
		#BB jobfs capacity=30MiB
		#BB stage_out source=\$BB_JOBFS/out/ destination=/pfs/alice/lost.%j
		mkdir "\${BB_JOBFS:?}/out"
		echo precious >"\$BB_JOBFS/out/data"
		until [ -e /pfs/alice/$2 ]; do sleep 0.2; done
	EOT
}

lose_database() {
	cluster stop ctl sluiced
	rm -f "$DB" "$DB-wal" "$DB-shm"
	cluster start ctl sluiced
}

told_and_kept() { # JOB NODE
	check_within 60 "lost: $1 has failed" job_is "$1" FAILED
	check "lost: $1 is told why" matches_job "$1" \
		"$2: sluiced does not know of this run .*kept"
	check "lost: $1: its data is kept" on "$2" \
		grep -rqx precious /local/sluice/kept
}

# The database is lost while one job runs and another has just ended. Where the
# resource map is not needed for its plan the first goes on as if nothing had
# been; of others nobody but their nodes knows any more what was promised.
test_lost() {
	local runs ends
	cluster conf sluice.conf NodeStorage=/local/sluice
	cluster stop ctl sluiced
	cluster start ctl sluiced
	runs=$(writer n1 go_one)
	ends=$(writer n2 go_two)
	check_within 30 "lost: a job runs" buffer_is "$runs" RUNNING
	check_within 30 "lost: a second job runs" buffer_is "$ends" RUNNING
	cluster stop ctl sluiced
	touch "$PFS/alice/go_two"
	check_within 30 "lost: the second job ends while sluiced is stopped" \
		matches_job "$ends" 'JobState=COMPLETING|JobState=COMPLETED'
	lose_database
	on n1 sh -c "setsid sluice-node watch --job $runs --period 0.5 \
		>/dev/null 2>&1 </dev/null & "
	check_within 40 "lost: n1 reports the buffer of the running job" \
		history_has "$runs" 'taken over from n1'
	told_and_kept "$ends" n2
	touch "$PFS/alice/go_one"
	check_within 60 "lost: the running job completes" job_is "$runs" COMPLETED
	check "lost: its data is staged out" \
		grep -qx precious "$PFS/alice/lost.$runs/data"
}

# With NodeStorage=auto the plan needs the map, which is lost, too.
test_lost_map() {
	local job
	cluster conf sluice.conf NodeStorage=auto
	on n1 sysmap --push
	cluster stop ctl sluiced
	cluster start ctl sluiced
	job=$(writer n1 go_three)
	check_within 30 "lost map: a job runs" buffer_is "$job" RUNNING
	sleep 2 # slurmctld counts seconds
	lose_database
	check_within 30 "lost map: no plan can be made" \
		history_has "$job" 'the resource map knows nothing of n1'
	check "lost map: the job continues" job_is "$job" RUNNING
	touch "$PFS/alice/go_three"
	told_and_kept "$job" n1
	check_within 40 "lost: nothing is left on the nodes" nothing_left n1 n2
	check_within 20 "lost: no node is drained" no_node_drained
}

matches_job() { # JOB WORDS
	on ctl scontrol show job "$1" | tr _ ' ' | grep -qE "$2"
}

cluster_up --nodes 2 --ions 0
make_input in 200 8
test_unlaunched
test_soon
test_missed
test_suspended
test_restored
test_restored_in SETUP plan.json
test_restored_in STAGE_IN mnt/data/in
test_lost
test_lost_map
check "the database is sound" database_sound
finish
