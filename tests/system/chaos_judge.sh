# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What became of the jobs and the data of chaos. Sourced after buffer.sh.

reported() { # NUMBER JOB
	[ "$(failure_of "$@")" ] || grep -qx "$2" "$PFS/held" ||
		grep -q 'sluice' "$PFS/alice/job-$2.out" 2>/dev/null
}

# Of the job's newest buffer; a killed slurmctld may have forgotten a job and
# given its number to another one.
failure_of() { # NUMBER JOB
	query "SELECT Failure FROM Buffer WHERE BID = (SELECT max(BID)
		FROM Buffer WHERE JobID = $2 AND JobName = 'chaos$1')
		AND Failure IS NOT NULL"
}

# Of a file system that is each node's own, each node's output is a directory.
# That it is of the job's last run says what the run has left in it.
output_is_there() { # NUMBER FILE-SYSTEM INPUT
	local dir
	for dir in "$PFS/alice/out.$1"$([ "$2" != scratch ] || echo '/n*'); do
		! diff -r -x run "$PFS/alice/$3" "$dir" >/dev/null 2>&1 ||
			[ "$(cat "$dir/run")" != "$(tail -n 1 \
				"$PFS/alice/runs.$1")" ] || return 0
	done
	false
}

# What the user sees of it: a sentence on the job's record, or in its output.
told() { # JOB
	grep -qx "$1" "$PFS/held" ||
		grep -q 'error: sluice: ' "$PFS/alice/job-$1.out" ||
		grep "^JobId=$1 " "$PFS/jobs" | grep -q 'sluice:_'
}

# A program that saw its file system break off, and said so.
program_told() { # JOB
	grep -q ': Transport endpoint is not connected$' \
		"$PFS/alice/job-$1.out" 2>/dev/null
}

# Of which a killed slurmctld had not yet saved that.
was_cancelled() { # JOB
	grep -q "JOB $1 ON .* CANCELLED" "$PFS/alice/job-$1.out" 2>/dev/null
}

# What became of one job: a word, bad ones in capitals.
verdict() { # NUMBER FILE-SYSTEM INPUT FATE JOB STATE EXIT-CODE
	local bad=UNEXPLAINED
	case $6.$7.$4 in
	COMPLETED.* | FAILED.3:0.fails)
		bad=LOST
		output_is_there "$1" "$2" "$3" && echo complete && return
		[ "$6" != COMPLETED ] || bad=SILENT
		;;
	CANCELLED.*.cancel | CANCELLED.*.hurry) echo cancelled && return ;;
	NODE_FAIL.*) echo node-failed && return ;;
	*.9:0.*) bad=WRONG ;;
	FAILED.8:0.*)
		program_told "$5" && echo told-by-program && return
		[[ $4 = @(cancel|hurry) ]] && was_cancelled "$5" &&
			echo cancelled && return
		;;
	esac
	if ! reported "$1" "$5"; then
		echo $bad
	elif [ "$bad" = SILENT ]; then
		echo SILENT
	else
		told "$5" && echo reported || echo UNTOLD
	fi
}

# A slurmctld that is killed forgets what it has not yet saved; such a job is
# in no list any more.
judge() { # a line per job: NUMBER VERDICT JOB STATE EXIT-CODE
	local i fs input fate job state code
	while read -r i fs _ input fate _ <&3; do
		read -r job state code < <(list_job "chaos$i")
		if [ "$job" ]; then
			echo "$i $(verdict "$i" "$fs" "$input" "$fate" "$job" \
				"$state" "$code") $job $state $code"
		elif grep -qE ' (slurmctld|controller) n' "$EVENTS"; then
			echo "$i forgotten"
		else
			echo "$i VANISHED"
		fi
	done 3< <(head -n "$JOBS" "$JOB_PLAN")
}

list_job() { # NAME: JOB STATE EXIT-CODE of the newest of this name
	sed -nE "s/.*JobId=([0-9]+) JobName=$1 .* JobState=(\\S+) .* ExitCode=(\\S+) .*/\\1 \\2 \\3/p" \
		"$PFS/jobs" | sort -n | tail -n 1
}

# Kept data of which no record speaks would be found by nobody, and what a
# record promises must be there.
kept_as_told() {
	local host name job buffer rest bad=0
	for host in $(hosts); do
		for name in $(on "$host" ls /local/sluice/kept 2>/dev/null); do
			IFS=. read -r job buffer rest <<<"$name"
			[ "$(query "SELECT count(*) FROM Buffer LEFT JOIN
				BufferHistory USING (BID) WHERE BID = $buffer
				AND (Failure IS NOT NULL OR
				Text LIKE '%is kept%')")" -gt 0 ] ||
				{ note "$host: nobody knows of $name" && bad=1; }
		done
	done
	return $bad
}

# A node that has been resumed (2) is on record until slurmctld has saved that,
# one that is to be drained (1) until it is clean.
no_row_left() {
	local table rows bad=0
	for table in BufferNode BufferHistory BufferPhase BufferGate; do
		rows=$(query "SELECT count(*) FROM $table WHERE BID NOT IN
			(SELECT BID FROM Buffer)")
		[ "$rows" = 0 ] || { note "$rows of no buffer in $table" && bad=1; }
	done
	rows=$(query "SELECT count(*) FROM BufferGate JOIN Buffer USING (BID)
		WHERE State = 6")
	[ "$rows" = 0 ] || { note "$rows gates of ended buffers" && bad=1; }
	rows=$(query "SELECT BID, Node, BufferNode.State, Orders FROM BufferNode
		JOIN Buffer USING (BID) WHERE Buffer.State = 6
		AND Orders = 1")
	[ -z "$rows" ] || { note "owing: $rows" && bad=1; }
	return $bad
}
