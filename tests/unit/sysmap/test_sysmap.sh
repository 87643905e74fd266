#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The sysmap command, on this machine and on a recorded one.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sysmap=$PWD/sysmap/sysmap
failed=0

want() { # TEXT STATUS PATTERN COMMAND...: in what it says; '' is silence
	local text=$1 status=$2 pattern=$3 got
	shift 3
	"$@" >"$dir/out" 2>&1
	got=$?
	[ $got = "$status" ] && case $pattern in
	'') [ ! -s "$dir/out" ] ;;
	*) grep -q -- "$pattern" "$dir/out" ;;
	esac && return
	echo "$text: status $got: $(head -c 500 "$dir/out")"
	failed=1
}

mkdir -p "$dir/m/proc/sys/kernel" "$dir/m/sys/class/block" "$dir/empty"
echo 'MemTotal: 16 kB' >"$dir/m/proc/meminfo"
echo "it's.a.test" >"$dir/m/proc/sys/kernel/hostname"
root="--root $dir/m"

# shellcheck disable=SC2086
{
	want 'this machine' 0 '"cpuinfo":{"CoreCount":[1-9]' "$sysmap"
	want 'list' 0 '^    linux/mounts  *not needed' "$sysmap" -l
	want 'list says why' 0 'not here: .*mountinfo' "$sysmap" -l $root
	want 'list of one' 0 '^    hwloc  *not needed' "$sysmap" -l cpuinfo
	want 'list of none' 2 'did you mean disks?' "$sysmap" -l diskz
	want 'list asks no fabric' 0 '^    only when it is named' "$sysmap" -l
	want 'recorded' 0 '^{"memoryinfo":{"TotalMemory":16384,.*}}$' \
		"$sysmap" $root -e memoryinfo
	want 'several names' 0 '^{"disks":\[\],"memoryinfo":{.*}}$' \
		"$sysmap" $root -e memoryinfo,mountpoints disks
	want 'format of the original' 0 '^{"disks"' "$sysmap" $root -f JSON
	want 'table' 0 '^TotalMemory  16384$' "$sysmap" $root -f table
	want 'sql' 0 "VALUES ('it''s')" "$sysmap" $root -f sql --host "it's"
	want 'to a file' 0 '' "$sysmap" $root -o "$dir/file"
	want 'the file' 0 '^{"disks"' cat "$dir/file"
	want 'no format' 2 'no format toml' "$sysmap" -f toml
	want 'yaml' 0 '^  TotalMemory: 16384$' "$sysmap" $root -f yaml
	want 'xml' 0 '^    <TotalMemory>16384</TotalMemory>$' \
		"$sysmap" $root -f xml
	want 'measured nowhere' 2 'recorded machine cannot be measured' \
		"$sysmap" $root --measure
	want 'measured too little' 2 'no size: x' \
		"$sysmap" --measure-bytes x
	want 'measured for ever' 2 'no number of seconds up to 3600' \
		"$sysmap" --measure-seconds 1e9
	want 'measured on no disk' 1 '/proc: ' "$sysmap" --measure=/proc
	want 'no extractor' 2 'did you mean disks?' "$sysmap" -e diskz
	want 'no option' 2 '^sysmap: unknown option --nonsense (see' \
		"$sysmap" --nonsense
	want 'no letter' 2 '^sysmap: unknown option -x (see' "$sysmap" -xl
	want 'no value' 2 '^sysmap: --host needs a value (see' \
		"$sysmap" --host
	want 'too many' 2 'too many extractors' \
		"$sysmap" -e "$(seq -s, 129)"
	want 'help, full' 1 'standard output: No space' \
		bash -c "$sysmap --help >/dev/full"
	want 'no root' 1 'No such file' "$sysmap" --root "$dir/none"
	want 'no directory' 1 'No such file' "$sysmap" -o "$dir/none/file"
	want 'full' 1 'No space left' "$sysmap" -o /dev/full
	want 'no name' 2 'say --host' "$sysmap" --root "$dir/empty" --db x
	want 'database' 0 '' "$sysmap" $root --db "$dir/a.db" --host n1
	want 'again' 0 '' "$sysmap" $root --db "$dir/a.db" --host n1
	want 'no configuration' 1 "$dir/none.conf" \
		env SLUICE_CONF="$dir/none.conf" "$sysmap" --push
}

