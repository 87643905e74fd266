#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sysquery doctor: things are broken one at a time; it names each, and what it
# says to type for it shows the cause or mends it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
. "$(dirname "$0")/faults.sh"

doctor() { # [HOST]
	on "${1:-ctl}" sysquery doctor --table
}

found() { # WORDS [HOST]
	doctor "${2:-ctl}" 2>&1 | grep -qE -- "$1"
}

not_found() { # WORDS
	doctor >"$LOGS/doctor.last" 2>&1
	! grep -qE -- "$1" "$LOGS/doctor.last"
}

# No finding has these words any more; else all that doctor says.
check_gone() { # SECONDS TEXT WORDS
	local before=$FAILED
	check_within "$1" "$2" not_found "$3"
	[ "$FAILED" = "$before" ] || note "$(cat "$LOGS/doctor.last")"
}

# What is to be typed for the finding with these words, and on which host:
# "HOST COMMAND...".
to_type() { # WORDS [HOST]
	doctor "${2:-ctl}" 2>&1 | grep -A1 -E -- "$1" |
		sed -nE '/^    on /{ s/^    on ([^:]*): /\1 /p; q }'
}

# Type it. These hosts have no systemd; ctl is called by its address, too.
typed() { # WORDS [HOST]
	local line host command
	line=$(to_type "$@")
	[ "$line" ] || { note "nothing to type for '$1'" && return 1; }
	host=${line%% *} command=${line#* }
	[[ $host != *.*.*.* ]] || host=ctl
	note "on $host: $command"
	case $command in
	'systemctl start munge') cluster start "$host" munged ;;
	'systemctl start '*) cluster start "$host" "${command##* }" ;;
	'systemctl reload sluiced') on "$host" pkill -HUP -x sluiced ;;
	*) on "$host" sh -c "$command" 2>&1 ;;
	esac
}

# Where many hosts are named, on one of them.
typed_on() { # HOST WORDS
	on "$1" sh -c "$(to_type "$2" | cut -d' ' -f2-)" 2>&1
}

exit_status() {
	doctor >/dev/null 2>&1
	echo $?
}

matches_job() { # JOB WORDS
	on ctl scontrol -o show job "$1" | grep -qE -- "$2"
}

test_well() {
	check_within 20 "doctor names the settings of slurm.conf to change" found \
		'slurm.conf: BatchStartTimeout=.*; set BatchStartTimeout=1920, and then'
	check "bbstat names the settings of slurm.conf to change" matches "$(bbstat)" \
		'^slurm.conf: BatchStartTimeout='
	check "doctor exits with 5 when there is something to do" \
		equal "$(exit_status)" 5
	cluster conf slurm.conf BatchStartTimeout=1920 ResumeTimeout=400
	check "the suggested command for slurm.conf succeeds" typed 'slurm.conf: Batch'
	check_gone 20 "doctor does not report slurm.conf any more" slurm.conf
	check "doctor names nodes that were never probed" matches \
		"$(to_type 'io1,n\[1-2\]: never probed')" \
		'^io1,n\[1-2\] sluice-node probe --push$'
	on io1 sluice-node probe --push >/dev/null
	on n1 sluice-node probe --push >/dev/null
	on n2 sluice-node probe --push >/dev/null
	check "doctor reports nothing on a healthy cluster" equal "$(doctor)" \
		"nothing is wrong, nothing to do"
	check "doctor exits with 0 on a healthy cluster" equal "$(exit_status)" 0
	check "sysquery -e probe shows the result of the probe" matches \
		"$(on ctl sysquery -n n2 -e probe)" '"check":"munge"'
}

test_munge() {
	local job
	cluster kill n2 munged
	job=$(submit -N2 -w 'n[1-2]' <<-'EOT'
		#!/bin/bash
		#BB jobfs capacity=50MiB type=glusterfs
		true
	EOT
	)
	check_within 20 "bbstat names the node that has not arrived" prints \
		"^$job .*waits for n2" bbstat
	check_within 90 "doctor names a node whose munged is dead" found \
		"n2: has sent no request to sluiced since job $job waited"
	check "the job's AdminComment says why it was requeued" matches_job "$job" \
		'AdminComment=.*setup failed: Slurm ended the run \(NODE_FAIL\) while n2 had not come'
	check "the buffer's state says why it was requeued" matches_job "$job" \
		'BurstBufferState=DONE: setup failed: .* while n2 had not come'
	check "the suggested command on the node names munge" matches \
		"$(typed 'n2: has sent no request')" 'munge .*bad .*onnect'
	check "doctor on that node names munge" found '^error: .*munge' n2
	check "the job's user sees only the failure" matches \
		"$(as_alice sysquery doctor --table)" \
		'^note: 1 job failed in the last day in setup; job'
	check "the suggested command starts munged" typed '^error: .*munge' n2
	check "a probe from the mended node succeeds" on n2 sluice-node probe --push
	check_gone 20 "doctor does not report the mended node any more" \
		'^(error|warning): n2'
	as_alice scancel "$job"
	on ctl scontrol update nodename=n2 state=resume
	check_within 40 "the nodes are idle after munged was restarted" \
		nodes_idle 'n[1-2]'
}

