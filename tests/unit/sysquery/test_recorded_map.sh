#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The map of a small cluster of recorded machines (hwloc's tests, in
# $SLUICE_DATA/topology/linux-roots), and what an administrator would ask it.
set -u
data=${SLUICE_DATA:-${srcdir:-.}/../shared/data}/topology/linux-roots
[ -d "$data" ] || {
	echo "no recorded machines in $data: skipped"
	exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
db=$dir/a.db failed=0

want() { # TEXT OUTPUT OPERAND...: what sysquery says
	local text=$1 output=$2 got
	shift 2
	got=$(sysquery/sysquery -f "$db" --json=0 "$@" 2>&1)
	[ "$got" = "$output" ] && return
	echo "$text: $got"
	failed=1
}

add() { # NAME ARCHIVE DIRECTORY
	tar -xjf "$data/$2.tar.bz2" -C "$dir" --no-same-owner &&
		sysmap/sysmap --root "$dir/$3" --host "$1" --db "$db" ||
		failed=1
}
add arm 128arm-2pa2n8cluster4co 128arm-2pa2n8cluster4co
add amd 16amd64-8n2c 16amd64-8n2c
add old1 32em64t-2n8c+dax+nvme+mic+dimms 32em64t-2n8c+1mic
add old2 32em64t-2n8c+dax+nvme+mic+dimms 32em64t-2n8c+1mic
add fat 40intel64-2g2n4c+pcilocality 40intel64-2g2n4c+pci

# Nodes under a recorded fabric, made of the machine with an NVMe and an HCA on
# NUMA node 1: with 2 TB there, with 2 TB on the other node, and as it was.
node() { # NAME NUMA_NODE SECTORS
	local nvme=$dir/32em64t-2n8c+1mic/sys/devices/pci0000:00/0000:00:02.0
	chmod u+w "$nvme/numa_node" "$nvme/block/nvme0n1/size"
	echo "$2" >"$nvme/numa_node"
	echo "$3" >"$nvme/block/nvme0n1/size"
	sysmap/sysmap --root "$dir/32em64t-2n8c+1mic" --host "$1" --db "$db" ||
		failed=1
}
mkdir -p "$dir/fabric/var/lib/sluice"
cp "$data/../ibnetdiscover-ndr.out" "$dir/fabric/var/lib/sluice/ibnetdiscover"
sysmap/sysmap --root "$dir/fabric" --host admin --db "$db" -e topology ||
	failed=1
node a08-p1-dgx-04-c01 1 3907029168
node a08-p1-dgx-04-c02 0 3907029168
node a08-p1-dgx-04-c03 -1 781422768
nvme='SELECT host, sum(size_bytes) AS bytes FROM v_nvme
	WHERE (host, numa_node) IN (SELECT host, numa_node FROM v_infiniband)
	GROUP BY host HAVING bytes >= 1TiB'
leaf="host IN (SELECT host FROM v_leaf WHERE switch LIKE '%IBLEAF-04-04%')"

want '1 TiB of NVMe beside the HCA' \
	'[{"host":"a08-p1-dgx-04-c01","bytes":2000398934016}]' sql "$nvme"
want 'under one switch' \
	'[{"host":"a08-p1-dgx-04-c01"},{"host":"a08-p1-dgx-04-c02"},{"host":"a08-p1-dgx-04-c03"}]' \
	sql "SELECT host FROM v_summary WHERE $leaf ORDER BY host"
want 'another BIOS than most' \
	'[{"host":"arm","BiosVersion":"0.86"},{"host":"fat","BiosVersion":"2.5.0"}]' \
	sql 'SELECT host, BiosVersion FROM v_machineinfo WHERE BiosVersion <>
	(SELECT BiosVersion FROM v_machineinfo GROUP BY 1
	ORDER BY count(*) DESC LIMIT 1) ORDER BY host'
want 'a disk of more than a tebibyte' '[{"host":"fat","name":"sda"}]' \
	sql 'SELECT host, name FROM v_disks WHERE size_bytes > 1TiB'
want 'many cores' '[{"host":"arm","cores":128},{"host":"fat","cores":40}]' \
	sql 'SELECT host, cores FROM v_summary WHERE cores >= 40 ORDER BY host'
want 'two machines that are the same' '[]' diff old1 old2 -e disks cpuinfo

printf '%s\n' 'NodeName=fat Sockets=4 CoresPerSocket=10 RealMemory=520000' \
	'NodeName=old[1-2] CPUs=16' 'NodeName=amd,arm CPUs=16' >"$dir/slurm.conf"
sysquery/sysquery -f "$db" check "$dir/slurm.conf" >"$dir/out"
[ $? = 5 ] || failed=1
grep -q '{"nodes":"fat","severity":"wrong","key":"RealMemory"' "$dir/out" &&
	grep -q '{"nodes":"arm".*"change":"CPUs=128"' "$dir/out" || {
	echo "check: $(cat "$dir/out")"
	failed=1
}
exit $failed
