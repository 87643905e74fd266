#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Four kinds of nodes: n1 has flash, n2 a disk, n3 both, n4 only memory. What
# NodeStorage and the tiers of pools take of each, who gets which, what is
# refused, and why. Loop devices and tmpfs stand for the devices; the kernel is
# told which of the former do not rotate.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

DISKS=/var/tmp/sluice-$CLUSTER/disk

does_not_rotate() { # HOST MOUNTPOINT
	on "$1" sh -c 'echo 0 >"/sys/block/$(basename \
		"$(findmnt -no SOURCE "$0")")/queue/rotational"' "$2"
}

make_kinds() {
	does_not_rotate n1 /local
	does_not_rotate n3 /local
	truncate -s 1500M "$DISKS/n3.second.img"
	mkfs.ext4 -q -m 0 -F "$DISKS/n3.second.img"
	on n3 mkdir /data
	on n3 mount -o loop "$DISKS/n3.second.img" /data
	on n4 umount /local
	on n4 mkdir /ram
	on n4 mount -t tmpfs -o size=400M,mode=755 tmpfs /ram
	for n in n1 n2 n3 n4; do
		on "$n" sysmap --push
	done
}

read_again() {
	cluster stop ctl sluiced
	cluster start ctl sluiced
	on ctl scontrol reconfigure
}

explained() { # HOST MOUNTPOINT: for whom, or why not
	on ctl sysquery resources --explain "$1" --json=0 |
		jq -r --arg m "$2" '.[] | select(.mountpoint == $m) |
			.taken_for + .why_not'
}

storage_of() { # HOST: with NodeStorage
	on ctl sysquery resources "$1" --table -o storage | tail -n 1 | tr -d ' '
}

test_choice() {
	cluster conf sluice.conf NodeStorage=flash,disk,ram
	read_again
	check_within 20 "NodeStorage=flash,disk,ram: a node with flash gives flash" \
		prints '^/local$' \
		storage_of n1
	check "NodeStorage=flash,disk,ram: a node with a disk gives the disk" \
		equal "$(storage_of n2)" /local
	check "NodeStorage=flash,disk,ram: a node with both gives flash" \
		equal "$(storage_of n3)" /local
	check "NodeStorage=flash,disk,ram: a node with memory only gives memory" equal \
		"$(storage_of n4)" /ram
	cluster conf sluice.conf NodeStorage=largest,ram
	read_again
	check_within 20 "NodeStorage=largest,ram: a node with both gives the larger disk" \
		\
		prints '^/data$' storage_of n3
	check "sysquery resources --explain says why flash is not used" matches \
		"$(explained n3 /local)" '/data is larger'
	cluster conf sluice.conf NodeStorage=flash,disk,ram
}

pool_has() { # POOL MIN MAX: MiB
	local size
	size=$(on ctl scontrol show burst |
		grep -oE "(DefaultPool|PoolName\[[0-9]\])=$1 Granularity=[^ ]+ TotalSpace=[0-9]+MiB" |
		grep -oE '[0-9]+MiB$')
	size=${size%MiB}
	[ "${size:-0}" -ge "$2" ] && [ "${size:-0}" -le "$3" ]
}

test_pools() {
	cluster conf sluice.conf "Pool=flash Tier=flash" \
		"Pool=disk Tier=disk" "Pool=ram Tier=ram" \
		"Profile=quick type=scratch tier=flash"
	read_again
	check_within 20 "pool flash has the size of two nodes' flash" \
		pool_has flash 1800 2100
	check "pool disk has the size of two nodes' disks" pool_has disk 2200 2600
	check "pool ram has the size of one node's memory" pool_has ram 390 400
	check "--explain names pool flash for the flash" \
		equal "$(explained n3 /local)" \
		'pool flash'
	check "--explain names pool disk for the disk" \
		equal "$(explained n3 /data)" 'pool disk'
	check "--explain names pool ram for the memory" \
		equal "$(explained n4 /ram)" 'pool ram'
	check "the probe tries the memory" matches "$(on n4 sluice-node probe --wide)" \
		'/ram/sluice, .* free, capacity enforced by loop'
	check "--explain says why the root file system is not used" \
		matches "$(explained n4 /)" \
		'memory that the system itself uses'
}

