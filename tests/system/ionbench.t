#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A performance table measured by an ordinary user's job: three patterns with 0,
# 1 and 2 I/O nodes through the stand-in for GekkoFS's forwarders, preempted in
# the middle, gone on with, giving way to a job that is given the I/O nodes;
# the arbiter divides by the table. And through a plain mount, with our own load.
. "$(dirname "$0")/lib.sh"

FAKES=$TOP/build-test/plain/tests/fakes
[ -x "$FAKES/fake_gkfwd" ] || skip_all "tests/fakes are not built"
TABLE=$PFS/alice/table.csv STATE=$PFS/alice/table.csv.state

ask() { # SYSQUERY-ARGUMENT...
	on ctl /opt/sluice/bin/sysquery --json "$@"
}

linked() {
	on ctl curl -s localhost:6480/metrics | grep -q '^sluice_linked 1$' ||
		ask ions | grep -q policy
}

ionbench() { # ARGUMENT...: as alice, outside of a job
	as_alice /opt/sluice/bin/sluice-ionbench "$@"
}

measured() { # AT-LEAST
	[ -e "$STATE" ] &&
		[ "$(grep -c '"bandwidth":[0-9.]*[1-9]' "$STATE")" -ge "$1" ]
}

more_than() { # LINES: what was measured or stopped, by the state file
	[ "$(grep -c '"pattern"' "$STATE")" -gt "$1" ]
}

two_forwarders() {
	[ "$(wc -l <"$PFS/hosts")" = 2 ]
}

divided() { # JOB IONS MB/s
	[ "$(ask ions | jq --argjson mbs "$3" ".jobs[] |
		select(.job_id == $1 and .in_effect == $2) |
		.bandwidth - \$mbs | fabs < 1")" = true ]
}

maps() { # HOW-MANY I/O nodes are being measured
	[ "$(cut -d' ' -f2 "$STATE.map" 2>/dev/null | sort -u | wc -l)" = "$1" ]
}

rows() { # of the table
	grep -c '^[^#p]' "$TABLE"
}

# Stores forwarded writes by the stand-in's own protocol; all else is our load.
write_load() {
	cat >"$PFS/load" <<-'EOT'
		#!/bin/bash
		now() { date +%s.%N; }
		if [ -z "$LIBGKFS_FORWARDING_MAP_FILE" ]; then
			exec /opt/sluice/bin/sluice-ionbench "$@"
		fi
		begun=$(now)
		[ "$2" = remove ] && { echo "0 $begun $begun" && exit; }
		/pfs/fake_gkfwd_put "$(basename "$3").$SLURM_PROCID" "$7" \
			>/dev/null || exit
		echo "$7 $begun $(now)"
	EOT
	chmod 755 "$PFS/load"
}

start_forwarders() {
	local io
	cp "$FAKES"/fake_gkfwd{,_put} "$PFS/"
	install -d -m 777 "$PFS/forwarded"
	for io in io1 io2; do
		on $io setsid --fork /pfs/fake_gkfwd --enable-forwarding \
			-m /pfs/mnt -r /pfs/forwarded -H /pfs/hosts \
			-l "$(on $io hostname -i)" </dev/null >/dev/null 2>&1
		cluster limit $io 32
	done
	wait_for 10 two_forwarders
}

cluster_up --nodes 3 --ions 2
cluster conf slurm.conf PreemptType=preempt/partition_prio \
	PreemptMode=REQUEUE \
	"PartitionName=high Nodes=n[1-2] PriorityTier=10 MaxTime=INFINITE DefaultTime=60 State=UP"
cluster stop ctl slurmctld
cluster start ctl slurmctld
wait_for 30 nodes_idle 'n[1-3]'
check_within 30 "slurmctld is connected to sluiced" linked
start_forwarders
write_load
PATTERNS=write-1MiB-shared:1GiB,write-64KiB-fpp,write-64KiB-shared-strided
ARGS=(-p "#BB forward pattern=$PATTERNS" -i "0,1,2" -r 2 -b 4MiB -s 5 -o /pfs/alice/table.csv --load /pfs/load
	--mapping /pfs/.sluice --direct /pfs/alice/direct /pfs/mnt/bench)

check "ionbench refuses to run outside of a job" matches \
	"$(ionbench "${ARGS[@]}" 2>&1)" 'runs within a job only'
plan=$(ionbench --dry-run "${ARGS[@]}")
check "--dry-run prints the number of measurements" matches "$plan" \
	'18 of 18 measurements left.*'
check "--dry-run prints the number of idle I/O nodes" matches "$plan" \
	'2 of 2 I/O nodes are no job.s'
check "--dry-run writes no state file" fails test -e "$STATE"

ionbench --script "${ARGS[@]}" |
	sed 's|^exec |export LIBGKFS_HOSTS_FILE=/pfs/hosts\n&|' >"$PFS/alice/job"
JOB=$(submit -N2 -w 'n[1-2]' --ntasks-per-node=1 -o bench.out <"$PFS/alice/job")
check_within 90 "a job takes four measurements" measured 4
check "the table exists before all measurements are done" test -s "$TABLE"
high=$(submit -p high -N2 -w 'n[1-2]' --exclusive <<<$'#!/bin/bash\ntrue')
check_within 60 "a job of higher priority preempts the measurement" \
	job_is "$high" COMPLETED
