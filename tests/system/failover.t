#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two controllers: the active one's host loses its daemons in the middle of a
# buffer's life, the backup takes over with a sluiced of its own, and gives the
# control back in the next phase. The database and Slurm's state lie on a disk that
# both reach, as a site's fails over.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
. "$(dirname "$0")/faults.sh"

BACKUP=n4

# Whoever controls is asked, wherever one asks.
is_served() {
	on ctl scontrol show bbstat 2>/dev/null |
		grep -qx 'sluiced: connected'
}

address_of() { # HOST
	awk -v h="$1" '$1 == h { print $2 }' "$PFS/../hosts"
}

two_controllers() {
	local host
	# the blank: this line comes beside the other
	cluster conf slurm.conf "SlurmctldHost=$BACKUP($(address_of "$BACKUP")) "
	cluster conf sluice.conf \
		"DaemonAddr=$(address_of ctl):6480,$(address_of "$BACKUP"):6480"
	for host in n1 n2 n3 n4; do
		cluster stop "$host" slurmd
	done
	cluster stop ctl slurmctld
	cluster stop ctl sluiced
	cluster start ctl sluiced
	cluster start ctl slurmctld
	cluster start "$BACKUP" slurmctld
	for host in n1 n2 n3 n4; do
		cluster start "$host" slurmd
	done
	wait_for 30 nodes_idle 'n[1-4]'
}

# The primary's daemons die at once, and stay away.
fail_over() {
	kill_slurmctld
	cluster kill ctl sluiced
	cluster start "$BACKUP" sluiced
	wait_for 60 is_served
}

fail_back() {
	cluster stop "$BACKUP" sluiced
	cluster start ctl sluiced
	cluster start ctl slurmctld
	wait_for 60 is_served
}

test_phase() { # PHASE over|back
	local what="fail $2 in $1"
	job_in_phase "$1" || { check "$what: phase reached" false && return; }
	check "$what: the other controller takes over" "fail_$2"
	go_on
	check_within 90 "$what: the job ends" job_ended "$JOB"
	check_within 30 "$what: no buffer is alive" no_buffer_alive
	check "$what: the job ends with all its data" ends_well slurmctld "$1" "$JOB"
	check "$what: nothing is left" nothing_left n1 n2 n3
	check "$what: no node is drained" no_node_drained
	check "$what: the database is sound" database_sound
}

cluster_up --nodes 4 --ions 0
two_controllers
make_input in 100 8
test_phase SETUP over
test_phase STAGE_OUT back
test_phase RUNNING over
test_phase STAGE_IN back
test_phase TEARDOWN over
finish
