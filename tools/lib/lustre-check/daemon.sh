# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# sluice-lustre-check: a short run of sluice-tbfd. Sourced.

service=ost.OSS.ost_io # whose requests are shared
JOBS=(999999801 999999802)

rules() { # of ours, in force
	get "$service.nrs_tbf_rule" | grep -E '^sl[ux]_'
}

policy() { # the one in force
	get "$service.nrs_policies" | awk '
		/high_priority/ { exit }
		/name:/ { sub(/.*name: */, ""); name = $0 }
		/state:/ { on = $2 == "started" }
		/fallback:/ && on { if ($2 == "yes") back = name; else own = name }
		END { print own == "" ? back : own }'
}

run() { # COMMAND...: behind us, in a group of its own
	setsid "$@" >/dev/null 2>>"$state/log" &
	echo $! >>"$state/programs"
	disown
}

start_daemon() { # OPTION...
	echo "--service ${service##*.}" >"$state/daemon"
	touch "$state/started"
	setsid sluice-tbfd --min-rate 1 --resync 1 --linger 60 \
		--state "$state/tbfd.json" "$@" >/dev/null 2>>"$state/log" &
	daemon=$!
	echo "$daemon" >>"$state/programs"
	disown
}

has_started() {
	start_daemon --rate 20
	until_true is_up
}

# It has saved its state: rules may be those of one that was killed.
is_up() {
	[ "$state/tbfd.json" -nt "$state/started" ] && have_rules
}

have_rules() {
	[ "$(rules | grep -c -E "^slu_(${JOBS[0]}|${JOBS[1]}) ")" -ge 2 ]
}

is_clean() {
	[ -z "$(rules)" ] && [ "$(policy)" = "$policy_before" ]
}

write_as() { # JOB FILE COUNT PAUSE [BLOCK]
	run env SLURM_JOB_ID="$1" bash -c 'while :; do
		dd if=/dev/zero of="$0" bs="$3" count="$1" oflag=direct conv=notrunc
		sleep "$2"
	done' "$2" "$3" "$4" "${5:-1M}"
}

make_files() { # INDEX-OF-TARGET
	local i
	for i in 0 1; do
		lfs setstripe -c 1 -i "$1" "$work/job$i" 2>>"$state/log"
	done
}

# One job writes now and then, the other one as much as it may.
start_jobs() { # INDEX-OF-TARGET
	make_files "$1"
	write_as "${JOBS[0]}" "$work/job0" 1 1
	write_as "${JOBS[1]}" "$work/job1" 40 0
}

record() { # JOB: tokens lent, or borrowed when negative
	sluice-tbfd status --state "$state/tbfd.json" 2>/dev/null |
		awk -v job="$1" '$1 == job { print $6 }'
}

has_borrowed() {
	awk -v a="$(record "${JOBS[0]}")" -v b="$(record "${JOBS[1]}")" \
		'BEGIN { exit !(a > 0 && b < 0) }'
}

ended() { # WHAT: no rule of ours is left, and the policy is as before
	local left
	if until_true is_clean; then
		pass "$1"
		return
	fi
	left=$(rules | cut -d' ' -f1 | sort -u | paste -sd' ')
	fail "$1" "something is left" "policy $policy_before, no rules" \
		"policy $(policy), ${left:-no rules}"
	sluice-tbfd --clean --service "${service##*.}" --state "$state/tbfd.json" \
		2>>"$state/log"
	lctl set_param "$service.nrs_policies=$policy_before" >/dev/null 2>>"$state/log"
}

gone() {
	! kill -0 "$daemon" 2>/dev/null
}

check_daemon() {
	local here index daemon
	here=$(targets obdfilter | grep -m 1 "^$fsname-")
	[ -n "$here" ] || { skip sluice-tbfd "no OST of $fsname is here" && return; }
	$dry && would "set jobid_var=SLURM_JOB_ID, write as two jobs to files in" \
		"$work on $here, run sluice-tbfd three times (policy tbf jobid, rules" \
		"slu_*), stop and kill it; then as before" && return
	$write || { skip sluice-tbfd "it changes the NRS policy: say --write" &&
		return; }
	policy_before=$(policy)
	[ "$policy_before" = fifo ] ||
		{ skip sluice-tbfd "the policy is \"$policy_before\", not fifo" && return; }
	index=$((16#${here: -4}))
	[ "$(get jobid_var)" = SLURM_JOB_ID ] || change jobid_var SLURM_JOB_ID ||
		{ skip sluice-tbfd "jobid_var cannot be set" && return; }
	start_jobs "$index"
	if has_started; then
		pass "each of two jobs has a rule"
	else
		fail "each of two jobs has a rule" "not in $PATIENCE s" \
			"slu_${JOBS[0]} slu_${JOBS[1]}" \
			"$(rules | cut -d' ' -f1 | sort -u | paste -sd' ')"
	fi
	if until_true has_borrowed; then
		pass "the busy job borrows from the other one"
	else
		fail "the busy job borrows from the other one" "records of both" \
			"$(record "${JOBS[0]}") $(record "${JOBS[1]}")" "above 0, below 0"
	fi
	kill -TERM "$daemon" 2>/dev/null
	until_true gone
	ended "told to stop: no rule is left, the policy is as before"
	has_started
	kill -KILL "$daemon" 2>/dev/null
	ended "kill -9: no rule is left, the policy is as before"
	has_started
	kill -KILL $(pgrep -P "$daemon" -x sluice-tbfd-grd) "$daemon" 2>/dev/null
	until_true gone
	has_started
	kill -TERM "$daemon" 2>/dev/null
	until_true gone
	ended "kill -9 of its guard too, a new one stopped: the same"
	stop_programs
	restore jobid_var || fail "jobid_var as it was" "$(cat "$state/error")"
}
