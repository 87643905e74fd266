# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Hosts: network, disk, first process. Sourced by tools/cluster.

# One switch, or a core and leaf switches (bridges in one namespace), and a
# cable to each host. Nothing of it is ever in the machine's own network
# namespace. A leaf's cable to the core is upN on its side, leafN on the core's.
network_up() {
	local host addr i
	ip netns add "$(netns switch)"
	ip -n "$(netns switch)" -batch - <<-EOT
		link add br0 type bridge
		link set br0 up
	EOT
	for ((i = 1; i <= SWITCHES; i++)); do
		ip -n "$(netns switch)" -batch - <<-EOT
			link add br$i type bridge
			link set br$i up
			link add up$i type veth peer name leaf$i
			link set up$i master br$i up
			link set leaf$i master br0 up
		EOT
	done
	while read -r host addr _; do
		ip netns add "$(netns "$host")"
		ip -n "$(netns switch)" -batch - <<-EOT
			link add $host type veth peer name eth0 netns $(netns "$host")
			link set $host master br$(leaf_of "$host") up
		EOT
		ip -n "$(netns "$host")" -batch - <<-EOT
			link set lo up
			addr add $addr/24 dev eth0
			link set eth0 address $(mac_of "$addr") up
			$(neighbours)
		EOT
	done <"$DIR/hosts"
}

mac_of() { # ADDRESS
	local IFS=.
	# shellcheck disable=SC2086 # its four numbers
	printf '02:00:%02x:%02x:%02x:%02x' $1
}

# The kernel keeps at most 1,024 neighbours that it has learnt, of all network
# namespaces together: in a cluster of more than 24 hosts, where all may speak
# with all, they are not learnt but told.
neighbours() {
	local host addr
	[ "$(wc -l <"$DIR/hosts")" -gt 24 ] || return 0
	while read -r host addr _; do
		echo "neigh replace $addr lladdr $(mac_of "$addr") dev eth0 nud permanent"
	done <"$DIR/hosts"
}

# Number of the leaf switch of a host; 0: the core.
leaf_of() { # HOST
	if [[ $1 = n* && $SWITCHES != 0 ]]; then
		echo $(((${1#n} - 1) * SWITCHES / NODES + 1))
	else
		echo 0
	fi
}

# What the core's ends of the cables received is what came up.
network_traffic() {
	nsenter --net="/run/netns/$(netns switch)" cat /proc/self/net/dev |
		awk '{ sub(":", " ") } $1 ~ /^leaf/ { print $1, $2, $10 }' |
		sort -V
}

disk_make() { # HOST
	truncate -s "$DISK" "$DIR/disk/$1.img"
	mkfs.ext4 -q -m 0 -F "$DIR/disk/$1.img"
}

# One device for all hosts, found by them in DIR/disk/pfs.dev.
pfs_disk_make() {
	truncate -s "$PFS_DISK" "$DIR/disk/pfs.img"
	mkfs.ext4 -q -m 0 -F "$DIR/disk/pfs.img"
	losetup -f --show "$DIR/disk/pfs.img" >"$DIR/disk/pfs.dev"
	mkdir "$DIR/pfs/disk"
}

hosts_boot() { # HOST...
	local host
	for host; do
		rm -f "$DIR/init/$host"
		nsenter --net="/run/netns/$(netns "$host")" setsid \
			unshare --mount --uts --pid --fork \
			"$TOOLS/lib/cluster/host-init" "$DIR" "$host" \
			"$PREFIX" "$SLURM" </dev/null >"$DIR/log/$host/init.log" 2>&1 &
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
