#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# "sysquery job" and "sysquery report" of real jobs of each fate: what they say
# is what was, by du(1), squeue and the job's own output.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

page() { # JOB: as alice sees it
	as_alice sysquery job "$1" --table 2>&1
}

facts() { # JOB JQ-EXPRESSION
	as_alice sysquery job "$1" --json | jq -r "$2"
}

has_line() { # JOB EXTENDED-REGULAR-EXPRESSION
	matches "$(page "$1")" "$2"
}

rules() { # JOB: the rules of advice that hold
	facts "$1" '[.advice[].rule] | join(" ")'
}

ends() { # JOB
	wait_for 60 job_ended "$1" || note "job $1 has not ended"
	wait_for 20 nodes_idle 'n[1-2]'
}

# Only a word that is longer than a line, as a path, makes one longer than 80.
fits() { # TEXT
	local long
	long=$(awk 'length > 80 && substr($0, 13) ~ / /' <<<"$1")
	equal "$long" ''
}

# A job that writes so many MiB and then waits, with these lines of #BB.
writer() { # MEGABYTES BB-LINE...
	local mib=$1
	shift
	printf '%s\n' '#!/bin/bash' "${@/#/#BB }" "[ $mib = 0 ] ||" \
		"head -c ${mib}M /dev/urandom >\$BB_JOBFS/written" sync \
		'while [ -e /pfs/alice/wait ]; do sleep 0.1; done'
}

is_live() { # JOB BYTES: so many MiB, and what du does not count, or more
	[ "$(facts "$1" '.file_systems[-1].used_bytes // 0')" -ge "$2" ]
}

brick_bytes() { # JOB: data of its bricks, as du sees them
	local n sum=0
	for n in n1 n2; do
		sum=$((sum + $(on "$n" sh -c "du -sk --exclude=lost+found \
			/local/sluice/$1.*/fs 2>/dev/null" |
			awk '{ s += $1 } END { print s + 0 }') * 1024))
	done
	echo $sum
}

near() { # A B MEBIBYTES: no further apart
	local off=$(($1 - $2))
	[ "${off#-}" -le $(($3 << 20)) ] ||
		{ note "$1 and $2 are $off apart" && false; }
}

test_live() {
	local job text
	touch "$PFS/alice/wait"
	job=$(writer 30 'jobfs capacity=120MiB' \
		'stage_in source=/pfs/alice/in/ destination=$BB_JOBFS/in' \
		'stage_out source=$BB_JOBFS/in/ destination=/pfs/alice/out.%j' |
		submit -N2 -t 5)
	wait_for 40 buffer_is "$job" RUNNING
	check_within 60 "a running job's page says how much of its file system is used" \
		\
		\
		is_live "$job" $((30 << 20))
	check "the used bytes are those of du" \
		near "$(facts "$job" '.file_systems[-1].used_bytes')" \
		"$(brick_bytes "$job")" 4
	check "the used bytes are of both nodes" equal \
		"$(facts "$job" '.file_systems[-1].used_told_by_nodes')" 2
	text=$(page "$job")
	check "the page of a running job says RUNNING" \
		matches "$text" "^Job +$job, .*: RUNNING$"
	check "the page shows the run phase in progress" matches "$text" '^run .*>\|$'
	check "the page shows the bytes and rate of the stage-in" matches "$text" \
		'^Staged in +[0-9.]+MiB in [0-9]+ files, [0-9.]+[KMG]iB/s'
	check "a running job's page fits in 80 columns" fits "$text"
	on ctl pkill -x sluiced
	cluster start ctl sluiced >/dev/null
	check_within 60 "the used bytes are known again after a restart of sluiced" \
		is_live "$job" $((30 << 20))
	rm "$PFS/alice/wait"
	ends "$job"
	text=$(page "$job")
	check "the page of the ended job says COMPLETED" \
		matches "$text" "^Job +$job, .*: COMPLETED$"
	check "the peak of used bytes is kept after the end" test \
		"$(facts "$job" '.file_systems[-1].used_most_bytes')" -ge \
		$((30 << 20))
	check "the ended job has all phases" equal "$(facts "$job" \
		'[.file_systems[-1].phases[].name] | join(" ")')" \
		'setup stage_in run stage_out teardown'
	check "the ended job has no phase in progress" equal "$(facts "$job" \
		'[.file_systems[-1].phases[] | select(.goes_on)] | length')" 0
	check "the staged-out bytes are those of the input" equal "$(facts "$job" \
		'.file_systems[-1].phases[] | select(.name == "stage_out").bytes')" \
		"$(find "$PFS/alice/in" -type f -printf '%s\n' |
			awk '{ s += $1 } END { print s }')"
}

