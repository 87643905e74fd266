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
check_within 30 "slurmctld and sluiced meet" linked
start_forwarders
write_load
PATTERNS=write-1MiB-shared:1GiB,write-64KiB-fpp,write-64KiB-shared-strided
ARGS=(-p "#BB forward pattern=$PATTERNS" -i "0,1,2" -r 2 -b 4MiB -s 5 -o /pfs/alice/table.csv --load /pfs/load
	--mapping /pfs/.sluice --direct /pfs/alice/direct /pfs/mnt/bench)

check "outside of a job it is refused" matches \
	"$(ionbench "${ARGS[@]}" 2>&1)" 'runs within a job only'
plan=$(ionbench --dry-run "${ARGS[@]}")
check "it says what it would do" matches "$plan" \
	'18 of 18 measurements left.*'
check "and how many I/O nodes are idle" matches "$plan" \
	'2 of 2 I/O nodes are no job.s'
check "that has left nothing" fails test -e "$STATE"

ionbench --script "${ARGS[@]}" |
	sed 's|^exec |export LIBGKFS_HOSTS_FILE=/pfs/hosts\n&|' >"$PFS/alice/job"
JOB=$(submit -N2 -w 'n[1-2]' --ntasks-per-node=1 -o bench.out <"$PFS/alice/job")
check_within 90 "it measures" measured 4
check "there is a table already" test -s "$TABLE"
high=$(submit -p high -N2 -w 'n[1-2]' --exclusive <<<$'#!/bin/bash\ntrue')
check_within 60 "a job preempts it" job_is "$high" COMPLETED
check "it waits to run again" job_is "$JOB" PENDING
before=$(grep -c '"pattern"' "$STATE")
on ctl scontrol update JobId="$JOB" StartTime=now
check_within 90 "it goes on" more_than "$before"
check "with the same state" equal "$(grep -c '"ionbench"' "$STATE")" 1

# Nothing gets through, until a job needs what is being measured.
check_within 90 "two I/O nodes are measured" maps 2
cluster limit io1 1
cluster limit io2 1
check_within 90 "they are, slowly" maps 2
needs=$(submit -N1 -w n3 --bb=forward <<<$'#!/bin/bash\nsleep 600')
check_within 60 "a job needs an I/O node" job_is "$needs" RUNNING
check_within 60 "what is measured there ends" prints \
	'stopped: a job needs its I/O nodes' cat "$PFS/alice/bench.out"
check "the job has it" equal "$(ask ions | jq -r \
	".jobs[] | select(.job_id == $needs) | .in_effect")" 1
cluster limit io1 32
cluster limit io2 32
as_alice scancel "$needs"

check_within 240 "all is measured" job_is "$JOB" COMPLETED
check "every pattern has a row" equal "$(rows)" 3
check "each number was measured twice" equal \
	"$(grep -c ': 2 runs' "$TABLE")" 9
check "nothing is left of the data" fails \
	compgen -G "$PFS/alice/direct/*"
check "nor of the mapping" fails test -e "$STATE.map"
JOB=$(submit -N2 -w 'n[1-2]' --ntasks-per-node=1 -o again.out \
	<<<"$(sed 's/^exec .*/& --json/' "$PFS/alice/job")")
check_within 40 "again there is nothing to do" job_is "$JOB" COMPLETED
check "it says so" equal "$(jq -c '[.measured, .wanted]' \
	"$PFS/alice/again.out")" '[18,18]'
JOB=$(submit -N1 -o other.out <"$PFS/alice/job")
check_within 40 "with other nodes it is refused" job_is "$JOB" FAILED
check "and why" matches "$(<"$PFS/alice/other.out")" 'was begun with 2 nodes'
JOB=$(submit -N2 -w 'n[1-2]' --ntasks-per-node=1 -o own.out --bb=forward \
	<<<"$(sed "/^#BB/d; s/'-r' '2'/-r 3/" "$PFS/alice/job")")
check_within 40 "with I/O nodes of its own, too" job_is "$JOB" FAILED
check "and why" matches "$(<"$PFS/alice/own.out")" 'max=none'

# The site takes the table.
cp "$TABLE" "$PFS/bandwidth.csv"
cluster conf sluice.conf "PerformanceTable=/pfs/bandwidth.csv" \
	"DirectAccess=yes"
cluster stop ctl slurmctld
cluster start ctl slurmctld
check_within 30 "slurmctld and sluiced meet again" linked
read -r ions mbs < <(awk -F, '/^write-1MiB-shared,/ {
	for (k = 8; k <= 10; k++) if ($k > most) { most = $k; best = k - 8 }
	print best, most }' "$TABLE")
JOB=$(submit -N2 -J named --bb="forward pattern=write-1MiB-shared" \
	<<<$'#!/bin/bash\nsleep 600')
check_within 40 "a job names a pattern of it" job_is "$JOB" RUNNING
check_within 20 "the arbiter divides by the table" divided "$JOB" "$ions" "$mbs"
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
check_within 60 "reads and writes through a mount" job_is "$JOB" COMPLETED
check "both patterns have rows" equal "$(grep -c '^[^#p]' "$PFS/alice/mount.csv")" 2
check "the mount is told the numbers and their mapping" matches \
	"$(<"$PFS/alice/applied")" '^1 n1 0 n2 0 $'
check "nothing is left" fails compgen -G "$PFS/alice/mnt/*"
finish
