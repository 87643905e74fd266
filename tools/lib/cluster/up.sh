# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# `up` and `down`. Sourced by tools/cluster.

cluster_up() {
	up_check
	up_register
	echo "cluster $NAME: $NODES compute nodes, $IONS I/O nodes, in $DIR"
	step "directories, disks and configuration" up_files
	step "network" network_up
	# shellcheck disable=SC2046
	step "hosts" hosts_boot $(hosts)
	step "munge" up_munge
	[ "$DBD" = no ] || step "MariaDB and slurmdbd" up_dbd
	[ "$PLAIN" = yes ] || step "sluiced" daemon_start ctl sluiced
	step "slurmctld" up_slurmctld
	step "slurmd" up_slurmd
	step "all nodes idle" wait_for 60 nodes_idle
	[ "$PLAIN" = yes ] || step "resource map" up_sysmap
	touch "$DIR/complete"
}

up_check() {
	local tool
	[[ $NAME =~ ^[a-z][a-z0-9]{0,11}$ ]] ||
		die "--name $NAME: wanted a letter and up to 11 letters or digits"
	[[ $DIR = /* ]] || die "--dir $DIR: wanted an absolute path"
	case $DIR/ in
	/run/* | /opt/* | /proc/* | /sys/* | /dev/* | /pfs/* | /local/*)
		die "--dir $DIR: hosts cannot see this path of the machine" ;;
	esac
	[[ $NODES =~ ^[0-9]+$ && $NODES -ge 1 && $NODES -le 180 ]] ||
		die "--nodes $NODES: wanted 1 to 180"
	[[ $IONS =~ ^[0-9]+$ && $IONS -le 50 ]] ||
		die "--ions $IONS: wanted 0 to 50"
	[[ $SWITCHES =~ ^[0-9]+$ && $SWITCHES -le $NODES ]] ||
		die "--switches $SWITCHES: wanted 0 to $NODES"
	for tool in munged slurmctld slurmd sinfo ip mkfs.ext4 pkill nsenter; do
		PATH=$(host_path) command -v "$tool" >/dev/null ||
			die "$tool is not installed: run tools/setup"
	done
	[ "$PLAIN" = yes ] || [ -x "$PREFIX/sbin/sluiced" ] ||
		die "$PREFIX holds no Sluice: run tools/build (or use --plain)"
}

up_register() {
	[ ! -e "$DIR" ] || [ -z "$(ls -A "$DIR")" ] ||
		die "--dir $DIR: exists and is not empty"
	registry_locked registry_add ||
		die "cluster $NAME exists: tools/cluster down --name $NAME"
	mkdir -p "$DIR"
	printf '%s=%q\n' NAME "$NAME" NODES "$NODES" IONS "$IONS" DISK "$DISK" \
		PFS_DISK "$PFS_DISK" SWITCHES "$SWITCHES" DBD "$DBD" PLAIN "$PLAIN" PREFIX "$PREFIX" SLURM "$SLURM" \
		CONFIGLESS "$CONFIGLESS" >"$DIR/vars"
}

up_files() {
	local host
	mkdir "$DIR"/{init,disk,pfs,host,log,slow}
	{
		echo "ctl 10.77.0.1 controller"
		for ((i = 1; i <= NODES; i++)); do
			echo "n$i 10.77.0.$((i + 10)) compute"
		done
		for ((i = 1; i <= IONS; i++)); do
			echo "io$i 10.77.0.$((i + 200)) ion"
		done
	} >"$DIR/hosts"
	for host in $(hosts); do
		mkdir -p "$DIR/host/$host"/{spool,glusterd} \
			"$DIR/log/$host/glusterfs"
		install -d -o munge -g munge "$DIR/host/$host/munge"
		ln -s "$DIR/host/$host/munge/munged.log" "$DIR/log/$host/"
	done
	for host in $(hosts compute); do
		disk_make "$host"
	done
	[ -z "$PFS_DISK" ] || pfs_disk_make
	install -d -o slurm -g slurm "$DIR/host/ctl/state" "$DIR/log/ctl"
	cp -a /etc "$DIR/etc"
	conf_users
	conf_hosts
	conf_munge
	conf_slurm
}

up_munge() {
	local host
	for host in $(hosts); do
		daemon_start "$host" munged || return 1
	done
}

up_dbd() {
	daemon_start ctl mariadbd
	in_host ctl mysql --no-defaults --socket=/run/mysqld/mysqld.sock -e \
		"CREATE USER slurm@localhost IDENTIFIED BY 'slurm';
		CREATE USER slurm@127.0.0.1 IDENTIFIED BY 'slurm';
		GRANT ALL ON slurm_acct_db.* TO slurm@localhost;
		GRANT ALL ON slurm_acct_db.* TO slurm@127.0.0.1;"
	daemon_start ctl slurmdbd
	wait_for 30 quietly in_host ctl timeout 5 sacctmgr -n list cluster
	quietly in_host ctl timeout 20 sacctmgr -i add cluster "$NAME"
	quietly in_host ctl timeout 20 sacctmgr -i add account users
	quietly in_host ctl timeout 20 sacctmgr -i add user alice,bob account=users
}

up_slurmctld() {
	daemon_start ctl slurmctld
	wait_for 20 quietly in_host ctl timeout 5 scontrol ping
}

up_slurmd() {
	local host
	for host in $(hosts compute) $(hosts ion); do
		daemon_start "$host" slurmd || return 1
	done
}

up_sysmap() {
	local host
	for host in $(hosts); do
		in_host "$host" timeout 20 sysmap --push || return 1
	done
	[ "$SWITCHES" = 0 ] ||
		in_host ctl timeout 20 sysmap -e topology --push
}

nodes_idle() {
	local states
	states=$(in_host ctl timeout 5 sinfo -hN -o %T) || return 1
	! grep -qvx idle <<<"$states"
}

# Works whatever is left of the cluster.
cluster_down() {
	local ns left
	# shellcheck disable=SC2046
	set -- $(cluster_namespaces)
	limits_lifted
	wait_for 20 processes_killed "$@" ||
		die "processes that do not die: $(netns_pids "$@" | tr '\n' ' ')"
	wait_for 10 disks_released
	for ns; do
		ip netns del "$ns"
	done
	rm -rf --one-file-system "$DIR"
	registry_locked registry_remove
	left=$(leftovers)
	[ -z "$left" ] || die "left behind: $left"
}

cluster_namespaces() {
	local ns
	for ns in /run/netns/sluice."$NAME".*; do
		[ ! -e "$ns" ] || basename "$ns"
	done
}

processes_killed() { # NETNS...
	local pids
	pids=$(netns_pids "$@")
	[ -n "$pids" ] || return 0
	# shellcheck disable=SC2086
	kill -9 $pids 2>/dev/null
	false
}

# Loop devices whose file lies on a host's disk (a job's file system), then
# the disks themselves, are free once nothing of the cluster lives.
disks_released() {
	local dev maj_min
	while read -r dev _ maj_min; do
		losetup -nO NAME,BACK-MAJ:MIN | awk -v b="$maj_min" \
			'$2 == b { print $1 }' | xargs -r losetup -d
		losetup -d "$dev" 2>/dev/null # it goes by itself, too
	done < <(own_disks)
	[ -z "$(own_disks)" ]
}

own_disks() {
	losetup -nO NAME,BACK-FILE,MAJ:MIN | awk -v d="$DIR/disk/" \
		'index($2, d) == 1'
}

leftovers() {
	cluster_namespaces
	own_disks
	ls -d "$DIR" 2>/dev/null
	grep -F " $DIR" /proc/self/mountinfo
}
