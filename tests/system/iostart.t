#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# IOStart on a real slurmctld: jobs that together would ask the parallel file
# system for more than it can move do not start together, those that need little
# fill the gap, and the reason says who uses how much; also when slurmctld is
# killed meanwhile. Nobody waits for longer than MaxIOWait, nor for a sluiced
# that is gone, nor when it is switched off. A campaign with and without.
. "$(dirname "$0")/lib.sh"
SYSQUERY=/opt/sluice/bin/sysquery
WHY='waits for bandwidth of the parallel file system'

# Ten runs of ten minutes each on a node: heavy ones moved 100 MB/s, light ones
# nothing to speak of. What the test's own jobs do, who move nothing, is learnt,
# too: each part has a heavy application of its own.
io_history() {
	local uid app day id=9 i at bytes
	uid=$(on ctl id -u alice)
	day=$(date -d '3 days ago' +%F)
	echo 'JobID|User|UID|Partition|Submit|Start|End|State|NNodes|Timelimit|JobName|TRESUsageInTot|TRESUsageOutTot'
	for app in a b c d e f g h i j k l m n o light; do
		bytes=30000000000
		[ $app != light ] || bytes=20
		for i in 10 11 12 13 14 15 16 17 18 19; do
			at=${day}T$i id=$((id + 1))
			echo "$id|alice|$uid|main|$at:00:00|$at:00:00|$at:10:00|COMPLETED|1|00:20:00|${app}_$i||"
			echo "$id.0||||$at:00:00|$at:00:00|$at:10:00|COMPLETED||||fs/disk=$bytes|fs/disk=$bytes"
		done
	done
}

job() { # NAME SECONDS [SBATCH-OPTION...]
	printf '#!/bin/sh\nsleep %s\n' "$2" |
		submit -N1 --exclusive -t10 -J "$1" "${@:3}" 2>/dev/null
}

says() { # JOB EXTENDED-REGULAR-EXPRESSION: scontrol show job
	matches "$(on ctl scontrol -o show job "$1")" "$2"
}

job_page() { # JOB: in one line
	as_alice "$SYSQUERY" --table job "$1" | tr -s '\n ' ' '
}

is_held() { # JOB
	job_is "$1" PENDING &&
		says "$1" "Reason=BurstBufferResources.*BurstBufferState=$WHY" \
			>/dev/null
}

use() { # SLUICE-CONF-LINE...: and slurmctld has learnt
	cluster conf sluice.conf "$@"
	on ctl scontrol reconfigure
	wait_for 30 learnt "${1#*=}"
}

learnt() { # MODE
	if [ "$1" = off ]; then
		! bbstat | grep -q '^IOStart='
	else
		bbstat | grep "^IOStart=$1:" | grep -qv 'no job is held back'
	fi
}

logged() { # EXTENDED-REGULAR-EXPRESSION
	grep -qE "$1" "/run/sluice-clusters/$CLUSTER/log/ctl/slurmctld.log"
}

cluster_up --nodes 4 --ions 0
io_history >"$PFS/jobs"
check "a history with I/O is imported" quietly on ctl "$SYSQUERY" import sacct \
	/pfs/jobs
use IOStart=on IOBandwidth=150MB/s
note "$(bbstat)"

told=$(on ctl "$SYSQUERY" --table iostart --since 7d)
note "$told"
check "is it a bottleneck? history tells" matches "$told" \
	'at most (800 M|.*[0-9] [MG])B/s'

# Held, and why; who needs little is not in the way, nor kept from starting.
first=$(job a_1 300)
wait_for 30 job_is "$first" RUNNING
second=$(job b_2 300)
light=$(job light_1 300)
check_within 30 "who needs little starts" job_is "$light" RUNNING
check_within 30 "a second one that needs much waits" is_held "$second"
note "$(on ctl scontrol show job "$second" | grep -E 'Reason|BurstBuffer|Admin')"
check "it is told who uses how much" says "$second" \
	"MB/s of 150 MB/s are in use .jobs $first.*, this one needs [5-9][0-9].* MB/s; until 20"
check "squeue has the reason" equal \
	"$(as_alice squeue -h -j "$second" -o %r)" BurstBufferResources
check "and since when it waits" says "$second" \
	'waits for I/O since 20[-0-9]*T[:0-9]*Z'
check "sysquery why, too" matches "$(bounded_exec -u alice ctl "$SYSQUERY" \
	--json why "$second")" '"kind":"bandwidth","because":"waits for bandwidth'
