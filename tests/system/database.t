#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The disk of sluiced's database is full for longer than SetupTimeout: jobs
# wait as long as that, and none fails by it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

# The database moves to a disk of its own.
small_disk() {
	on ctl sh -c 'mkdir -p /run/small && chmod 755 /run/small &&
		mount -t tmpfs -o size=40m tmpfs /run/small &&
		chown slurm /run/small'
	cluster stop ctl sluiced
	on ctl sh -c "cp -p $CLUSTER_DIR/host/ctl/sluice/sluice.db* /run/small/"
	cluster conf sluice.conf Database=/run/small/sluice.db SetupTimeout=30
	cluster start ctl sluiced
	on ctl scontrol reconfigure
	sleep 2
}

query() { # SQL
	on ctl sqlite3 -readonly /run/small/sluice.db "$1"
}

fill() {
	on ctl sh -c 'cat /dev/zero >/run/small/others 2>/dev/null
		test -s /run/small/others'
}

# A job on these nodes that stages out a line.
job_on() { # NODES SECONDS
	submit -w "$1" -N "$(on ctl scontrol show hostnames "$1" | wc -l)" <<E
#!/bin/bash
#BB jobfs type=scratch capacity=16MiB
#BB stage_out source=\$BB_JOBFS/out destination=/pfs/alice/out.%j
sleep $2
srun sh -c 'echo done >\$BB_JOBFS/out'
E
}

staged_out() { # JOB
	grep -rqx 'done' "$PFS/alice" --include="out.$1"
}

is_waiting() { # JOB
	job_is "$1" PENDING RUNNING COMPLETING
}

CLUSTER_DIR=/var/tmp/sluice-$CLUSTER
cluster_up --nodes 3 --ions 0
small_disk
ending=$(job_on n1 30)
check_within 30 "a job runs before the disk is full" job_is "$ending" RUNNING
check_within 30 "its file system is set up" buffer_is "$ending" RUNNING
fill
starting=$(job_on 'n[2-3]' 0)
sleep 75
check "a job that ends while the disk is full waits" is_waiting "$ending"
check "a job that starts while the disk is full is requeued, or waits" \
	is_waiting "$starting"
check "sluiced tells slurmctld that the database's disk is full" matches \
	"$(cat "/run/sluice-clusters/$CLUSTER/log/ctl/sluiced.log")" \
	'disconnected: no room on the disk of the database'
on ctl rm /run/small/others
check_within 12 "with space again the ended job completes at once" \
	job_is "$ending" COMPLETED
# Slurm lets who is put back begin after two minutes only.
on ctl scontrol update JobId="$starting" StartTime=now 2>/dev/null
check_within 60 "with space again the requeued job completes" \
	job_is "$starting" COMPLETED
check_within 10 "the output of the job that ended is staged out" staged_out "$ending"
check_within 10 "the output of the requeued job is staged out" staged_out "$starting"
check "no node is drained" no_node_drained
check_within 20 "nothing is left" nothing_left n1 n2 n3
check "the database is sound" database_sound
finish
