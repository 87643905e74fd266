#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sluice-tbfd on a fake server of OSTs: what it writes, what it leaves behind.
set -u
bin=$PWD
dir=$(mktemp -d)
daemon=''
failed=0
trap '[ -z "$daemon" ] || kill -9 $daemon 2>/dev/null; rm -rf "$dir"' EXIT
export FAKE_LCTL=$dir/server

lctl() {
	"$bin/tests/fakes/fake_lctl" "$@"
}

tbfd() {
	"$bin/select_io/tbfd/sluice-tbfd" --lctl "$bin/tests/fakes/fake_lctl" \
		--state "$dir/state.json" "$@"
}

fail() {
	echo "FAIL: $*"
	failed=1
}

rules() {
	lctl get_param ost.OSS.ost_io.nrs_tbf_rule 2>&1 |
		sed '/CPT 1/,$d'
}

until_true() { # SECONDS COMMAND...
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

work() { # the jobs do something
	lctl fake rpcs fs-OST0000 4711 0 "${1:-500}" 1048576
	lctl fake rpcs fs-OST0000 dd.0 20 0 4096
	lctl fake rpcs fs-OST0001 "we ird" 0 30 1048576
}

has_rules() {
	work
	rules | grep -q "slu_4711 jobid={4711}" &&
		[ "$(rules | grep -c '^slu_')" = "${jobs:-3}" ]
}

# A rule of an idle job goes: all that is asked here comes with work.
has_throttled() {
	work 5000
	grep -qs throttled "$dir/state.json"
}

leads() { # JOB: its rule is the first of the jobs'
	work
	rules | grep '^slu_' | head -1 | grep -q "^slu_$1 "
}

served_at_first() {
	work
	tbfd status --state "$dir/first.json" >"$dir/out" 2>>"$dir/log" &&
		awk '$1 == "4711" { found = $4 > 0 } END { exit !found }' \
			"$dir/out"
}

no_rules() {
	! rules | grep -q '^sl[ux]_'
}

start() { # the daemon is the process itself, not a shell
	"$bin/select_io/tbfd/sluice-tbfd" \
		--lctl "$bin/tests/fakes/fake_lctl" \
		--state "$dir/state.json" --rate 1000 --period 0.1 \
		--resync 0.3 --nodes "$dir/nodes" --metrics "$dir/metrics" \
		"$@" 2>>"$dir/log" &
	daemon=$!
}

find_guard() { # among the children, of which lctl is another
	guard=$(pgrep -P "$daemon" -x sluice-tbfd-grd)
}

stop() { # SIGNAL
	kill "-$1" "$daemon"
	wait "$daemon" 2>/dev/null
	daemon=''
}

# The buckets of the fake: a rule of 5 lets through 5 a second (and a bucket
# first), unless it is rewritten ten times a second, as seen on Lustre.
passed() { # [COMMAND]: in three seconds
	local all=0
	for _ in {1..30}; do
		[ -z "${1-}" ] ||
			lctl set_param ost.OSS.ost_io.nrs_tbf_rule="$1" >/dev/null
		lctl fake age 0.1
		all=$((all + $(lctl fake offer fs-OST0000 j 1000 1)))
	done
	echo $all
}

buckets() {
	local FAKE_LCTL=$dir/buckets
	lctl set_param ost.OSS.ost_io.nrs_policies='tbf jobid' >/dev/null
	lctl set_param ost.OSS.ost_io.nrs_tbf_rule='start r jobid={j} rate=5' \
		>/dev/null
	lctl fake offer fs-OST0000 j 0 1 >/dev/null
	quiet=$(passed)
	rewritten=$(passed 'change r rate=5')
	rules | grep -qx 'r jobid={j} 5, ref 1' || fail "buckets: $(rules)"
}
buckets
[ "$quiet" -ge 15 ] && [ "$rewritten" -gt $((2 * quiet)) ] ||
	fail "buckets: $quiet, rewritten $rewritten"

echo '4711 4' >"$dir/nodes"
lctl fake cpts 2
work

# A recorded server, and one that is not ours to touch: print only.
mkdir -p "$dir/root/proc/fs/lustre/obdfilter/fs-OST0000"
lctl get_param 'obdfilter.*.job_stats' |
	sed '1d' >"$dir/root/proc/fs/lustre/obdfilter/fs-OST0000/job_stats"
"$bin/select_io/tbfd/sluice-tbfd" --root "$dir/root" --rate 100 --once \
	--period 0.1 --state "$dir/none" >"$dir/out" 2>&1 ||
	fail "--root: $(cat "$dir/out")"
[ ! -e "$dir/none" ] || fail "a dry run wrote its state"
grep -q 'dry run: 2 targets and [1-9].* of jobs read' "$dir/out" ||
	fail "--root says nothing: $(cat "$dir/out")"
"$bin/select_io/tbfd/sluice-tbfd" status --state "$dir/none" >"$dir/out" 2>&1 &&
	fail "status without a state"
grep -q "there is no $dir/none: .*--root" "$dir/out" ||
	fail "status after --root: $(cat "$dir/out")"
# A recorded metadata server: its service's files are elsewhere.
place=$dir/root/sys/kernel/debug/lustre/mds/MDS/mdt
mkdir -p "$place" "$dir/root/proc/fs/lustre/mdt/fs-MDT0000"
printf '%s\n' 'job_stats:' '- job_id:          4711' \
	'  open:            { samples:           3, unit: usecs }' \
	>"$dir/root/proc/fs/lustre/mdt/fs-MDT0000/job_stats"
printf '%s\n' '' 'regular_requests:' '  - name: tbf jobid' \
	'    state: started' '    fallback: no' >"$place/nrs_policies"
printf '%s\n' 'regular_requests:' 'CPT 0:' 'slu_9 jobid={9} 5, ref 0' \
	'default * 10000, ref 0' >"$place/nrs_tbf_rule"
"$bin/select_io/tbfd/sluice-tbfd" --root "$dir/root" --rate 100 --once \
	--period 0.1 --service mdt >"$dir/out" 2>&1 ||
	fail "--root of an MDS: $(cat "$dir/out")"
grep -q 'dry run: 1 targets and 1 records' "$dir/out" &&
	grep -qx 'nrs_tbf_rule=stop slu_9' "$dir/out" &&
	! grep -q nrs_policies "$dir/out" ||
	fail "--root of an MDS: $(cat "$dir/out")"
echo '{"targets":[],"jobs":[]}' >"$dir/none"
"$bin/select_io/tbfd/sluice-tbfd" status --state "$dir/none" |
	grep -qx 'No job has read or written here yet.' || fail "status of nobody"
rm "$dir/none"
tbfd --rate 100 --once --period 0.1 --dry-run >"$dir/out" 2>&1 ||
	fail "--dry-run: $(cat "$dir/out")"
grep -qx 'nrs_policies=tbf jobid' "$dir/out" || fail "no policy in a dry run"
rules | grep -q 'No such device' || fail "a dry run changed the policy"

"$bin/select_io/tbfd/sluice-tbfd" --root "$dir/nobody" --rate 1 --once \
	--period 0.01 2>"$dir/out" && fail "--once reads nothing, and is content"
grep -q 'this is no server' "$dir/out" || fail "--once: $(cat "$dir/out")"

# Rules appear, with their rates divided by the CPTs, and in order.
start
until_true 20 has_rules || fail "no rules: $(rules; cat "$dir/log")"
until_true 20 has_throttled || fail "nobody throttled: $(cat "$dir/state.json")"
until_true 20 leads 4711 || fail "4711 is not first: $(rules)"
tbfd status >"$dir/out" || fail "status fails"
grep -q '^No sluice-tbfd' "$dir/out" && fail "status: $(cat "$dir/out")"
grep -q '4711 .* 4 ' "$dir/out" || fail "status: $(cat "$dir/out")"
tbfd status --json | grep -q '"job":"4711"' || fail "status --json"
grep -q '^sluice_tbf_tokens 2000$' "$dir/metrics" ||
	fail "metrics: $(cat "$dir/metrics")"

# What is saved says what the rules say, of a job's first period too.
stop TERM
start --period 1 --resync 0.1 --state "$dir/first.json"
until_true 20 served_at_first || fail "no job: $(cat "$dir/first.json")"
awk '$1 == "4711" { found = $5 > 0 } END { exit !found }' "$dir/out" ||
	fail "a rule and no limit: $(cat "$dir/out"; rules)"
stop TERM
start
until_true 20 has_rules || fail "no rules: $(rules; cat "$dir/log")"

# What jobs that want all they can get do, behind those rules: four times as
# much on four nodes as on one.
offer() { # JOB: adds to $all
	all=$((all + $(lctl fake offer fs-OST0000 "$1" 100000 4096)))
}

shared() { # what they have done in the last while, beside each other
	local all i four one
	four=0 one=0
	for ((i = 0; i < 20; i++)); do
		all=0
		offer 4711
		four=$((four + all))
		all=0
		offer 4712
		one=$((one + all))
	done
	echo "$four $one" >"$dir/shared"
	[ $((2 * four)) -gt $((5 * one)) ] && [ "$four" -lt $((6 * one)) ]
}
until_true 30 shared ||
	fail "shared: $(cat "$dir/shared"), $(rules; tbfd status)"

# Refused commands and strange rules are repaired.
lctl fake fail 3 12
lctl set_param ost.OSS.ost_io.nrs_tbf_rule="stop slu_4711" >/dev/null 2>&1
lctl set_param ost.OSS.ost_io.nrs_tbf_rule="stop slu_4711" >/dev/null 2>&1
lctl set_param ost.OSS.ost_io.nrs_tbf_rule="stop slu_4711" >/dev/null 2>&1
lctl set_param ost.OSS.ost_io.nrs_tbf_rule="stop slu_4711" >/dev/null
until_true 20 has_rules || fail "not repaired: $(rules; cat "$dir/log")"
lctl set_param ost.OSS.ost_io.nrs_policies=fifo >/dev/null
until_true 20 has_rules || fail "policy not repaired: $(rules)"

# Told to stop, it leaves nothing, and the policy that was there before; even
# when Lustre refuses for a moment.
lctl fake fail 6 12
stop TERM
no_rules || fail "rules after TERM: $(rules)"
rules | grep -q 'No such device' || fail "the policy is still ours"

# Rules of others would go with the policy: it stays.
start
until_true 20 has_rules || fail "no rules beside others: $(cat "$dir/log")"
theirs="jobid={$(echo {100000..100099}) x}"
lctl set_param ost.OSS.ost_io.nrs_tbf_rule="start theirs $theirs rate=9" \
	>/dev/null
stop TERM
no_rules || fail "rules beside others after TERM: $(rules)"
rules | grep -qx "theirs $theirs 9, ref 0" || fail "theirs is gone: $(rules)"
tbfd --clean 2>>"$dir/log" || fail "--clean beside others"
rules | grep -q '^theirs ' || fail "theirs is gone: $(rules)"
lctl set_param ost.OSS.ost_io.nrs_tbf_rule='stop theirs' >/dev/null
tbfd --clean 2>>"$dir/log" || fail "--clean after others"
rules | grep -q 'No such device' || fail "the policy is still ours: $(rules)"

# A policy that is not ours is not changed by what the state says of before.
lctl set_param ost.OSS.ost_io.nrs_policies='tbf nid' >/dev/null
tbfd --clean 2>>"$dir/log" || fail "--clean under tbf nid"
lctl get_param ost.OSS.ost_io.nrs_policies | grep -q 'name: tbf nid' ||
	fail "--clean has changed the policy"
lctl set_param ost.OSS.ost_io.nrs_policies=fifo >/dev/null

# A policy that is still being stopped: it comes when it can, and goes so.
lctl set_param ost.OSS.ost_io.nrs_policies='tbf nid' >/dev/null
lctl fake settle 2
lctl set_param ost.OSS.ost_io.nrs_policies=fifo >/dev/null
rm -f "$dir/metrics"
start
until_true 20 grep -q 'nrs_policies=tbf jobid: .*temporarily' "$dir/log" ||
	fail "no EAGAIN: $(cat "$dir/log")"
until_true 20 has_rules || fail "no rules after EAGAIN: $(cat "$dir/log")"
until_true 20 test -e "$dir/metrics" || fail 'no metrics after EAGAIN'
grep -q '^sluice_tbf_refused 0$' "$dir/metrics" ||
	fail "rules without a policy: $(grep refused "$dir/metrics")"
stop TERM
no_rules || fail "rules after TERM and EAGAIN: $(rules)"
lctl get_param ost.OSS.ost_io.nrs_policies | grep -q 'name: tbf jobid' &&
	fail "the policy is still ours after EAGAIN"
lctl fake settle 0

# While job_stats cannot be read nobody looks after the rules.
cat >"$dir/lctl" <<-END
	#!/bin/sh
	case "\$2" in *job_stats) [ ! -e $dir/broken ] || exit 5 ;; esac
	exec $bin/tests/fakes/fake_lctl "\$@"
