# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For system tests: TAP, a cluster of the test's own, jobs in it. Sourced.
#
# A test prints one line per check, "ok 1 - text" or "not ok 1 - text", and
# the plan at its end. Its cluster is named after the script, goes when the
# script ends, and leaves its logs in $LOGS when a check has failed.
set -u
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
TEST=$(basename "$0" .t)
# Its name also tells checkouts apart that test at the same time.
: "${CLUSTER:=$(tr -cd 'a-z0-9' <<<"t$TEST" | cut -c1-7)$(
	md5sum <<<"$TOP/$TEST" | cut -c1-4)}"
PFS=/var/tmp/sluice-$CLUSTER/pfs # /pfs of its hosts
LOGS=${LOGS:-$TOP/build-test/system}
CHECKS=0 FAILED=0
. "$TOP/tools/lib/common.sh"
. "$TOP/tools/lib/cluster/names.sh"

# check TEXT COMMAND...: one test.
check() {
	local text=$1
	shift
	CHECKS=$((CHECKS + 1))
	if "$@"; then
		echo "ok $CHECKS - $text"
	else
		FAILED=$((FAILED + 1))
		echo "not ok $CHECKS - $text"
	fi
}

# check_within SECONDS TEXT COMMAND...: it becomes true in that time.
check_within() {
	local seconds=$1 text=$2
	shift 2
	check "$text" wait_for "$seconds" "$@"
}

equal() { # GOT WANTED
	[ "$1" = "$2" ] || { note "got '$1', wanted '$2'" && false; }
}

matches() { # TEXT EXTENDED-REGULAR-EXPRESSION
	grep -qE -- "$2" <<<"$1" || { note "'$1' lacks '$2'" && false; }
}

# For check_within, which asks again: what the command prints now.
prints() { # EXTENDED-REGULAR-EXPRESSION COMMAND...
	local wanted=$1
	shift
	"$@" 2>&1 | grep -qE -- "$wanted"
}

fails() {
	! "$@"
}

note() {
	sed 's/^/# /' <<<"$*"
}

skip_all() { # WHY
	echo "1..0 # SKIP $*"
	exit 0
}

finish() {
	echo "1..$CHECKS"
	[ "$FAILED" = 0 ]
	exit
}

# The cluster of this test.
cluster() {
	local command=$1
	shift
	"$TOP/tools/cluster" "$command" --name "$CLUSTER" "$@"
}

cluster_up() { # UP-OPTION...
	[ ! -e "/run/sluice-clusters/$CLUSTER" ] ||
		{ echo "Bail out! cluster $CLUSTER exists" && exit 1; }
	trap cluster_gone EXIT
	cluster up "$@" | sed 's/^/# /'
	[ "${PIPESTATUS[0]}" = 0 ] || { echo "Bail out! no cluster" && exit 1; }
}

cluster_gone() {
	# running ones only: the pid of one that has ended may be anybody's
	jobs -pr | xargs -r kill 2>/dev/null
	[ "$FAILED" = 0 ] || cluster_save_logs
	cluster down
}

cluster_save_logs() { # one directory per trouble
	local to=$LOGS/$TEST.cluster.$FAILED
	rm -rf "$to"
	mkdir -p "$LOGS"
	cp -aL "/run/sluice-clusters/$CLUSTER/log" "$to"
	cp -a "$PFS"/alice/*.out "$to/" 2>/dev/null
	true
}

# As tools/cluster exec, without its start, which most of a test's processor
# time would go to. Bounded twice: a process that hangs in a dead file system
# cannot be killed and holds up the inner timeout that waits for it.
bounded_exec() ( # [-u USER] HOST COMMAND...
	run=(in_host) limit=${LIMIT:-60}
	[ "$1" != -u ] || { run=(in_host_as "$2") && shift 2; }
	DIR=$REGISTRY/$CLUSTER IN_HOST_LIMIT=$((limit + 5))
	cluster_load
	"${run[@]}" "$1" timeout -s KILL "$limit" "${@:2}"
)

on() { # HOST COMMAND...
	bounded_exec "$@"
}

# What pkill -STOP has stopped goes on: also a program that sluice-node became
# between being found by its name and being stopped.
thaw() { # HOST
	on "$1" pkill -CONT .
}

bbstat() { # [JOB]: a line for each row, however it is folded
	on ctl scontrol show bbstat "$@" |
		awk 'NR > 1 && !/^    / { print "" } { sub(/^    /, " "); printf "%s", $0 }
			END { print "" }'
}

as_alice() { # COMMAND...
	bounded_exec -u alice ctl "$@"
}

# Jobs. Scripts come on standard input and run in /pfs/alice.
submit() { # SBATCH-OPTION...: prints the job id
	as_alice sbatch --parsable -o 'job-%j.out' "$@"
}

# A FileSystem= line that `scontrol reconfigure` has slurmctld read in a moment.
knows() { # FILE-SYSTEM
	as_alice sbatch --test-only --bb="jobfs type=$1 capacity=1MiB" --wrap=true \
		>/dev/null 2>&1
}

job_output() { # JOB
	cat "$PFS/alice/job-$1.out"
}

job_wrote() { # JOB: without the lines of ours in its output
	job_output "$1" | grep -v '^sluice: '
}

job_field() { # JOB FIELD, e.g. JobState
	local job
	[ "$1" ] || return # scontrol would show all jobs
	job=$(on ctl scontrol -o show job "$1" 2>/dev/null)
	[[ \ $job =~ \ $2=([^\ ]*) ]] && echo "${BASH_REMATCH[1]}"
}

job_is() { # JOB STATE...: one of them
	local state job=$1
	shift
	state=$(job_field "$job" JobState)
	[[ " $* " == *" $state "* ]]
}

job_ended() { # JOB: and no epilog of it still runs
	job_is "$1" COMPLETED FAILED CANCELLED TIMEOUT NODE_FAIL OUT_OF_MEMORY
}

# slurmctld saves its state every few seconds if it has changed; what came
# after that, kill -9 undoes, as if it had never been. A held job is a change,
# and its name is seen in what is saved.
kill_slurmctld() {
	local name=saved$RANDOM
	echo '#!/bin/true' | submit -H -J "$name" >/dev/null
	wait_for 20 grep -q "$name" \
		"/var/tmp/sluice-$CLUSTER/host/ctl/state/job_state"
	cluster kill ctl slurmctld
}

nodes_idle() { # HOSTLIST
	[ "$(on ctl sinfo -hN -n "$1" -o %T | sort -u)" = idle ]
}

# Forty jobs of alice's that took 20 s, as sacct prints them.
history() { # [BEGIN-OF-IDS]
	local uid at day
	uid=$(on ctl id -u alice)
	day=$(date -d '3 days ago' +%F)
	echo 'JobID|User|UID|Partition|Submit|Eligible|Start|End|State|NNodes|Timelimit|JobName'
	for i in {10..49}; do
		at=${day}T11:$i
		echo "${1:-}$i|alice|$uid|main|$at:00|$at:00|$at:00|$at:20|COMPLETED|1|00:10:00|short"
	done
}
