#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The units of the Debian packages in /packages under a systemd of their own: do
# the daemons work with no more rights than the units leave them, and what do
# upgrade and removal do to those that run? Run by tools/test packages.
. "$(dirname "$0")/../system/lib.sh"
. "$(dirname "$0")/lib.sh"
TREE=/sys/fs/cgroup/unified
[ -d "$TREE" ] || TREE=/sys/fs/cgroup
TREE=$TREE/packages-$$

# A first process with namespaces and a part of the cgroups of its own.
boot() {
	mkdir "$TREE"
	# shellcheck disable=SC2016
	(
		echo "$BASHPID" >"$TREE"/cgroup.procs
		exec unshare --pid --fork --kill-child --mount --uts --ipc \
			--cgroup --net env container=lxc bash -c '
			set -e
			ip link set lo up
			mount -t proc proc /proc
			umount -l /sys
			mount -t sysfs sysfs /sys
			mount -t cgroup2 cgroup2 /sys/fs/cgroup
			mount -t tmpfs tmpfs /run
			mkdir /run/lock
			exec /lib/systemd/systemd --system --show-status=no'
	) </dev/null >/root/boot.log 2>&1 &
	trap halt EXIT
	wait_for 20 first_process
}

first_process() {
	INIT=$(pgrep -P $!) && [ "$(cat "/proc/$INIT/comm")" = systemd ]
}

halt() {
	kill -9 "$INIT"
	wait 2>/dev/null
	wait_for 20 rmdir_tree || note "left: $(find "$TREE" -type d)"
}

rmdir_tree() {
	find "$TREE" -depth -type d -exec rmdir {} + 2>/dev/null
	[ ! -d "$TREE" ]
}

inside() { # COMMAND...
	timeout -k 5 90 nsenter -t "$INIT" -a "$@"
}

active() { # UNIT
	inside systemctl -q is-active "$1" 2>/dev/null
}

main_pid() { # UNIT: as it is called inside
	inside systemctl show -P MainPID "$1"
}

status_of() { # UNIT FIELD: of /proc/PID/status
	inside sed -n "s/^$2:[[:space:]]*//p" "/proc/$(main_pid "$1")/status"
}

other_pid() { # UNIT PID
	active "$1" && [ "$(main_pid "$1")" != "$2" ]
}

apt update
check "packages are installed" apt install --no-install-recommends systemd \
	iproute2 procps "${DEBS[@]}"
cat >/etc/slurm/slurm.conf <<-EOT
	ClusterName=boot
	SlurmctldHost=localhost
	SlurmUser=slurm
	ProctrackType=proctrack/linuxproc
	NodeName=localhost
	PartitionName=main Nodes=ALL
EOT
cat >/etc/slurm/sluice.conf <<-EOT
	DaemonAddr=localhost:6821
	FileSystem=scratch Driver=scratch
	NodeStorage=/srv
EOT
# An object storage server, recorded: --root writes nothing to it.
mkdir -p /root/oss/proc/fs/lustre
echo 'OPTIONS="--rate 100 --root /root/oss"' >/etc/default/sluice-tbfd
systemctl -q enable sluiced sluice-tbfd
systemctl -q disable slurmctld slurmd 2>/dev/null
systemctl -q mask systemd-udevd systemd-logind
rm $POLICY
check "systemd runs" boot
check_within 30 "sluiced runs" active sluiced
check_within 30 "and answers" prints '^sluiced +ok' inside sluice-node probe
check "as SlurmUser" equal "$(inside ps -o user= -p "$(main_pid sluiced)")" slurm
check "without any capability" matches "$(status_of sluiced CapEff)" '^0+$'
check "with a filter of system calls" equal "$(status_of sluiced Seccomp)" 2
check "a node tells what it has" inside systemctl start sysmap.service
check "sluiced has stored it" prints . inside sysquery -l
check_within 30 "sluice-tbfd runs" active sluice-tbfd
check "with two capabilities" equal "$(status_of sluice-tbfd CapEff)" \
	0000000000200002
check "what was not enabled does not run" fails active sluice-serve

pid=$(main_pid sluiced)
inside kill -9 "$pid"
check_within 30 "a sluiced that died is there again" other_pid sluiced "$pid"
check_within 30 "and answers" prints '^sluiced +ok' inside sluice-node probe
pid=$(main_pid sluiced)
inside systemctl reload sluiced
check "one that was told to read sluice.conf remains" equal \
	"$(main_pid sluiced)" "$pid"
later /later
check "packages are upgraded" quietly inside dpkg -i /later/*.deb
check_within 30 "sluiced was restarted" other_pid sluiced "$pid"
check_within 30 "and sluice-tbfd" active sluice-tbfd
check "what was not enabled still does not run" fails active sluice-serve
check "packages are removed" quietly inside dpkg -r "${NAMES[@]}"
for unit in sluiced sluice-tbfd; do
	check "$unit was stopped" fails active $unit
done
[ "$FAILED" = 0 ] || note "$(inside journalctl -n 60 --no-pager -u sluiced -u munge -u sysmap)"
finish
