# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# sluice-lustre-check: sluice-tbfd by bytes a second, with rules of users, groups
# and projects, and for the requests of a metadata server. Sourced.

MOST=105 # per cent of --rate that may pass
WATCHED=10 # seconds

rules_match() { # RULE-EXPRESSION...: each is in force, and has requests
	local expr
	for expr; do
		rules | grep -F " $expr " | grep -q 'ref [1-9]' || return 1
	done
}

each_limits() { # WHAT RULE-EXPRESSION...
	if until_true rules_match "${@:2}"; then
		pass "$1"
	else
		fail "$1" "not in $PATIENCE s" "${*:2}, each with requests" \
			"$(rules | sort -u | paste -sd';')"
	fi
}

# What a job's counters sum up to: field "sum" (bytes) or "samples" of these rows.
job_total() { # PARAMETER JOB FIELD ROW...
	get "$1" | awk -v job="$2" -v field="$3" -v rows=" ${*:4} " '
		/^- job_id:/ { on = $3 == job }
		on && index(rows, " " substr($1, 1, length($1) - 1) " ") &&
		match($0, field ": *[0-9]+") {
			x = substr($0, RSTART, RLENGTH); sub(/.*: */, "", x); n += x
		}
		END { printf "%.0f\n", n }'
}

both_total() { # PARAMETER FIELD ROW...
	local job n=0
	for job in "${jobs[@]}"; do
		n=$((n + $(job_total "$1" "$job" "${@:2}")))
	done
	echo "$n"
}

# No more than RATE passes. The time is the longer one of the two that can be
# meant, and a bucket has three tokens, which may be of the size of SPARE each.
keeps_to() { # WHAT RATE SPARE PARAMETER FIELD ROW...
	local begin=${EPOCHREALTIME/[.,]/} before=0 passed_us most
	before=$(both_total "${@:4}")
	sleep "$WATCHED"
	local moved=$(($(both_total "${@:4}") - before))
	passed_us=$((${EPOCHREALTIME/[.,]/} - begin))
	most=$(($2 * MOST / 100 * passed_us / 1000000 + 6 * $3))
	if [ "$moved" -gt 0 ] && [ "$moved" -le "$most" ]; then
		pass "$1"
	else
		fail "$1" "in $((passed_us / 1000)) ms" "at most $most" "$moved"
	fi
}

size_is() { # JOB ROW-OF-STATUS: RPCs are as large as job_stats says, to 5 %
	local ours samples sum
	ours=$(sluice-tbfd status --state "$state/tbfd.json" 2>/dev/null |
		sed 's,\([0-9]\) \([kMGT]*B/s\),\1\2,g' |
		awk -v job="$1" '$1 == job { sub(/B$/, "", $NF); print $NF }' |
		numfmt --from=auto 2>/dev/null)
	samples=$(job_total "$stats" "$1" samples write_bytes read_bytes)
	sum=$(job_total "$stats" "$1" sum write_bytes read_bytes)
	[ -n "$ours" ] && [ "$samples" -gt 0 ] &&
		[ $((ours * samples * 100)) -ge $((sum * 95)) ] &&
		[ $((ours * samples * 100)) -le $((sum * 105)) ]
}

by_bytes() { # INDEX-OF-TARGET
	local job stats jobs=(999999803 999999804)
	stats=obdfilter.$here.job_stats
	make_files "$1"
	write_as "${jobs[0]}" "$work/job0" 160 0 64k
	write_as "${jobs[1]}" "$work/job1" 10 0 1M
	start_daemon --rate 8MB/s
	each_limits "--rate 8MB/s: requests of two jobs are under their rules" \
		"jobid={${jobs[0]}}" "jobid={${jobs[1]}}"
	for job in "${jobs[@]}"; do
		if until_true size_is "$job"; then
			pass "--rate 8MB/s: RPCs of job $job have the size of job_stats"
		else
			fail "--rate 8MB/s: RPCs of job $job have the size of job_stats" \
				"not in $PATIENCE s" "$(sluice-tbfd status --state \
				"$state/tbfd.json" 2>&1 | grep "^$job")" \
				"$(get "$stats" | grep -A 6 "$job" | grep write_bytes:)"
		fi
	done
	keeps_to "--rate 8MB/s: no more passes in $WATCHED s" 8000000 1048576 \
		"$stats" sum write_bytes read_bytes
	stop_daemon
}

