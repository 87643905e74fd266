#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Nodes with two like disks each: with NodeDevices=all a job's glusterfs is
# spread over them, so that it has more of a node than one disk holds; whatever
# ends, or is missing when it begins, nothing is left on any of them. Loop
# devices stand for the disks.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

DISKS=/var/tmp/sluice-$CLUSTER/disk
MIB=260 # of each disk

mount_disks() { # HOST
	for d in s0 s1; do
		on "$1" mkdir -p /$d
		on "$1" mount -o loop "$DISKS/$1.$d.img" /$d
	done
}

make_disks() {
	for n in n1 n2 n3; do
		for d in s0 s1; do
			truncate -s ${MIB}M "$DISKS/$n.$d.img"
			mkfs.ext4 -q -m 0 -F "$DISKS/$n.$d.img"
		done
		mount_disks $n
		on $n sysmap --push
	done
}

# The devices of the job's newest plan: "n1:/s0/sluice+/s1/sluice n2:..."
spread_over() { # JOB
	query "SELECT group_concat(s, ' ') FROM (
		SELECT (n.value ->> 'name') || ':' ||
			(SELECT group_concat(d, '+') FROM (
				SELECT n.value ->> 'storage' AS d
				UNION ALL
				SELECT m.value ->> 'storage'
				FROM json_each(n.value, '\$.more') m
				WHERE m.value ->> 'capacity' > 0
				ORDER BY d)) AS s
		FROM Buffer, json_each(Plan, '\$.node') n
		WHERE BID = (SELECT max(BID) FROM Buffer WHERE JobID = $1)
		AND coalesce(n.value ->> 'client', 0) = 0
		ORDER BY n.value ->> 'name')"
}

clean() { # HOST: nothing of a job is on either disk
	! on "$1" sh -c 'ls -d /s[01]/sluice/*.* /s[01]/sluice/kept/[1-9]*' \
		2>/dev/null | grep -q .
}

all_clean() { # TEXT
	check_within 90 "no buffer is alive $1" no_buffer_alive
	for n in n1 n2; do
		check_within 60 "nothing is left on the disks of $n $1" clean $n
	done
}

idle() {
	on ctl scontrol update nodename='n[1-2]' state=resume >/dev/null 2>&1
	check_within 90 "the nodes are back" nodes_idle 'n[1-2]'
}

FILES=250 # of 1 MiB, that each node writes; their sums are in sums.JOB
CAPACITY=720MiB
writer() { # DESTINATION SBATCH-OPTION...
	local to=$1
	shift
	submit "$@" --export="ALL,FILES=$FILES" \
		--bb="jobfs type=glusterfs capacity=$CAPACITY
stage_out source=\$BB_JOBFS/out/ destination=$to" <<-'EOT'
		#!/bin/bash
		mkdir $BB_JOBFS/out
		srun bash -c 'for ((i = 0; i < FILES; i++)); do
			head -c 1M /dev/urandom >$BB_JOBFS/out/$SLURM_PROCID.$i ||
				exit 1
		done'
		cd $BB_JOBFS/out && md5sum * >/pfs/alice/sums.$SLURM_JOB_ID
		while [ -e /pfs/alice/wait ]; do sleep 0.2; done
	EOT
}

same_files() { # JOB DIRECTORY
	(cd "$2" && [ "$(find . -type f | wc -l)" = $((2 * FILES)) ] &&
		md5sum --quiet -c "$PFS/alice/sums.$1")
}

written() { # JOB
	[ "$(grep -c . "$PFS/alice/sums.$1" 2>/dev/null)" = $((2 * FILES)) ]
}

brick_bytes() { # HOST DISK: MiB of its files
	on "$1" sh -c "du -sm /$2/sluice/*.*/fs/brick/data" | cut -f1
}

test_told() {
	check "sysquery says over which devices a share lies" equal \
		"$(on ctl sysquery resources --explain n1 --json=0 |
			jq -r '.[] | select(.taken_for != "") |
				.mountpoint + ": " + .share')" \
		$'/s0: all 2 for glusterfs, else one\n/s1: all 2 for glusterfs, else one'
	check "sluiced names a file system of which it lies on one" matches \
		"$(cat "/run/sluice-clusters/$CLUSTER/log/ctl/sluiced.log")" \
		'NodeDevices=all: shares of FileSystem=scratch lie on one device of a node each, as the driver scratch uses one'
}