# One node does not come, and the other waits for it at a barrier.
test_hung() {
	local job
	cluster conf sluice.conf SetupTimeout=130
	on ctl pkill -HUP -x sluiced
	job=$(submit -H -N2 -w 'n[1-2]' <<-'EOT'
		#!/bin/bash
		#BB jobfs capacity=50MiB type=scratch
		true
	EOT
	)
	hold_helper SETUP "$job"
	check_within 20 "bbstat names the hung node only" \
		prints "^$job .*waits for n2( |\$)" bbstat
	check_within 20 "sysquery buffers names the hung node only" prints \
		'[01] of 2 nodes done, waits for n2' \
		on ctl sysquery buffers "$job" --wide --table
	check_within 100 "doctor reports a set-up that takes long" found \
		"^warning: job $job is in setup for .*: waits for n2\$"
	check "the suggested command shows where the set-up hangs" matches \
		"$(typed "job $job is in setup")" "^buffer +$job .*coming up"
	go_on
	check_within 60 "the job completes when the node continues" \
		job_is "$job" COMPLETED
	check_gone 20 "doctor does not report the set-up any more" 'is in setup'
}

# The line is missing when slurmd sets up: nobody asks what to do.
test_plugstack() {
	local job stack=/etc/slurm/plugstack.conf
	on ctl sh -c "cp $stack /tmp/stack && : >$stack"
	job=$(submit -N2 -w 'n[1-2]' <<-'EOT'
		#!/bin/bash
		#BB jobfs capacity=50MiB type=scratch
		true
	EOT
	)
	check_within 60 "without the plugstack line a job completes" \
		job_is "$job" COMPLETED
	check_within 20 "doctor reports a job that ran without its file system" found \
		"^error: n\[1-2\]: job $job ran without its file system"
	check "the job's user sees that it ran without its file system" \
		matches "$(as_alice sysquery doctor --table)" \
		"^error: .*job $job ran without its file system"
	check "the suggested command names plugstack.conf" matches \
		"$(typed_on n1 'ran without its file system')" \
		'slurm +bad .*plugstack.conf lacks the line'
	check "doctor names the node without the plugstack line" found \
		'^error: n1: slurm: .*plugstack.conf lacks the line'
	on ctl sh -c "cat /tmp/stack >$stack"
	check "the suggested command for plugstack.conf succeeds" \
		typed 'plugstack.conf lacks the line'
	check_gone 20 "doctor does not report plugstack.conf any more" \
		'plugstack.conf lacks'
	job=$(submit -N2 -w 'n[1-2]' <<-'EOT'
		#!/bin/bash
		#BB jobfs capacity=50MiB type=scratch
		true
	EOT
	)
	check_within 60 "a job with the plugstack line completes" \
		job_is "$job" COMPLETED
	check_gone 20 "a job with the plugstack line has its file system" \
		'ran without its file system'
}

# Somebody stands in the file system of a job that has ended.
test_shell() {
	local job
	touch "$PFS/alice/wait"
	job=$(submit -N1 -w n2 <<-'EOT'
		#!/bin/bash
		#BB jobfs capacity=50MiB type=scratch
		touch /pfs/alice/copied.$SLURM_JOB_ID
		while [ -e /pfs/alice/wait ]; do sleep 0.1; done
	EOT
	)
	wait_for 60 copied "$job"
	on n2 sh -c "cd /run/sluice/$job/mnt/data &&
		setsid sleep 600 >/dev/null 2>&1 </dev/null &"
	rm "$PFS/alice/wait"
	check_within 60 "a job whose storage is in use by another process ends" \
		job_is "$job" COMPLETED
	check_within 20 "doctor names the process that holds storage" found \
		"^note: job $job has ended, and n2: some of the storage is held: .* is in use by sleep"
	check "the suggested command names the process that holds storage" matches \
		"$(typed 'storage is held')" 'held +note .*is in use by sleep'
	check_within 20 "doctor reports held storage after the probe" found \
		'^note: n2: held: .*is in use by sleep'
	on n2 pkill -xf 'sleep 600'
	sleep 1 # the map knows when it was told in whole seconds
	check "the suggested command frees the storage that was held" typed 'n2: held'
	check_gone 20 "doctor does not report held storage any more" 'held'
}

# Mappings of I/O nodes cannot be written.
test_mapping() {
	local job
	on ctl sh -c 'chown root: /pfs/.sluice && chmod 755 /pfs/.sluice'
	job=$(echo '#!/bin/true' | submit -N1)
	check_within 40 "a job starts although its mapping cannot be published" \
		job_is "$job" COMPLETED
	check_within 20 "doctor reports a mapping that cannot be published" found \
		'^error: the mapping of I/O nodes cannot be published, .*Permission denied'
	check "the suggested command shows the owner of the directory" matches \
		"$(typed 'mapping of I/O nodes')" 'root root .*/pfs/.sluice$'
	on ctl chown slurm: /pfs/.sluice
	check_gone 60 "doctor does not report the mapping after another try" 'mapping'
}