refusal() { # SBATCH-OPTION...
	submit "$@" <<<$'#!/bin/bash\ntrue' 2>&1
}

# Where a job's data lay, of each of its nodes that gave something.
where() { # SBATCH-OPTION...: "n1 /local/sluice n3 /local/sluice"
	givers storage "$@"
}

givers() { # KEY SBATCH-OPTION...: what the plan says of each
	local job key=$1
	shift
	job=$(submit "$@" <<<$'#!/bin/bash
		srun -l sh -c "echo $(hostname) x >$BB_JOBFS/x.$SLURM_PROCID"
		cat $BB_JOBFS/x.0') || return
	wait_for 60 job_is "$job" COMPLETED FAILED || return
	wait_for 30 no_buffer_alive
	query "SELECT group_concat(t, ' ') FROM (SELECT
		n.value ->> 'name' || ' ' || (n.value ->> '$key') AS t
		FROM Buffer, json_each(Plan, '\$.node') n
		WHERE JobID = $job AND State = 6 AND
		coalesce(n.value ->> 'client', 0) = 0
		ORDER BY n.value ->> 'name')"
}

gives_more() { # NODE NODE GIVERS: the first than the second
	local -A gave
	local name bytes
	while read -r name bytes; do
		gave[$name]=$bytes
	done < <(xargs -n 2 <<<"$3")
	note "$3"
	[ "${gave[$1]:-0}" -gt "${gave[$2]:-0}" ]
}

test_jobs() {
	check "tier=flash: a job gets nodes with flash" equal \
		"$(where -N2 --bb='type=scratch capacity=100MiB tier=flash')" \
		'n1 /local/sluice n3 /local/sluice'
	check "tier=disk: a job gets nodes with disks" equal \
		"$(where -N2 --bb='type=scratch capacity=100MiB tier=disk')" \
		'n2 /local/sluice n3 /data/sluice'
	check "tier=ram: a job gets the node with memory only" equal \
		"$(where -N1 --bb='type=scratch capacity=100MiB tier=ram')" \
		'n4 /ram/sluice'
	check "a profile's tier is used" equal \
		"$(where -N2 --bb='profile=quick capacity=100MiB')" \
		'n1 /local/sluice n3 /local/sluice'
	check "without tier= a job gets the first pool" equal \
		"$(where -N2 --bb='type=scratch capacity=100MiB')" \
		'n1 /local/sluice n3 /local/sluice'
	check "a shared file system uses the nodes with its tier" equal \
		"$(where -N2 --bb='type=glusterfs capacity=100MiB tier=disk')" \
		'n2 /local/sluice n3 /data/sluice'
	check "nodes of different size give different shares" gives_more n3 n2 \
		"$(givers capacity -N2 \
			--bb='type=glusterfs capacity=2100MiB tier=disk')"
	check "more nodes than have the tier are refused with nodes=" equal \
		"$(where -N4 --bb='type=glusterfs capacity=100MiB nodes=4 tier=disk' 2>&1 |
			grep -c 'needs 4 nodes of one pool')" 1
}

knows_late() {
	! matches "$(refusal -H --bb='profile=late capacity=1MiB')" 'no profile'
}

# sluiced reads what is new with slurmctld, which is told; not what is bad.
test_reconfigured() {
	cluster conf sluice.conf "Profile=late type=scratch tier=disk"
	on ctl scontrol reconfigure
	check_within 20 "a new profile is known after scontrol reconfigure" \
		knows_late
	check "a job with a new profile runs without a restart of sluiced" \
		equal "$(where -N2 --bb='profile=late capacity=100MiB')" \
		'n2 /local/sluice n3 /data/sluice'
	cluster conf sluice.conf "NoSuchKey=1"
	on ctl scontrol reconfigure
	sleep 2
	check "a bad file changes nothing" equal \
		"$(where -N2 --bb='profile=late capacity=100MiB')" \
		'n2 /local/sluice n3 /data/sluice'
	check "sysquery doctor says what is wrong with it" matches \
		"$(on ctl sysquery doctor)" NoSuchKey
	on ctl sed -i /NoSuchKey/d /etc/slurm/sluice.conf
}

