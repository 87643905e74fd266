#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A node of a cloud: it has neither files of Slurm's nor of ours, no name that
# anybody knows, boots for a job only, for longer than SetupTimeout, and has
# its address when it has booted.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
ETC=/var/tmp/sluice-$CLUSTER/etc
ADDRESS=10.77.0.112

cloud_conf() {
	install -d -o slurm "$PFS/.cloud"
	printf '#!/bin/sh\ntouch /pfs/.cloud/$1.on\n' >"$ETC/slurm/resume"
	printf '#!/bin/sh\n' >"$ETC/slurm/suspend"
	chmod 755 "$ETC/slurm/resume" "$ETC/slurm/suspend"
	sed -i '/^NodeName=n2 /d
		s/^\(PartitionName=main Nodes\)=[^ ]*/NodeName=n2 State=CLOUD\n\1=ALL/
		s/^\(SlurmctldParameters=.*\)/\1,cloud_reg_addrs/' \
		"$ETC/slurm/slurm.conf"
	cluster conf slurm.conf ResumeProgram=/etc/slurm/resume \
		SuspendProgram=/etc/slurm/suspend SuspendTime=600 \
		SuspendTimeout=5 ResumeTimeout=100 SuspendExcNodes=n1
	cluster conf sluice.conf SetupTimeout=15
	on ctl pkill -HUP sluiced
}

# slurmctld knows of n2 what slurm.conf says, and nothing more.
begin_anew() {
	cluster stop n1 slurmd
	cluster crash n2
	cluster move n2 "$ADDRESS"
	cluster stop ctl slurmctld
	rm -rf "/var/tmp/sluice-$CLUSTER"/host/ctl/state/*
	cluster start ctl slurmctld
	cluster start n1 slurmd
}

cluster_up --nodes 2 --ions 0 --configless --fetch
make_input in 20 2
cloud_conf
begin_anew
wait_for 30 prints idle on ctl sinfo -hn n1 -o %T
job=$(buffer_script in | submit -N 2 -t 5)
check_within 30 "Slurm powers the cloud node up for a job" test -e "$PFS/.cloud/n2.on"
sleep 20
SLURMD_OPTIONS=-b cluster boot n2
check_within 90 "the job on the cloud node ends" job_ended "$job"
check "the job on the cloud node completes" job_is "$job" COMPLETED
check "the job was not requeued while the node booted" \
	equal "$(job_field "$job" Restarts)" 0
check "its output is complete" output_complete in "$job"
check "the node has an address that was in no configuration" matches \
	"$(on ctl scontrol show node n2)" "NodeAddr=$ADDRESS"
check "no node is drained" equal "$(on ctl sinfo -hR)" ''
finish