END
chmod +x "$dir/lctl"
start --lctl "$dir/lctl" --linger 0.5
until_true 20 has_rules || fail "no rules: $(rules; cat "$dir/log")"
: >"$dir/broken"
until_true 20 no_rules || fail "rules without job_stats: $(rules)"
rm "$dir/broken"
until_true 20 has_rules || fail "no rules with job_stats: $(rules)"
stop TERM

# Users in place of jobs, then groups; a server that knows no projects says so.
is_ruled() { # EXPRESSION...
	local match
	work
	lctl fake rpcs fs-OST0000 dd.77 500 0 4096
	for match; do
		rules | grep -q "^slu_[0-9]* $match " || return 1
	done
}
echo '4711 4 500' >"$dir/nodes"
start --class uid --exempt uid=0
until_true 20 is_ruled 'uid={500}' 'uid={77}' || fail "users: $(rules)"
rules | grep -q '^slx_0 uid={0} 999999' || fail "root: $(rules)"
until_true 20 grep -qs '"class":"uid"' "$dir/state.json" ||
	fail "no state of users"
tbfd status | grep -q '^uid=500 .* 4 ' || fail "status: $(tbfd status)"
stop TERM
no_rules || fail "rules of users after TERM: $(rules)"
rules | grep -q 'No such device' || fail "the policy is still that of users"
start --class gid
until_true 20 is_ruled 'gid={500}' || fail "groups: $(rules)"
rules | grep -q '{77}' && fail "a user as a group: $(rules)"
stop TERM
lctl fake version 2.15
tbfd --rate 100 --once --period 0.1 --class project >"$dir/out" 2>&1
grep -q 'projid (of Lustre 2.17): .*Invalid argument' "$dir/out" ||
	fail "projects of 2.15: $(cat "$dir/out")"