test_mistakes() {
	check "a tier without any node is refused, with those that exist" matches \
		"$(refusal --bb='capacity=1MiB tier=pmem')" \
		'no node has tier=pmem; there are: flash, disk, ram'
	check "an unknown tier is refused, with the nearest name" matches \
		"$(refusal --bb='capacity=1MiB tier=falsh')" \
		'"falsh" is not known; did you mean flash'
	check "more nodes than the tier has are refused" matches \
		"$(refusal -N3 --bb='capacity=1MiB tier=flash')" \
		'needs 3 nodes of one pool; where it may run are 2 of flash \(n\[1,3\]\)'
	check "more capacity than the tier has is refused" matches \
		"$(refusal -N1 --bb='capacity=390MiB tier=ram')" \
		'none can hold more than'
	check "a #BB line with a tier without any node is refused" \
		matches "$(submit 2>&1 \
		<<<$'#!/bin/bash\n#BB jobfs capacity=1MiB tier=pmem\ntrue')" \
		'no node has tier=pmem'
}

# Each pool is counted by itself.
test_counted() {
	local first second third
	first=$(submit -N1 --bb='type=scratch capacity=250MiB tier=ram' \
		<<<$'#!/bin/bash\nsleep 300')
	check_within 30 "a job uses most of pool ram" buffer_is "$first" RUNNING
	check "scontrol show burst shows the used space of pool ram" \
		matches "$(on ctl scontrol show burst)" \
		'PoolName\[.\]=ram .* UsedSpace=250MiB'
	second=$(submit -N1 --bb='type=scratch capacity=250MiB tier=ram' \
		<<<$'#!/bin/bash\ntrue')
	check_within 20 "a second job waits for pool ram" waits_for "$second" 'pool.ram'
	third=$(submit -N1 --bb='type=scratch capacity=250MiB tier=flash' \
		<<<$'#!/bin/bash\ntrue')
	check_within 40 "a job of another pool does not wait" job_is "$third" COMPLETED
	as_alice scancel "$first"
	check_within 60 "the second job completes when pool ram is free" \
		job_is "$second" COMPLETED
	check_within 30 "no buffer is alive after the three jobs" no_buffer_alive
	check "only kept/ is left in the memory file system" equal \
		"$(on n4 find /ram/sluice -mindepth 1 -maxdepth 1)" \
		/ram/sluice/kept
}

# Where the nodes that keep it have a persistent buffer.
kept_where() { # NAME
	query "SELECT group_concat(t, ' ') FROM (SELECT
		n.value ->> 'name' || ' ' || (n.value ->> 'storage') AS t
		FROM Buffer, json_each(Plan, '\$.node') n
		WHERE Name = '$1' AND JobID > 4000000000
		ORDER BY n.value ->> 'name')"
}

test_persistent() {
	local job n
	cluster conf sluice.conf "PersistentNodes=n[2-3]" PersistentLifetime=1h
	read_again
	for n in n2 n3; do
		on "$n" sh -c 'setsid sluice-node serve --period 0.5 \
			--log /var/log/serve.log >/dev/null 2>&1 </dev/null & '
	done
	check_within 20 "a persistent buffer with a tier without any node is refused" \
		prints 'persistent_create: no node has tier=pmem' \
		refusal --bb='persistent_create name=x capacity=1MiB tier=pmem'
	job=$(submit --bb='persistent_create name=x type=glusterfs capacity=100MiB tier=disk' \
		<<<$'#!/bin/bash\ntrue')
	check_within 90 "a persistent buffer with tier=disk is created" \
		job_is "$job" COMPLETED
	check "it lies on its nodes' disks" equal "$(kept_where x)" \
		'n2 /local/sluice n3 /data/sluice'
	check "it is counted in pool disk" \
		matches "$(on ctl scontrol show burst)" \
		'PoolName\[.\]=disk .* UsedSpace=100MiB'
	submit --bb='persistent_destroy name=x' <<<$'#!/bin/bash\ntrue' \
		>/dev/null
	check_within 60 "it is destroyed" no_buffer_alive
}

waits_for() { # JOB WORDS
	on ctl scontrol show job "$1" | grep -qE "BurstBufferState=.*$2"
}

cluster_up --nodes 4 --ions 0 --disk 1G
make_kinds
test_choice
test_pools
test_jobs
test_reconfigured
test_mistakes
test_counted
test_persistent
check "no node was drained" no_node_drained
check "the database is sound" database_sound
finish
