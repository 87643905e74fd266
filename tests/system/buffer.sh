# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For system tests of buffers: jobs that have one, what became of them, and
# what is left of them. Sourced after lib.sh.
DB=/var/tmp/sluice-$CLUSTER/host/ctl/sluice/sluice.db

query() { # SQL: without sluiced, which may be dead
	sqlite3 -readonly -cmd '.timeout 5000' "$DB" "$1"
}

# Input of alice: small files in directories, some larger ones.
make_input() { # DIRECTORY SMALL-FILES LARGE-MEGABYTES
	local dir=$PFS/alice/$1 i
	mkdir -p "$dir"/{0..9}
	for ((i = 0; i < $2; i++)); do
		echo "small file $i" >"$dir/$((i % 10))/f$i"
	done
	for ((i = 0; i < $3; i++)); do
		head -c 1M /dev/urandom >"$dir/large$i"
	done
	chown -R --reference="$PFS/alice" "$dir"
}

# A job that copies its input to its output, in its buffer, on every node.
# The script comes out of here so that a test can add to it.
buffer_script() { # INPUT
	cat <<-EOT
		#!/bin/bash
		#BB jobfs capacity=150MiB
		#BB stage_in source=/pfs/alice/$1/ destination=\$BB_JOBFS/in
		#BB stage_out source=\$BB_JOBFS/out/ destination=/pfs/alice/out.%j
		set -e
		cd "\${BB_JOBFS:?}"
		mkdir out
		srun bash -c 'cd in; for d in *; do
			[ \$((i++ % SLURM_NTASKS)) != \$SLURM_PROCID ] ||
				cp -r "\$d" ../out/
		done'
		touch /pfs/alice/copied.\$SLURM_JOB_ID
		while [ -e /pfs/alice/wait ]; do sleep 0.1; done
	EOT
}

copied() { # JOB: its step is over
	[ -e "$PFS/alice/copied.$1" ]
}

output_complete() { # INPUT JOB
	diff -qr "$PFS/alice/$1" "$PFS/alice/out.$2"
}

STATES=(none SETUP STAGE_IN RUNNING STAGE_OUT TEARDOWN DONE) # as in the database

buffer_state() { # JOB: of its newest buffer
	local n
	n=$(query "SELECT State FROM Buffer WHERE JobID = $1
		ORDER BY BID DESC LIMIT 1")
	echo "${STATES[${n:-0}]}"
}

buffer_is() { # JOB STATE
	[ "$(buffer_state "$1")" = "$2" ]
}

# The buffer is in this state or in a later one.
buffer_reached() { # JOB STATE
	[[ " ${STATES[*]} " =~ \ $2\ (.*\ )?$(buffer_state "$1")\  ]] ||
		buffer_is "$1" "$2"
}

buffer_failure() { # JOB: of all its buffers
	query "SELECT Failure FROM Buffer WHERE JobID = $1
		AND Failure IS NOT NULL"
}

# After the job's end only the detached worker is stopped, because what slurmd
# itself waits for would get a SIGHUP from the kernel when slurmd dies: at once,
# or when the user's view is unmounted. A slow machine must not be waited for:
# the shell does alone what it can.
hold_worker() { # HOST JOB [unmounted]
	LIMIT=60 on "$1" sh -c "
		mounted() {
			while read -r _ _ _ _ at _
			do case \$at in /run/sluice/$2/mnt/*) return 0; esac
			done </proc/self/mountinfo
			false
		}
		until read -r pid _ </run/sluice/$2/down.pid
		do sleep 0.01; done 2>/dev/null
		[ -z '${3-}' ] || while mounted; do :; done
		kill -STOP \$pid
		pkill -STOP -s \$(ps -o sid= -p \$pid)"
}

no_buffer_alive() {
	[ "$(query "SELECT count(*) FROM Buffer WHERE State <> 6")" = 0 ]
}

database_sound() {
	[ "$(query "PRAGMA integrity_check")" = ok ] && no_buffer_alive
}

# What a job's file system left on a node: notes, mounts, processes, files,
# loop devices. Data that is kept on purpose does not count.
left_on() { # HOST
	local disk
	on "$1" sh -c '
		ls -d /run/sluice/[0-9]* 2>/dev/null
		pgrep -xa sluice-node
		pgrep -a "^glusterfs"
		grep -oE " (/run/sluice|/local)/[^ ]*" /proc/self/mountinfo
		find /local -mindepth 1 -maxdepth 2 ! -path "/local/lost+found*" \
			! -path /local/sluice' | grep -vE '/local/sluice/(kept|cache)'
	disk=$(on "$1" stat -c %Hd:%Ld /local)
	losetup -nO BACK-MAJ:MIN,NAME,BACK-FILE | grep " *$disk " |
		grep -v /sluice/kept/
}

# Nothing is left on these hosts, waiting a little for the last of it.
nothing_left() { # HOST...
	local host
	for host; do
		wait_for 20 nothing_left_on "$host" ||
			{ note "$host: $(left_on "$host")" && return 1; }
	done
}

nothing_left_on() {
	on "$1" true && [ -z "$(left_on "$1")" ]
}

no_node_drained() {
	local nodes bad
	nodes=$(on ctl sinfo -hN -o '%N %T %E') || return 1
	bad=$(grep -E 'drain|down' <<<"$nodes")
	[ -z "$bad" ] || { note "$bad" && false; }
}
