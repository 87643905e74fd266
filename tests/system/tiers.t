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
	check_within 20 "a node with flash gives that" prints '^/local$' \
		storage_of n1
	check "one with a disk its disk" equal "$(storage_of n2)" /local
	check "of both the flash" equal "$(storage_of n3)" /local
	check "and memory where there is nothing else" equal \
		"$(storage_of n4)" /ram
	cluster conf sluice.conf NodeStorage=largest,ram
	read_again
	check_within 20 "the largest is the disk" prints '^/data$' storage_of n3
	check "and why not the flash is said" matches \
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
	check_within 20 "flash is a pool of two nodes" pool_has flash 1800 2100
	check "disks another one" pool_has disk 2200 2600
	check "and memory a third" pool_has ram 390 400
	check "a node says which is which" equal "$(explained n3 /local)" \
		'pool flash'
	check "for each" equal "$(explained n3 /data)" 'pool disk'
	check "also memory" equal "$(explained n4 /ram)" 'pool ram'
	check "where its probe tries it" matches "$(on n4 sluice-node probe --wide)" \
		'/ram/sluice, .* free, capacity enforced by loop'
	check "which is not the system's" matches "$(explained n4 /)" \
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
	check "a job with tier=flash gets the nodes that have it" equal \
		"$(where -N2 --bb='type=scratch capacity=100MiB tier=flash')" \
		'n1 /local/sluice n3 /local/sluice'
	check "one with tier=disk the others" equal \
		"$(where -N2 --bb='type=scratch capacity=100MiB tier=disk')" \
		'n2 /local/sluice n3 /data/sluice'
	check "one with tier=ram the node without disks" equal \
		"$(where -N1 --bb='type=scratch capacity=100MiB tier=ram')" \
		'n4 /ram/sluice'
	check "a profile can say it" equal \
		"$(where -N2 --bb='profile=quick capacity=100MiB')" \
		'n1 /local/sluice n3 /local/sluice'
	check "who says nothing has the first pool" equal \
		"$(where -N2 --bb='type=scratch capacity=100MiB')" \
		'n1 /local/sluice n3 /local/sluice'
	check "a shared one lies on those that have it" equal \
		"$(where -N2 --bb='type=glusterfs capacity=100MiB tier=disk')" \
		'n2 /local/sluice n3 /data/sluice'
	check "they need not give the same" gives_more n3 n2 \
		"$(givers capacity -N2 \
			--bb='type=glusterfs capacity=2100MiB tier=disk')"
	check "nodes that it names otherwise lend none" equal \
		"$(where -N4 --bb='type=glusterfs capacity=100MiB nodes=4 tier=disk' 2>&1 |
			grep -c 'needs 4 nodes of one pool')" 1
}

test_mistakes() {
	check "a tier that nobody has is refused, with those there are" matches \
		"$(refusal --bb='capacity=1MiB tier=pmem')" \
		'no node has tier=pmem; there are: flash, disk, ram'
	check "one that does not exist, too" matches \
		"$(refusal --bb='capacity=1MiB tier=falsh')" \
		'"falsh" is not known; did you mean flash'
	check "too many nodes of it" matches \
		"$(refusal -N3 --bb='capacity=1MiB tier=flash')" \
		'needs 3 nodes of one pool; where it may run are 2 of flash \(n\[1,3\]\)'
	check "more than it has" matches \
		"$(refusal -N1 --bb='capacity=390MiB tier=ram')" \
		'none can hold more than'
	check "#BB lines say it as well" matches "$(submit 2>&1 \
		<<<$'#!/bin/bash\n#BB jobfs capacity=1MiB tier=pmem\ntrue')" \
		'no node has tier=pmem'
}

# Each pool is counted by itself.
test_counted() {
	local first second third
	first=$(submit -N1 --bb='type=scratch capacity=250MiB tier=ram' \
		<<<$'#!/bin/bash\nsleep 300')
	check_within 30 "a job has most of the memory" buffer_is "$first" RUNNING
	check "which is used of its pool" matches "$(on ctl scontrol show burst)" \
		'PoolName\[.\]=ram .* UsedSpace=250MiB'
	second=$(submit -N1 --bb='type=scratch capacity=250MiB tier=ram' \
		<<<$'#!/bin/bash\ntrue')
	check_within 20 "the next one waits" waits_for "$second" 'pool.ram'
	third=$(submit -N1 --bb='type=scratch capacity=250MiB tier=flash' \
		<<<$'#!/bin/bash\ntrue')
	check_within 40 "one with flash does not" job_is "$third" COMPLETED
	as_alice scancel "$first"
	check_within 60 "and the other when there is room" \
		job_is "$second" COMPLETED
	check_within 30 "all is free again" no_buffer_alive
	check "nothing is left in the memory" equal \
		"$(on n4 find /ram/sluice -mindepth 1 -maxdepth 1)" \
		/ram/sluice/kept
}

waits_for() { # JOB WORDS
	on ctl scontrol show job "$1" | grep -qE "BurstBufferState=.*$2"
}

cluster_up --nodes 4 --ions 0 --disk 1G
make_kinds
test_choice
test_pools
test_jobs
test_mistakes
test_counted
check "no node was drained" no_node_drained
check "the database is sound" database_sound
finish
