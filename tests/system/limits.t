#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Time limits that are tightened at submission: they grow in time, whoever is
# away meanwhile, and are their owners' when these want them back.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/limits.sh"
LOG=/run/sluice-clusters/$CLUSTER/log/ctl/slurmctld.log

limit_is() { # JOB LIMIT
	[ "$(job_field "$1" TimeLimit)" = "$2" ]
}

noted() { # JOB PATTERN
	on ctl scontrol -o show job "$1" | grep -qE "AdminComment=.*$2"
}

given() { # JOB
	limit_is "$1" 00:01:00 && noted "$1" 'limit 0:01:00 of 0:10:00;'
}

extended() { # JOB
	limit_is "$1" 00:10:00 && noted "$1" '0:10:00, extended'
}

release() { # JOB...
	for job; do
		on ctl scontrol release "$job"
	done
}

cluster_up --nodes 8 --ions 0
history >"$PFS/jobs"
check "a history of 40 jobs is imported" quietly on ctl \
	/opt/sluice/bin/sysquery import sacct /pfs/jobs
cluster conf sluice.conf PredictMode=tighten PredictFloor=60 \
	PredictQuantile=0.6 PredictTell=yes
on ctl scontrol reconfigure
check_within 30 "slurmctld learns the imported history" grep -q 'learned from 40' "$LOG"

# A job without a limit is given one, a job with one keeps it.
filled() {
	local job
	job=$(echo '#!/bin/sh' | submit -H -N1 -J short 2>/dev/null)
	given_none "$job"
}

given_none() { # JOB
	limit_is "$1" 00:01:00 && noted "$1" 'limit 0:01:00 of 1:00:00;'
}

# At submission
long=$(short 95)
check "a job's limit is tightened" given "$long"
check "AdminComment names the class and number of jobs" \
	noted "$long" '\(class, 40 jobs\)'
new=$(echo '#!/bin/sh' |
	bounded_exec -u bob ctl sbatch --parsable -H -N1 -t10 -J new -o /dev/null 2>/dev/null)
check "a new user's job is predicted by account or site" noted "$new" \
	'\((account|site), 40 jobs\)'
kept=$(short 1 -H --bb='limit tighten=no')
check "with tighten=no the limit is kept" limit_is "$kept" 00:10:00
told=$(echo '#!/bin/sh' | as_alice sbatch -H -N1 -t10 -J short 2>&1)
check "sbatch prints the prediction and the limit" \
	matches "$told" 'take about 0:00:[0-9]+ .*, you asked for 0:10:00, the limit is to be 0:01:00'
signalled=$(short 1 -H --signal=USR1@60)
check "the limit of a job with --signal is kept" \
	limit_is "$signalled" 00:10:00
on ctl scontrol update PartitionName=main MaxTime=20
over=$(echo '#!/bin/sh' | submit -t30 -J short 2>/dev/null)
check_within 10 "a limit above the partition's MaxTime waits as without us" \
	prints ' Reason=Partition.* TimeLimit=00:30:00' \
	on ctl scontrol -o show job "$over"
on ctl scancel "$over"
cluster conf slurm.conf EnforcePartLimits=ALL
on ctl scontrol reconfigure # forgets the partition's MaxTime
on ctl scontrol update PartitionName=main MaxTime=20
check_within 10 "with EnforcePartLimits a limit above MaxTime is refused" \
	fails quietly short 1 -H -t30
walled=$(short 1 -H)
check "with EnforcePartLimits a limit within MaxTime is tightened" given "$walled"
on ctl scancel "$walled"
cluster conf slurm.conf EnforcePartLimits=NO
on ctl scontrol reconfigure
none=$(echo '#!/bin/sh' | submit -H -N1 -J short 2>/dev/null)
check "without -t the partition's limit is the whole limit" noted "$none" \
	'limit 0:01:00 of 1:00:00;'
