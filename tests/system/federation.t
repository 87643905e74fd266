#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two clusters are a federation: that which takes a job that was submitted to
# the other sets its limit by what it has learnt itself, and extends it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/limits.sh"
HERE=/var/tmp/sluice-$CLUSTER
OTHER=$PFS/other # of the other one: slurm.conf and what lies beside it

on_other() { # COMMAND...: n2 is its controller and its only node
	on n2 env SLURM_CONF=/pfs/other/slurm.conf "$@"
}

other_conf() {
	local addr state=$HERE/host/n2/other
	addr=$(awk '$1 == "n2" { print $2 }' "$HERE/hosts")
	cp -a "$HERE/etc/slurm" "$OTHER"
	sed -i -e "s|^ClusterName=.*|ClusterName=${CLUSTER}b|" \
		-e "s|^SlurmctldHost=.*|SlurmctldHost=n2($addr)|" \
		-e "s|^StateSaveLocation=.*|StateSaveLocation=$state|" \
		-e "s|^SlurmdSpoolDir=.*|SlurmdSpoolDir=$state/spool|" \
		-e "s|LogFile=.*/|LogFile=$HERE/log/n2/other-|" \
		-e 's|^\(Partition.* Nodes=\)[^ ]*|\1n2|' \
		-e '/^NodeName=n1/d; /^HealthCheck/d; /PidFile=/d' \
		"$OTHER/slurm.conf"
	cat >>"$OTHER/slurm.conf" <<-EOT
		SlurmctldPidFile=/run/slurm/slurmctld.pid
		SlurmdPidFile=/run/other.pid
		SlurmctldPort=6827
		SlurmdPort=6828
	EOT
	sed -i -e "s|^Database=.*|Database=$state/sluice.db|" \
		-e "s|^DaemonAddr=.*|DaemonAddr=$addr:6490|" "$OTHER/sluice.conf"
	on n2 install -d -o slurm "$state" /run/slurm
	on n2 install -d "$state/spool"
}

start_other() {
	cluster stop n2 slurmd
	other_conf
	on_other setsid -f /opt/sluice/sbin/sluiced \
		>"$HERE/log/n2/other-sluiced.log" 2>&1 </dev/null
	wait_for 20 quietly on_other /opt/sluice/bin/sysquery jobs
	quietly on_other /opt/sluice/bin/sysquery import sacct /pfs/jobs
	on_other slurmctld -i
	wait_for 20 quietly on_other timeout 5 scontrol ping
	on_other slurmd
}

federated() {
	on ctl sacctmgr -i add federation both \
		clusters="$CLUSTER,${CLUSTER}b" >/dev/null
	wait_for 60 both_active
}

both_active() { # and each has said all that it knows to the other one
	knows_other on ctl && knows_other on_other
}

knows_other() { # COMMAND...
	"$@" scontrol show federation | grep -q 'FedState:ACTIVE.* Synced:Yes'
}

there_it_is() { # JOB PATTERN
	on_other scontrol --local -o show job "$1" 2>/dev/null |
		grep -qE -- "$2"
}

cluster_up --dbd --nodes 2 --ions 0
cluster conf sluice.conf PredictMode=tighten PredictFloor=60 \
	PredictQuantile=0.6
on ctl scontrol reconfigure
history >"$PFS/jobs"
check "the second cluster starts" start_other
check_within 60 "the second cluster's slurmctld has learnt the history" \
	grep -q 'learned from 40' \
	"$HERE/log/n2/other-slurmctld.log"
check "both clusters are a federation" federated
# n2, whose slurmd is the other one's, is not lost to this one yet
on ctl scontrol update NodeName='n[1-2]' State=DRAIN Reason=test
job=$(short 45)
check_within 120 "a job submitted here runs on the second cluster" \
	there_it_is "$job" JobState=RUNNING
check "the second cluster lowers the job's limit" there_it_is "$job" \
	'TimeLimit=00:01:00 .*limit 0:01:00 of 0:10:00;'
check_within 60 "the second cluster extends the limit to the request" \
	there_it_is "$job" \
	'TimeLimit=00:10:00 .*of 0:10:00, extended'
check_within 60 "the job completes on the second cluster" \
	there_it_is "$job" JobState=COMPLETED
finish
