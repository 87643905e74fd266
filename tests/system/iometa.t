#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# IOMetadata on a real slurmctld: what an MDT has counted for each job (a text
# of job_stats, which sluice-tbfd --publish reads) is in the history, is learnt
# though nobody knows of bytes, and keeps the next job of that kind waiting, with
# a reason that says for what. Of file systems that are named the one counts that
# the job's application uses.
. "$(dirname "$0")/lib.sh"
SYSQUERY=/opt/sluice/bin/sysquery
STATS=proc/fs/lustre/mdt/big-MDT0000/job_stats
WHY='waits for metadata operations of the parallel file system'

job() { # NAME SECONDS
	printf '#!/bin/sh\nsleep %s\n' "$2" |
		submit -N1 --exclusive -t10 -J "$1" 2>/dev/null
}

says() { # JOB EXTENDED-REGULAR-EXPRESSION: scontrol show job
	matches "$(on ctl scontrol -o show job "$1")" "$2"
}

is_held() { # JOB
	job_is "$1" PENDING &&
		says "$1" "Reason=BurstBufferResources.*BurstBufferState=$WHY" \
			>/dev/null
}

# An MDT that has done so much for each of these jobs.
count() { # OPERATIONS JOB...
	local job ops=$1
	shift
	mkdir -p "$(dirname "$PFS/server/$STATS")"
	cp /proc/stat /proc/meminfo "$PFS/server/proc/"
	: >"$(dirname "$PFS/server/$STATS")/md_stats"
	{
		echo job_stats:
		for job; do
			printf -- '- job_id:          %s\n' "$job"
			printf '  start_time:      1\n'
			printf '  open:            { samples: %s, unit: usecs }\n' \
				"$ops"
		done
	} >"$PFS/new"
	mv "$PFS/new" "$PFS/server/$STATS"
}

stored() { # JOB
	on ctl "$SYSQUERY" --json jobs --last 20 |
		tr -d ' \n' | grep -qE "\"job_id\":$1,[^}]*\"metadata_op_count\":"
}

# Learnt two minutes after the runs' ends; what began before counts as unknown.
second_waits() {
	first=$(job meta_5 300)
	wait_for 30 job_is "$first" RUNNING
	second=$(job meta_6 300)
	sleep 5
	is_held "$second" && return
	as_alice scancel "$first" "$second"
	wait_for 40 nodes_idle 'n[1-2]'
	return 1
}

cluster_up --nodes 2 --ions 0
count 1
LIMIT=3600 on ctl sluice-tbfd --publish /etc/slurm/sluice.conf --root /pfs/server \
	>"$LOGS/publisher.log" 2>&1 &
publisher=$!
cluster conf sluice.conf IOStart=on IOBandwidth=1000GB/s IOMetadata=1000/s
on ctl scontrol reconfigure
cluster stop ctl sluiced
cluster start ctl sluiced
runs=()
for i in 1 2 3 4; do
	runs+=("$(job "meta_$i" 5)")
done
for i in "${runs[@]}"; do
	wait_for 60 job_is "$i" COMPLETED
done
count 100000 "${runs[@]}"
check_within 90 "the history has what the MDT counted" stored "${runs[0]}"
check "a job's page, too" matches \
	"$(as_alice "$SYSQUERY" --table job "${runs[0]}" | tr -s '\n ' ' ')" \
	"Metadata 100000 operations"
check_within 240 "a second one that asks for much waits" second_waits
note "$(on ctl scontrol show job "$second" | grep -E 'Reason|BurstBuffer|Admin')"
check "it is told for what, and for whom" says "$second" \
	"/s of 1000/s are in use .jobs $first.*, this one needs [0-9]+/s; until 20"
check "sysquery why, too" matches "$(bounded_exec -u alice ctl "$SYSQUERY" \
	--json why "$second")" '"kind":"metadata","because":"waits for metadata'
check "bbstat sums up" matches "$(bbstat)" \
	"IOStart=on, metadata: 1 jobs wait; .*/s of 1000/s are in use .jobs $first"
as_alice scancel "$first"
check_within 40 "when that has ended it starts" job_is "$second" RUNNING
as_alice scancel "$second"
wait_for 40 job_ended "$second"

# Two file systems that count each by itself, of which these jobs use one.
name_both() { # LIMITS: and the history is read again, by both
	cluster conf sluice.conf "IOMetadata=$1"
	cluster stop ctl sluiced
	cluster start ctl sluiced
	on ctl scontrol reconfigure
	wait_for 60 learnt
}

learnt() {
	bbstat | grep "^IOStart=on, other, metadata:" | grep -qv 'no job is held back'
}

name_both other:10/s
first=$(job meta_7 300)
second=$(job meta_8 300)
wait_for 30 job_is "$first" RUNNING
check_within 40 "where only another one counts it does not wait" \
	job_is "$second" RUNNING
as_alice scancel "$first" "$second"
wait_for 40 nodes_idle 'n[1-2]'
name_both other:10/s,big:1000/s
first=$(job meta_9 300)
wait_for 30 job_is "$first" RUNNING
second=$(job meta_10 300)
WHY='waits for metadata operations of the big file system: '
check_within 40 "it waits for the one that it uses" is_held "$second"
note "$(bbstat | grep IOStart)"
check "the history says which" matches "$(on ctl "$SYSQUERY" --json jobs \
	--last 200 | tr -d ' \n')" \
	'"by_file_system":\[\{"name":"big",[^]]*"metadata_op_count":100000'
as_alice scancel "$first" "$second"
wait_for 40 nodes_idle 'n[1-2]'

# IOMetadata=auto: nobody waits while it is not known, which is told.
cluster conf sluice.conf IOMetadata=auto
on ctl scontrol reconfigure
check_within 30 "auto that is not known holds no job back" prints \
	'no job is held back: IOMetadata=auto is not known yet' bbstat
told() { on ctl "$SYSQUERY" --table iostart --since 7d; }
check_within 60 "sysquery iostart tells that it is not known" prints \
	'IOMetadata=auto is not known, and no job' told
doctor() { on ctl "$SYSQUERY" --json doctor; }
check_within 60 "so does the doctor" prints \
	'IOStart holds no job back: what the file system can do .IOMetadata=auto' \
	doctor
check "sluice-tbfd --publish has run all the time" kill "$publisher"
finish