lctl fake version 2.17
start --class project
until_true 20 is_ruled 'projid={500}' || fail "projects: $(rules)"
stop TERM
echo '4711 4' >"$dir/nodes"

# On a metadata server: opens count, closes are of another service.
FAKE_LCTL=$dir/mds
lctl fake service mds.MDS.mdt
metadata_rules() {
	lctl fake rpcs fs-MDT0000 4711 500 0 0
	lctl fake rpcs fs-MDT0000 4712 0 900 0
	lctl get_param mds.MDS.mdt.nrs_tbf_rule 2>&1 |
		grep -q '^slu_4711 jobid={4711}'
}
start --service mdt
until_true 20 metadata_rules || fail "no rules of metadata: $(cat "$dir/log")"
for _ in {1..20}; do
	metadata_rules
	sleep 0.05
done
lctl get_param mds.MDS.mdt.nrs_tbf_rule | grep -q slu_4712 &&
	fail "closes count: $(lctl get_param mds.MDS.mdt.nrs_tbf_rule)"
stop TERM
lctl get_param mds.MDS.mdt.nrs_tbf_rule 2>&1 | grep -q 'No such device' ||
	fail "rules of metadata after TERM"
: >"$dir/load"
while [ -e "$dir/load" ]; do
	metadata_rules
	sleep 0.05
