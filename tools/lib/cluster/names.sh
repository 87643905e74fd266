# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What belongs to a cluster and where it lies. Sourced by tools/cluster.
#
# A cluster is a directory ($DIR), one network namespace per host and one for
# the switch that joins them. $REGISTRY/NAME is a link to the directory.
#
#	vars		what `up` was asked for
#	hosts		one line "NAME ADDRESS ROLE" per host
#	init/HOST	process id of the host's first process
#	etc/		/etc of all hosts
#	disk/HOST.img	the host's local storage, mounted at /local
#	disk/pfs.img	that of /pfs/disk, if there is one; pfs.dev: its device
#	pfs/		the parallel file system, mounted at /pfs
#	host/HOST/	what the host would keep on its system disk
#	log/HOST/	its /var/log
#	slow/HOST	the block device that `slow` or `throttle` has limited

REGISTRY=/run/sluice-clusters

registry_locked() { # COMMAND...
	flock 8 && "$@"
} 8</run

# `ip netns` keeps a mount on /run/netns; it goes with the last cluster if it
# came with the first.
registry_add() {
	mkdir -p "$REGISTRY"
	[ -e /run/netns ] || touch "$REGISTRY/.netns"
	ln -sT "$DIR" "$REGISTRY/$NAME" 2>/dev/null
}

registry_remove() {
	rm -f "$REGISTRY/$NAME"
	[ -z "$(ls "$REGISTRY")" ] || return 0
	if [ -e "$REGISTRY/.netns" ] && [ -z "$(ls /run/netns)" ]; then
		umount /run/netns
		rmdir /run/netns
	fi
	rm -rf "$REGISTRY"
}

# Set NAME and DIR of an existing cluster, and what it was made with.
cluster_load() {
	if [ -z "$DIR" ]; then
		DIR=$(readlink "$REGISTRY/$NAME") ||
			die "no cluster $NAME (tools/cluster list)"
	fi
	[ -f "$DIR/vars" ] || die "$DIR holds no cluster"
	# shellcheck disable=SC1091
	. "$DIR/vars"
}

netns() {
	echo "sluice.$NAME.$1"
}

# All host names, or those of one role: controller, compute, ion.
hosts() {
	awk -v r="${1:-}" 'r == "" || $3 == r { print $1 }' "$DIR/hosts"
}

# The other way round for shell word splitting: hosts as one bracket list.
compute_list() {
	echo "n[1-$NODES]"
}

ion_list() {
	[ "$IONS" = 0 ] || echo "io[1-$IONS]"
}

address() {
	awk -v h="$1" '$1 == h { print $2 }' "$DIR/hosts"
}

# Process id of a host's init, only if it is alive and really that host's.
init_pid() {
	local pid
	{ read -r pid <"$DIR/init/$1"; } 2>/dev/null || return 1
	[ "/proc/$pid/ns/net" -ef "/run/netns/$(netns "$1")" ] || return 1
	echo "$pid"
}

# in_host HOST COMMAND...: as root, in the host's namespaces; killed after
# $IN_HOST_LIMIT seconds, if that is set.
in_host() {
	local pid host=$1
	shift
	pid=$(init_pid "$host") || die "host $host of cluster $NAME is not up"
	${IN_HOST_LIMIT:+timeout -s KILL "$IN_HOST_LIMIT"} \
		nsenter -t "$pid" --mount --uts --net --pid --root --wd -- env -i \
		PATH="$(host_path)" HOME=/root TERM="${TERM:-dumb}" "$@"
}

in_host_as() { # USER HOST COMMAND...
	local user=$1 host=$2 home
	shift 2
	home=$(awk -F: -v u="$user" '$1 == u { print $6 }' "$DIR/etc/passwd")
	[ -n "$home" ] || die "no user $user in cluster $NAME"
	# shellcheck disable=SC2016
	in_host "$host" setpriv --reuid="$user" --regid="$user" --init-groups \
		env HOME="$home" USER="$user" LOGNAME="$user" \
		sh -c 'cd && exec "$@"' sh "$@"
}

host_path() {
	echo "/opt/sluice/bin:/opt/sluice/sbin${SLURM:+:$SLURM/bin:$SLURM/sbin}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
}

# Where the cluster's Slurm has its own plugins.
slurm_plugins() {
	find "${SLURM:-/usr}"/lib* -name auth_munge.so -printf '%h\n' -quit
}