check "the preempted measurement is requeued" job_is "$JOB" PENDING
before=$(grep -c '"pattern"' "$STATE")
sleep 2 # slurmd refuses a credential of the second in which it revoked the last
on ctl scontrol update JobId="$JOB" StartTime=now
check_within 90 "the requeued job continues the measurements" more_than "$before"
check "the requeued job uses the same state file" \
	equal "$(grep -c '"ionbench"' "$STATE")" 1

# Nothing gets through, until a job needs what is being measured.
check_within 90 "a measurement with two I/O nodes runs" maps 2
cluster limit io1 1
cluster limit io2 1
check_within 90 "a measurement with two I/O nodes runs on slow nodes" maps 2
needs=$(submit -N1 -w n3 --bb=forward <<<$'#!/bin/bash\nsleep 600')
check_within 60 "a job that needs an I/O node runs" job_is "$needs" RUNNING
check_within 60 "the measurement on its I/O node is stopped" prints \
	'stopped: another job needs the I/O nodes' cat "$PFS/alice/bench.out"
check "the job gets its I/O node" equal "$(ask ions | jq -r \
	".jobs[] | select(.job_id == $needs) | .in_effect")" 1
cluster limit io1 32
cluster limit io2 32
as_alice scancel "$needs"

check_within 240 "the measurement completes" job_is "$JOB" COMPLETED
check "the table has a row for each pattern" equal "$(rows)" 3
check "the table has two runs for each number" equal \
	"$(grep -c ': 2 runs' "$TABLE")" 9
check "no test data is left" fails \
	compgen -G "$PFS/alice/direct/*"
check "no mapping file is left" fails test -e "$STATE.map"
JOB=$(submit -N2 -w 'n[1-2]' --ntasks-per-node=1 -o again.out \
	<<<"$(sed 's/^exec .*/& --json/' "$PFS/alice/job")")
check_within 40 "with a complete table another run ends at once" job_is "$JOB" COMPLETED
check "with a complete table all measurements count as done" \
	equal "$(jq -c '[.measured, .wanted]' \
	"$PFS/alice/again.out")" '[18,18]'
JOB=$(submit -N1 -o other.out <"$PFS/alice/job")
check_within 40 "another number of nodes is refused" job_is "$JOB" FAILED
check "the error names the former number of nodes" \
	matches "$(<"$PFS/alice/other.out")" 'was begun with 2 nodes'
JOB=$(submit -N2 -w 'n[1-2]' --ntasks-per-node=1 -o own.out --bb=forward \
	<<<"$(sed "/^#BB/d; s/'-r' '2'/-r 3/" "$PFS/alice/job")")
check_within 40 "a job with I/O nodes of its own is refused" job_is "$JOB" FAILED
check "the error suggests max=none" matches "$(<"$PFS/alice/own.out")" 'max=none'

# The site takes the table.
cp "$TABLE" "$PFS/bandwidth.csv"
cluster conf sluice.conf "PerformanceTable=/pfs/bandwidth.csv" \
	"DirectAccess=yes"
cluster stop ctl slurmctld
cluster start ctl slurmctld
check_within 30 "slurmctld is connected to sluiced after the restart" linked
read -r ions mbs < <(awk -F, '/^write-1MiB-shared,/ {
	for (k = 8; k <= 10; k++) if ($k > most) { most = $k; best = k - 8 }
	print best, most }' "$TABLE")
JOB=$(submit -N2 -J named --bb="forward pattern=write-1MiB-shared" \
	<<<$'#!/bin/bash\nsleep 600')
check_within 40 "a job with a pattern of the table runs" job_is "$JOB" RUNNING
check_within 20 "the arbiter grants the best number of the table" \
	divided "$JOB" "$ions" "$mbs"
as_alice scancel "$JOB"

# A mount that others change as --apply says; our own load, reads too.
install -d -o "$(stat -c %u "$PFS/alice")" "$PFS/alice/mnt"
cat >"$PFS/alice/mount" <<-'EOT'
	#!/bin/bash
	#SBATCH -N2 --ntasks-per-node=1 -o mount.out
	#BB forward max=none
	exec sluice-ionbench -p read-64KiB-shared-strided,write-1KiB-fpp \
		-i 0,1 -r 1 -b 1MiB -o /pfs/alice/mount.csv \
		--mapping /pfs/.sluice --apply /pfs/alice/apply /pfs/alice/mnt
EOT
cat >"$PFS/alice/apply" <<-'EOT'
	#!/bin/bash
	echo "$1 $(cat "$2" 2>/dev/null | tr '\n' ' ')" >>/pfs/alice/applied
EOT
chmod 755 "$PFS/alice/apply"
JOB=$(submit <"$PFS/alice/mount")
check_within 60 "a measurement through an ordinary mount completes" \
	job_is "$JOB" COMPLETED
check "its table has a row for each pattern" \
	equal "$(grep -c '^[^#p]' "$PFS/alice/mount.csv")" 2
check "--apply gets the numbers and their mapping" matches \
	"$(<"$PFS/alice/applied")" '^1 n1 0 n2 0 $'
check "no file is left in the mount" fails compgen -G "$PFS/alice/mnt/*"
finish
