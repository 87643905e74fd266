#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The private cluster itself, with plain Slurm: hosts are apart from each
# other and from the machine, two clusters from one another, faults do what
# they say, and nothing is left.
. "$(dirname "$0")/lib.sh"
OTHER=${CLUSTER}2

# What a cluster of this test could leave behind, or change on the machine.
# Other clusters may come and go meanwhile.
machine_state() {
	ls -d /run/netns/*."$CLUSTER"* /var/tmp/*-"$CLUSTER"* \
		/run/sluice-clusters/"$CLUSTER"* 2>/dev/null
	ls / /opt /etc /var/log
	losetup -nO BACK-FILE | grep "$CLUSTER"
	pgrep -af "$CLUSTER" | grep -v 'bash\|timeout'
	cut -d' ' -f5 /proc/self/mountinfo | grep -v /run/netns
	ip -o link
	sha256sum /etc/passwd /etc/group /etc/hosts
}

second() {
	"$TOP/tools/cluster" "$1" --name "$OTHER" "${@:2}"
}

sorted() {
	"$@" | sort | tr '\n' ' '
}

reaches() { # HOST FROM
	LIMIT=2 on "$2" bash -c "echo >/dev/tcp/$1/6818" 2>/dev/null
}

test_hosts() {
	check "a job runs on all hosts as an ordinary user" equal \
		"$(sorted as_alice srun -N3 sh -c 'echo $(hostname):$(id -un)')" \
		"n1:alice n2:alice n3:alice "
	check "each host has a disk of limited size" equal \
		"$(as_alice srun -N3 stat -f -c '%T' /local | sort -u)" ext2/ext3
	as_alice srun -N1 -w n1 touch /pfs/alice/shared /run/x /local/x
	on n1 touch /run/private /local/private
	check "the parallel file system is shared" \
		on n2 test -f /pfs/alice/shared
	check "a local disk is not shared between hosts" \
		fails on n2 test -e /local/private
	check "/run is not shared between hosts" fails on n2 test -e /run/private
	check "users cannot use the I/O nodes" fails \
		as_alice srun -p io true 2>/dev/null
}

test_second_cluster() {
	check "a second cluster starts beside the first" \
		quietly second up --plain --nodes 2 --ions 0
	check "the second cluster runs jobs" equal "$(sorted second exec -u bob ctl \
		timeout 20 srun -N2 hostname)" "n1 n2 "
	check "the first cluster does not see the second one" fails on n1 \
		test -e /run/netns
	check "the second cluster can be taken down alone" second down
	check "the first cluster runs jobs after that" as_alice srun -N3 true
}

test_faults() {
	cluster cut n3
	check "a host that is disconnected cannot be reached" fails reaches n3 ctl
	check_within 60 "and Slurm notices" slurm_says n3 'down\*'
	cluster join n3
	check_within 10 "Slurm reports the disconnected host as down" reaches n3 ctl
	on ctl scontrol reconfigure # Slurm alone asks after 2 minutes
	check_within 30 "the reconnected host can be reached" nodes_idle n3
	cluster fill n1
	check "the reconnected host is idle" fails \
		on n1 sh -c 'echo x >/local/more' 2>/dev/null
	cluster unfill n1
	check "a disk that was emptied can be written" on n1 sh -c 'echo x >/local/more'
	cluster kill n2 slurmd
	check "a killed daemon does not answer" fails reaches n2 ctl
	cluster start n2 slurmd
	check_within 30 "a daemon that was started again answers" reaches n2 ctl
	on n2 sh -c 'echo x >/local/synced && sync /local/synced'
	cluster crash n2
	check "a crashed host runs nothing" fails on n2 true 2>/dev/null
	cluster boot n2
	check_within 60 "the rebooted host is idle" nodes_idle n2
	check "a synced file is on the rebooted host's disk" \
		on n2 grep -qx x /local/synced
	check "the rebooted host runs jobs" as_alice srun -w n2 true
}

slurm_says() { # HOST STATE
	[[ $(on ctl sinfo -hN -n "$1" -o %T) =~ ^$2$ ]]
}

write_seconds() {
	local from=$EPOCHREALTIME
	on n1 dd if=/dev/zero of=/local/slow bs=64K count=16 oflag=direct \
		status=none
	awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { print int(b - a) }'
}

test_slow() {
	local seconds
	cluster slow n1 250 2>/dev/null || {
		check "slow # SKIP no blkio controller" true
		return
	}
	seconds=$(write_seconds)
	check "16 writes of a quarter second take 4" [ "$seconds" -ge 3 ]
	cluster slow n1 off
	check "16 writes take less than 3 s without the delay" \
		[ "$(write_seconds)" -lt 3 ]
}

# Of both hosts together.
test_throttle_pfs() {
	local from=$SECONDS host
	cluster throttle pfs 2 2>/dev/null || {
		check "throttle pfs # SKIP no blkio controller" true
		return
	}
	for host in n1 n2; do
		on $host dd if=/dev/zero of=/pfs/disk/$host bs=1M count=4 \
			oflag=direct status=none &
	done
	wait
	check "8 MiB to /pfs/disk at 2 MiB/s take 4 seconds" \
		[ $((SECONDS - from)) -ge 3 ]
	check "both hosts see the file on the shared disk" \
		on n1 cmp /pfs/disk/n1 /pfs/disk/n2
	check "users may write to the shared disk" as_alice touch /pfs/disk/alice
	cluster throttle pfs off
}

# The fakes of GekkoFS's forwarding daemon and client, on the cluster.
test_limit() {
	local fakes=$TOP/build-test/plain/tests/fakes seconds
	[ -x "$fakes/fake_gkfwd" ] || {
		check "limit # SKIP tests/fakes are not built" true
		return
	}
	cp "$fakes"/fake_gkfwd{,_put} "$PFS/"
	mkdir "$PFS/forwarded"
	on io1 setsid --fork /pfs/fake_gkfwd --enable-forwarding -m /pfs/mnt \
		-r /pfs/forwarded -H /pfs/hosts \
		-l "$(on io1 hostname -i)" </dev/null >/dev/null 2>&1
	wait_for 5 test -s "$PFS/hosts"
	echo "n1 0" >"$PFS/map"
	cluster limit io1 16
	seconds=$(on n1 env LIBGKFS_HOSTS_FILE=/pfs/hosts \
		LIBGKFS_FORWARDING_MAP_FILE=/pfs/map \
		/pfs/fake_gkfwd_put some 4000000 | cut -d' ' -f3)
	cluster limit io1 off
	check "4 MB through 16 Mbit/s take 2 seconds" [ "${seconds%.*}" -ge 1 ]
	check "4 MB arrive through the limited network" \
		equal "$(stat -c %s "$PFS/forwarded/some")" 4000000
}

# What a file says meanwhile: two lines that have the same number.
read_both() { # FILE UNTIL: prints what is not that
	local a b
	until [ -e "$2" ]; do
		a='' b=''
		{ read -r a && read -r b; } <"$1"
		[ "${a#A=}" = "${b#B=}" ] || echo "$a,$b"
	done
}

test_conf() {
	local conf=/run/sluice-clusters/$CLUSTER/etc/slurm/some.conf i reader
	printf 'A=0\nB=0\n' >"$conf"
	read_both "$conf" "$PFS/changed" >"$PFS/half" &
	reader=$!
	for i in {1..10}; do
		cluster conf some.conf "A=$i" "B=$i"
	done
	touch "$PFS/changed"
	wait "$reader"
	check "who reads a file while lines are changed finds all or none changed" \
		equal "$(sort -u "$PFS/half")" ""
	check "they are changed" equal "$(<"$conf")" $'A=10\nB=10'
}

test_down() {
	local slowed=
	on n2 setsid --fork sleep 1000
	on n2 sh -c 'truncate -s 10M /local/img; mkfs.ext4 -q /local/img
		mkdir -p /run/inner; mount -o loop /local/img /run/inner'
	cluster slow n1 10 2>/dev/null &&
		slowed=$(<"/run/sluice-clusters/$CLUSTER/slow/n1")
	cluster crash n3
	check "a cluster with a crashed host can be taken down" cluster down
	trap - EXIT
	check "no file of the cluster is left" equal \
		"$(diff <(echo "$BEFORE") <(machine_state))" ""
	[ -z "$slowed" ] || check "no I/O limit is left for the loop device" \
		fails grep "^$slowed " \
		/sys/fs/cgroup/blkio/blkio.throttle.write_iops_device
}

BEFORE=$(machine_state)
cluster_up --plain --nodes 3 --ions 1 --pfs-disk 64M
test_hosts
test_second_cluster
test_faults
test_slow
test_throttle_pfs
test_limit
test_conf
test_down
finish
