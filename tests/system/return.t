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
check "a job is staging out when its slurmd is killed" buffer_is "$JOB" STAGE_OUT
cluster kill n2 slurmd
sleep 1
cluster start n2 slurmd
drained_at_work "slurmd begins anew"
cluster kill n2 slurmd
check_within 90 "a drained node whose slurmd is dead is down" is_down
check "the drain reason of the dead node is kept" equal \
	"$(on ctl sinfo -hN -n n2 -o %E | cut -c1-7)" sluice:
cluster start n2 slurmd
go_on
check_within 60 "the job ends after slurmd's restart" job_ended "$JOB"
check_within 60 "the node is returned to service" nodes_idle n2

# A node's cable is out while its job ends, for longer than SlurmdTimeout: no
# epilog comes there. It takes other jobs again, so nothing of this one stays
# but what it held of the data.
waits() {
	on n1 test -e /pfs/alice/written
}
rm -f "$PFS/alice/wait" "$PFS/alice/written"
job=$(submit -N2 -w 'n[1-2]' --bb='jobfs type=glusterfs capacity=100MiB
stage_out source=$BB_JOBFS/out destination=/pfs/alice/rest' <<-'EOT'
	#!/bin/bash
	mkdir "$BB_JOBFS/out"
	for i in {1..16}; do echo "file $i" >"$BB_JOBFS/out/$i"; done
	sync; touch /pfs/alice/written
	until [ -e /pfs/alice/ended ]; do sleep 0.2; done
EOT
)
check_within 60 "a job has written its data before the cable is cut" waits
cluster cut n2
touch "$PFS/alice/ended"
check_within 120 "the job ends without the disconnected node" job_is "$job" FAILED
cluster join n2
check_within 60 "the reconnected node is idle" nodes_idle n2
check_within 60 "the reconnected node has cleaned up" nothing_left n2
for host in n1 n2; do
	bounded_exec -u alice "$host" sluice-node fetch "$job" /pfs/alice/rescued \
		>/dev/null 2>&1
done
check "the reconnected node keeps its part of the data" \
	equal "$(cat "$PFS"/alice/rescued/*/* \
	"$PFS"/alice/rescued/* 2>/dev/null | sort -u | wc -l)" 16
rm "$PFS/alice/bystander"
finish