bounded_exec -u bob ctl scontrol update job "$none" TimeLimit=5 2>/dev/null
check "another user's change of the limit is refused" noted "$none" 'of 1:00:00;'
for part in brief slow; do
	on ctl scontrol create PartitionName=$part Nodes=n8 MaxTime=5
done
none=$(echo '#!/bin/sh' | submit -H -N1 -J short -p brief,slow 2>/dev/null)
check "a job for several partitions without -t is not tightened" \
	fails noted "$none" 'limit 0:'
none=$(echo '#!/bin/sh' | submit -H -N1 -J short -p brief 2>/dev/null)
check "a job for one partition without -t is tightened" \
	noted "$none" 'limit 0:01:00 of none;'
on ctl scontrol update job "$none" Partition=main
check "a move to another partition drops the whole limit" \
	noted "$none" 'of none, changed since'
moved=$(short 1 -H)
on ctl scontrol update job "$moved" Partition=brief
check "a job moved to another partition has the requested limit" \
	limit_is "$moved" 00:10:00
array=$(short 50 -H --array=0-1)
again=$(short 30 -H)
twice=$(printf '#!/bin/sh\n[ "$SLURM_RESTART_COUNT" ] || sleep 70\n' |
	submit -H -N1 -t10 -J short 2>/dev/null)
suspended=$(short 70 -H)
stopped=$(short 70 -H)
admins=$(short 45 -H)
users=$(short 1 -H)
gap=$(short 1 -H)
over=$(short 50 -H --exclusive -w n8)

# While their nodes are made ready, which takes longer than half of the limit.
cold=$(short 1 -H)
paused=$(short 20 -H)
printf '#!/bin/sh\ncase $SLURM_JOB_ID in %s|%s) sleep 45 ;; esac\n' \
	"$cold" "$paused" >"$PFS/boot"
chmod 755 "$PFS/boot"
cluster conf slurm.conf PrologSlurmctld=/pfs/boot \
	PreemptType=preempt/partition_prio PreemptMode=REQUEUE

# While everybody is away
wait_for 20 job_is "$long" RUNNING
cluster kill ctl sluiced
kill_slurmctld
cluster start ctl slurmctld
check_within 10 "the limit and its note survive slurmctld's kill" noted "$long" \
	'limit 0:01:00 of 0:10:00'
release "$over"
wait_for 20 job_is "$over" RUNNING
behind=$(short 1 -t1 --exclusive -w n8)
release "$array" "$again" "$twice" "$suspended" "$stopped" "$admins" \
	"$cold" "$paused"
(wait_for 90 job_is "$paused" RUNNING && on ctl scontrol suspend "$paused") &
wait_for 20 job_is "$admins" RUNNING
on ctl scontrol update job "$admins" AdminComment=hello
check "a new AdminComment keeps the note" noted "$admins" 'hello; .*of 0:10:00;'
on ctl scontrol update job "$admins" TimeLimit=+2
check "an administrator's TimeLimit=+2 is added to the tightened limit" \
	limit_is "$admins" 00:03:00
check "an administrator's TimeLimit=+2 keeps the whole limit" noted "$admins" \
	'limit 0:03:00 of 0:10:00;'
on ctl scontrol update job "$admins" TimeLimit=3
check "an administrator's repeated TimeLimit is final" \
	limit_is "$admins" 00:03:00
check "AdminComment says that the limit was changed" \
	noted "$admins" 'of 0:10:00, changed since'
as_alice scontrol update job "$users" TimeLimit=5
check "a user's TimeLimit below the request is accepted" limit_is "$users" 00:05:00
as_alice scontrol update job "$users" TimeLimit=5 # once more: it stands
release "$users"
on ctl scontrol suspend "$suspended"
on ctl scontrol suspend "$stopped"
on ctl scontrol requeue "$again"
sleep 1
check "a requeued job is tightened again" given "$again"

# Reservations
on ctl scontrol create reservation ReservationName=maint Duration=10 \
	StartTime=now+4minutes Nodes=ALL Users=root Flags=IGNORE_JOBS >/dev/null