check "to its user" matches "$(bounded_exec -u bob ctl "$SYSQUERY" \
	--json why "$second" 2>&1)" 'is not yours'
check "bbstat sums up" matches "$(bbstat)" \
	"IOStart=on: 1 jobs wait; .* MB/s of 150 MB/s are in use .jobs $first"
check_within 60 "backfill has an estimated start" says "$second" \
	'StartTime=20'

# slurmctld is killed: it waits on, and no longer for that.
since=$(on ctl scontrol -o show job "$second" |
	grep -o 'waits for I/O since [^ ;]*')
kill_slurmctld
cluster start ctl slurmctld
wait_for 30 learnt on
check_within 30 "after a restart it still waits" is_held "$second"
check "since the same time" says "$second" "$since"
check "for the one that still runs" says "$second" "in use .jobs $first"
as_alice scancel "$first"
check_within 40 "when that has ended it starts" job_is "$second" RUNNING
check_within 20 "which is logged" logged \
	"JobId=$second starts after a wait of [1-9]"
check "its note is gone" fails says "$second" 'waits for I/O'

# Nobody waits for a sluiced that is gone.
third=$(job c_3 300)
check_within 30 "another waits" is_held "$third"
cluster stop ctl sluiced
check_within 120 "not for a sluiced that is gone" job_is "$third" RUNNING
cluster start ctl sluiced
wait_for 60 learnt on
as_alice scancel "$third"
wait_for 40 job_ended "$third"

# Nor for longer than MaxIOWait.
use IOStart=on MaxIOWait=30
third=$(job d_4 300)
check_within 30 "it waits" is_held "$third"
check_within 60 "not for longer than MaxIOWait" job_is "$third" RUNNING
check_within 20 "which is logged" logged \
	"JobId=$third starts.*the most that MaxIOWait allows"
check "its record says how long" says "$third" 'waited 0:00:[0-9]+ for bandwidth'
check_within 20 "and its page" prints 'Waited .* for bandwidth' \
	job_page "$third"
as_alice scancel "$third"
wait_for 40 job_ended "$third"

# Nor when it is switched off: all go at once, without a pass that Slurm begins
# by itself, or later because somebody asked for one.
use IOStart=on MaxIOWait=2d
third=$(job e_5 300)
fourth=$(job m_6 300)
check_within 30 "one waits" is_held "$third"
check_within 30 "and another" is_held "$fourth"
cluster conf slurm.conf \
	SchedulerParameters=bf_interval=3000,sched_interval=3000,batch_sched_delay=3000
use IOStart=on # reconfigure starts a pass by itself
check "they wait" is_held "$third"
cluster conf sluice.conf IOStart=off
on ctl scontrol reconfigure
off=$(date +%s)
check_within 30 "it starts when it is switched off" job_is "$third" RUNNING
check_within 30 "and the other" job_is "$fourth" RUNNING
for i in "$third" "$fourth"; do
	note "$(($(date -d "$(job_field "$i" StartTime)" +%s) - off)) s after it"
done
as_alice scancel "$third" "$fourth"
wait_for 40 job_ended "$third"
wait_for 40 job_ended "$fourth"

# Advise: nobody waits, and it is told who would have.
cluster conf slurm.conf SchedulerParameters=bf_interval=2,sched_interval=2,batch_sched_delay=1,sched_min_interval=0
use IOStart=advise
third=$(job f_6 5)
check_within 40 "with advise it starts" job_is "$third" RUNNING COMPLETED
check_within 20 "and it is told that it would have waited" logged \
	"IOStart=advise: JobId=$third would have waited.*in use .jobs $second"
check "and counted" matches "$(bbstat)" '[1-9][0-9]* would have waited'
as_alice scancel "$light" "$second"
wait_for 40 nodes_idle 'n[1-4]'

# One of two nodes counts as two: with one of one node it were too much.
use IOStart=on IOBandwidth=210MB/s
first=$(job i_7 300 -N2)
wait_for 30 job_is "$first" RUNNING
second=$(job j_8 300)
check_within 30 "beside one of two nodes another waits" is_held "$second"
as_alice scancel "$first" "$second"
wait_for 40 nodes_idle 'n[1-4]'

# Each task of an array is kept waiting for as long as others are.
use IOStart=on IOBandwidth=150MB/s
first=$(job k_9 300)
wait_for 30 job_is "$first" RUNNING
array=$(job l_10 300 --array=1-2)
check_within 30 "an array waits" is_held "$array"
since=$(on ctl scontrol -o show job "$array" |
	grep -o 'waits for I/O since [^ ;]*')
