#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The quick ones of the programs that others wrote (tests/apps), on two nodes:
# on the default file system and on the control.
. "$(dirname "$0")/lib.sh"
RESULTS=$LOGS/apps/results

as_known() { # VERDICT RESULT WANTED WHY
	[ "$1" = expected ] || { note "$2, not $3: $4" && false; }
}

# What is known and what is not, of a table of this test's own.
test_judge() {
	local APPS=$LOGS/judge
	. "$TOP/tests/apps/report.sh"
	mkdir -p "$APPS"
	printf '%s\t%s\t%s\t%s\twhy\n' >"$APPS/limits" \
		fs 'bad-*' '[24]' wrong fs odd '*' maybe '*' slow 4 hung
	check "results are compared with the known limits, in both directions" equal "$(
		for line in 'good ok' 'good wrong' 'bad-1 wrong' 'bad-1 ok' \
			'bad-1 hung' 'odd ok' 'odd wrong' 'odd hung' 'slow ok' \
			'slow hung' 'good skipped' 'good refused'; do
			tr ' ' '\t' <<<"$line 1 1 so"
		done | judge fs 2 | cut -f 10 | cut -c 1-2 | paste -sd ' ')" \
		"ex un ex un un ex ex un ex un sk un"
}

# Suites of others in parts, made here: what is right, wrong, wrong on a plain
# directory as well, not whole, for another system, of another user.
fake_suites() { # DIR
	local name
	mkdir -p "$1"/{pjd/tests/t,ltp/runtest,ltp/testcases/bin,tried,control}
	while IFS='|' read -r name text; do
		echo "$text" >"$1/pjd/tests/t/$name.t"
	done <<-'EOT'
		good|echo 1..2; echo ok 1; echo ok 2
		bad|[ "${PWD%control/*}" = "$PWD" ] && not=not; printf '%s\n' 1..2 'ok 1' "$not ok 2 - tried it"
		both|printf '%s\n' 1..2 'ok 1' 'not ok 2 - tried it'
		died|echo 1..2; echo ok 1
		other|echo 1..1; echo ok 1
	EOT
	touch "$1"/ltp/runtest/{syscalls,ltp-aiodio.part3}
	cat >"$1/ltp/runtest/fs" <<-'EOT'
		good01 test -d $TMPDIR
		bad01 test ${TMPDIR#*/tried/} = $TMPDIR
		bad02 test ${TMPDIR#*/tried/} = $TMPDIR
		both01 false
		conf01 exit 32
		gone01 nothing-of-that-name
		slow01 sh -c 'exit $(($2 - 5))' sh -L 30
	EOT
}

parts() { # DIR SUITE PATTERN: names and results
	(cd "$1/tried" && PJDFSTEST=$1/pjd LTP=$1/ltp CONTROL=$1/control \
		"$TOP/tests/apps/parts" "$2" "$3" 2>/dev/null) | sort |
		awk -F '\t' '{ print $2, $3 }' | paste -sd ' '
}

test_parts() {
	local dir
	dir=$(mktemp -d)
	fake_suites "$dir"
	check "pjdfstest: checks that also fail on a plain directory are no failures" \
		equal \
		"$(parts "$dir" pjdfstest 't/.*')" \
		"t/bad wrong t/both ok t/died wrong t/good ok t/other skipped"
	check "ltp: checks that also fail on a plain directory are no failures" equal \
		"$(parts "$dir" ltp '(good|bad|both|conf|gone|slow)0.')" \
		"bad01 wrong bad02 wrong both01 skipped conf01 skipped gone01 skipped good01 ok slow01 ok"
	check "ltp: only the parts that match the pattern run" equal \
		"$(parts "$dir" ltp bad01)" "bad01 wrong"
	check "ltp: the parts leave no files" \
		equal "$(ls -A "$dir/tried" "$dir/control")" \
		"$(printf '%s:\n\n%s:' "$dir/control" "$dir/tried")"
	rm -rf "$dir"
}

# Of a table of results with parts.
test_matrix() {
	local OUT=$LOGS/judge
	. "$TOP/tests/apps/report.sh"
	printf '%s\tfs\t%s\t%s\t1\t1\tso\tok\t-\t%s\n' \
		s 1 ok expected s/a 1 ok expected s/b 1 wrong expected \
		s/c 1 skipped skipped s 2 ok expected s/a 2 wrong unexpected \
		t 1 ok expected >"$OUT/results"
	check "a program's result is that of its worst part" equal \
		"$(matrix | tr -s ' ' | paste -sd ,)" \
		"program fs,s 1:n 2:n!,t 1:y"
	check "the matrix counts parts that are right, wrong and not run" \
		equal "$(parts_counted | paste -sd ';')" \
		"s, fs, 1 nodes: 1 parts right, 1 not, 1 not run;s, fs, 2 nodes: 0 parts right, 1 not, 0 not run"
}

test_judge
test_parts
test_matrix
command -v mpicc.openmpi >/dev/null || {
	check "programs # SKIP no mpicc.openmpi" true
	finish
}
CLUSTER=$CLUSTER "$TOP/tests/apps/run" --quick --nodes 2 --fs glusterfs,directory \
	--out "$LOGS/apps" 2>&1 | sed 's/^/# /'
while IFS=$'\t' read -r program fs nodes result _ _ why wanted _ verdict; do
	if [ "$verdict" = skipped ]; then
		check "$program on $fs # SKIP $why" true
	else
		check "$program on $fs, $nodes nodes" as_known "$verdict" \
			"$result" "$wanted" "$why"
	fi
done <"$RESULTS"
check "every program has a result on every file system" equal "$(wc -l <"$RESULTS")" \
	$((2 * $("$TOP/tests/apps/run" --quick --nodes 2 --list | wc -l)))
finish