test_spread() {
	local job
	touch "$PFS/alice/wait"
	job=$(writer "/pfs/alice/out.%j/" -N2)
	check_within 60 "a job of 720 MiB runs on disks of $MIB MiB" buffer_is \
		"$job" RUNNING
	check "its shares are over all disks" equal "$(spread_over "$job")" \
		'n1:/s0/sluice+/s1/sluice n2:/s0/sluice+/s1/sluice'
	check "each node has one server" equal \
		"$(on n1 pgrep -xc glusterfsd)" 1
	check "sysquery buffers lists the disks" equal \
		"$(on ctl sysquery buffers "$job" --json=0 |
			jq -rc '[.[0].members[] | .storage, .more[].storage] |
				sort | unique | .[]' | tr '\n' ' ')" \
		'/s0/sluice /s1/sluice '
	check_within 120 "it writes more than a disk of each node holds" \
		written "$job"
	for n in n1 n2; do
		for d in s0 s1; do
			check "$n has some of it on /$d" matches \
				"$(brick_bytes $n $d)" '^[0-9]{2,3}$'
		done
	done
	rm "$PFS/alice/wait"
	check_within 120 "it completes" job_is "$job" COMPLETED
	check "all its files are staged out, byte by byte" same_files "$job" \
		"$PFS/alice/out.$job"
	rm -rf "$PFS/alice/out.$job"
	all_clean "after it"
}

refusal() { # CAPACITY
	submit -N1 -w n1 --bb="jobfs type=glusterfs capacity=$1" \
		<<<$'#!/bin/bash\ntrue' 2>&1
}

# Submission knows what an image of its own on each disk costs.
test_most() {
	local most job
	check "more than a node's disks hold beside their images is refused" \
		matches "$(refusal $((2 * MIB - 60))MiB)" \
		'none can hold more than [0-9.]+MiB'
	most=$(refusal $((2 * MIB - 60))MiB |
		grep -oE 'more than [0-9]+' | grep -oE '[0-9]+')
	check_within 20 "all disks of n1 are free" all_unused n1
	job=$(refusal $((most - 1))MiB)
	check_within 60 "a job with the most that is accepted runs" job_is \
		"$job" COMPLETED
	all_clean "after it"
}

all_unused() { # HOST
	unused "$1" s0 && unused "$1" s1
}

# Killed on n1 as soon as there is a certain file, the job's set-up has made
# something on none, one or both of the disks.
test_killed_up() { # TEXT PATTERN
	local job
	job=$(submit -N2 --no-requeue --bb='jobfs type=glusterfs capacity=720MiB' \
		<<<$'#!/bin/bash\nsleep 60')
	on n1 sh -c "until ls -d $2; do sleep 0.01; done" >/dev/null 2>&1
	cluster kill n1 sluice-node
	sleep 1
	as_alice scancel "$job"
	all_clean "after a kill $1"
	idle
}

# Of files in pieces a disk that is missing is left out, and one on n2 for it.
test_shard_without() {
	local job
	on n1 umount /s1
	job=$(submit -N2 --bb='jobfs profile=sharded capacity=300MiB' \
		<<<$'#!/bin/bash\nhead -c 20M /dev/zero >$BB_JOBFS/x && echo written')
	check_within 90 "a job with shard= completes without a disk" job_is \
		"$job" COMPLETED
	check "it could write in pieces" matches "$(job_wrote "$job")" \
		'^written$'
	check "each node has left out one" matches "$(spread_over "$job")" \
		'^n1:/s0/sluice n2:/s[01]/sluice$'
	on n1 mount -o loop "$DISKS/n1.s1.img" /s1
	all_clean "after that"
}

sentence() { # JOB
	on ctl scontrol show job "$1" | grep -oE 'AdminComment=.*|Comment=.*'
}

doctor() {
	on ctl sysquery doctor
}

share_is_used() { # all of n1's share, 200MiB and more, and little of n2's
	on ctl scontrol show burst | grep -qE ' UsedSpace=2([0-9]{2}M|[0-9]{5}K|[0-9]{8})'
}

# A disk of n1 fails under a running job: who asks for the job is told which.
test_fails() { # TEXT PATTERN COMMAND
	local job
	job=$(submit -N2 --no-requeue --bb='jobfs type=glusterfs capacity=400MiB
stage_out source=$BB_JOBFS/ destination=/pfs/alice/never' <<-'EOT'
		#!/bin/bash
		while date >$BB_JOBFS/x; do sleep 0.2; done
		sleep 300
	EOT
	)
	check_within 60 "a job runs before a disk is $1" buffer_is "$job" RUNNING
	on n1 sh -c "$3"
	check_within 45 "that the disk is $1 is noticed, and which it is" prints \
		"n1: /s1 \(/dev/loop[0-9]+\) $2" buffer_failure "$job"
	check_within 60 "its job ends as OnServerLoss says" job_is "$job" FAILED
	check "the job's user is told" matches "$(sentence "$job")" \
		"n1: /s1 \(/dev/loop[0-9]+\) $2"
	check "sysquery buffers names the disk" matches \
		"$(on ctl sysquery buffers "$job" --json=0)" \
		"n1: /s1 \(/dev/loop[0-9]+\) $2"
	check "sysquery doctor names the disk" matches "$(doctor)" \
		"n1: /s1 \(/dev/loop[0-9]+\) $2"
	on n1 sh -c 'umount -l /s1; until mount -o loop "$0" /s1; do sleep 1; done' \
		"$DISKS/n1.s1.img"
	on n1 sluice-node recover
	check_within 90 "no node has it to clean any more" no_buffer_alive
	[ "$1" != unmounted ] ||
		check_within 10 "what is kept counts with all that lay on n1" \
			share_is_used
	for n in n1 n2; do
		quietly on $n sluice-node discard "$job"
	done
	all_clean "after that"
	idle
}

