#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What users get wrong, and what fills up or is away, harms no node: the user
# is told, the node stays in service, nothing is left on it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

bb_job() { # BB-TEXT COMMAND: on n[1-2]
	printf '#!/bin/bash\n%s\n' "$2" | submit -N2 -w 'n[1-2]' --bb="$1"
}

refusal() { # BB-TEXT: what sbatch says
	bb_job "$1" true 2>&1
}

# On its record, which a user reads with scontrol.
matches_job() { # JOB WORDS
	on ctl scontrol -o show job "$1" | grep -qE -- "$2"
}

reason() { # JOB: what squeue shows
	as_alice squeue -h -j "$1" -o %r
}

held() { # JOB
	[ "$(job_field "$1" JobState)" = PENDING ] &&
		[ "$(job_field "$1" Priority)" = 0 ]
}

unharmed() { # TEXT
	check "$1: nothing is left" nothing_left n1 n2
	check_within 20 "$1: the nodes are idle" nodes_idle 'n[1-2]'
}

test_refused() {
	check "a mistyped verb is refused, with the nearest word" matches \
		"$(refusal 'stage_inn source=/pfs/alice/in')" stage_in
	check "a mistyped key is refused, with the nearest word" matches \
		"$(refusal 'jobfs capacity=1GiB; stage_in soruce=/a destination=/b')" \
		source
	check "the error message marks the mistyped key" matches \
		"$(refusal 'jobfs capacity=1GiB; stage_in soruce=/a destination=/b')" \
		'error: {35}\^~~~~~$'
	check "a size with an unknown unit is refused" \
		matches "$(refusal 'capacity=12XB')" 12XB
	check "a file system that is not offered is refused" matches \
		"$(refusal 'jobfs type=lustre capacity=1GiB')" lustre
}

test_mistyped_source() {
	local job
	job=$(bb_job 'jobfs capacity=50MiB; stage_in source=/pfs/alice/nosuch/ destination=$BB_JOBFS/in' true)
	check_within 30 "a job whose input does not exist is held" held "$job"
	check "squeue's reason names the missing source" matches "$(reason "$job")" \
		'held: stage-in failed: n[12]: .*/pfs/alice/nosuch/: No such file'
	unharmed "mistyped source"
	as_alice scancel "$job"
}

test_not_readable() {
	local job
	on ctl install -m 600 /dev/null /pfs/secret
	job=$(bb_job 'jobfs capacity=50MiB; stage_in type=file source=/pfs/secret destination=$BB_JOBFS/in' true)
	check_within 30 "a job may not stage in what its user cannot read" \
		held "$job"
	check "squeue's reason names the source without permission" \
		matches "$(reason "$job")" \
		'held: stage-in failed: n[12]: .*/pfs/secret: Permission denied'
	as_alice scancel "$job"
	unharmed "source of somebody else"
}

never_ran() { # JOB, whose script says so
	! job_output "$1" 2>/dev/null | grep -q "it ran"
}

# Others fill a disk: the other nodes give its share where they can, else the
# job is put back without the node, or held if it wants just that one.
test_full_disk() {
	local job
	cluster fill n1 2000000
	job=$(bb_job 'jobfs capacity=50MiB' 'echo it ran')
	check_within 60 "a job on a full and an empty disk completes" \
		job_is "$job" COMPLETED
	job=$(submit -N1 --bb='jobfs type=scratch capacity=50MiB' \
		<<<$'#!/bin/bash\nhostname')
	check_within 60 "a job on a single full disk is requeued, with the reason" \
		matches_job "$job" \
		'AdminComment=.*setup failed: n1: .*: needs .*MiB, only .* is free: files of root take .*, most below /local'
	check "the requeued job excludes the node with the full disk" \
		matches "$(job_field "$job" ExcNodeList)" \
		'^n1$'
	as_alice scontrol update jobid="$job" StartTime=now
	check_within 60 "the requeued job completes" job_is "$job" COMPLETED
	check "the requeued job ran on the other node" matches "$(job_output "$job")" n2
	job=$(bb_job 'jobfs type=scratch capacity=50MiB' 'echo it ran')
	check_within 60 "a job that requires the node with the full disk is held" \
		held "$job"
	check "squeue's reason names the full disk" matches "$(reason "$job")" \
		'held: setup failed: n1: .*only .* is free'
	as_alice scancel "$job"
	cluster unfill n1
	check_within 30 "the held job ends when cancelled" job_ended "$job"
	check "the held job did not run" never_ran "$job"
	unharmed "full disk"
}