done &
tbfd --measure 2 --service mdt >"$dir/rates" || fail "--measure of metadata"
rm "$dir/load"
wait
FAKE_LCTL=$dir/server
grep -q '^RATES="--rate [1-9][0-9]*"$' "$dir/rates" &&
	! grep -q MB/s "$dir/rates" || fail "rates: $(cat "$dir/rates")"

# Killed, its guard cleans up.
start
until_true 20 has_rules || fail "no rules again"
stop KILL
until_true 20 no_rules || fail "rules after KILL: $(rules)"

# A new daemon that comes before the guard has cleaned up keeps its rules; and
# it is alone.
start
until_true 20 has_rules || fail "no rules before the guard is late"
until_true 20 find_guard || fail "no guard"
kill -STOP "$guard"
stop KILL
start
until_true 20 has_rules || fail "no rules beside a guard: $(cat "$dir/log")"
kill -CONT "$guard"
until_true 20 grep -q "left alone: another .*(process $daemon)" "$dir/log" ||
	fail "the guard: $(cat "$dir/log")"
until_true 20 has_rules || fail "a guard has stopped the next daemon's rules: $(rules)"
tbfd --rate 1000 --once >"$dir/out" 2>&1 && fail "two daemons"
grep -q "another sluice-tbfd runs here (process $daemon)" "$dir/out" ||
	fail "two daemons: $(cat "$dir/out")"
