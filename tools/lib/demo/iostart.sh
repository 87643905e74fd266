# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Question 6: the same jobs on a slow file system, without and with IOStart.
# Sourced by tools/demo.
PFS_RATE=16 # MiB/s
WRITERS=6 OTHERS=16

# Two times: computes for a second, and writes for as long, when it is alone.
write_job() { # NAME: prints the job
	submit --job-name="$1" --exclusive -N1 --time=5 -o /dev/null <<-EOT
		#!/bin/bash
		for i in 1 2; do
			sleep 1
			dd if=/dev/zero of=/pfs/disk/\$SLURM_JOB_ID bs=1M \
				count=$PFS_RATE oflag=direct status=none
		done
	EOT
}

other_job() { # NAME: prints the job
	submit --job-name="$1" --exclusive -N1 --time=5 -o /dev/null \
		--wrap 'sleep 4'
}

io_start() { # off|on
	cluster conf sluice.conf "IOStart=$1" IOScope=write \
		"IOBandwidth=$((PFS_RATE << 20))"
	on_controller scontrol reconfigure
	wait_for 30 io_start_is "$1"
}

io_start_is() { # off|on: with history read
	local line
	line=$(on_controller scontrol show bbstat | grep '^IOStart=')
	case $1 in
	off) [ -z "$line" ] ;;
	on) [[ $line = IOStart=on:* && $line != *'nobody waits'* ]] ;;
	esac
}

main_is() { # DOWN|UP
	on_controller scontrol update PartitionName=main "State=$1"
}

# Who writes was submitted first; all are let go at once.
mixed_queue() { # off|on: sets JOBS
	local i
	JOBS=()
	main_is DOWN
	for ((i = 0; i < WRITERS; i++)); do
		JOBS+=("$(write_job "writes_$1")")
	done
	for ((i = 0; i < OTHERS; i++)); do
		JOBS+=("$(other_job "computes_$1")")
	done
	main_is UP
}

# squeue's view of them while they go by.
watch_queue() {
	local jobs line
	jobs=$(IFS=, && echo "${JOBS[*]}")
	while line=$(as_alice squeue -h -t PD,R -j "$jobs" \
		-o '%j %t' 2>/dev/null) &&
		[ "$line" ]; do
		moving "$(awk '
			{ sub(/_.*/, "", $1); n[$1, $2]++ }
			END {
				printf "running: %d that write, %d that " \
				"compute; pending: %d, %d", n["writes", "R"],
				n["computes", "R"], n["writes", "PD"],
				n["computes", "PD"]
			}' <<<"$line")"
		sleep 0.5
	done
	moving_ends
	wait_for 20 are_in_history
}

are_in_history() {
	[ "$(lives | wc -l)" = ${#JOBS[@]} ]
}

# Lines "KIND START END" of them, s from the first start.
lives() {
	ask jobs | jq -r --arg jobs "${JOBS[*]}" '
		[.jobs[] | select(.job_id as $j | $jobs | split(" ") |
			index("\($j)"))] | (map(.start) | min) as $first | .[] |
		"\(.name | sub("_.*"; "")) \(.start - $first) \(.end - $first)"'
}

# One line a second of jobs that run: # writes or is kept from it, . computes.
plot() { # of `lives`
	awk -v dim="$DIM" -v plain="$PLAIN" '
	{
		for (t = $2; t < $3; t++)
			n[$1, t]++
		if ($3 > last)
			last = $3
	}
	function times(char, count,   text) {
		while (count-- > 0)
			text = text char
		return text
	}
	END {
		for (t = 0; t < last; t++)
			printf "  %s%3d s%s  %s%s\n", dim, t, plain, \
				times("#", n["writes", t]), \
				times(".", n["computes", t])
	}'
}

# "MAKESPAN RUN-TIME-OF-WRITERS SHORTEST LONGEST" of `lives`
sums() {
	awk '
	$3 > last { last = $3 }
	$1 == "writes" {
		took = $3 - $2
		sum += took
		n++
		if (n == 1 || took < least) least = took
		if (took > most) most = took
	}
	END { printf "%d\t%.1f s\t%d s\t%d s\n", last, sum / n, least, most }'
}

show_io_start() {
	local mode lives rows=''
	question 6 "What if all write at once?"
	cluster throttle pfs "$PFS_RATE" 2>/dev/null || {
		say "This machine cannot slow a disk (blkio of cgroup v1)."
		return
	}
	say "The parallel file system takes $PFS_RATE MiB/s. $WRITERS jobs that" \
		"write half of their time when they are alone, and $OTHERS that" \
		"only compute, on 8 nodes. First one runs alone, from which" \
		"Sluice learns."
	JOBS=("$(write_job writes_on)" "$(other_job computes_on)")
	watch_queue
	for mode in off on; do
		io_start "$mode"
		mixed_queue "$mode"
		watch_queue
		lives=$(lives)
		say "IOStart=$mode; a line a second, # a job that writes, . one" \
			"that computes:"
		plot <<<"$lives"
		rows+=$(printf '%s\t%s' "$mode" "$(sums <<<"$lives")")$'\n'
	done
	io_start off
	cluster throttle pfs off
	echo
	{
		printf 'IOStart\tall through after, s\twriting jobs took\tshortest\tlongest\n'
		printf '%s' "$rows"
	} | table
	say "With IOStart=on those that write wait until there is room, and" \
		"others have the nodes meanwhile."
}
