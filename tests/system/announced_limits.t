#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Limits are as announced: for every combination of partition, QOS, association,
# reservation and request, PredictMode=advise shows which limit Slurm itself
# gives a job. With fill, tighten and early the same submission either announces
# nothing and the job has that limit, or announces another one and the job has
# the one that was announced.
. "$(dirname "$0")/lib.sh"
LOG=/run/sluice-clusters/$CLUSTER/log/ctl/slurmctld.log

# Jobs of alice's that took so long, each of another day, by each of the limits.
runs() { # NAME SECONDS FIRST-ID LIMIT...
	local i at limit id=$3
	for limit in "${@:4}"; do
		for i in {1..12}; do
			at=$(($(date +%s) - i * 86400)) id=$((id + 1))
			echo "$id|alice|$ALICE||main|$at|$at|$at|$((at + $2))|COMPLETED|1|${limit#none}|$1"
		done
	done
}

# Submits, held, each job of the table once: "COMBINATION|TIME-LIMIT|TOLD".
# What is refused has "-" for a limit.
cat_script() {
	cat <<'SCRIPT'
#!/bin/bash
one() { # NAME SBATCH-OPTION...
	local said job limit=- told
	said=$(sbatch -H -N1 -J "$@" --wrap=true 2>&1)
	job=$(sed -n 's/^Submitted batch job //p' <<<"$said")
	[ ! "$job" ] || limit=$(scontrol -o show job "$job" |
		grep -o 'TimeLimit=[^ ]*' | cut -d= -f2)
	told=$(grep -o 'the limit is to be .*' <<<"$said")
	echo "$*|$limit|$told"
}
options=("" -t30 -t120)
[ "$1" = brief ] || options+=(-t300 --array=0-1 --qos=wall "--qos=wall -t30"
	"--qos=wall -t120" --qos=over --qos=budget)
parts=(usual usual90 usual60 less quick max max60 open endless main,usual
	usual,usual90 max,max60 walled)
for name in short long; do
	for part in "${parts[@]}"; do
		for option in "${options[@]}"; do
			one $name -p $part $option
		done
	done
	[ "$1" != brief ] || continue
	for option in --time-min=20 "-t120 --time-min=20" --signal=USR1@60 \
		--deadline=now+3hours --mail-type=TIME_LIMIT -tUNLIMITED -t0 \
		"-w n2 -t120" -wn2 --reservation=mine \
		"--reservation=mine -t120"; do
		one $name -p usual $option
		one $name -p max $option
	done
done
SCRIPT
}

# All jobs of the table in this mode.
table() { # MODE full|brief OUTPUT
	local before
	before=$(readings)
	cluster conf sluice.conf "PredictMode=$1"
	on ctl scontrol reconfigure
	partitions
	wait_for 40 is_read_since "$before" && wait_for 40 predicts || return
	LIMIT=500 as_alice bash /pfs/table "$2" >"$3" 2>&1
	on ctl scancel -u alice
}

readings() {
	grep -c 'configuration was read again' "$LOG"
}

is_read_since() { # READINGS
	[ "$(readings)" -gt "$1" ]
}

predicts() {
	as_alice sbatch -H -N1 -J short -p quick --wrap=true 2>&1 |
		grep -q 'take about'
}

# A reconfiguration forgets them.
partitions() {
	local part
	while read -r part; do
		# shellcheck disable=SC2086
		on ctl scontrol create PartitionName=$part Nodes=n1,n2
	done <<'EOT' >/dev/null 2>&1
usual DefaultTime=60 MaxTime=240
usual90 DefaultTime=60 MaxTime=90
usual60 DefaultTime=60 MaxTime=60
quick DefaultTime=20 MaxTime=40
less DefaultTime=60 MaxTime=30
max MaxTime=240
max60 MaxTime=60
open
endless DefaultTime=UNLIMITED
walled DefaultTime=60 QOS=part
EOT
}

seconds() { # [DAYS-]HOURS:MINUTES:SECONDS or UNLIMITED, as Slurm and we say it
	case $1 in
	unlimited | UNLIMITED | Partition_Limit) echo endless ;;
	*) awk -F'[-:]' '{ print NF == 4 ? (($1 * 24 + $2) * 60 + $3) * 60 + $4 \
		: ($1 * 60 + $2) * 60 + $3 }' <<<"$1" ;;
	esac
}

