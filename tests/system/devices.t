#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two nodes with two like disks each: with NodeDevices=each all of them count,
# and a job's share lies on the one with the most room; whatever ends, nothing
# is left on either. Loop devices stand for the second disks.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

DISKS=/var/tmp/sluice-$CLUSTER/disk

make_second_disks() {
	for n in n1 n2; do
		truncate -s 900M "$DISKS/$n.second.img"
		mkfs.ext4 -q -m 0 -F "$DISKS/$n.second.img"
		on $n mkdir /data
		on $n mount -o loop "$DISKS/$n.second.img" /data
		on $n sysmap --push
	done
}

read_again() {
	cluster stop ctl sluiced
	cluster start ctl sluiced
	on ctl scontrol reconfigure
}

pool_has() { # MIN MAX: MiB
	local size
	size=$(on ctl scontrol show burst |
		grep -oE "DefaultPool=nodes Granularity=[^ ]+ TotalSpace=[0-9]+MiB" |
		grep -oE '[0-9]+MiB$')
	size=${size%MiB}
	[ "${size:-0}" -ge "$1" ] && [ "${size:-0}" -le "$2" ]
}

explained() { # HOST MOUNTPOINT: for whom, or why not
	on ctl sysquery resources --explain "$1" --json=0 |
		jq -r --arg m "$2" '.[] | select(.mountpoint == $m) |
			.taken_for + .why_not'
}

places() { # JOB: where its newest plan has its shares, by node
	query "SELECT group_concat(s, ' ') FROM (
		SELECT n.value ->> 'storage' AS s
		FROM Buffer, json_each(Plan, '\$.node') n
		WHERE BID = (SELECT max(BID) FROM Buffer WHERE JobID = $1)
		AND coalesce(n.value ->> 'client', 0) = 0
		ORDER BY n.value ->> 'name')"
}

sleeper() { # SBATCH-OPTION...
	submit "$@" <<<$'#!/bin/bash
		echo x >$BB_JOBFS/x
		while [ -e /pfs/alice/wait ]; do sleep 0.2; done
		cat $BB_JOBFS/x'
}

clean() { # HOST: nothing of a job is on either disk
	! on "$1" sh -c 'ls -d /local/sluice/*.* /local/sluice/kept/[1-9]* \
		/data/sluice/*.* /data/sluice/kept/[1-9]*' 2>/dev/null |
		grep -q .
}

test_best() {
	check_within 20 "NodeDevices=best: the pool has the larger disk of each node" \
		pool_has 1600 2100
	check "NodeDevices=best: the smaller disk is not used, and why" \
		matches "$(explained n1 /data)" '/local is larger'
}

test_each() {
	cluster conf sluice.conf NodeDevices=each
	read_again
	check_within 20 "NodeDevices=each: the pool has all disks" \
		pool_has 3300 3900
	check "NodeDevices=each: both disks are used" equal \
		"$(explained n1 /local) $(explained n1 /data)" \
		'NodeStorage NodeStorage'
	check "the probe tries both" matches "$(on n1 sluice-node probe --wide |
		grep -cE '(/local|/data)/sluice, .* free, capacity enforced')" '^2$'
	check "NodeDevices=each: the summary has the room of both" equal \
		"$(on ctl sysquery resources n1 --table -o size |
			tail -n 1 | tr -d ' ' | grep -cE '^1\.[78]GiB$')" 1
}

