#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every answer of every command is what its schema says, by a validator that is
# not ours: those of the resource map from a database, the others as test_show
# has them. Run in the build directory.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sysquery=$PWD/sysquery/sysquery sysmap=$PWD/sysmap/sysmap
failed=0
python3 -c 'import jsonschema' 2>/dev/null || {
	echo "skipped: there is no python3-jsonschema"
	exit 77
}
validate() { # FILE...
	python3 "${srcdir:-.}/tests/unit/sysquery/validate.py" "$dir/schema" "$@"
}

mkdir "$dir/schema" "$dir/answers"
"$sysquery" schema -o schema | sed 1d | sort >"$dir/names"
while read -r name; do
	"$sysquery" schema "$name" >"$dir/schema/sluice.$name.json" || failed=1
done <"$dir/names"

# the answers of sluiced
[ ! -x tests/unit/sysquery/test_show ] ||
	SLUICE_ANSWERS=$dir/answers tests/unit/sysquery/test_show >"$dir/log" 2>&1 || {
	cat "$dir/log"
	failed=1
}

# and those that a database gives
db=$dir/a.db
"$sysmap" --host n1 --db "$db" >/dev/null 2>&1
mkdir -p "$dir/m/proc"
for kib in 1 2; do
	echo "MemTotal: $kib kB" >"$dir/m/proc/meminfo"
	"$sysmap" --root "$dir/m" --host n2 --db "$db" -e memoryinfo || failed=1
done
echo 'NodeName=n[1-2] RealMemory=9999999 CPUs=77' >"$dir/slurm.conf"
n=0
answer() { # ARGUMENT...
	n=$((n + 1))
	SLURM_CONF=$dir/slurm.conf "$sysquery" -f "$db" "$@" \
		>"$dir/answers/db$n" 2>"$dir/log"
	case $? in
	0 | 5) ;;
	*)
		echo "$*: $(cat "$dir/log")"
		failed=1
		;;
	esac
}
answer resources
answer resources --where 'memory > 0'
answer resources --explain n1
answer hosts
answer extractors
answer sql
answer sql 'SELECT host, TotalMemory FROM v_memoryinfo'
answer history n2
answer diff n1 n2
answer diff n2 --since 1d
answer check
answer dump
answer check-integrity
answer backtest
answer page --json
"$sysquery" schema >"$dir/answers/schemas"
echo '1 2 3' >"$dir/log.swf" # in which is no job
"$sysquery" import swf "$dir/log.swf" >"$dir/answers/import" 2>/dev/null

validate "$dir"/answers/* >"$dir/valid" || failed=1
# An answer that nobody has validated would be forgotten; the summary of hosts
# has no JSON but that of resources, and doctor looks at daemons.
sort -u "$dir/valid" | sed 's/^sluice\.//' | comm -13 - "$dir/names" |
	grep -vE '^(summary|doctor)$' >"$dir/missing" && {
	echo "no answer has been validated: $(tr '\n' ' ' <"$dir/missing")"
	failed=1
}

# The validator finds what is wrong.
echo '{"schema":"sluice.hosts","version":1,"hosts":[{"host":7}]}' >"$dir/bad"
validate "$dir/bad" >/dev/null 2>&1 && {
	echo "a number for a name passes"
	failed=1
}
exit $failed