tbfd --clean >"$dir/out" 2>&1 && fail "--clean beside a daemon"
grep -q "another sluice-tbfd runs here (process $daemon)" "$dir/out" ||
	fail "--clean: $(cat "$dir/out")"
until_true 20 has_rules || fail "--clean has stopped a daemon's rules: $(rules)"
tbfd --clean --dry-run >"$dir/out" 2>&1 || fail "--clean --dry-run"
grep -qx 'nrs_tbf_rule=stop slu_4711' "$dir/out" ||
	fail "--clean --dry-run: $(cat "$dir/out")"
until_true 20 has_rules || fail "a dry run has stopped rules: $(rules)"
stop TERM

# Guard and all killed: --clean, as the unit does, or the next start.
start --exempt uid=0 --nodes-from 'echo 4711 4'
until_true 20 has_rules || fail "no rules with uid: $(rules; cat "$dir/log")"
rules | grep '^sl' | head -1 | grep -q '^slx_0 uid={0} 999999' || fail "$(rules)"
# shellcheck disable=SC2046
kill -9 $(pgrep -P "$daemon") 2>/dev/null
stop KILL
# with the unit's OPTIONS, without the --rate of tbfd.rates
tbfd --clean --target-rate fs-OST0001=2GB/s 2>>"$dir/log" || fail "--clean"
no_rules || fail "rules after --clean: $(rules)"

tbfd status | grep -q '^No sluice-tbfd is running' || fail "status: $(tbfd status)"

# Records are still known; what is wrong is said.
grep -q '"job":"4711"' "$dir/state.json" || fail "no state"
tbfd nodes --publish "$dir/none" 2>"$dir/out" && fail "nodes of nobody"
grep -q none "$dir/out" || fail "nodes: $(cat "$dir/out")"
# What it measures are options, as the unit reads them.
tbfd --measure 1 >"$dir/out" 2>&1 && fail "--measure without load"
grep -q 'nothing was served' "$dir/out" || fail "measure: $(cat "$dir/out")"
: >"$dir/load"
while [ -e "$dir/load" ]; do
	lctl fake rpcs fs-OST0000 4711 500 0 1048576
	lctl fake rpcs fs-OST0001 4711 250 0 1048576
	sleep 0.05
