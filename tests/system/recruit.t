#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An idle compute node as an I/O node: while a preemptible job of SlurmUser's
# holds it, and no longer than until another job needs it; a job that writes
# through it then, and a measurement.
. "$(dirname "$0")/lib.sh"

FAKES=$TOP/build-test/plain/tests/fakes
[ -x "$FAKES/fake_gkfwd" ] || skip_all "tests/fakes are not built"

shows() { # NODE REGEX
	on ctl scontrol -o show node "$1" | grep -qE "$2"
}

shows_none() { # NODE
	! shows "$1" 'Features=[^ ]*ion_|Comment=sluice'
}

ions_of() { # JOB IONS
	[ "$(on ctl /opt/sluice/bin/sysquery --json ions |
		jq -r ".jobs[] | select(.job_id == $1) | .ions")" = "$2" ]
}

has_lost() { # JOB ION
	local ions
	ions=$(on ctl /opt/sluice/bin/sysquery --json ions |
		jq -re ".jobs[] | select(.job_id == $1) | .ions") &&
		[ "$ions" != "$2" ]
}

recruit() { # USER
	on ctl sbatch --uid="$1" --parsable -p recruit -N1 -J sluice-recruit \
		--exclusive -o /dev/null -D /tmp --wrap 'exec /pfs/forwarder'
}

