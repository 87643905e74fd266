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
	check_within 60 "a running job's page says how full it is" \
		is_live "$job" $((30 << 20))
	check "as du says" near "$(facts "$job" '.file_systems[-1].used_bytes')" \
		"$(brick_bytes "$job")" 4
	check "both nodes have told" equal \
		"$(facts "$job" '.file_systems[-1].used_told_by_nodes')" 2
	text=$(page "$job")
	check "it is RUNNING" matches "$text" "^Job +$job, .*: RUNNING$"
	check "its run goes on" matches "$text" '^run .*>\|$'
	check "and stage-in is told with its rate" matches "$text" \
		'^Staged in +[0-9.]+MiB in [0-9]+ files, [0-9.]+[KMG]iB/s'
	check "the page fits a terminal" fits "$text"
	on ctl pkill -x sluiced
	cluster start ctl sluiced >/dev/null
	check_within 60 "after a restart of sluiced it is known again" \
		is_live "$job" $((30 << 20))
	rm "$PFS/alice/wait"
	ends "$job"
	text=$(page "$job")
	check "ended: COMPLETED" matches "$text" "^Job +$job, .*: COMPLETED$"
	check "what was in use at most stays" test \
		"$(facts "$job" '.file_systems[-1].used_most_bytes')" -ge \
		$((30 << 20))
	check "all phases are drawn" equal "$(facts "$job" \
		'[.file_systems[-1].phases[].name] | join(" ")')" \
		'setup stage_in run stage_out teardown'
	check "none goes on" equal "$(facts "$job" \
		'[.file_systems[-1].phases[] | select(.goes_on)] | length')" 0
	check "staged bytes are those of the input" equal "$(facts "$job" \
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
	check "a peak between two words to sluiced is known" test \
		"$(facts "$job" '.file_systems[-1].used_most_bytes')" -ge \
		$((50 << 20))
	check "what was a third full is too large" equal "$(rules "$job")" \
		capacity-too-large
	check "and the page says what would do" has_line "$job" \
		'^Advice +At most 5[0-9.]+MiB of 200MiB was in use'
	job=$(writer 90 'jobfs capacity=200MiB' | submit -N1 -t 5)
	ends "$job"
	check "what was nearly half full is not" equal "$(rules "$job")" ''
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
	check "a held job is HELD" matches "$text" "^Job +$job, .*: HELD$"
	check "it says that the request was too small for its input" matches \
		"$(tr -s '\n ' ' ' <<<"$text")" \
		'Failed in STAGE_IN: .*No space left on device; what is staged in \([0-9.]+MiB\) does not fit: capacity=2MiB is too small'
	check "advice: held, and too small" equal "$(rules "$job")" \
		'held capacity-too-small'
	check "the phase that failed is drawn" matches "$text" '^stage_in '
	check "the page fits a terminal" fits "$text"
	as_alice scancel "$job"
}

# Held, mended, released: the second run is the page, the first one a line.
test_released() {
	local job
	job=$(writer 0 'jobfs capacity=20MiB' \
		'stage_in source=/pfs/alice/later/ destination=$BB_JOBFS/in' |
		submit -N1 -t 5)
	wait_for 60 is_held "$job"
	check "of a missing source it is HELD, too" has_line "$job" \
		"^Job +$job, .*: HELD$"
	check "advice: held" equal "$(rules "$job")" held
	mkdir "$PFS/alice/later"
	echo late >"$PFS/alice/later/file"
	chown -R --reference="$PFS/alice" "$PFS/alice/later"
	as_alice scontrol release "$job"
	ends "$job"
	check "released it has COMPLETED" has_line "$job" \
		"^Job +$job, .*: COMPLETED$"
	check "and the run before is a line" has_line "$job" \
		'^Before +20.*JOBFS, DONE, failed: n[12]: '
	check "advice is of the last run" equal "$(rules "$job")" ''
}

test_lost_output() {
	local job
	job=$(writer 8 'jobfs capacity=20MiB' \
		'stage_out source=$BB_JOBFS/ destination=/nowhere' |
		submit -N1 -t 5)
	ends "$job"
	check "output that was not staged is FAILED" has_line "$job" \
		"^Job +$job, .*: FAILED$"
	check "with its sentence" has_line "$job" '^Failed +in STAGE_OUT: n[12]: '
	check "advice: fetch it" equal "$(rules "$job")" output-not-staged
}

test_others() {
	local job killed
	job=$(echo '#!/bin/true' | submit -N1 -t 5)
	ends "$job"
	check "a job without a file system has a page" has_line "$job" \
		"^Job +$job, .*: COMPLETED$"
	check "with its limit" has_line "$job" '^Limit +asked 5:00, '
	killed=$(writer 0 'jobfs capacity=20MiB' | sed 's/^while.*/sleep 600/' |
		submit -N1 -t 5)
	wait_for 40 buffer_is "$killed" RUNNING
	as_alice scancel "$killed"
	ends "$killed"
	check "a cancelled one is CANCELLED" has_line "$killed" \
		"^Job +$killed, .*: CANCELLED$"
	job=$(echo '#!/bin/true' | submit --array=1-2 -t 5)
	ends "${job}_1"
	wait_for 20 nodes_idle 'n[1-2]'
	check "a task is found as Slurm writes it" equal \
		"$(facts "${job}_1" '"\(.array_job_id)_\(.array_task_id)"')" \
		"${job}_1"
	as_alice sysquery job 4711 >"$PFS/said" 2>&1
	check "what nothing is known of has exit status 3" equal $? 3
	check "and one line" equal "$(wc -l <"$PFS/said")" 1
	bounded_exec -u bob ctl sysquery job "$killed" >/dev/null 2>&1
	check "another user's is not to be had" equal $? 3
	bounded_exec -u bob ctl sysquery report --user alice >/dev/null 2>&1
	check "nor a report of it" equal $? 4
}

test_report() {
	local report
	report=$(as_alice sysquery report --since 1d --json)
	check "the report counts what the history has" equal \
		"$(jq .jobs.count <<<"$report")" \
		"$(query 'SELECT COUNT(*) FROM History WHERE User = '"'alice'")"
	check "failures by phase" equal \
		"$(jq -c '.file_systems | [.failed_in_stage_in,
			.failed_in_stage_out]' <<<"$report")" \
		"[$(query 'SELECT COUNT(*) FROM Buffer WHERE FailedIn = 2'),$(
			query 'SELECT COUNT(*) FROM Buffer WHERE FailedIn = 4')]"
	check "bob has none" equal "$(bounded_exec -u bob ctl sysquery report \
		--json | jq .jobs.count)" 0
	check "root sees all" equal "$(on ctl sysquery report --since 1d --json |
		jq .jobs.count)" "$(query 'SELECT COUNT(*) FROM History')"
	check "it fits a terminal" fits "$(as_alice env COLUMNS=80 \
		sysquery report --table)"
	check "since then nothing has ended" equal "$(as_alice sysquery report \
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
