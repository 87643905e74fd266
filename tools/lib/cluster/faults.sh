# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Fault injection. Sourced by tools/cluster.

fault_cut() {
	ip -n "$(netns switch)" link set "$1" down
}

fault_join() {
	ip -n "$(netns switch)" link set "$1" up
}

# So much may come to the host from the others, in Mbit/s: at its port of the
# switch, where the host itself cannot see it.
fault_limit() { # HOST MBIT|off
	local port=(nsenter --net="/run/netns/$(netns switch)" tc qdisc)
	if [ "$2" = off ]; then
		"${port[@]}" del dev "$1" root
	else
		"${port[@]}" replace dev "$1" root tbf rate "${2}mbit" \
			burst 64kb latency 200ms
	fi
}

# Leave BYTES (0) free on the host's disk. Most of it is only reserved, which
# takes no time and no space on the machine.
fault_fill() { # HOST [BYTES]
	local avail slack=$((4 << 20))
	avail=$(in_host "$1" stat -f -c '%a*%S' /local)
	avail=$((avail - ${2:-0}))
	[ "$avail" -gt 0 ] || die "$1 has no more than that free"
	[ "$avail" -gt "$slack" ] || slack=$avail
	in_host "$1" sh -c "
		fallocate -l $((avail - slack + 1)) /local/.filled
		dd if=/dev/zero bs=64K count=$slack iflag=count_bytes \
			oflag=append conv=notrunc of=/local/.filled
		[ ${2:-0} != 0 ] || while echo >/local/.filled.\$((i += 1)); do :; done
		sync -f /local" 2>/dev/null || true
}

fault_unfill() {
	in_host "$1" sh -c "rm -f /local/.filled*"
}

# So many MiB/s can be written to the host's disk, or to that of /pfs/disk: by
# ordinary processes, the kernel's write-back, and the servers of job file
# systems that run now. A limit holds for one cgroup alone, and these have groups
# of their own.
fault_throttle() { # HOST|pfs MIB|off
	local file host=$1 path=/local rate=0
	local dev=$DIR/slow/$1 blkio=/sys/fs/cgroup/blkio
	[ -w "$blkio/blkio.throttle.write_bps_device" ] ||
		die "throttle needs the blkio controller of cgroup v1"
	[ "$2" = off ] || rate=$(($2 << 20))
	[ "$1" != pfs ] || host=ctl path=/pfs/disk
	[ "$1" != pfs ] || [ "$PFS_DISK" ] ||
		die "throttle pfs needs a cluster with --pfs-disk"
	in_host "$host" stat -c %Hd:%Ld "$path" >"$dev"
	for file in "$blkio"/{,sluice-*/}blkio.throttle.write_bps_device; do
		[ ! -e "$file" ] || echo "$(cat "$dev") $rate" >"$file"
	done
}

# Make each operation on the host's disk take about MS milliseconds more, by
# a limit of 1000/MS operations a second on its block device. The kernel
# counts write-back for the root cgroup, so the limit lies there; it names
# only this device.
fault_slow() { # HOST MS|off
	local file rate=0 dev=$DIR/slow/$1 blkio=/sys/fs/cgroup/blkio
	[ -w "$blkio/blkio.throttle.read_iops_device" ] ||
		die "slow needs the blkio controller of cgroup v1"
	[ "$2" = off ] || rate=$((1000 / $2))
	[ "$2" = off ] || [ "$rate" -gt 0 ] || die "slow: at most 1000 ms"
	in_host "$1" stat -c %Hd:%Ld /local >"$dev"
	for file in read write; do
		echo "$(cat "$dev") $rate" \
			>"$blkio/blkio.throttle.${file}_iops_device"
	done
}

# A limit stays with the number of the device, whoever has it next.
limits_lifted() {
	local dev file
	cat "$DIR"/slow/* 2>/dev/null | while read -r dev; do
		for file in /sys/fs/cgroup/blkio/blkio.throttle.{read_iops,write_iops,write_bps}_device; do
			echo "$dev 0" >"$file"
		done
	done
}

# As a cloud does; the host has to be off.
fault_move() { # HOST ADDRESS
	ip -n "$(netns "$1")" -batch - <<-EOT
		addr flush dev eth0
		addr add $2/24 dev eth0
	EOT
	sed -i -E "s/^($1) [^ ]+/\\1 $2/" "$DIR/hosts"
	sed -i "/ $1\$/d" "$DIR/etc/hosts"
}