# In place of the site's forwarder and of what writes through it: a hosts file
# for each daemon, since one that ends removes its own.
stand_in() {
	cp "$FAKES"/fake_gkfwd{,_put} "$PFS/"
	install -d -m 777 "$PFS/forwarded" "$PFS/hosts"
	cat >"$PFS/forwarder" <<-'EOT'
		#!/bin/sh
		exec /pfs/fake_gkfwd --enable-forwarding -m /pfs/mnt \
			-r /pfs/forwarded -H "/pfs/hosts/$(hostname -s)" \
			-l "$(hostname -i)"
	EOT
	cat >"$PFS/put" <<-'EOT'
		#!/bin/sh
		export LIBGKFS_HOSTS_FILE=/tmp/hosts.$$
		cat /pfs/hosts/* >$LIBGKFS_HOSTS_FILE
		/pfs/fake_gkfwd_put "$@"
	EOT
	cat >"$PFS/load" <<-'EOT'
		#!/bin/bash
		begun=$(date +%s.%N)
		[ "$2" = remove ] || /pfs/put "measured.$SLURM_PROCID" "$7" \
			>/dev/null || exit
		echo "$7 $begun $(date +%s.%N)"
	EOT
	chmod 755 "$PFS"/{forwarder,put,load}
	on io1 setsid --fork /pfs/forwarder </dev/null >/dev/null 2>&1
}

# Writes again and again; what it was told is stored stands in "told".
writer() {
	submit -N1 -n1 -c1 -w n1 --requeue <<-'EOT'
		#!/bin/bash
		for ((i = 1; ; i++)); do
			until where=$(/pfs/put part.$i 20000 2>/dev/null); do
				sleep 0.1
			done
			echo "$i $where" >>told
		done
	EOT
}

told() { # NODE AT-LEAST
	[ "$(grep -c " $1 " "$PFS/alice/told")" -ge "$2" ]
}

all_there() { # of what the writer was told is stored
	local i
	while read -r i _; do
		[ "$(stat -c %s "$PFS/forwarded/part.$i")" = 20000 ] || return
	done <"$PFS/alice/told"
}

stopped() { # measurements that count for nothing
	grep -c '"bandwidth":0[^.]' "$PFS/alice/table.csv.state"
}

one_cpu() { # SBATCH-OPTION...
	submit -N1 -n1 -c1 "$@" <<<$'#!/bin/sh\nsleep 600'
}

cluster_up --nodes 3 --ions 1
stand_in
cluster conf sluice.conf IONodes=io1,n2 RecruitIdle=n2
cluster conf slurm.conf PreemptType=preempt/partition_prio PreemptMode=REQUEUE \
	"PartitionName=recruit Nodes=n2 PriorityTier=0 State=UP"
cluster stop ctl sluiced
cluster start ctl sluiced
on ctl scontrol reconfigure
wait_for 20 nodes_idle "n[1-3]"
check_within 20 "a configured I/O node is free" shows io1 ion_free
check "an idle compute node is no I/O node" shows_none n2
theirs=$(recruit alice)
wait_for 20 job_is "$theirs" RUNNING
as_alice scancel "$theirs"
wait_for 40 job_ended "$theirs"
check "a user's job named sluice-recruit does not recruit a node" shows_none n2

first=$(recruit slurm)
check_within 20 "a sluice-recruit job of SlurmUser recruits its node" \
	shows n2 'ion_free'
check "the recruiting job gets no I/O node" ions_of "$first" ''
jobs=("$(one_cpu -w n3)" "$(writer)")
wait_for 30 job_is "${jobs[1]}" RUNNING
check_within 20 "the first job gets the configured I/O node" ions_of "${jobs[0]}" io1
check_within 20 "the second job gets the recruited I/O node" ions_of "${jobs[1]}" n2
check_within 10 "the recruited node's comment names its job" \
	shows n2 "ion_assigned.*Comment=sluice: ${jobs[1]}"
check "the job's mapping names the recruited node" \
	grep -q "n1 1$" "$PFS/.sluice/${jobs[1]}.map"
check_within 20 "the job writes through the recruited node" told n2 3

needs=$(one_cpu -w n2 --exclusive)
check_within 30 "a job that needs the recruited node starts" job_is "$needs" RUNNING
check_within 10 "the recruited node is taken from the I/O job" has_lost "${jobs[1]}" n2
check_within 10 "the node shows no I/O node features any more" shows_none n2
check "all writes that were acknowledged are stored" all_there
second=$(recruit slurm)
as_alice scancel "$needs"
check_within 60 "a sluice-recruit job runs when the node is idle again" \
	job_is "$second" RUNNING
check_within 20 "the I/O job gets the recruited node again" ions_of "${jobs[1]}" n2
written=$(grep -c ' n2 ' "$PFS/alice/told")
check_within 20 "the I/O job writes through the recruited node again" \
	told n2 $((written + 3))
check "all writes are stored at the end" all_there
as_alice scancel "${jobs[1]}"
wait_for 40 job_ended "${jobs[1]}"

# The fixed one is the other job's: a measurement takes the recruited one.
cluster limit n2 1
bench=$(submit -N1 -n1 -c1 -w n1 -o bench.out <<-'EOT'
	#!/bin/bash
	#BB forward max=none
	exec sluice-ionbench -p write-1MiB-shared -i 1 -r 1 -b 8MiB -s 60 \
		-o /pfs/alice/table.csv --load /pfs/load --mapping /pfs/.sluice \
		/pfs/mnt/bench
EOT
)
check_within 60 "a measurement runs on the recruited node" \
	test -e "$PFS/alice/table.csv.state.map"
check "the measurement uses the recruited node only" \
	grep -q "n1 1$" "$PFS/alice/table.csv.state.map"
needs=$(one_cpu -w n2 --exclusive)
check_within 30 "a job that needs the measured node starts" job_is "$needs" RUNNING
check_within 20 "the measurement on the preempted node is stopped" prints \
	'stopped: an I/O node (is no longer held by its recruiting job|went away)' \
	cat "$PFS/alice/bench.out"
check "the stopped measurement has no result" equal "$(stopped)" 1
check "no table is written for a stopped measurement" \
	fails test -e "$PFS/alice/table.csv"
cluster limit n2 off
recruit slurm >/dev/null
as_alice scancel "$needs"
check_within 120 "the measurement completes when a node is recruited again" \
	job_is "$bench" COMPLETED
check "the table has the one complete measurement" \
	matches "$(<"$PFS/alice/table.csv")" \
	'write-1MiB-shared with 1: 1 runs'
finish
