#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sluice-lustre-check on a small Lustre that is none (fake_lustre): all is as it
# says; and of each thing that is wrong with it, one line says so.
. "$(dirname "$0")/lib.sh"
FAKES=${FAKES:-$TOP/build-test/plain/tests/fakes}
FAKE=$PFS/fake
[ -x "$FAKES/fake_lctl" ] || skip_all "no fake Lustre is built"

make_fake() {
	mkdir -p "$FAKE/bin" "$PFS/lustre"
	cp "$TOP"/tests/fakes/{fake_lustre,fake_lfs} "$FAKES/fake_lctl" \
		"$FAKES/.libs/fake_lustre_client.so" "$FAKE/bin/"
	chmod 755 "$FAKE"/bin/*
	on_fake /pfs/fake/bin/fake_lustre make /pfs/fake/lustre
}

on_fake() { # COMMAND...
	LIMIT=${LIMIT:-300} on ctl env FAKE_DIR=/pfs/fake/lustre FAKE_LUSTRE=/pfs/lustre \
		FAKE_LUSTRE_LOG=/pfs/fake/log SLUICE_CHECK_PATIENCE=60 bash -c \
		'PATH=/pfs/fake/lustre/bin:$PATH && exec "$@"' bash "$@"
}

# With that fault, or none; what it prints is in $FAKE/out.
look() { # FAULT OPTION...
	local fault=$1
	shift
	rm -f "$FAKE/lustre/cleaned"
	on_fake env FAKE_FAULT="$fault" sluice-lustre-check "$@" /pfs/lustre \
		>"$FAKE/out" 2>&1
	echo $? >"$FAKE/rc"
}

# One line has failed, which is as the pattern says, and nothing is left.
finds() { # PATTERN
	[ "$(cat "$FAKE/rc")" = 1 ] && [ "$(grep -c '^fail ' "$FAKE/out")" = 1 ] &&
		grep -qE "^fail  $1" "$FAKE/out" && as_before && return
	note "exit code $(cat "$FAKE/rc"): $(grep -v '^pass' "$FAKE/out")"
	return 1
}

all_pass() {
	[ "$(cat "$FAKE/rc")" = 0 ] && tail -n 1 "$FAKE/out" |
		grep -qE "^[0-9]{2} passed, 0 failed, ${1:-0} skipped" && return
	note "exit code $(cat "$FAKE/rc"): $(grep -v '^pass' "$FAKE/out")"
	return 1
}

parameters() {
	(cd "$FAKE/lustre/tree" && find . -type f ! -name 'job_stats*' ! -path './proc/*' \
		-exec grep -H . {} + | sort)
}

as_before() {
	on_fake lctl dl >/dev/null # sees that files are gone
	[ "$(parameters)" = "$BEFORE" ] && [ -z "$(ls "$PFS/lustre")" ] &&
		! on_fake lctl get_param ost.OSS.ost_io.nrs_tbf_rule 2>/dev/null |
			grep -q . && return
	note "left: $(ls "$PFS/lustre") $(diff <(echo "$BEFORE") <(parameters))"
	return 1
}

targets_known() {
	on ctl sysquery osts 2>/dev/null | grep -q fake-OST0003
}

# The option is told, nothing else happens.
test_refusals() {
	local out
	out=$(on_fake sluice-lustre-check /pfs 2>&1)
	check "a directory that is not on Lustre is refused" matches "$out" \
		'^sluice-lustre-check: /pfs is not on Lustre$'
	out=$(on_fake setpriv --reuid=nobody sluice-lustre-check /pfs/lustre 2>&1)
	check "others than root are refused" matches "$out" 'must run as root'
	out=$(on_fake sluice-lustre-check --dry-run --write /pfs/lustre)
	check "--dry-run says what would be changed" matches "$out" \
		'^placement +set osp.fake-OST0003-osc-MDT0000.max_create_count=0 and back'
	check "--dry-run changes nothing" as_before
}

test_all() {
	look ''
	check "without --write all but what changes settings is looked at" all_pass 3
	look '' --write
	cp "$FAKE/out" "$LOGS/lustre-check.out"
	check "on a right Lustre all passes" all_pass
	check "nothing stays changed" as_before
	look '' --part extractors --json
	check "as JSON the same" matches "$(python3 -c '
import json, sys
a = json.load(open(sys.argv[1]))
print(a["schema"], len(a["checks"]) == a["passed"] > 10, a["failed"])' \
		"$FAKE/out" 2>&1)" '^sluice.lustre-check True 0$'
}

test_faults() {
	look stat --part extractors
	check "a wrong value of a counter" finds \
		'extractors  lustrestats fake-OST0002: read_bytes .sluice: 2101250; lustre: 2101251.$'
	look layout --part layouts
	check "a layout that is not taken" finds \
		'layouts     -c 64 -S 1M: read back differs .sluice: EOF 64 1048576; lustre: EOF 3 1048576.$'
	look migrate --part files
	check "a lfs migrate that does nothing" finds \
		'files       stripe check finds nothing then'
	look rule --part daemon --write
	check "a rule that is left behind" finds \
		'daemon      told to stop: .* lustre: policy tbf jobid, slu_'
	look bytes --part rates --write
	check "more bytes than --rate says" finds \
		'rates       --rate 8MB/s: no more passes in 10 s: in [0-9]+ ms'
	look placed --part placement --write
	check "a file on a drained target" finds \
		'placement   drained fake-OST0003: none of 64 files'
}

extends() { # sysquery knows how little room there is
	on ctl sysquery stripe explain --table --fsname fake --access random \
		2>/dev/null | grep -q -- ' -z '
}

# Where a target is nearly full, files of unknown size go on elsewhere.
test_unequal() {
	local avail=$FAKE/lustre/tree/sys/fs/lustre/obdfilter/fake-OST0003/kbytesavail
	local was
	was=$(cat "$avail")
	echo 100000 >"$avail"
	check_within 40 "with a target nearly full layouts extend themselves" extends
	look '' --part layouts
	echo "$was" >"$avail"
	check "such layouts read back as they were made" all_pass
	check "they are among those that are looked at" \
		grep -q '^pass  layouts  .* -z 512M ' "$FAKE/out"
	check "and those on the metadata target" \
		grep -q '^pass  layouts  .* -L mdt ' "$FAKE/out"
}

# Killed between a change and its end.
test_kill() {
	local closed=$FAKE/lustre/tree/sys/fs/lustre/osp/fake-OST0003-osc-MDT0000/max_create_count
	local signal looker
	for signal in TERM KILL; do
		look '' --part placement --write &
		looker=$!
		wait_for 60 grep -qx 0 "$closed"
		on ctl pkill -"$signal" -o -f 'bin/sluice-lustre-check '
		wait $looker
		check_within 20 "after SIG$signal all is as before" as_before
	done
}

cluster_up --nodes 1 --ions 0 --disk 1G
make_fake
BEFORE=$(parameters)
LIMIT=1800 on ctl sluice-tbfd --publish /etc/slurm/sluice.conf \
	--root /pfs/fake/lustre/tree >"$FAKE/publisher.log" 2>&1 &
test_refusals
check_within 40 "the fake Lustre's targets are known" targets_known
test_all
test_unequal
test_faults
test_kill
finish