# topology.conf is looked for beside slurm.conf.
mkdir "$dir/slurm"
echo 'SwitchName=leaf7 Nodes=n[1-3]' >"$dir/slurm/topology.conf"
echo '# empty' >"$dir/slurm/slurm.conf"
want 'topology.conf' 0 '"switch":"leaf7",.*"hosts":"n\[1-3\]"' \
	env SLURM_CONF="$dir/slurm/slurm.conf" "$sysmap" -e topology
(cd "$dir/slurm" && want 'topology.conf, here' 0 '"switch":"leaf7"' \
	env SLURM_CONF=slurm.conf "$sysmap" -e topology && exit $failed) ||
	failed=1
want 'topology.conf of a record' 0 '^{}$' \
	env SLURM_CONF="$dir/slurm/slurm.conf" "$sysmap" --root "$dir/m" -e topology

mkdir "$dir/sluice"
echo 'SwitchName=leaf8 Nodes=n1' >"$dir/sluice/topology.conf"
want 'topology.conf without slurm.conf' 1 '' \
	bash -c "env -u SLURM_CONF SLUICE_CONF=$dir/sluice/sluice.conf \
		$sysmap -e topology | grep leaf8"
want 'list, full' 1 'standard output: No space' \
	bash -c "$sysmap -l >/dev/full"

# A trial of 2 MiB keeps its limit, and leaves nothing.
mkdir "$dir/trial"
"$sysmap" -e storagespeed --measure="$dir/trial" --measure-bytes 2MiB \
	--measure-seconds 2 >"$dir/measured" 2>&1
if ! grep -q 'does no direct I/O' "$dir/measured"; then
	want 'measured' 0 '"bytes":2097152,.*"limit_seconds":2' cat "$dir/measured"
fi
[ -z "$(ls -A "$dir/trial")" ] || {
	echo "measuring left something"
	failed=1
}

# What is printed is of its format, also of this machine.
"$sysmap" -f xml | python3 -c 'import sys, xml.dom.minidom
xml.dom.minidom.parse(sys.stdin)' || failed=1
if python3 -c 'import yaml' 2>/dev/null; then
	"$sysmap" -e cpuinfo,disks,kernelinfo -f yaml >"$dir/a.yaml"
	"$sysmap" -e cpuinfo,disks,kernelinfo |
		python3 -c 'import json, sys, yaml
assert yaml.safe_load(open(sys.argv[1])) == json.load(sys.stdin)' \
			"$dir/a.yaml" || failed=1
fi
"$sysmap" | tr -d '\n' | python3 -c 'import json,sys; json.load(sys.stdin)' ||
	failed=1

# What -f sql says gives the same map as --db, also a second time.
if command -v sqlite3 >/dev/null; then
	for _ in 1 2; do
		"$sysmap" --root "$dir/m" -f sql --host n1 |
			sqlite3 "$dir/sql.db" || failed=1
	done
	question='SELECT Hostname, Name, Data FROM Hosttable JOIN Host2Data
		USING (HostID) JOIN Datatable USING (DID) JOIN Extractortable
		USING (EID) WHERE length(rtrim(Data)) > 2 ORDER BY Name'
	a=$(sqlite3 "$dir/a.db" "$question") b=$(sqlite3 "$dir/sql.db" "$question")
	[ -n "$a" ] && [ "$a" = "$b" ] || {
		echo "sql and db differ: $a: $b"
		failed=1
	}
fi
exit $failed