# One line of the table against Slurm's own limit: prints what is wrong.
judge() { # COMBINATION LIMIT TOLD LIMIT-WITHOUT-US
	local limit own told whole
	limit=$(seconds "$2") own=$(seconds "$4")
	if [ ! "$3" ]; then
		[ "$2" = "$4" ] || echo "$1: told nothing, has $2 instead of $4"
		return
	fi
	[[ $3 =~ is\ to\ be\ ([0-9:]+)\ (and\ grows\ to|in\ place\ of)\ ([0-9:]+|unlimited) ]] ||
		{ echo "$1: told '$3'" && return; }
	told=$(seconds "${BASH_REMATCH[1]}") whole=$(seconds "${BASH_REMATCH[3]}")
	if [[ $3 == *"a reservation is in the way"* ]]; then
		[ "$limit" = "$own" ] ||
			echo "$1: has $2 before a reservation, told '$3'"
	else
		[ "$limit" = "$told" ] || echo "$1: has $2, told '$3'"
	fi
	[ "$whole" = "$own" ] || [ "$2" = - ] ||
		echo "$1: has $4 without us, told '$3'"
}

judge_all() { # TABLE TABLE-WITHOUT-US
	local combination limit told own wrong=0
	while IFS='|' read -r combination limit told; do
		own=$(grep -F -- "$combination|" "$2" | head -1 | cut -d'|' -f2)
		judge "$combination" "$limit" "$told" "$own"
	done <"$1" | tee "$1.wrong"
	wrong=$(wc -l <"$1.wrong")
	note "$(wc -l <"$1") submissions, $(grep -c 'and grows' "$1") are to grow, $(
		grep -c 'in place' "$1") have more than Slurm's, $wrong wrong"
	[ "$wrong" = 0 ] && [ "$(wc -l <"$1")" -gt 70 ]
}

check_tables() { # WHAT full|brief [COMMAND]: to find more than the default
	local mode dir
	dir=$LOGS/limit_tables/${1// /-}
	mkdir -p "$dir"
	table advise "$2" "$dir/advise"
	check "$1: with PredictMode=advise no limit is announced" \
		fails grep -q 'is to be' "$dir/advise"
	for mode in fill tighten early; do
		table "$mode" "$2" "$dir/$mode"
		check "$1: $mode: each limit is as announced" \
			judge_all "$dir/$mode" "$dir/advise"
		check "$1: $mode: a limit above the default is set, or is not" \
			"${3:-quietly}" grep -q 'in place of' "$dir/$mode"
	done
	check "$1: a limit below the request is set" \
		grep -q 'and grows to' "$dir/tighten" "$dir/early"
}

limit_is() { # JOB LIMIT
	[ "$(job_field "$1" TimeLimit)" = "$2" ]
}

noted() { # JOB PATTERN
	on ctl scontrol -o show job "$1" | grep -qE "AdminComment=.*$2"
}

longer() { # SBATCH-OPTION...: a held job that needs more than the default
	submit -H -N1 -J long -p usual "$@" --wrap=true 2>/dev/null
}

cluster_up --dbd --nodes 2 --ions 0
ALICE=$(on ctl id -u alice)
{
	echo 'JobID|User|UID||Partition|Submit|Eligible|Start|End|State|NNodes|Timelimit|JobName' |
		sed 's/||/|Account|/'
	runs short 50 1000 none 00:15:00 00:30:00 02:00:00 05:00:00
	runs long 7700 2000 none 05:00:00
	runs middle 100 3000 none
} >"$PFS/jobs"
check "a history is imported" quietly on ctl \
	/opt/sluice/bin/sysquery import sacct /pfs/jobs
cat_script >"$PFS/table"
on ctl sacctmgr -i add qos wall set MaxWall=45 >/dev/null
on ctl sacctmgr -i add qos over set MaxWall=100 Flags=OverPartQOS >/dev/null
on ctl sacctmgr -i add qos part set MaxWall=80 >/dev/null
on ctl sacctmgr -i add qos budget set MaxTRESMins=cpu=100 >/dev/null
on ctl sacctmgr -i modify user alice set qos+=wall,over,part,budget >/dev/null
cluster conf slurm.conf AccountingStorageEnforce=limits,qos
cluster conf sluice.conf PredictFloor=60 PredictQuantile=0.75 PredictTell=yes
cluster stop ctl slurmctld
cluster start ctl slurmctld
wait_for 20 nodes_idle 'n[1-2]'
on ctl scontrol create reservation ReservationName=mine Duration=30 \
	StartTime=now+90minutes Nodes=n1 Users=alice >/dev/null

check_tables "a QOS or none" full
on ctl sacctmgr -i modify user alice set MaxWall=50 >/dev/null
check_tables "a wall of the association" brief
on ctl sacctmgr -i modify user alice set MaxWall=-1 GrpTRESRunMins=cpu=5000 \
	>/dev/null
check_tables "a budget of the association" brief fails
on ctl sacctmgr -i modify user alice set GrpTRESRunMins=cpu=-1 >/dev/null
on ctl scontrol create reservation ReservationName=maint Duration=30 \
	StartTime=now+50minutes Nodes=n1 Users=root >/dev/null
check_tables "a reservation ahead" brief
on ctl scontrol delete ReservationName=maint
on ctl scontrol delete ReservationName=mine

# Too little.
check "a request that is too short is warned of" matches "$(
	as_alice sbatch -H -N1 -J long -t60 --wrap=true 2>&1
)" 'warning: 7 of the last 7 runs .* 1:00:00 or longer, half of these 2:0[0-9]:'
check "sysquery predict warns of a limit that is too short" \
	prints 'warning.*7 of the last 7 runs' \
	as_alice /opt/sluice/bin/sysquery predict --name long --limit 60