test_capacity() {
	local job
	job=$(bb_job 'jobfs capacity=60MiB' \
		'head -c 150M /dev/zero >"${BB_JOBFS:?}/big" || echo no room')
	check_within 40 "a job that writes too much ends" job_ended "$job"
	check "writes beyond the capacity fail" matches "$(job_output "$job")" \
		"No space left|no room"
	unharmed "too much written"
	on ctl sh -c 'head -c 150M /dev/zero >/pfs/alice/large'
	job=$(bb_job 'jobfs capacity=60MiB; stage_in type=file source=/pfs/alice/large destination=$BB_JOBFS/in' true)
	check_within 60 "a job with more input than capacity is held" held "$job"
	check "squeue's reason says that the capacity is too small" \
		matches "$(reason "$job")" \
		'\$BB_JOBFS/in.*: No space left on device; what is staged in (\([0-9.]+[KM]iB\) )?does not fit: capacity=60MiB is too small'
	as_alice scancel "$job"
	unharmed "too much staged in"
}

# It has left its session, which Slurm loses sight of without a cgroup, and
# writes on; where it puts back the time, nothing looks changed.
test_outlived() {
	local job out
	job=$(submit -N2 -w 'n[1-2]' <<-'EOT'
		#!/bin/bash
		#BB jobfs capacity=20MiB
		#BB stage_out source=$BB_JOBFS/ destination=/pfs/alice/late.%j
		cat >/pfs/alice/late.sh <<'EOS'
		cd /
		f=$BB_JOBFS/$SLURMD_NODENAME.
		for ((i = 100000; ; i++)); do
			printf %d $i 1<>"${f}in-place"
			touch -d @1000 "${f}in-place"
			echo $i >>"${f}appended"
			touch -d @1000 "${f}appended"
		done
		EOS
		srun bash -c '(setsid bash /pfs/alice/late.sh </dev/null \
			>/dev/null 2>&1 &) ; sleep 2'
	EOT
	)
	wait_for 60 job_ended "$job"
	out=$PFS/alice/late.$job
	check "processes that outlive the job are killed before the stage-out" matches \
		"$(on ctl sysquery buffers "$job")" \
		'ended before stage-out, as they had outlived the job: bash \([0-9]+\) of alice'
	check "the job with such processes completes" job_is "$job" COMPLETED
	check "the last write of such a process is staged out" last_written "$out"
	check "no such process is left" none_runs
}

last_written() { # DIRECTORY: each node's two files differ by one step at most
	local n in_place appended
	for n in n1 n2; do
		in_place=$(find "$1" -name "$n.in-place" -exec cat {} +)
		appended=$(find "$1" -name "$n.appended" -exec tail -qn1 {} +)
		note "$n: $in_place in place, $appended appended"
		((appended > 100000 && in_place - appended >= 0 &&
			in_place - appended <= 1)) || return
	done
}

none_runs() {
	! on n1 pgrep -f '[l]ate.sh' && ! on n2 pgrep -f '[l]ate.sh'
}

