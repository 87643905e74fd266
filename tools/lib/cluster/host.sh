# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Hosts: network, disk, first process. Sourced by tools/cluster.

# One switch, a cable from it to each host. Nothing of it is ever in the
# machine's own network namespace.
network_up() {
	local host addr _
	ip netns add "$(netns switch)"
	ip -n "$(netns switch)" -batch - <<-EOT
		link add br0 type bridge
		link set br0 up
	EOT
	while read -r host addr _; do
		ip netns add "$(netns "$host")"
		ip -n "$(netns switch)" -batch - <<-EOT
			link add $host type veth peer name eth0 netns $(netns "$host")
			link set $host master br0 up
		EOT
		ip -n "$(netns "$host")" -batch - <<-EOT
			link set lo up
			addr add $addr/24 dev eth0
			link set eth0 up
		EOT
	done <"$DIR/hosts"
}

disk_make() { # HOST
	truncate -s "$DISK" "$DIR/disk/$1.img"
	mkfs.ext4 -q -m 0 -F "$DIR/disk/$1.img"
}

hosts_boot() { # HOST...
	local host
	for host; do
		rm -f "$DIR/init/$host"
		nsenter --net="/run/netns/$(netns "$host")" setsid \
			unshare --mount --uts --pid --fork \
			"$TOOLS/lib/cluster/host-init" "$DIR" "$host" \
			"$PREFIX" </dev/null >"$DIR/log/$host/init.log" 2>&1 &
	done
	for host; do
		wait_for 20 init_pid "$host" >/dev/null ||
			die "$host: $(tail -1 "$DIR/log/$host/init.log")"
	done
}

# A host dies as if its power were cut: all its processes at once.
host_crash() { # HOST
	local pid
	pid=$(init_pid "$1") || return 0
	kill -9 "$pid"
	wait_for 10 host_is_dead "$1"
}

host_is_dead() {
	[ -z "$(netns_pids "$(netns "$1")")" ]
}

# Processes in the network namespaces named: whatever they are called.
netns_pids() { # NETNS...
	local ns
	for ns; do
		[ ! -e "/run/netns/$ns" ] || ip netns pids "$ns"
	done
}
