#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmctld without sluiced, sluiced without slurmctld, and their meeting again.
. "$(dirname "$0")/lib.sh"

metrics() {
	on ctl bash -c 'exec 3<>/dev/tcp/ctl/6480
		printf "GET /metrics HTTP/1.0\r\n\r\n" >&3
		tr -d "\r" <&3' 2>/dev/null
}

linked() { # 0 or 1: is slurmctld connected to sluiced?
	metrics | grep -qx "sluice_slurmctld_connected $1"
}

ask() { # SYSQUERY-ARGUMENT...
	on ctl /opt/sluice/bin/sysquery --json "$@"
}

# Is each answer what its schema, as it is installed, says?
valid() { # QUESTION...
	local question bad=0
	for question; do
		on ctl bash -c "sysquery $question --json" |
			python3 "$TOP/tests/unit/sysquery/validate.py" \
				"$SLUICE_PREFIX/share/sluice/schema" || bad=1
	done
	return "$bad"
}

stored() { # JOB
	ask jobs | grep -q "\"job_id\":$1,"
}

run_job() { # SBATCH-OPTION...
	printf '#!/bin/sh\nsleep 1\n' | submit "$@"
}

cluster_up --nodes 2 --ions 2
check_within 10 "slurmctld is connected to sluiced" linked 1

# slurmctld without sluiced
cluster kill ctl sluiced
job=$(run_job -N2)
check_within 30 "a job without a buffer runs while sluiced is dead" \
	job_is "$job" COMPLETED
wanting=$(printf '#!/bin/sh\n#BB jobfs capacity=16MiB\ntrue\n' | submit -N1)
check_within 20 "squeue's reason is BurstBufferResources without sluiced" \
	prints '^BurstBufferResources$' \
	job_field "$wanting" Reason
check "a job with a buffer waits without sluiced" job_is "$wanting" PENDING
check "no node is drained while sluiced is dead" nodes_idle "n[1-2]"
as_alice scancel "$wanting"
cluster start ctl sluiced
check_within 20 "slurmctld is connected after sluiced's restart" linked 1
check_within 20 "a job that ended without sluiced is in the history" stored "$job"

# A second one
quietly on ctl sluiced -D
check "a second sluiced on the host exits with 3" equal $? 3
check "the first sluiced stays connected" linked 1

# sluiced without slurmctld
kill_slurmctld
check_within 10 "sluiced notices that slurmctld is gone" linked 0
check "sluiced answers questions without slurmctld" stored "$job"
cluster start ctl slurmctld
check_within 30 "sluiced is connected after slurmctld's restart" linked 1

# Mappings
touch "$PFS/alice/wait"
job=$(printf '#!/bin/sh\nwhile [ -e wait ]; do sleep 0.2; done\n' | submit -N2)
map=$PFS/.sluice/$job.map
check_within 20 "a job's mapping is published" test -s "$map"
check "the job's mapping has a line per node" equal "$(wc -l <"$map")" 2
cluster kill ctl sluiced
kill_slurmctld
cluster start ctl sluiced
cluster start ctl slurmctld
check_within 30 "both are connected after both were restarted" linked 1
sleep 1
check "a running job keeps its mapping" test -s "$map"
rm "$PFS/alice/wait"
check_within 60 "the job with the mapping ends" job_is "$job" COMPLETED
check_within 20 "its mapping is removed" fails test -e "$map"

# A mapping that cannot be published holds nobody for long.
mv "$PFS/.sluice" "$PFS/.away"
job=$(run_job -N1)
check_within 40 "a job starts without its mapping" job_is "$job" COMPLETED
mv "$PFS/.away" "$PFS/.sluice"

# Who sees what
check "alice sees her jobs" matches \
	"$(as_alice /opt/sluice/bin/sysquery --json jobs)" "\"job_id\":$job,"
check "bob does not see alice's jobs" equal \
	"$(bounded_exec -u bob ctl /opt/sluice/bin/sysquery --json jobs)" \
	'{"schema":"sluice.jobs","version":1,"jobs":[]}'
check "answers are valid by their JSON schemas" quietly valid site resources \
	hosts extractors sql "history n1" "diff n1 n2" check buffers jobs \
	"jobs --accuracy" predict ions osts "stripe explain --size 1GiB" report
check "bob sees the resource map" matches \
	"$(bounded_exec -u bob ctl /opt/sluice/bin/sysquery --json hosts)" n1

cluster stop ctl sluiced
db=/var/tmp/sluice-$CLUSTER/host/ctl/sluice/sluice.db
check "the database passes check-integrity" quietly ask -f "$db" check-integrity
finish