# A job on n1 and n2 in a state of n1's second disk that the map does not know.
test_without() { # TEXT: how the disk is
	local job
	job=$(submit -N2 --bb='jobfs type=glusterfs capacity=400MiB' \
		<<<$'#!/bin/bash\nhead -c 20M /dev/zero >$BB_JOBFS/x && echo written')
	check_within 90 "a job completes with a disk $1" job_is "$job" COMPLETED
	check "it could write" matches "$(job_wrote "$job")" '^written$'
	check "the disk $1 was left out" equal "$(spread_over "$job")" \
		'n1:/s0/sluice n2:/s0/sluice+/s1/sluice'
}

unused() { # HOST DISK: what was removed there is freed
	local blocks free size
	read -r blocks free size < <(on "$1" stat -f -c '%b %f %S' "/$2")
	[ $(((blocks - free) * size >> 20)) -lt 2 ]
}

test_full_disk() {
	for d in s0 s1; do
		check_within 60 "/$d is free before" unused n1 $d
	done
	on n1 sh -c 'fallocate -l $(($(stat -f -c "%a * %S" /s1) - (1 << 20))) \
		/s1/other'
	test_without "that others fill"
	on n1 rm /s1/other
	all_clean "after that"
}

test_absent_disk() {
	on n1 umount /s1
	test_without "that is not mounted"
	on n1 mount -o loop "$DISKS/n1.s1.img" /s1
	all_clean "after that"
}

test_read_only_disk() {
	on n1 mount -o remount,ro /s1
	test_without "that is read-only"
	on n1 mount -o remount,rw /s1
	all_clean "after that"
}

# Too much for the others: put back without the node, which one line names.
test_no_room() {
	local job
	on n1 umount /s1
	job=$(submit -N2 -w 'n[1-2]' \
		--bb='jobfs type=glusterfs capacity=720MiB' \
		<<<$'#!/bin/bash\ntrue')
	check_within 90 "a job without room for its shares is put back" matches \
		"$(wait_for 90 prints . buffer_failure "$job"
			buffer_failure "$job")" \
		'n1: /s1 is not mounted, though the resource map has it'
	as_alice scancel "$job"
	on n1 mount -o loop "$DISKS/n1.s1.img" /s1
	all_clean "after that"
	idle
}

fetch_all() { # JOB
	for n in n1 n2; do
		bounded_exec -u alice "$n" sluice-node fetch "$1" \
			/pfs/alice/rescued || return
	done
}

# Its stage-out fails: what lies on all disks is kept, fetched and given up.
test_kept() {
	local job
	install -d -m 755 "$PFS/closed"
	job=$(writer /pfs/closed/out/ -N2)
	check_within 180 "a job whose stage-out fails is FAILED" job_is "$job" FAILED
	for n in n1 n2; do
		check "data is kept on both disks of $n" equal \
			"$(on $n sh -c "ls -d /s[01]/sluice/kept/$job.*" | wc -l)" 2
	done
	on n1 sh -c "umount /s1/sluice/kept/$job.*/fs /s1"
	check "while a disk is not mounted fetch names what is not there" matches \
		"$(bounded_exec -u alice n1 sluice-node fetch "$job" \
			/pfs/alice/rescued 2>&1)" \
		"not in /s1/sluice/kept/$job\.[0-9]+: is the device mounted"
	rm -rf "$PFS/alice/rescued"
	on n1 mount -o loop "$DISKS/n1.s1.img" /s1
	on n1 sluice-node recover
	check "the owner fetches it from both nodes" quietly fetch_all "$job"
	check "all its files were fetched, byte by byte" same_files "$job" \
		"$PFS/alice/rescued/out"
	rm -rf "$PFS/alice/rescued"
	for n in n1 n2; do
		check "$n discards it" quietly on $n sluice-node discard "$job"
	done
	all_clean "after the discard"
}

