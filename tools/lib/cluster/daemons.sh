# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Daemons of a host. Sourced by tools/cluster. A host has a process id
# namespace of its own, so there a name means only its own processes.

host_daemons() { # HOST: in the order of their start
	echo munged
	[ "$1" = ctl ] || { echo slurmd && return; }
	[ "$DBD" = no ] || echo mariadbd slurmdbd
	[ "$PLAIN" = yes ] || echo sluiced
	echo slurmctld
}

daemon_start() { # HOST DAEMON
	local host=$1
	case $2 in
	munged) start_munged "$host" ;;
	slurmd) start_slurmd "$host" ;;
	slurmctld) in_host "$host" slurmctld ;;
	slurmdbd) in_host "$host" slurmdbd ;;
	mariadbd) start_mariadbd "$host" ;;
	sluiced) in_host "$host" sluiced -v -L "$DIR/log/$host/sluiced.log" ;;
	*) die "no daemon $2 (munged slurmd slurmctld slurmdbd mariadbd sluiced)" ;;
	esac
}

# Its processes; newer ones of Debian's Slurm call themselves slurmd-wlm.
daemon_pids() { # HOST DAEMON
	in_host "$1" pgrep -d ' ' -x "$2(-.+)?"
}

daemon_is_dead() { # HOST DAEMON
	! daemon_pids "$1" "$2" >/dev/null
}

daemon_stop() { # HOST DAEMON
	in_host "$1" pkill -TERM -x "$2(-.+)?" || die "no $2 on $1"
	wait_for 30 daemon_is_dead "$1" "$2" || die "$2 on $1 does not stop"
}

# These very processes: something may start the daemon anew at once.
daemon_kill() { # HOST DAEMON
	local pids
	pids=$(daemon_pids "$1" "$2") || die "no $2 on $1"
	in_host "$1" sh -c "kill -KILL $pids"
	wait_for 10 processes_are_dead "$1" "$pids" ||
		die "$2 on $1 does not die"
}

processes_are_dead() { # HOST PIDS
	in_host "$1" sh -c "for pid in $2; do
		! kill -0 \$pid 2>/dev/null || exit 1
	done"
}

# Run a program that stays in the foreground as a daemon, as USER.
start_detached() { # HOST USER LOG COMMAND...
	local host=$1 user=$2 log=$3
	shift 3
	in_host "$host" setsid --fork setpriv --reuid="$user" --regid="$user" \
		--init-groups "$@" </dev/null >>"$log" 2>&1
}

start_munged() {
	in_host "$1" setpriv --reuid=munge --regid=munge --clear-groups munged \
		--origin="$(address "$1")" --num-threads=2 \
		--log-file="$DIR/host/$1/munge/munged.log" \
		--seed-file="$DIR/host/$1/munge/seed"
}

# A node that is configless has of /etc/slurm what is not Slurm's, and with
# --fetch not even sluice.conf.
start_slurmd() { # HOST
	local ours="sluice.conf health-check"
	local options=${SLURMD_OPTIONS:-} # one word
	[ "$CONFIGLESS" != no ] ||
		{ in_host "$1" slurmd ${options:+"$options"} && return; }
	[ "$CONFIGLESS" = yes ] || ours=health-check
	in_host "$1" sh -c "cd /etc/slurm && mkdir -p /run/ours &&
		cp -p $ours /run/ours
		mountpoint -q /etc/slurm || mount --bind /run/ours /etc/slurm"
	in_host "$1" slurmd ${options:+"$options"} --conf-server ctl
}

start_mariadbd() {
	local data=$DIR/host/$1/mysql
	if [ ! -d "$data" ]; then
		install -d -o mysql -g mysql "$data"
		in_host "$1" mysql_install_db --no-defaults --user=mysql \
			--datadir="$data" --skip-test-db \
			>"$DIR/log/$1/mysql_install.log" 2>&1
	fi
	in_host "$1" install -d -o mysql -g mysql /run/mysqld
	start_detached "$1" mysql "$DIR/log/$1/mariadbd.log" \
		mariadbd --no-defaults --datadir="$data" \
		--socket=/run/mysqld/mysqld.sock --bind-address=127.0.0.1
	wait_for 30 mariadbd_answers "$1"
}

mariadbd_answers() {
	in_host "$1" mysqladmin --no-defaults \
		--socket=/run/mysqld/mysqld.sock ping >/dev/null 2>&1
}