done &
tbfd --measure 2 >"$dir/rates" || fail "--measure"
rm "$dir/load"
wait
grep -q '^# fs-OST0000 [1-9]' "$dir/rates" || fail "measure: $(cat "$dir/rates")"
# shellcheck disable=SC1091
RATES='' && . "$dir/rates"
[[ $RATES =~ ^--rate\ [1-9][0-9]+\ --target-rate\ fs-OST0001=[1-9][0-9]+$ ]] ||
	fail "rates: $(cat "$dir/rates")"
in_bytes='^# RATES="--rate [1-9][0-9]*MB/s --target-rate fs-OST0001=[1-9][0-9]*MB/s"$'
grep -q "$in_bytes" "$dir/rates" || fail "rates: $(cat "$dir/rates")"
eval "$(sed -n 's/^# RATES=/BYTES=/p' "$dir/rates")"
for options in "$RATES" "$BYTES"; do
	# shellcheck disable=SC2086
	tbfd $options --once --dry-run --period 0.1 --state "$dir/none" \
		>"$dir/out" 2>&1 || fail "$options: $(cat "$dir/out")"
done
for bad in '' '--rate 0' '--rate x' '--rate 1 --exempt gid=3' \
	'--rate 1 --exempt uid=010' '--rate 1 --exempt jobid=c?8' \
	'--rate 1 --target-rate OST' '--rate 2GB' '--rate 2G/s' '--rate B/s' \
	'--rate 2Gb/s' '--rate 2gb/s' '--rate 60KB/s' '--rate 2GB/s --target-rate OST=900' \
	'--rate 900 --target-rate OST=2GB/s' '--rate 1 --class user' \
	'--rate 1 --class uid --exempt jobid=x' \
	'--rate 1 --class gid --exempt uid=0' \
	"--rate 1 --class uid --nodes-from sluiced --publish $dir/none" \
	'--rate 2GB/s --service mdt' '--rate 1 --service ldlm_canceld' \
	'--rate 1 --service mdt_readpage' '--rate 1 word' '--wrong' nodes \
	'--rate 1 --nodes-from sluiced'; do
	# shellcheck disable=SC2086
	tbfd $bad >"$dir/out" 2>&1
	[ $? = 2 ] || fail "\"$bad\": $(cat "$dir/out")"
done
# Whose jobs they are: of running ones, as pending ones would count as well.
tbfd --rate 1 --class uid --nodes-from sluiced --publish "$dir/none" \
	2>&1 | grep -q 'squeue -h -t R,CG -o "%A %D %U"' ||
	fail "no word of whose table to take"
# --once waits for the table of nodes, and fails with it.
cat >"$dir/slow" <<-END
	#!/bin/sh
	sleep 1
	echo 4712 9
	exit \$1
END
chmod +x "$dir/slow"
once() { # EXIT-CODE-OF-THE-TABLE
	for _ in {1..20}; do
		sleep 0.1
		lctl fake rpcs fs-OST0000 4711 5000 0 1
		lctl fake rpcs fs-OST0000 4712 5000 0 1
	done &
	tbfd --rate 1000 --once --dry-run --period 0.6 --state "$dir/none" \
		--nodes-from "$dir/slow $1" >"$dir/out" 2>&1
}
lctl fake rpcs fs-OST0000 4712 1 0 1
once 0 || fail "--once with a table: $(cat "$dir/out")"
grep -q 'start slu_4712 .* rate=12[0-9][0-9] ' "$dir/out" ||
	fail "--once does not wait for the table: $(cat "$dir/out")"
once 3 && fail "--once without its table"
wait