release "$gap"
check_within 20 "before a reservation a job has its whole limit" \
	limit_is "$gap" 00:10:00
check "a job is not started in the gap before a reservation" job_is "$gap" PENDING
on ctl scontrol hold "$gap"
on ctl scontrol delete ReservationName=maint
on ctl scontrol resume "$suspended"
on ctl scancel "$stopped"
check_within 20 "without the reservation the job is tightened" given "$gap"
release "$gap"
check_within 60 "the job runs without the reservation" job_is "$gap" COMPLETED

# Longer than predicted
check_within 60 "the limit of a job to be requeued is extended" extended "$twice"
on ctl scontrol requeue "$twice"
check_within 60 "the limit of a running job is extended" extended "$long"
check "slurmctld logs the extension" grep -q \
	"JobId=$long: limit 0:01:00 extended to 0:10:00" "$LOG"
check_within 60 "the limit of an exclusive job is extended" extended "$over"
check "the log names the planned start that is delayed" grep -qE \
	"JobId=$over: .*; 1 planned starts, of them first JobId=$behind, may be later by up to [1-9]" "$LOG"
check "AdminComment has the number of delayed starts" noted "$over" \
	'extended, 1 planned starts later by up to 0:0[0-9]:'
for job in "$array"_{0,1} "$suspended"; do
	check_within 60 "the limit of job $job is extended" extended "$job"
done
check "the administrator's limit is not extended" limit_is "$admins" 00:03:00
check_within 60 "the job behind the extended one completes" job_is "$behind" COMPLETED
check_within 60 "the job whose node was slow to be ready completes" \
	job_is "$cold" COMPLETED
check "its limit was not extended" given "$cold"
check "its run time includes the slow boot" \
	matches "$(job_field "$cold" RunTime)" '00:00:[45]'
check_within 60 "a job suspended in its prolog is suspended" \
	job_is "$paused" SUSPENDED
check_within 20 "its limit is extended while it is suspended" extended "$paused"
on ctl scontrol resume "$paused"
check_within 60 "the resumed job completes" job_is "$paused" COMPLETED
check_within 90 "a job runs longer than its tightened limit" job_is "$long" COMPLETED
check "its run time is half a minute above that limit" \
	matches "$(job_field "$long" RunTime)" \
	'00:01:[3-5]'
for job in "$array"_{0,1} "$suspended" "$admins"; do
	check_within 60 "job $job completes" job_is "$job" COMPLETED
done

# A reservation that always lies ahead, a maximum that is lowered, a deadline
readings() {
	grep -cE 'learned from [1-9]' "$LOG"
}
before=$(readings)
cluster start ctl sluiced
read_again() {
	[ "$(readings)" -gt "$before" ]
}
check_within 40 "slurmctld reads the history again" read_again
is_given_again() {
	local job
	job=$(short 1 -H)
	given "$job" && on ctl scontrol update job "$job" Deadline=now+1hour &&
		limit_is "$job" 00:10:00 && return
	on ctl scancel "$job" # the next try has one of its own
	return 1
}
check_within 40 "a job with a deadline gets its whole limit" \
	is_given_again
ends_after() { # JOB SECONDS: after its start
	local start end
	start=$(date -d "$(job_field "$1" StartTime)" +%s)
	end=$(date -d "$(job_field "$1" EndTime)" +%s)
	[ $((end - start)) -ge "$2" ]
}
on ctl scontrol create PartitionName=yields Nodes=n3 PreemptMode=CANCEL \
	GraceTime=100
on ctl scontrol create PartitionName=first Nodes=n3 PriorityTier=9
yields=$(printf '#!/bin/sh\ntrap "" TERM\nsleep 300\n' |
	submit -t10 -J short -p yields --exclusive 2>/dev/null)
wait_for 20 job_is "$yields" RUNNING
check "a preemptible job is tightened" given "$yields"
first=$(short 1 -p first --exclusive)
check_within 20 "the preemptible job is preempted" prints 'PreemptTime=2' \
	on ctl scontrol -o show job "$yields"
