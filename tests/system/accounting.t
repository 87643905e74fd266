#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A cluster with MariaDB and slurmdbd accounts for jobs: what their steps read
# and wrote is fetched from there, and a history that is lost is had again,
# from slurmrestd, with a token and without, and from sacct.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

# When slurmdbd is back it is first told of jobs, and later how they ended.
accounted() { # JOB STATE
	matches "$(on ctl sacct -nP -j "$1" -o jobid,user,account,state,end)" \
		"^$1\|alice\|users\|$2\|[0-9]"
}

sysquery() {
	on ctl /opt/sluice/bin/sysquery --json "$@"
}

lose_history() {
	cluster stop ctl sluiced
	rm "$DB"*
	cluster start ctl sluiced
	wait_for 20 quietly sysquery jobs
}

stored() { # JOB
	sysquery jobs 2>/dev/null | grep -q "\"job_id\":$1,\"user\":\"alice\""
}

# What every source knows of a job: all columns of the history but what is only
# slurmctld's.
row() { # JOB
	query "SELECT User, Account, PartitionName, Qos, Name, PlainName,
		WorkDir, Nodes, NodeCnt, Tasks, MemMb, TimeLimit, LimitAsked,
		State, ExitCode, EndTime - StartTime > 0,
		SubmitTime > 0 AND EligibleTime >= SubmitTime AND
		StartTime >= EligibleTime FROM History WHERE JobID = $1"
}

# Whatever nodes have said of it.
io_of() { # JOB SOURCE
	sysquery jobs | grep -o "\"job_id\":$1,[^}]*" |
		grep -qE "\"written_bytes\":[0-9]{8,}.*\"io_from\":\"$2\""
}

