#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With ReturnToService=1 Slurm takes back a node that went down because it did
# not answer and for no other reason, also if we had drained it before.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
. "$(dirname "$0")/faults.sh"

is_down() {
	on ctl scontrol -o show node n2 | grep -q ' State=DOWN+.*DRAIN'
}

fresh_cluster
cluster conf slurm.conf ReturnToService=1
on ctl scontrol reconfigure
job_in_phase STAGE_OUT
check "a job is staging out" buffer_is "$JOB" STAGE_OUT
cluster kill n2 slurmd
sleep 1
cluster start n2 slurmd
drained_at_work "slurmd begins anew"
cluster kill n2 slurmd
check_within 90 "it does not answer" is_down
check "and is drained still" equal \
	"$(on ctl sinfo -hN -n n2 -o %E | cut -c1-7)" sluice:
cluster start n2 slurmd
go_on
check_within 60 "the job ends" job_ended "$JOB"
check_within 60 "its node is back" nodes_idle n2
rm "$PFS/alice/bystander"
finish