# Written and removed again before anybody asks: a peak is not forgotten.
test_peak() {
	local job
	job=$(printf '%s\n' '#!/bin/bash' '#BB jobfs capacity=200MiB' \
		'head -c 50M /dev/urandom >$BB_JOBFS/big' 'sleep 7' \
		'rm $BB_JOBFS/big' sync 'sleep 1' | submit -N1 -t 5)
	ends "$job"
	check "a peak between two reports to sluiced is known" test \
		"$(facts "$job" '.file_systems[-1].used_most_bytes')" -ge \
		$((50 << 20))
	check "advice for a file system that was a third full: capacity-too-large" \
		equal "$(rules "$job")" \
		capacity-too-large
	check "the page names the bytes that were used" has_line "$job" \
		'^Advice +At most 5[0-9.]+MiB of 200MiB was in use'
	job=$(writer 90 'jobfs capacity=200MiB' | submit -N1 -t 5)
	ends "$job"
	check "no advice for a file system that was nearly half full" \
		equal "$(rules "$job")" ''
}

is_held() { # JOB
	[ "$(job_field "$1" JobState)" = PENDING ] &&
		[ "$(job_field "$1" Priority)" = 0 ]
}

test_no_space() {
	local job text
	job=$(writer 0 'jobfs capacity=2MiB' \
		'stage_in source=/pfs/alice/in/ destination=$BB_JOBFS/in' |
		submit -N1 -t 5)
	wait_for 60 is_held "$job"
	wait_for 20 nodes_idle 'n[1-2]'
	text=$(page "$job")
	check "the page of a held job says HELD" matches "$text" "^Job +$job, .*: HELD$"
	check "the page says that the capacity was too small for the input" matches \
		"$(tr -s '\n ' ' ' <<<"$text")" \
		'Failed in STAGE_IN: .*No space left on device; what is staged in \([0-9.]+MiB\) does not fit: capacity=2MiB is too small'
	check "advice for input larger than the capacity: held, capacity-too-small" \
		equal "$(rules "$job")" \
		'held capacity-too-small'
	check "the page shows the phase that failed" matches "$text" '^stage_in '
	check "a held job's page fits in 80 columns" fits "$text"
	as_alice scancel "$job"
}

# Held, mended, released: the second run is the page, the first one a line.
test_released() {
	local job
	job=$(writer 0 'jobfs capacity=20MiB' \
		'stage_in source=/pfs/alice/later/ destination=$BB_JOBFS/in' |
		submit -N1 -t 5)
	wait_for 60 is_held "$job"
	check "the page of a job without its source says HELD" has_line "$job" \
		"^Job +$job, .*: HELD$"
	check "advice for a job without its source: held" equal "$(rules "$job")" held
	mkdir "$PFS/alice/later"
	echo late >"$PFS/alice/later/file"
	chown -R --reference="$PFS/alice" "$PFS/alice/later"
	as_alice scontrol release "$job"
	ends "$job"
	check "the page of the released job says COMPLETED" has_line "$job" \
		"^Job +$job, .*: COMPLETED$"
	check "the page has a line for the failed run before" has_line "$job" \
		'^Before +20.*JOBFS, DONE, failed: n[12]: '
	check "no advice for the successful run" equal "$(rules "$job")" ''
}