# In bytes: the rule of a job whose RPCs have a 64th of the other's size lets
# through 64 times as many, to what of a whole RPC is rounded up.
for _ in {1..20}; do
	sleep 0.1
	lctl fake rpcs fs-OST0000 4711 500 0 1048576
	lctl fake rpcs fs-OST0000 4712 50000 0 16384
done &
tbfd --rate 400MB/s --once --dry-run --period 0.6 --state "$dir/none" \
	>"$dir/out" 2>&1 || fail "--rate 400MB/s: $(cat "$dir/out")"
wait
rate_of() {
	sed -n "s/.*start slu_$1 .* rate=\([0-9]*\) .*/\1/p" "$dir/out"
}
[ "$(rate_of 4711)" -gt 100 ] &&
	[ "$(rate_of 4712)" -gt $((60 * $(rate_of 4711))) ] &&
	[ "$(rate_of 4712)" -le $((64 * $(rate_of 4711))) ] ||
	fail "--rate 400MB/s: $(cat "$dir/out")"
cat >"$dir/bytes" <<-END
	{"unit": "bytes", "targets": [{"rate": 2e9}], "jobs": [{"job": "4711",
	"state": "lends", "nodes": 4, "served": 1.5e6, "limit": 3e6,
	"record": -1048576, "rpc_bytes": 65536}]}
END
tbfd status --state "$dir/bytes" >"$dir/out" || fail "status in bytes"
grep -q '2 GB/s, 1.5 MB/s served' "$dir/out" &&
	grep -q '4711 *lends *4 *1.5 MB/s *3 MB/s *-1MiB *64KiB' "$dir/out" ||
	fail "status in bytes: $(cat "$dir/out")"

# An lctl that hangs: a daemon that is told to stop does.
cat >"$dir/hangs" <<-END
	#!/bin/sh
	case "\$1" in set_param) [ ! -e $dir/broken ] || sleep 60 ;; esac
	exec $bin/tests/fakes/fake_lctl "\$@"
END
chmod +x "$dir/hangs"
start --lctl "$dir/hangs"
until_true 20 has_rules || fail "no rules: $(rules; cat "$dir/log")"
: >"$dir/broken"
kill -TERM "$daemon"
SECONDS=0
wait "$daemon"
[ $SECONDS -lt 25 ] || fail "TERM took $SECONDS s"
daemon=''
rm "$dir/broken"
# Its guard may hang in an lctl of before, for 10 s.
until_true 20 tbfd --clean 2>>"$dir/log" ||
	fail "--clean after an lctl that hung: $(tail -3 "$dir/log")"

# An lctl that says nothing.
for way in --once '--once --dry-run' --clean; do
	# shellcheck disable=SC2086
	tbfd --lctl /bin/true --rate 1 --period 0.01 $way >"$dir/out" 2>&1
	[ $? = 1 ] && grep -q '/bin/true: no ' "$dir/out" ||
		fail "silent lctl, $way: $(cat "$dir/out")"
done
# A server whose targets are elsewhere now: that is said once, not each period.
cat >"$dir/gone" <<-END
	#!/bin/sh
	echo >>$dir/asked
	echo "\$2: No such file or directory" >&2
	exit 2
END
chmod +x "$dir/gone"
: >"$dir/asked"
"$bin/select_io/tbfd/sluice-tbfd" --lctl "$dir/gone" --state "$dir/none" \
	--rate 1 --period 0.01 --linger 0 --resync 0 --dry-run \
	>"$dir/out" 2>&1 &
daemon=$!
asked() {
	[ "$(wc -l <"$dir/asked")" -gt 30 ]
}
until_true 60 asked || fail "nobody asks"
stop TERM
[ "$(grep -c 'No such file' "$dir/out")" = 2 ] ||
	fail "it says again what it has said: $(cat "$dir/out")"
# Without a rate it only publishes.
tbfd --publish "$dir/none" >"$dir/out" 2>&1
[ $? = 1 ] && grep -q "$dir/none" "$dir/out" || fail "$(cat "$dir/out")"
exit $failed
