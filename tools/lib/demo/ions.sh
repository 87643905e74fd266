# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Question 4: I/O nodes among three jobs. Sourced by tools/demo.
#
# Debian has no GekkoFS: a fake of its forwarding daemon runs on each I/O node
# and a fake client in the jobs; both obey the mapping that sluiced publishes.

start_ions() {
	local host
	mkdir -p "$PFS/bin" "$PFS/forwarded"
	cp "$FAKES"/fake_gkfwd{,_put} "$PFS/bin/"
	chmod 1777 "$PFS/forwarded"
	for host in io1 io2 io3 io4; do
		cluster exec "$host" setsid --fork /pfs/bin/fake_gkfwd \
			--enable-forwarding -m /pfs/mnt -H /pfs/gkfs_hosts \
			-r "/pfs/forwarded/$host" -l \
			"$(cluster exec "$host" hostname -i)" \
			</dev/null >/dev/null 2>&1
		cluster limit "$host" 40
	done
	wait_for 5 all_enlisted
}

all_enlisted() {
	[ "$(wc -l <"$PFS/gkfs_hosts")" = 4 ]
}

# Each of 4 nodes writes MEGABYTES through its I/O node, then computes. The fake
# client sends by write(2), so that its task's own counters have it; of a step
# that names GekkoFS's hosts in its environment they would not be believed.
appetite() { # NAME MEGABYTES COMPUTE-SECONDS MAX-IONS: prints the job
	submit --job-name="$1" --nodes=4 --ntasks-per-node=1 --time=5 \
		--bb="forward max=$4" -o "$1-%j.out" <<-EOT
			#!/bin/bash
			srun bash -c 'LIBGKFS_HOSTS_FILE=/pfs/gkfs_hosts \
				/pfs/bin/fake_gkfwd_put \
				$1.\$SLURM_JOB_ID.\$SLURM_PROCID ${2}000000'
			sleep $3
		EOT
}

watch_jobs() { # JOB...
	local jobs
	jobs=$(tr ' ' , <<<"$*")
	while as_alice squeue -h -j "$jobs" 2>/dev/null | grep -q .; do
		moving "$(ask ions | jq -r '[.jobs[] |
			"\(.name): \(.count) I/O node" +
			if .count == 1 then "" else "s" end] |
			join(", ") | if . == "" then "no job holds any" else .
			end')"
		sleep 0.5
	done
	moving_ends
}

# Let sluiced see what each reaches with one and with two I/O nodes.
teach() {
	say "First it sees what each of three programs reaches with one and" \
		"with two I/O nodes (each takes 40 Mbit/s):"
	watch_jobs "$(appetite light 1 4 1)" "$(appetite medium 6 2 1)" \
		"$(appetite heavy 12 0 1)"
	watch_jobs "$(appetite medium 6 2 2)" "$(appetite heavy 12 0 2)"
	watch_jobs "$(appetite light 1 4 2)"
}

show_ions() {
	local from light medium heavy
	question 4 "Who gets the I/O nodes?"
	start_ions
	teach
	from=$(date +%s)
	say "Now all three at once, the light one first:"
	echo
	light=$(appetite light 1 4 4)
	sleep 1
	medium=$(appetite medium 6 2 4)
	sleep 1
	heavy=$(appetite heavy 12 0 4)
	watch_jobs "$light" "$medium" "$heavy"
	ask ions | jq -r --argjson from "$from" \
		--arg l "$light" --arg m "$medium" --arg h "$heavy" '
		["event", "light", "medium", "heavy", "MB/s", "MB/s if static"],
		(foreach (.history[] | select(.time >= $from)) as $e
			({}; reduce $e.changed[] as $c
				(.; .["\($c.job_id)"] = $c.ions);
			 [$e.event, .[$l] // 0, .[$m] // 0, .[$h] // 0,
			  ($e.total * 10 | round / 10),
			  ($e.static_total * 10 | round / 10)])) |
		@tsv' | table
	say "(light is job $light, medium $medium, heavy $heavy; the right" \
		"columns are the predicted totals)"
}
