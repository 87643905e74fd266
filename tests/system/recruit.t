#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An idle compute node as an I/O node: while a preemptible job of SlurmUser's
# holds it, and no longer than until another job needs it.
. "$(dirname "$0")/lib.sh"

shows() { # NODE REGEX
	on ctl scontrol -o show node "$1" | grep -qE "$2"
}

shows_none() { # NODE
	! shows "$1" 'Features=[^ ]*ion_|Comment=sluice'
}

ions_of() { # JOB IONS
	[ "$(on ctl /opt/sluice/bin/sysquery --json ions |
		jq -r ".jobs[] | select(.job_id == $1) | .ions")" = "$2" ]
}

has_lost() { # JOB ION
	local ions
	ions=$(on ctl /opt/sluice/bin/sysquery --json ions |
		jq -re ".jobs[] | select(.job_id == $1) | .ions") &&
		[ "$ions" != "$2" ]
}

recruit() { # USER
	on ctl sbatch --uid="$1" --parsable -p recruit -N1 -J sluice-recruit \
		--exclusive -o /dev/null -D /tmp --wrap 'exec sleep 600'
}

one_cpu() { # SBATCH-OPTION...
	submit -N1 -n1 -c1 "$@" <<<$'#!/bin/sh\nsleep 600'
}

cluster_up --nodes 2 --ions 1
cluster conf sluice.conf IONodes=io1,n2 RecruitIdle=n2
cluster conf slurm.conf PreemptType=preempt/partition_prio PreemptMode=REQUEUE \
	"PartitionName=recruit Nodes=n2 PriorityTier=0 State=UP"
cluster stop ctl sluiced
cluster start ctl sluiced
on ctl scontrol reconfigure
wait_for 20 nodes_idle 'n[1-2]'
check_within 20 "the fixed one can be given" shows io1 ion_free
check "an idle node cannot" shows_none n2
theirs=$(recruit alice)
wait_for 20 job_is "$theirs" RUNNING
as_alice scancel "$theirs"
wait_for 40 job_ended "$theirs"
check "nor by a user's job of that name" shows_none n2

first=$(recruit slurm)
check_within 20 "a job of SlurmUser's recruits it" shows n2 'ion_free'
check "and gets no I/O node" ions_of "$first" ''
jobs=("$(one_cpu -w n1)" "$(one_cpu -w n1)")
wait_for 30 job_is "${jobs[1]}" RUNNING
check_within 20 "one job gets the fixed one" ions_of "${jobs[0]}" io1
check_within 20 "another the recruited one" ions_of "${jobs[1]}" n2
check_within 10 "and it shows whose it is" \
	shows n2 "ion_assigned.*Comment=sluice: ${jobs[1]}"
check "its mapping names it" grep -q "n1 1$" "$PFS/.sluice/${jobs[1]}.map"

needs=$(one_cpu -w n2 --exclusive)
check_within 30 "who needs the node gets it" job_is "$needs" RUNNING
check_within 10 "and no job has it" has_lost "${jobs[1]}" n2
check_within 10 "which it shows" shows_none n2
second=$(recruit slurm)
as_alice scancel "$needs"
check_within 60 "when it is idle again the next one holds it" \
	job_is "$second" RUNNING
check_within 20 "and the job has its own again" ions_of "${jobs[1]}" n2
finish