# Lustre goes by the process or by the file's owner, depending on its version: here
# both are the same. The job's name is the number, too. Only root can look the file
# up, so it is handed over open.
write_as_owner() { # NUMBER FILE
	chown "$1:$1" "$2"
	run env SLURM_JOB_ID="$1" setpriv --reuid="$1" --regid="$1" --clear-groups \
		bash -c 'while :; do
			dd if=/dev/zero of=/proc/self/fd/3 bs=64k count=20 oflag=direct \
				conv=notrunc
		done' 3<>"$2"
}

by_owner() { # CLASS KEY INDEX-OF-TARGET
	local i owners=(999999805 999999806)
	: >"$state/nodes"
	for i in 0 1; do
		lfs setstripe -c 1 -i "$3" "$work/$1$i" 2>>"$state/log"
		[ "$1" != project ] ||
			lfs project -p "${owners[i]}" "$work/$1$i" 2>>"$state/log" ||
			{ skip "--class $1" "lfs project: $(tail -n 1 "$state/log")" &&
				return; }
		echo "${owners[i]} 1 ${owners[i]}" >>"$state/nodes"
		write_as_owner "${owners[i]}" "$work/$1$i"
	done
	start_daemon --rate 20 --class "$1" --nodes "$state/nodes"
	each_limits "--class $1: requests of two are under their rules" \
		"$2={${owners[0]}}" "$2={${owners[1]}}"
	stop_daemon
}

make_as() { # JOB DIRECTORY
	run env SLURM_JOB_ID="$1" bash -c 'while :; do mkdir "$0"; rmdir "$0"; done' \
		"$2"
}

of_metadata() { # MDT
	local i jobs=(999999807 999999808) service=mds.MDS.mdt
	policy_before=$(policy)
	[ "$policy_before" = fifo ] || { skip "--service mdt" \
		"the policy is \"$policy_before\", not fifo" && return; }
	for i in 0 1; do make_as "${jobs[i]}" "$work/made$i"; done
	start_daemon --rate 20 --service mdt
	each_limits "--service mdt: requests of two jobs are under their rules" \
		"jobid={${jobs[0]}}" "jobid={${jobs[1]}}"
	keeps_to "--service mdt: no more passes in $WATCHED s" 20 1 \
		"mdt.$1.job_stats" samples open mkdir rmdir
	stop_daemon
	ended "--service mdt: no rule is left, the policy is as before"
	policy_before=fifo
}

stop_daemon() {
	kill -TERM "$daemon" 2>/dev/null
	until_true gone
	stop_programs
}

check_rates() {
	local here mdt daemon index
	here=$(targets obdfilter | grep -m 1 "^$fsname-")
	mdt=$(targets mdt | grep -m 1 "^$fsname-")
	$dry && would "as daemon, of ${here:-no OST} and ${mdt:-no MDT}, by bytes a" \
		"second, users, groups and projects (policies tbf uid, gid, projid)," \
		"and requests of the MDT" && return
	$write || { skip sluice-tbfd "it changes the NRS policy: say --write" &&
		return; }
	[ "$(get jobid_var)" = SLURM_JOB_ID ] || change jobid_var SLURM_JOB_ID ||
		{ skip sluice-tbfd "jobid_var cannot be set" && return; }
	if [ -z "$here" ]; then
		skip --rate "no OST of $fsname is here"
	elif policy_before=$(policy) && [ "$policy_before" != fifo ]; then
		skip --rate "the policy is \"$policy_before\", not fifo"
	else
		index=$((16#${here: -4}))
		by_bytes "$index"
		by_owner uid uid "$index"
		by_owner gid gid "$index"
		if [ "$(printf '2.17\n%s\n' "$version" | sort -V | head -n 1)" = 2.17 ]; then
			by_owner project projid "$index"
		else
			skip "--class project" "Lustre has it from 2.17 on"
		fi
		ended "by bytes and owners: no rule is left, the policy is as before"
	fi
	if [ -n "$mdt" ]; then
		of_metadata "$mdt"
	else
		skip "--service mdt" "no MDT of $fsname is here"
	fi
	restore jobid_var || fail "jobid_var as it was" "$(cat "$state/error")"
}
