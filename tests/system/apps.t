#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The quick ones of the programs that others wrote (tests/apps), on two nodes:
# on the default file system and on the control.
. "$(dirname "$0")/lib.sh"
RESULTS=$LOGS/apps/results

as_known() { # VERDICT RESULT WANTED WHY
	[ "$1" = expected ] || { note "$2, not $3: $4" && false; }
}

command -v mpicc.openmpi >/dev/null || skip_all "no mpicc.openmpi"
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