test_conf() {
	local conf=/etc/slurm/sluice.conf
	on ctl sh -c "cp $conf /tmp/good && echo SetupTimeuot=5 >>$conf"
	on ctl scontrol reconfigure
	check_within 20 "doctor names the line of an invalid sluice.conf" \
		found "$conf:[0-9]+: unknown key SetupTimeuot; did you mean SetupTimeout"
	check_within 20 "bbstat says that the former sluice.conf is in use" prints \
		"unknown key SetupTimeuot.*: the old sluice.conf is used" \
		bbstat
	check "the suggested command names the line of sluice.conf" matches \
		"$(typed 'unknown key SetupTimeuot')" ':[0-9]+: unknown key'
	on ctl sh -c "cp /tmp/good $conf"
	check "doctor reports that slurmctld has not read the corrected sluice.conf" \
		found \
		'slurmctld could not use .*sluice.conf'
	check "the suggested command has slurmctld read sluice.conf" \
		typed 'slurmctld could not use'
	check_gone 20 "doctor does not report sluice.conf any more" 'sluice.conf'
	on ctl sh -c "sed -i '/^SetupTimeout/d' $conf; echo SetupTimeout=601 >>$conf"
	check "doctor reports a sluice.conf that sluiced has not read" found \
		'differs from what sluiced has read'
	check "the suggested command has sluiced read sluice.conf" typed \
		'differs from what sluiced has read'
	check_gone 20 "doctor sees that sluiced has read sluice.conf" \
		'differs from what sluiced has read'
	on ctl scontrol reconfigure
}

test_disk() {
	cluster fill n2 2000000
	on n2 sluice-node probe --push >/dev/null
	check "doctor reports a full disk of a node" found '^error: n2: storage: .*free'
	check "the suggested command shows how full the disk is" matches \
		"$(typed 'n2: storage')" 'storage .*bad .*free'
	cluster unfill n2
	check "the suggested command succeeds when the disk has space" \
		typed 'n2: storage'
	check_gone 20 "doctor does not report the disk any more" 'n2: storage'
}

test_sluiced() {
	cluster kill ctl sluiced
	check "doctor reports a dead sluiced" found '^error: no answer from sluiced'
	check "doctor on a node reports a dead sluiced" \
		found '^error: no answer from sluiced' n1
	check "doctor exits with 5 when sluiced is dead" equal "$(exit_status)" 5
	check "the suggested command starts sluiced" typed 'no answer from sluiced'
	check_gone 30 "doctor reports no error with sluiced back" '^error'
}

test_slurmctld() {
	cluster stop ctl slurmctld
	check "doctor reports a slurmctld that is down" found \
		'^error: slurmctld is not connected'
	cluster start ctl slurmctld
	check_gone 40 "doctor reports no error with slurmctld back" '^error'
}

# Kept data by its owner; and he is told how to come by it.
test_kept() {
	local job
	job=$(submit -N1 -w n1 <<-'EOT'
		#!/bin/bash
		#BB jobfs capacity=50MiB
		#BB stage_out source=$BB_JOBFS/ destination=/pfs/forbidden/out
		head -c 1M /dev/zero >"$BB_JOBFS/f"
	EOT
	)
	wait_for 60 job_ended "$job"
	check_within 40 "doctor reports kept data of a failed stage-out" found \
		'^note: alice: .* of 1 failed stage-out is kept \(with room for [0-9.]+MiB\)'
	check "the owner sees the kept data of a failed stage-out" matches \
		"$(as_alice sysquery doctor --table)" \
		'^note: alice: .* of 1 failed stage-out is kept \(with room for [0-9.]+MiB\)'
	check "the suggested command shows the failed stage-out" matches \
		"$(on ctl sysquery buffers "$job" --table)" 'stage-out'
}

# The database on a disk of its own, that is nearly full.
test_room() {
	local host
	for host in ctl n1 n2; do
		on "$host" cp /etc/slurm/sluice.conf /run/before.conf
	done
	on ctl sh -c 'mkdir -p /run/small && chmod 755 /run/small &&
		mount -t tmpfs -o size=40m tmpfs /run/small &&
		chown slurm /run/small'
	cluster stop ctl sluiced
	cluster conf sluice.conf Database=/run/small/sluice.db
	cluster start ctl sluiced
	check_within 20 "doctor reports that the database's disk is nearly full" found \
		'^error: /run/small/sluice.db has .* there is room for .*MiB more'
	check "the suggested command shows the database's disk" matches \
		"$(typed 'there is room for')" ' /run/small$'
	cluster stop ctl sluiced
	for host in ctl n1 n2; do
		on "$host" cp /run/before.conf /etc/slurm/sluice.conf
	done
	on ctl umount /run/small
	cluster start ctl sluiced
	check_gone 20 "doctor does not report the database's disk any more" \
		'there is room for'
}

cluster_up --nodes 2 --ions 1
test_well
test_munge
test_plugstack
test_shell
test_mapping
test_conf
test_hung
test_disk
test_sluiced
test_slurmctld
test_room
check "nothing of the jobs is left on the nodes" nothing_left n1 n2
check "the database is sound" database_sound
test_kept
finish
