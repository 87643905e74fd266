#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Power saving: Slurm has idle nodes powered off, and on again for a job, which
# takes longer than SetupTimeout. What a node had in /run is gone then, also
# the sluice.conf that it has from sluiced, and Slurm's own files.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
POWER=$PFS/.power

# Slurm's programs run on the controller, which has no hand on the switch: they
# leave a note, and power_button does it from outside.
power_programs() {
	install -d -o slurm "$POWER"
	cat >"/var/tmp/sluice-$CLUSTER/etc/slurm/power" <<-'EOT'
		#!/bin/sh
		for host in $(scontrol show hostnames "$2"); do
			touch /pfs/.power/$host.$1
		done
	EOT
	printf '#!/bin/sh\n/etc/slurm/power on "$1"\n' \
		>"/var/tmp/sluice-$CLUSTER/etc/slurm/resume"
	printf '#!/bin/sh\n/etc/slurm/power off "$1"\n' \
		>"/var/tmp/sluice-$CLUSTER/etc/slurm/suspend"
	chmod 755 "/var/tmp/sluice-$CLUSTER"/etc/slurm/{power,resume,suspend}
}

power_button() { # HOST
	while sleep 0.5; do
		if [ -e "$POWER/$1.off" ]; then
			rm "$POWER/$1.off"
			cluster crash "$1"
		elif [ -e "$POWER/$1.on" ] && [ ! -e "$POWER/$1.broken" ]; then
			rm "$POWER/$1.on"
			sleep "$(cat "$POWER/delay")"
			SLURMD_OPTIONS=-b cluster boot "$1"
		fi
	done
}

are_off() {
	[ "$(on ctl sinfo -hN -n n1,n2 -o %T | sort -u)" = 'idle~' ]
}

history_says() { # JOB TEXT
	on ctl sysquery buffers --job "$1" --json | grep -qF "$2"
}

run_seconds() { # JOB: as Slurm counts them
	on ctl scontrol -o show job "$1" | grep -o 'RunTime=[0-9:]*' |
		awk -F'[=:]' '{ print $2 * 3600 + $3 * 60 + $4 }'
}

at_most() { # LIMIT NUMBER
	[ "$2" -le "$1" ] || { note "$2 is more than $1" && false; }
}

test_boots() {
	local job
	check_within 90 "idle nodes are powered off" are_off
	check "a node that is powered off does not answer" fails on n1 true 2>/dev/null
	echo 25 >"$POWER/delay"
	job=$(buffer_script in | submit -N 2 -t 5)
	check_within 150 "a job for which nodes boot ends" job_ended "$job"
	check "a job for which nodes boot completes" job_is "$job" COMPLETED
	check "a job for which nodes boot runs once" \
		equal "$(job_field "$job" Restarts)" 0
	check "its output is complete after the boot" output_complete in "$job"
	check "the buffer's history says that nodes have booted" \
		history_says "$job" 'has booted after'
	check "the boot does not count as run time" at_most 20 "$(run_seconds "$job")"
	check "no node is drained" equal "$(on ctl sinfo -hR)" ''
}

test_salloc() {
	check_within 90 "nodes are powered off before salloc" are_off
	check "salloc waits for boot and set-up" equal \
		"$(LIMIT=120 as_alice salloc -N1 -t 5 --bb='jobfs capacity=50MiB' \
			srun sh -c 'test -d "$BB_JOBFS" && echo there' 2>/dev/null |
			tail -1)" there
}

# Slurm gives up the node that does not boot, and has the job run again. It had
# no part in the file system that was never made.
test_broken() {
	local job
	check_within 90 "nodes are powered off before the failed boot" are_off
	touch "$POWER/n2.broken"
	job=$(buffer_script in | submit -N 2 -t 5)
	check_within 150 "a node that does not boot is down" \
		prints '^down' on ctl sinfo -hN -n n2 -o %T
	check_within 60 "Slurm requeues its job" \
		prints 'JobState=PENDING.*Restarts=1' \
		on ctl scontrol -o show job "$job"
	check "the buffer's set-up has not failed" \
		fails history_says "$job" 'setup failed'
	as_alice scancel "$job"
	check "no node is drained by sluice" fails prints sluice: \
		on ctl sinfo -hR
}

cluster_up --nodes 2 --ions 0 --configless --fetch
power_programs
make_input in 20 2
cluster conf sluice.conf SetupTimeout=10
cluster conf slurm.conf SuspendProgram=/etc/slurm/suspend \
	ResumeProgram=/etc/slurm/resume SuspendTime=5 SuspendTimeout=10 \
	ResumeTimeout=60 SuspendRate=0 ResumeRate=0
on ctl pkill -HUP sluiced
cluster stop ctl slurmctld
cluster start ctl slurmctld
for host in n1 n2; do
	power_button "$host" >/dev/null 2>&1 &
done
test_boots
test_salloc
test_broken
finish
