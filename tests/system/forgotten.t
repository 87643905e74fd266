#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmctld is killed while a job is being set up, and comes back with a state
# from before the job: it runs no epilog for it. The nodes are cleaned and in
# service again with no new job on them. Its number is not given to another,
# for which the nodes would do nothing: their slurmd believes that it runs.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
STATE=/var/tmp/sluice-$CLUSTER/host/ctl/state

copy_state() {
	cluster stop ctl slurmctld
	cp -a "$STATE" "$STATE.before"
	cluster start ctl slurmctld
	wait_for 30 nodes_idle 'n[1-3]'
}

# What Slurm saves late, but not what Sluice has saved at once.
forget_jobs() {
	cluster kill ctl slurmctld
	cp -p "$STATE"/sluice.* "$STATE.before"
	rm -r "$STATE"
	mv "$STATE.before" "$STATE"
	cluster start ctl slurmctld
}

# As early as can be: mostly before it has a plan.
hold_up() {
	LIMIT=30 on n2 sh -c 'until pkill -STOP -x sluice-node
		do sleep 0.002; done'
}

up_is_there() { # HOST
	on "$1" pgrep -x sluice-node >/dev/null
}

all_in_service() {
	no_node_drained >/dev/null
}

cluster_up --nodes 3 --ions 0
make_input in 20 0
copy_state
hold_up &
job=$(buffer_script in | submit -N2 -w 'n[1-2]')
wait $!
check "n1 sets up the job's file system" wait_for 20 up_is_there n1
check "the buffer waits for the stopped node" buffer_is "$job" SETUP
forget_jobs
check_within 30 "nodes of a job that slurmctld has lost are drained" \
	fails all_in_service
other=$(buffer_script in | submit -N2 -w 'n[1-2]')
check "the id of the lost job is not used again" fails equal "$other" "$job"
thaw n2
check_within 120 "every node is in service again" all_in_service
no_node_drained
check_within 60 "another job completes on the same nodes" \
	job_is "$other" COMPLETED
check_within 60 "no buffer is alive at the end" no_buffer_alive
check "nothing is left" nothing_left n1 n2 n3
check "the other job's buffer has no failure" equal \
	"$(buffer_failure "$other")" ""
finish