looked_at_since() {
	[[ $(job_field "$1" LastSchedEval) > $2 ]]
}
on ctl scontrol create PartitionName=floating Nodes=n7 MaxTime=20
on ctl scontrol create PartitionName=lowered Nodes=n6 MaxTime=20
ahead=$(short 1 -H -p floating)
capped=$(short 1 -H -p lowered)
check "a job in partition floating is tightened" given "$ahead"
check "a job in partition lowered is tightened" given "$capped"
on ctl scontrol create reservation ReservationName=always Duration=10 \
	StartTime=now+4minutes Nodes=n7 Users=root \
	Flags=IGNORE_JOBS,TIME_FLOAT >/dev/null
on ctl scontrol update PartitionName=lowered MaxTime=5
release "$ahead" "$capped"
check_within 20 "before a floating reservation a job has its whole limit" \
	limit_is "$ahead" 00:10:00
whole=$(on ctl date +%FT%T)
check_within 90 "the scheduler evaluates the job before the reservation" \
	looked_at_since "$ahead" "$whole"
check "the job is not started before the floating reservation" job_is "$ahead" PENDING
check_within 20 "a job above the partition's lowered MaxTime has its whole limit" \
	limit_is "$capped" 00:10:00
check_within 20 "its reason is PartitionTimeLimit" prints ' Reason=PartitionTimeLimit' \
	on ctl scontrol -o show job "$capped"
on ctl scancel "$ahead" "$capped"
on ctl scontrol delete ReservationName=always

check_within 30 "a preempted job gets its GraceTime beyond the tightened limit" \
	ends_after "$yields" 90
check "a preempted job gets no more than its GraceTime" fails ends_after "$yields" 130
on ctl scancel "$yields" "$first"

# One that draws jobs in, whose end ends them
on ctl scontrol create PartitionName=drawn Nodes=n4 MaxTime=20
on ctl scontrol create reservation ReservationName=draws Duration=5 \
	StartTime=now Nodes=n4 Users=alice Flags=IGNORE_JOBS,MAGNETIC >/dev/null
drawn=$(short 1 -p drawn)
check_within 30 "a tightened job runs in a magnetic reservation" \
	job_is "$drawn" COMPLETED
on ctl scontrol delete ReservationName=draws