sleep 1.1 # it has whole seconds
as_alice scancel "$first"
check_within 60 "then one of its tasks runs" says "$array" 'JobState=RUNNING'
check_within 30 "the other waits as long as others do" says "$array" \
	'JobState=PENDING.*waits for I/O since 20'
check "since the first began" fails says "$array" "$since"
as_alice scancel "$array"
wait_for 40 nodes_idle 'n[1-4]'

# Times of the heavy ones: how many ran together at most.
together() { # JOB...
	local job
	for job in "$@"; do
		echo "$(date -d "$(job_field "$job" StartTime)" +%s) 1"
		echo "$(date -d "$(job_field "$job" EndTime)" +%s) -1"
	done | sort -k1,1n -k2,2n |
		awk '{ n += $2; if (n > most) most = n } END { print most }'
}

# Prints the most that ran together, and when light ones had all begun, s.
campaign() { # HEAVY-APPLICATION
	local heavy=() light=() i begun=0 at start
	start=$(date +%s)
	for i in 1 2 3; do
		heavy+=("$(job "$1_$i" 8)")
		light+=("$(job "light_$i" 2)" "$(job "light_$i" 2)")
	done
	for i in "${heavy[@]}" "${light[@]}"; do
		wait_for 200 job_is "$i" COMPLETED
	done
	for i in "${light[@]}"; do
		at=$(($(date -d "$(job_field "$i" StartTime)" +%s) - start))
		[ $at -le $begun ] || begun=$at
	done
	echo "$(together "${heavy[@]}") $begun"
}

use IOStart=on
read -r most begun < <(campaign g)
note "with: $most together, light ones begun after $begun s"
check "in a campaign none of the heavy ones run together" equal "$most" 1
use IOStart=off
read -r most begun < <(campaign h)
note "without: $most together, light ones begun after $begun s"
check "without it they do" [ "$most" -gt 1 ]

# Who declines to wait, where the site allows it, and where it does not.
use IOStart=on IOBandwidth=150MB/s
first=$(job o_1 300)
wait_for 30 job_is "$first" RUNNING
check "without IOWaitOptional nobody may decline" matches \
	"$(printf '#!/bin/sh\nsleep 300\n' |
		submit -N1 -J o_2 --bb='bandwidth wait=no' 2>&1)" \
	'every job waits for the parallel file system .IOWaitOptional=no.'
use IOStart=on IOWaitOptional=yes
may_decline() { # once slurmctld has read it
	second=$(job o_3 300 --bb='bandwidth wait=no') && [ "$second" ]
}
wait_for 30 may_decline
third=$(job o_4 300)
check_within 30 "with it who declines starts" job_is "$second" RUNNING
check_within 30 "another waits" is_held "$third"
check "also for the one that declined" says "$third" "in use .jobs.*$second"
as_alice scancel "$first" "$second" "$third"
wait_for 40 nodes_idle 'n[1-4]'

# IOBandwidth=auto: nobody waits while it is not known, which is told. Ten
# minutes of reports of a full server cannot be waited for here.
cluster conf sluice.conf IOStart=on IOBandwidth=auto
on ctl scontrol reconfigure
on ctl pkill -HUP -x sluiced
check_within 30 "auto that is not known holds no job back" prints \
	'no job is held back: IOBandwidth=auto is not known yet' bbstat
first=$(job n_1 300)
second=$(job n_2 300)
check_within 30 "two heavy ones run" job_is "$second" RUNNING
told() { on ctl "$SYSQUERY" --table iostart --since 7d; }
check_within 40 "sysquery iostart tells that it is not known" prints \
	'IOBandwidth=auto is not known, and IOStart' told
doctor() { on ctl "$SYSQUERY" --json doctor; }
check_within 40 "so does the doctor" prints 'IOStart holds no job back' doctor
as_alice scancel "$first" "$second"
wait_for 40 nodes_idle 'n[1-4]'
check "a wrong value is refused with a line" matches \
	"$(cluster conf sluice.conf IOStart=sometimes >/dev/null
	on ctl scontrol reconfigure
	wait_for 20 logged 'sometimes'
	grep -h sometimes "/run/sluice-clusters/$CLUSTER/log/ctl/slurmctld.log")" \
	'IOStart: "sometimes" is none of off, advise, on'
finish