# The counters of a Lustre mount of n1.
STATS=/sys/kernel/debug/lustre/llite/work-ffff88105db50000/stats
lustre_counts() { # BYTES
	on n1 sh -c "mountpoint -q /sys/kernel/debug ||
		mount -t tmpfs none /sys/kernel/debug
		mkdir -p ${STATS%/*}
		echo 'snapshot_time 1710759783.27 secs.nsecs' >$STATS
		echo 'write_bytes 3 samples [bytes] 1 4096 $1' >>$STATS"
}

has_jwt() {
	[ -e "/usr/lib/$(uname -m)-linux-gnu/slurm-wlm/auth_jwt.so" ]
}

allow_tokens() {
	local key=/run/slurm/jwt.key
	on ctl sh -c "head -c 32 /dev/urandom >$key && chown slurm $key &&
		chmod 600 $key"
	for file in slurm.conf slurmdbd.conf; do
		cluster conf $file AuthAltTypes=auth/jwt \
			AuthAltParameters=jwt_key=$key
	done
}

tell_slurm() {
	! has_jwt || allow_tokens
	cluster conf slurm.conf JobAcctGatherType=jobacct_gather/linux \
		JobAcctGatherFrequency=1
	cluster conf sluice.conf JobTotals=sacct
	# Without mappings tasks are not counted on their nodes.
	sed -i 's/ map=.*//' "/run/sluice-clusters/$CLUSTER/etc/slurm/plugstack.conf"
	for daemon in slurmdbd slurmctld sluiced; do
		cluster stop ctl $daemon
		cluster start ctl $daemon
	done
	cluster stop n1 slurmd
	cluster start n1 slurmd
	wait_for 30 quietly on ctl timeout 5 scontrol ping
}

command -v slurmrestd >/dev/null || skip_all "slurmrestd is not installed"
cluster_up --dbd --nodes 1 --ions 0
tell_slurm
job=$(submit -J run_17 -n2 -t5 --mem-per-cpu=50 -D /pfs/alice <<-'EOT'
	#!/bin/sh
	srun sh -c 'head -c 20000000 /dev/zero >big.$SLURM_PROCID; sleep 4'
EOT
)
check_within 60 "a job whose steps write completes" job_is "$job" COMPLETED
check_within 30 "sacct shows the job" quietly accounted "$job" COMPLETED
check_within 30 "the job is in our history" stored "$job"
mine=$(row "$job")
check "its history row has all that slurmctld knows" equal "$mine" \
	"alice|users|main|normal|run_17|run_#|/pfs/alice|n1|1|2|100|5|5|COMPLETED|0|1|1"
check "its history row has the script's hash" matches \
	"$(query "SELECT Script FROM History WHERE JobID = $job")" \
	'^[0-9a-f]{16}$'
check_within 60 "what its steps wrote is fetched from accounting" \
	io_of "$job" accounting
lustre_counts 1000
check "the simulated Lustre counters of n1 are readable" on n1 test -s "$STATS"
third=$(printf '#!/bin/sh\nsleep 4\n' | submit)
wait_for 30 job_is "$third" RUNNING
sleep 1
lustre_counts 50001000
check_within 30 "a job with a Lustre mount of its own completes" \
	job_is "$third" COMPLETED
check_within 30 "the bytes of the llite counters are in its history" \
	io_of "$third" llite
on n1 umount /sys/kernel/debug
cluster stop ctl slurmdbd
second=$(printf '#!/bin/sh\nsrun sleep 2\nexit 3\n' | submit)
check_within 30 "a job runs while slurmdbd is down" job_is "$second" FAILED
cluster start ctl slurmdbd
check_within 60 "the job is in slurmdbd after its restart" \
	quietly accounted "$second" FAILED

imported_with() { # SLURM_JWT=... PATH WANTED
	on ctl env "$1" /opt/sluice/bin/sysquery --json \
		import rest "http://ctl:6820$2" 2>/dev/null | grep -qF "$3"
}

# Had again, also what is older than today
before_today() { # JOB
	local t set=
	for t in submit eligible start end; do
		set+=,time_$t=time_$t-864000
	done
	on ctl mysql --no-defaults --socket=/run/mysqld/mysqld.sock -e \
		"UPDATE slurm_acct_db.${CLUSTER}_job_table SET ${set#,} WHERE id_job=$1"
}
check "a job is moved ten days back in slurmdbd" before_today "$second"
lose_history
check "the history is empty after the loss of the database" fails stored "$job"
as_alice sh -c 'setsid slurmrestd -a rest_auth/local unix:/pfs/alice/rest \
	>/pfs/alice/rest.log 2>&1 </dev/null &'
wait_for 20 test -S "$PFS/alice/rest"
check "import from slurmrestd adds all three jobs" matches \
	"$(sysquery import rest unix:/pfs/alice/rest)" \
	'"jobs":3,"added":3,"io":3,"io_changed":0,"skipped":0,"broken":0'
check "the imported row has the same columns as the lost one" \
	equal "$(row "$job")" "$mine"
check "the imported row has the bytes that its steps wrote" io_of "$job" accounting
check "a second import adds no job" matches \
	"$(sysquery import rest unix:/pfs/alice/rest)" '"jobs":3,"added":0'
check "import from a socket that does not exist fails" fails quietly \
	sysquery import rest unix:/nowhere

lose_history
on ctl sacct -aP -S now-30days --format=JobID,JobIDRaw,User,UID,GID,Account,Partition,QOS,Submit,Eligible,Start,End,State,ExitCode,NNodes,NCPUS,NTasks,ReqMem,Timelimit,NodeList,WorkDir,JobName,TRESUsageInTot,TRESUsageOutTot \
	>"$PFS/sacct"
check "import from sacct's output adds all three jobs" matches \
	"$(sysquery import sacct /pfs/sacct)" '"jobs":3,"added":3,"io":3,'
check "the row imported from sacct has the same columns" equal "$(row "$job")" "$mine"
check "the row imported from sacct has state and exit code" \
	equal "$(query "SELECT State, ExitCode
	FROM History WHERE JobID = $second")" "FAILED|768"

has_jwt || {
	note "no auth/jwt is installed: not asked with a token"
	finish
}
lose_history
as_alice sh -c 'SLURM_JWT=daemon setsid slurmrestd -a rest_auth/jwt ctl:6820 \
	>/pfs/alice/jwt.log 2>&1 </dev/null &'
token=$(on ctl scontrol token lifespan=900)
check_within 20 "import from slurmrestd works with a token" \
	imported_with "$token" '' '"jobs":3,"added":3,"io":3,'
check "the row imported with a token has the same columns" equal "$(row "$job")" "$mine"
check "import from slurmrestd without a token fails" fails quietly \
	sysquery import rest http://ctl:6820
# slurmrestd leaves the token to those it asks; slurmctld looks at it.
check "slurmctld accepts the token" \
	imported_with "$token" /slurm/v0.0.38/jobs '"jobs":0'
check "slurmctld refuses an invalid token" fails quietly \
	imported_with SLURM_JWT=nonsense /slurm/v0.0.38/jobs jobs

new=$(echo '#!/bin/sh' | bounded_exec -u bob ctl sbatch --parsable -H -N1 \
	-t5 -J new -o /dev/null 2>/dev/null)
check "a new user's job is predicted by its account" prints \
	'AdminComment=.*\(account, [0-9]+ jobs\)' \
	on ctl scontrol -o show job "$new"
finish