check "a request that is long enough gives no warning" fails matches "$(
	as_alice sbatch -H -N1 -J long -t150 --wrap=true 2>&1
)" warning
on ctl scancel -u alice

# More than the default, and what becomes of it.
filled=$(longer)
check "a job without a limit gets more than the default" matches \
	"$(job_field "$filled" TimeLimit)" '^02:[0-5]'
check "its AdminComment has the limit and the default" \
	noted "$filled" 'limit 2:[0-9:]+ in place of 1:00:00'
bounded_exec -u alice ctl scontrol update job "$filled" TimeLimit=100
check "its user can lower the limit" limit_is "$filled" 01:40:00
check "AdminComment says that the limit was changed" \
	noted "$filled" 'of 1:00:00, changed since'
moved=$(longer)
on ctl scontrol update job "$moved" Partition=max60
check "a job moved to another partition gets Slurm's limit" limit_is "$moved" 01:00:00
capped=$(longer)
on ctl scontrol update PartitionName=usual MaxTime=80
check_within 20 "a limit above a lowered MaxTime is reset to the default" \
	limit_is "$capped" 01:00:00
on ctl scontrol update PartitionName=usual MaxTime=240
check_within 20 "the limit is set again when MaxTime allows it" matches \
	"$(sleep 16 && job_field "$capped" TimeLimit)" '^02:'
on ctl scancel -u alice

on ctl scontrol update PartitionName=usual DefaultTime=1
runs=$(submit -N1 -J middle -p usual --wrap='sleep 105' 2>/dev/null)
array=$(submit -N1 -J middle -p usual --array=0-1 --wrap='sleep 5' 2>/dev/null)
wait_for 20 job_is "$runs" RUNNING
check "a job runs with more than the default limit" \
	noted "$runs" 'limit [0-9]:[0-9:]+ in place of 0:01:00'
check_within 60 "a task of an array completes" job_is "${array}_1" COMPLETED
check "a task of an array has more than the default limit" \
	noted "${array}_1" 'limit [0-9]:[0-9:]+ in place of 0:01:00'
check_within 180 "a job runs longer than the default limit" \
	job_is "$runs" COMPLETED
check "its run time is above the default limit" \
	matches "$(job_field "$runs" RunTime)" '00:01:[45]'
check "no limit differs from the announced one" fails \
	grep 'its limit was to be' "$LOG"
finish