# A persistent buffer on n3, which runs no jobs: larger than one of its disks.
test_persistent() {
	local job
	on n3 sh -c 'setsid sluice-node serve --period 0.5 \
		--log /var/log/serve.log >/dev/null 2>&1 </dev/null &'
	job=$(submit -N1 --bb='persistent_create name=keep type=glusterfs coherence=shared capacity=330MiB' \
		<<<$'#!/bin/bash\ntrue')
	check_within 60 "a persistent buffer is made" job_is "$job" COMPLETED
	job=$(submit -N1 --bb='persistent name=keep' <<-'EOT'
		#!/bin/bash
		cd $BB_keep || exit
		for i in {1..60}; do head -c 1M /dev/urandom >$i; done
		md5sum * >/pfs/alice/sums.keep
	EOT
	)
	check_within 90 "a job writes to it" job_is "$job" COMPLETED
	for d in s0 s1; do
		check "some of it is on /$d" matches "$(brick_bytes n3 $d)" \
			'^[0-9]{2,3}$'
	done
	job=$(submit -N1 --bb='persistent name=keep' <<-'EOT'
		#!/bin/bash
		cd $BB_keep && md5sum --quiet -c /pfs/alice/sums.keep && echo same
	EOT
	)
	check_within 90 "another job reads it" job_is "$job" COMPLETED
	check "it is the same, byte by byte" matches "$(job_wrote "$job")" '^same$'
	job=$(submit -N1 --no-requeue --bb='persistent name=keep' \
		<<<$'#!/bin/bash\nsleep 300')
	check_within 60 "a job that uses it runs" buffer_is "$job" RUNNING
	on n3 umount -l /s1
	check_within 30 "a job ends when a disk of the buffer is unmounted" \
		job_is "$job" FAILED
	check "its user is told which" matches "$(sentence "$job")" \
		'n3: /s1/sluice/[0-9.]+ is not mounted any more'
	on n3 mount -o loop "$DISKS/n3.s1.img" /s1
	job=$(submit -N1 --bb='persistent_destroy name=keep' \
		<<<$'#!/bin/bash\ntrue')
	check_within 60 "it is destroyed" job_is "$job" COMPLETED
	check_within 60 "nothing is left on the disks of n3" clean n3
	on n3 pkill -x sluice-node
}

# n1 loses power while the job runs.
test_crash() {
	local job FILES=20 CAPACITY=120MiB
	touch "$PFS/alice/wait"
	job=$(writer "/pfs/alice/out.%j/" -N2 --no-requeue)
	check_within 120 "a job has written to all disks" written "$job"
	cluster crash n1
	cluster boot n1
	mount_disks n1
	check "its storage is on both disks after the boot" equal \
		"$(on n1 sh -c 'ls -d /s[01]/sluice/*.*' | wc -l)" 2
	on n1 sluice-node recover
	rm "$PFS/alice/wait"
	check_within 120 "no buffer is alive after the crash" no_buffer_alive
	check_within 60 "what was to be staged out is kept on both disks" prints 2 \
		on n1 sh -c 'ls -d /s[01]/sluice/kept/[1-9]* | wc -l'
	for n in n1 n2; do
		quietly on $n sluice-node discard "$job"
	done
	all_clean "after the discard of that"
	idle
}

cluster_up --nodes 3 --ions 0 --disk 300M
make_disks
# No health check while a disk is taken away: the map is to have it nevertheless.
cluster conf slurm.conf HealthCheckInterval=0
cluster conf sluice.conf 'NodeStorage=/s*' NodeDevices=all PersistentNodes=n3 \
	PersistentLifetime=2d \
	"Profile=sharded type=glusterfs shard=4MiB coherence=private"
cluster stop ctl sluiced
cluster start ctl sluiced
on ctl scontrol reconfigure
on ctl scontrol update nodename=n3 state=drain reason=persistent
wait_for 20 knows glusterfs
test_told
test_most
test_spread
test_killed_up "before any storage" '/run/sluice/[1-9]*/plan.json'
test_killed_up "with storage on one disk" '/s?/sluice/*.*/image'
test_killed_up "with storage on both" '/s0/sluice/*.*/fs /s1/sluice/*.*/fs'
test_killed_up "with a server" '/run/sluice/[1-9]*/wd/brick.pid'
test_full_disk
test_absent_disk
test_read_only_disk
test_shard_without
test_no_room
test_fails unmounted 'is not mounted any more' 'umount -l /s1'
test_fails read-only 'has become read-only' 'mount -o remount,abort /s1'
test_persistent
test_kept
test_crash
check "the database is sound" database_sound
finish
