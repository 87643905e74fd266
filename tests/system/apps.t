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
	check "what is not as known is noticed, both ways" equal "$(
		for line in 'good ok' 'good wrong' 'bad-1 wrong' 'bad-1 ok' \
			'bad-1 hung' 'odd ok' 'odd wrong' 'odd hung' 'slow ok' \
			'slow hung' 'good skipped' 'good refused'; do
			tr ' ' '\t' <<<"$line 1 1 so"
		done | judge fs 2 | cut -f 10 | cut -c 1-2 | paste -sd ' ')" \
		"ex un ex un un ex ex un ex un sk un"
}

test_judge
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
check "none was forgotten" equal "$(wc -l <"$RESULTS")" \
	$((2 * $("$TOP/tests/apps/run" --quick --nodes 2 --list | wc -l)))
finish