# With the rights of root it is nobody's whom Slurm would end.
test_left_behind() {
	local job
	job=$(bb_job 'jobfs type=scratch capacity=50MiB' '
		cd "${BB_JOBFS:?}" && mkfifo ask
		(setsid setsid passwd <>ask >/dev/null 2>&1 &)
		until pgrep -x passwd; do sleep 0.1; done')
	check_within 40 "a job that leaves a program of root's ends" \
		job_is "$job" COMPLETED
	unharmed "left behind"
}

# Something of root's that cannot be removed.
test_not_cleaned() {
	local job
	touch "$PFS/alice/wait"
	job=$(bb_job 'jobfs capacity=50MiB' \
		'while [ -e /pfs/alice/wait ]; do sleep 0.2; done')
	wait_for 30 buffer_is "$job" RUNNING
	on n2 sh -c "chattr +i /local/sluice/$job.*"
	rm "$PFS/alice/wait"
	check_within 40 "a node that cannot be cleaned is drained" drained n2
	check_within 10 "the drain reason names the path" says_path n2 "$job"
	check_within 20 "the node that could be cleaned is in service" nodes_idle n1
	check "the job on the drained node completes" job_is "$job" COMPLETED COMPLETING
	on n2 sh -c "chattr -i /local/sluice/$job.*"
	on n2 sluice-node down --job "$job"
	check_within 30 "a node cleaned with sluice-node down is back in service" \
		nodes_idle n2
	unharmed "not cleaned"
}

# Somebody else, bob, has what is in it until $PFS/hold is gone.
holder_program() {
	cat >"$PFS/holder.py" <<-'END'
		import array, ctypes, mmap, os, socket, subprocess, sys, time
		where, how = sys.argv[1:]

		def silent_fuse(point): # which takes all and answers nothing
		    os.mkdir(point)
		    ours, its = socket.socketpair()
		    os.set_inheritable(its.fileno(), True)
		    subprocess.run(["fusermount3", point], check=True,
		        close_fds=False,
		        env=dict(os.environ, _FUSE_COMMFD=str(its.fileno())))
		    return ours.recvmsg(1, socket.CMSG_LEN(4))

		if how != "stand":
		    fd = os.open(where + "/f", os.O_RDWR)
		if how == "stand":
		    os.chdir(where)
		elif how == "fly":
		    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
		    ends[0].sendmsg([b"x"], [(socket.SOL_SOCKET,
		        socket.SCM_RIGHTS, array.array("i", [fd]))])
		    os.close(fd)
		elif how == "map":
		    at = mmap.mmap(fd, 4)
		    os.close(fd)
		elif how == "space": # a mount namespace
		    os.close(fd)
		    if ctypes.CDLL(None).unshare(0x10000000 | 0x20000):
		        sys.exit(1)
		elif how == "fuse":
		    os.close(fd)
		    has = silent_fuse(where + "/fuse")
		open("/tmp/held." + how, "w").close()
		while os.path.exists("/pfs/hold"):
		    time.sleep(0.2)
	END
	chmod 644 "$PFS/holder.py"
}

# Of a job on n1 whose directory is everybody's, until $PFS/alice/wait is gone.
open_job() { # TYPE
	touch "$PFS/alice/wait" "$PFS/hold"
	printf '#!/bin/bash\n%s\n' 'cd "${BB_JOBFS:?}" && chmod 777 . &&
		echo old >f && chmod 666 f && pwd >/pfs/alice/where
		while [ -e /pfs/alice/wait ]; do sleep 0.2; done' |
		submit -w n1 --bb="jobfs type=$1 capacity=50MiB"
}

held_storage() { # TYPE TEXT HOW...
	local job next how holders=() text=$2 type=$1
	shift 2
	job=$(open_job "$type")
	wait_for 30 test -s "$PFS/alice/where"
	for how; do
		on n1 rm -f "/tmp/held.$how"
		LIMIT=600 bounded_exec -u bob n1 python3 /pfs/holder.py \
			"$(cat "$PFS/alice/where")" "$how" &
		holders+=($!)
		check_within 20 "$text: $how: storage is held" \
			on n1 test -e "/tmp/held.$how"
	done
	rm "$PFS/alice/wait" "$PFS/alice/where"
	check_within 60 "$text: the job with held storage ends" job_is "$job" COMPLETED
	check_within 40 "$text" nodes_idle 'n[1-2]'
	check "$text: no client is left" no_client n1 "$job"
	[ "$type" != scratch ] || check "$text: sluice-node status shows held storage" \
		matches \
		"$(on n1 sluice-node status)" "^held +$job "
	next=$(bb_job 'jobfs capacity=50MiB' 'touch "${BB_JOBFS:?}/x"')
	check_within 40 "$text: the next job runs" job_is "$next" COMPLETED
	rm "$PFS/hold" # and what was held ends
	wait "${holders[@]}"
	on n1 sluice-node recover # as its health check does
	unharmed "$text"
}

may_mount() { # a file system of their own, as users may nearly everywhere
	quietly bounded_exec -u bob n1 test -w /dev/fuse && echo fuse
}

no_client() { # HOST JOB
	! on "$1" pgrep -f "[/]run/sluice/$2/wd/" >/dev/null
}

test_held() {
	holder_program
	held_storage scratch "a descriptor in flight drains no node" fly
	held_storage scratch "a working directory in scratch drains no node" \
		stand
	check "the node's log names the process that holds storage" on n1 grep -q \
		'is in use by python3 ([0-9]*) of bob; it is detached' \
		/var/log/sluice-node.log
	check "sysquery buffers names the process that holds storage" \
		matches "$(on ctl sysquery buffers --json)" \
		'some of the storage is held: .* is in use by python3 .* of bob'
	# shellcheck disable=SC2046
	held_storage glusterfs "use of GlusterFS by others drains no node" \
		fly stand map space $(may_mount)
}

logs_take() { # HOST JOB MAX: at most so many KiB, and something
	local kib
	kib=$(on "$1" du -sk "/run/sluice/$2/wd/log" | cut -f1)
	[ "${kib:-0}" -gt 0 ] && [ "$kib" -le "$3" ]
}

# Each attribute that does not fit is a line in the servers' logs.
test_logs() {
	local job
	cat >"$PFS/complain.py" <<-'END'
		import os, sys
		open("f", "w").close()
		for i in range(40000):
		    try:
		        os.setxattr("f", "user.x", b"x" * 8000)
		    except OSError:
		        pass
	END
	chmod 644 "$PFS/complain.py"
	touch "$PFS/alice/wait"
	job=$(bb_job 'jobfs capacity=50MiB' 'cd "${BB_JOBFS:?}"
		python3 /pfs/complain.py; touch /pfs/alice/said
		while [ -e /pfs/alice/wait ]; do sleep 0.2; done')
	check_within 200 "a job makes its servers log much" \
		test -e "$PFS/alice/said"
	check "logs of servers are bounded, in a file system of their own" \
		logs_take n1 "$job" 4096
	check_within 20 "logs of servers are truncated" logs_take n1 "$job" 2560
	rm "$PFS/alice/wait" "$PFS/alice/said"
	check_within 40 "the job with long logs completes" job_is "$job" COMPLETED
	unharmed "long logs"
}

drained() { # HOST
	on ctl sinfo -hN -n "$1" -o %T | grep -q drain
}

says_path() { # HOST JOB
	on ctl sinfo -hN -n "$1" -o %E | grep -q "job $2 .*/local/sluice"
}

test_stage_out_fails() {
	local job after
	job=$(bb_job 'jobfs capacity=50MiB; stage_out source=$BB_JOBFS/out/ destination=/pfs/out' 'mkdir "$BB_JOBFS/out"
		echo result >"$BB_JOBFS/out/file"')
	after=$(echo '#!/bin/true' | submit -d "afterok:$job" -w n1)
	check_within 40 "a job whose output cannot be written ends" \
		job_ended "$job"
	check "a job whose stage-out fails is FAILED" job_is "$job" FAILED
	check "the buffer's failure names the destination" \
		matches "$(buffer_failure "$job")" /pfs/out
	check_within 40 "a dependent job does not start" \
		prints DependencyNeverSatisfied reason "$after"
	as_alice scancel "$after"
	check "the data of a failed stage-out is kept" kept_somewhere n1 n2
	check_within 10 "kept data counts as used capacity" room_is_taken
	check "the job's reason says where the data is kept" matches \
		"$(on ctl scontrol -o show job "$job")" \
		'Reason=sluice:_stage-out_failed:_n1:_.*/pfs/out.*the_data_is_kept_on_n\[1-2\]_for_2-00:00:00'
	check "bbstat shows the size of kept data" \
		matches "$(bbstat)" \
		'pool nodes: ([0-9.]+KiB|[0-9.]{1,3}MiB) of it is data that failed stage-outs'
	fetch_from "$job" n1 n2
	check "the owner can fetch kept data" equal \
		"$(cat "$PFS/alice/rescued/out/file")" result
	check "other users cannot fetch kept data" \
		fails quietly bounded_exec -u bob n1 \
		sluice-node fetch "$job" /tmp/bob
	unharmed "stage-out failed"
}

room_is_taken() {
	on ctl scontrol show burst | grep -q ' UsedSpace=[1-9]'
}

fetch_from() { # JOB HOST...: from those that have some of it
	local host job=$1
	shift
	for host; do
		bounded_exec -u alice "$host" sluice-node \
			fetch "$job" /pfs/alice/rescued >/dev/null 2>&1
	done
}

kept_somewhere() {
	local host
	for host; do
		[ -z "$(on "$host" ls /local/sluice/kept 2>/dev/null)" ] ||
			return 0
	done
	false
}

# What cannot be put back: its terminal says why.
test_interactive() {
	local said
	said=$(as_alice srun -N2 -w 'n[1-2]' --bb='jobfs capacity=50MiB; stage_in source=/pfs/alice/nosuch/ destination=$BB_JOBFS/in' true 2>&1)
	check "srun with a missing source exits with 1" equal "$?" 1
	check "srun prints the reason" matches "$said" 'stage-in failed: .*nosuch'
	unharmed "srun's mistyped source"
}

policies() { # KEY=VALUE...
	cluster conf sluice.conf "$@"
	cluster stop ctl sluiced
	cluster start ctl sluiced
}

# Failures as the site wants them to end.
test_policies() {
	local job out='jobfs capacity=50MiB; stage_out source=$BB_JOBFS/out/ destination=/pfs/out'
	policies OnSetupFailure=cancel OnStageInFailure=cancel \
		OnStageOutFailure=complete
	cluster fill n2
	job=$(bb_job 'jobfs type=scratch capacity=50MiB' true)
	check_within 30 "cancel: on a full disk a job is CANCELLED" \
		job_is "$job" CANCELLED
	cluster unfill n2
	check "cancel: AdminComment has the failure of the setup" matches_job "$job" \
		'setup failed: n2: '
	job=$(bb_job 'jobfs capacity=50MiB; stage_in source=/pfs/alice/nosuch/ destination=$BB_JOBFS/in' true)
	check_within 30 "cancel: without its input a job is CANCELLED" \
		job_is "$job" CANCELLED
	check "cancel: AdminComment names the missing source" \
		matches_job "$job" 'nosuch'
	unharmed "cancel"
	job=$(bb_job "$out" 'mkdir "$BB_JOBFS/out"; touch "$BB_JOBFS/out/file"')
	check_within 40 "complete: the failed stage-out is on record" \
		matches_job "$job" 'stage-out failed: .*/pfs/out'
	check_within 30 "complete: no buffer is alive" no_buffer_alive
	check_within 20 "complete: the job completes" job_is "$job" COMPLETED
	check "complete: AdminComment has the failure" \
		matches_job "$job" 'stage-out failed: '
	check "complete: the data is kept" kept_of "$job"
	policies OnStageOutFailure=requeue
	job=$(bb_job "$out" 'mkdir "$BB_JOBFS/out"; touch "$BB_JOBFS/out/file"')
	check_within 40 "requeue: the failed stage-out is on record" \
		matches_job "$job" 'stage-out failed'
	check_within 30 "requeue: the job is pending" job_is "$job" PENDING
	check_within 30 "requeue: no buffer is alive" no_buffer_alive
	as_alice scancel "$job"
	unharmed "requeue"
}

kept_of() { # JOB
	{ on n1 ls /local/sluice/kept && on n2 ls /local/sluice/kept; } |
		grep -q "^$1"
}

test_no_sluiced() {
	local job plain
	cluster kill ctl sluiced
	plain=$(printf '#!/bin/sh\nhostname\n' | submit -w n1)
	check_within 20 "without sluiced a job without a buffer runs" \
		job_is "$plain" COMPLETED
	job=$(bb_job 'jobfs capacity=50MiB' 'touch "${BB_JOBFS:?}/x"')
	check_within 20 "squeue's reason is BurstBuffer without sluiced" \
		prints BurstBuffer reason "$job"
	check "a job with a buffer waits without sluiced" job_is "$job" PENDING
	cluster start ctl sluiced
	check_within 40 "the waiting job completes when sluiced is back" \
		job_is "$job" COMPLETED
	unharmed "sluiced away"
}

# An administrator's slip in the file that all nodes read.
test_bad_conf() {
	local job next
	job=$(bb_job 'jobfs capacity=50MiB; stage_out source=$BB_JOBFS/out/ destination=/pfs/alice/slip' \
		'mkdir "$BB_JOBFS/out"; touch "$BB_JOBFS/out/file"; sleep 5')
	wait_for 20 job_is "$job" RUNNING
	cluster conf sluice.conf PredictQuantile=2
	next=$(bb_job 'jobfs capacity=50MiB' 'touch "${BB_JOBFS:?}/x"')
	check_within 40 "a running job completes with an invalid sluice.conf" \
		job_is "$job" COMPLETED
	check "its data is staged out" test -e "$PFS/alice/slip/file"
	check_within 40 "new jobs complete with an invalid sluice.conf" \
		job_is "$next" COMPLETED
	check "the node's log names the invalid line" on n1 grep -q \
		'before stays: .*sluice.conf:[0-9]*: PredictQuantile' \
		/var/log/sluice-node.log
	check "the probe names the invalid line" \
		matches "$(on n1 sluice-node probe 2>&1)" \
		'sluice.conf:[0-9]*: PredictQuantile'
	cluster conf sluice.conf PredictQuantile=0.9
	unharmed "a bad sluice.conf"
}

# Held in stage-in beyond its limit of a minute.
test_given_back() {
	local job
	make_input long 6000 1 # so many that it is still staged in when it is held
	job=$(buffer_script long | submit -t 1 -N2 -w 'n[1-2]')
	wait_for 20 buffer_reached "$job" STAGE_IN
	on n2 pkill -STOP -x sluice-node
	sleep 95
	check "a job is not killed while it is staged in" \
		buffer_is "$job" STAGE_IN
	thaw n2
	check_within 180 "the job completes after a long stage-in" \
		job_is "$job" COMPLETED
	check "its output is complete after a long stage-in" output_complete long "$job"
}

cluster_up --nodes 2 --ions 0
make_input in 200 2
test_refused
test_mistyped_source
test_not_readable
test_full_disk
test_capacity
test_outlived
test_left_behind
test_not_cleaned
test_held
test_logs
test_stage_out_fails
test_interactive
test_no_sluiced
test_bad_conf
test_given_back
test_policies
check "no node was drained" no_node_drained
check "the database is sound" database_sound
finish
