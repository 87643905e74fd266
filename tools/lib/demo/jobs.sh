# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The demo's cluster, its user and her jobs. Sourced.
CLUSTER=demo
PFS=/var/tmp/sluice-$CLUSTER/pfs # /pfs of the hosts

cluster() {
	local command=$1
	shift
	"$TOOLS/cluster" "$command" --name "$CLUSTER" "$@"
}

on_controller() {
	cluster exec ctl timeout -s KILL 30 "$@"
}

as_alice() {
	cluster exec -u alice ctl timeout -s KILL 30 "$@"
}

# Answers of sluiced to the administrator, as JSON.
ask() { # SYSQUERY-ARGUMENT...
	on_controller sysquery "$@" --json
}

submit() { # SBATCH-OPTION...: script on standard input; prints its number
	as_alice sbatch --parsable "$@"
}

job_state() { # JOB
	on_controller scontrol -o show job "$1" | grep -oP 'JobState=\K\S+'
}

# Show squeue's view of a job while it goes by.
watch_job() { # JOB
	local from=$SECONDS line
	while line=$(as_alice squeue -h -j "$1" -o '%T %r' 2>/dev/null) &&
		[ "$line" ] && [ $((SECONDS - from)) -lt 120 ]; do
		moving "job $1: $line"
		sleep 0.2
	done
	moving_ends
}