test_lost_output() {
	local job
	job=$(writer 8 'jobfs capacity=20MiB' \
		'stage_out source=$BB_JOBFS/ destination=/nowhere' |
		submit -N1 -t 5)
	ends "$job"
	check "the page of a job whose stage-out failed says FAILED" has_line "$job" \
		"^Job +$job, .*: FAILED$"
	check "the page has the reason of the failed stage-out" \
		has_line "$job" '^Failed +in STAGE_OUT: n[12]: '
	check "advice for a failed stage-out: output-not-staged" \
		equal "$(rules "$job")" output-not-staged
}

test_others() {
	local job killed
	job=$(echo '#!/bin/true' | submit -N1 -t 5)
	ends "$job"
	check "a job without a file system has a page" has_line "$job" \
		"^Job +$job, .*: COMPLETED$"
	check "the page of a job without a file system shows its limit" \
		has_line "$job" '^Limit +asked 5:00, '
	killed=$(writer 0 'jobfs capacity=20MiB' | sed 's/^while.*/sleep 600/' |
		submit -N1 -t 5)
	wait_for 40 buffer_is "$killed" RUNNING
	as_alice scancel "$killed"
	ends "$killed"
	check "the page of a cancelled job says CANCELLED" has_line "$killed" \
		"^Job +$killed, .*: CANCELLED$"
	job=$(echo '#!/bin/true' | submit --array=1-2 -t 5)
	ends "${job}_1"
	wait_for 20 nodes_idle 'n[1-2]'
	check "sysquery job finds an array's task by JOB_TASK" equal \
		"$(facts "${job}_1" '"\(.array_job_id)_\(.array_task_id)"')" \
		"${job}_1"
	as_alice sysquery job 4711 >"$PFS/said" 2>&1
	check "sysquery job of an unknown job exits with 3" equal $? 3
	check "sysquery job of an unknown job prints one line" \
		equal "$(wc -l <"$PFS/said")" 1
	bounded_exec -u bob ctl sysquery job "$killed" >/dev/null 2>&1
	check "sysquery job of another user's job exits with 3" equal $? 3
	bounded_exec -u bob ctl sysquery report --user alice >/dev/null 2>&1
	check "sysquery report of another user exits with 4" equal $? 4
}

test_report() {
	local report
	report=$(as_alice sysquery report --since 1d --json)
	check "sysquery report counts all jobs of the history" equal \
		"$(jq .jobs.count <<<"$report")" \
		"$(query 'SELECT COUNT(*) FROM History WHERE User = '"'alice'")"
	check "sysquery report counts failures by phase" equal \
		"$(jq -c '.file_systems | [.failed_in_stage_in,
			.failed_in_stage_out]' <<<"$report")" \
		"[$(query 'SELECT COUNT(*) FROM Buffer WHERE FailedIn = 2'),$(
			query 'SELECT COUNT(*) FROM Buffer WHERE FailedIn = 4')]"
	check "sysquery report of a user without jobs counts none" \
		equal "$(bounded_exec -u bob ctl sysquery report \
		--json | jq .jobs.count)" 0
	check "sysquery report of root counts all users' jobs" \
		equal "$(on ctl sysquery report --since 1d --json |
		jq .jobs.count)" "$(query 'SELECT COUNT(*) FROM History')"
	check "sysquery report fits in 80 columns" fits "$(as_alice env COLUMNS=80 \
		sysquery report --table)"
	check "sysquery report of a time in the future counts none" \
		equal "$(as_alice sysquery report \
		--since "@$(($(date +%s) + 9))" --json | jq .jobs.count)" 0
}

cluster_up --nodes 2 --ions 0
make_input in 20 6
test_live
test_peak
test_no_space
test_released
test_lost_output
test_others
test_report
finish