# Turned off
rests=$(short 90)
wait_for 20 job_is "$rests" RUNNING
on ctl scontrol suspend "$rests"
check "a suspended job stays tightened" given "$rests"
cluster conf sluice.conf PredictMode=advise
waits=$told
waits=${waits##* }
check_within 20 "another job stays tightened before the reconfiguration" given "$waits"
on ctl scontrol reconfigure
check_within 40 "with PredictMode=advise a pending job gets its whole limit" \
	limit_is "$waits" 00:10:00
check_within 20 "with PredictMode=advise a suspended job gets its whole limit" \
	limit_is "$rests" 00:10:00
on ctl scancel "$rests"
check_within 30 "the history says that a limit was extended late" prints \
	"\"job_id\":$over,[^}]*\"tightened\":1,\"extended\":true,\"late_by\":[1-9]" \
	on ctl /opt/sluice/bin/sysquery --json jobs
check_within 90 "the requeued job completes" \
	job_is "$twice" COMPLETED
check_within 30 "the history has one run of it as extended" prints \
	"\"job_id\":$twice,[^}]*\"extended\":true,[^}]*\"state\":\"REQUEUED\"" \
	on ctl /opt/sluice/bin/sysquery --json jobs
check_within 30 "the history has one run of it as not tightened" prints \
	"\"job_id\":$twice,[^}]*\"limit\":10,\"limit_asked\":10,\"predicted\"" \
	on ctl /opt/sluice/bin/sysquery --json jobs
check_within 30 "the history has a job with a changed limit as not tightened" prints \
	"\"job_id\":$users,[^}]*\"limit\":5,\"limit_asked\":10,\"predicted\"" \
	on ctl /opt/sluice/bin/sysquery --json jobs
check_within 30 "the history has the suspended time of a job" prints \
	"\"job_id\":$suspended,[^}]*\"suspended\":[1-9]" \
	on ctl /opt/sluice/bin/sysquery --json jobs
check_within 30 "the history has the run time of a job that ended suspended" prints \
	"\"job_id\":$stopped,[^}]*\"run\":[1-9]" \
	on ctl /opt/sluice/bin/sysquery --json jobs
cluster conf sluice.conf PredictMode=fill
on ctl scontrol reconfigure
check_within 40 "with PredictMode=fill a missing limit is set" filled
kept=$(short 1 -H)
check "with PredictMode=fill a given limit is kept" limit_is "$kept" 00:10:00
on ctl scontrol create PartitionName=open Nodes=n5
open=$(printf '#!/bin/sh\nsleep 50\n' | submit -N1 -J short -p open 2>/dev/null)
wait_for 20 job_is "$open" RUNNING
check "a running job's whole limit is unlimited without a default" noted "$open" \
	'limit 0:01:00 of unlimited by default;'
on ctl scontrol create reservation ReservationName=met Duration=10 \
	StartTime=now+10minutes Nodes=n5 Users=root Flags=IGNORE_JOBS >/dev/null
on ctl scontrol update PartitionName=open DefaultTime=5
check_within 60 "a later DefaultTime does not change the whole limit" \
	limit_is "$open" UNLIMITED
check_within 5 "the log names a reservation that the extended job runs into" grep -q \
	"JobId=$open: .*extended to unlimited; reservation met begins" "$LOG"

# Planned with what most take longer than, ended by what was asked for
split() { # half of its runs take an hour
	history 7 | awk -F'|' -v OFS='|' 'NR > 1 { $11 = "02:00:00"; $12 = "split"
		if (NR % 2) for (i = 5; i < 8; i++) sub("T11", "T10", $i) } 1'
}
asks_2h() { # SECONDS SBATCH-OPTION...
	printf '#!/bin/sh\nsleep %s\n' "$1" |
		submit -N1 -t120 -J split "${@:2}" 2>/dev/null
}
on ctl scontrol delete ReservationName=met
split >"$PFS/jobs"
check "a history with two kinds of runs is imported" quietly on ctl \
	/opt/sluice/bin/sysquery import sacct /pfs/jobs
mode_is() { # MODE
	before=$(readings)
	cluster conf sluice.conf PredictMode="$1"
	on ctl scontrol reconfigure
	wait_for 40 read_again
}
mode_is tighten
careful=$(asks_2h 1 -H)
check "with PredictMode=tighten the longer runs determine the limit" \
	noted "$careful" 'limit 1:0[0-9]:00 of 2:00:00;'
mode_is early
early=$(asks_2h 90 -H)
check "with PredictMode=early the shorter runs determine the limit" \
	noted "$early" 'limit 0:01:00 of 2:00:00;'
told=$(echo '#!/bin/sh' | as_alice sbatch -H -N1 -t120 -J split 2>&1)
check "with PredictMode=early the user is told both limits" matches "$told" \
	'the limit is to be 0:01:00 and grows to 2:00:00'
release "$early"
check_within 90 "the early limit is extended to the request" noted "$early" \
	'of 2:00:00, extended'
check_within 90 "the job runs longer than the early limit" job_is "$early" COMPLETED
check "sysquery backtest shows the effect of PredictMode=early" prints \
	'"mode":"early","jobs":[0-9]+,"lowered":[1-9]' \
	on ctl /opt/sluice/bin/sysquery --json backtest
check "sysquery --table backtest shows the effect of PredictMode=early" \
	prints '^early +[1-9]' \
	on ctl /opt/sluice/bin/sysquery --table backtest --mode early
mode_is advise
check_within 40 "with PredictMode=advise the job has the user's limit" \
	limit_is "${told##* }" 02:00:00
finish