test_two_jobs() {
	local first second
	touch "$PFS/alice/wait"
	first=$(sleeper -w n1 -s --bb='type=scratch capacity=600MiB')
	check_within 40 "the first job runs on a node" buffer_is "$first" RUNNING
	second=$(sleeper -w n1 -s --bb='type=scratch capacity=600MiB')
	check_within 40 "the second job runs beside it" buffer_is "$second" RUNNING
	check "the first job lies on the disk with the most room" equal \
		"$(places "$first")" /local/sluice
	check "the second job lies on the other disk" equal \
		"$(places "$second")" /data/sluice
	check "the second job's image is on the other disk" equal \
		"$(on n1 sh -c 'ls -d /data/sluice/*/image' | wc -l)" 1
	check "what runs is seen on the disks" fails clean n1
	cluster stop ctl sluiced
	cluster kill n1 sluice-node
	cluster start ctl sluiced
	rm "$PFS/alice/wait"
	for job in "$first" "$second"; do
		check_within 60 "a job completes over a restart of sluiced" job_is \
			"$job" COMPLETED
		check "the job has its data" matches "$(job_wrote "$job")" '^x$'
	done
	check_within 60 "no buffer is alive" no_buffer_alive
	check_within 30 "nothing is left on the disks of n1" clean n1
}

# A disk that others fill is left alone, as soon as the node has told.
test_full_disk() {
	local job
	cluster fill n1 40000000
	on n1 sysmap --push
	job=$(submit -N1 -w n1 --bb='type=scratch capacity=300MiB' \
		<<<$'#!/bin/bash\nhead -c 200M /dev/zero >$BB_JOBFS/x && echo written')
	check_within 60 "a job of a node with a full disk completes" \
		job_is "$job" COMPLETED
	check "it lay on the other disk" equal "$(places "$job")" /data/sluice
	check "it could write" matches "$(job_wrote "$job")" written
	cluster unfill n1
	on n1 sysmap --push
	check_within 30 "no buffer is alive after it" no_buffer_alive
}

# A node that loses power while a job lies on its second disk.
test_crash() {
	local job
	cluster fill n1 40000000
	on n1 sysmap --push
	touch "$PFS/alice/wait"
	job=$(sleeper -w n1 --no-requeue --bb='type=scratch capacity=300MiB')
	check_within 40 "a job lies on the second disk" buffer_is "$job" RUNNING
	check "it does" equal "$(places "$job")" /data/sluice
	cluster crash n1
	cluster boot n1
	on n1 mkdir -p /data
	on n1 mount -o loop "$DISKS/n1.second.img" /data
	check "its storage is still there after the boot" fails clean n1
	on n1 sluice-node recover
	rm "$PFS/alice/wait"
	check_within 90 "no buffer is alive after the crash" no_buffer_alive
	check_within 60 "nothing is left on the disks of n1 after the crash" clean n1
	cluster unfill n1
	on n1 sysmap --push
	check_within 60 "the node is back" nodes_idle n1
}

# One file system over two nodes: on each the disk with the most room.
test_shared() {
	local first job
	touch "$PFS/alice/wait"
	first=$(sleeper -w n1 -s --bb='type=scratch capacity=600MiB')
	check_within 40 "a job takes most of a disk of n1" buffer_is "$first" RUNNING
	job=$(submit -N2 -s --bb='type=glusterfs capacity=1200MiB' \
		<<<$'#!/bin/bash\nsrun sh -c "head -c 200M /dev/zero >$BB_JOBFS/x.\$SLURM_PROCID"
		stat -f -c "%b*%S" $BB_JOBFS; ls $BB_JOBFS')
	check_within 90 "a glusterfs of both nodes is made beside it" \
		job_is "$job" COMPLETED
	check "it lies on the free disk of n1, and the larger one of n2" equal \
		"$(places "$job")" '/data/sluice /local/sluice'
	check "it has its capacity" matches \
		"$(($(job_wrote "$job" | grep -E '^[0-9]+\*') >= 1200 << 20))" '^1$'
	as_alice scancel "$first"
	rm "$PFS/alice/wait"
	check_within 60 "no buffer is alive after both" no_buffer_alive
	for n in n1 n2; do
		check_within 30 "nothing is left on the disks of $n" clean $n
	done
}

cluster_up --nodes 2 --ions 0 --disk 1G
make_second_disks
cluster conf sluice.conf NodeStorage=disk
read_again
test_best
test_each
test_two_jobs
test_full_disk
test_crash
test_shared
check "no node was drained" no_node_drained
check "the database is sound" database_sound
finish
