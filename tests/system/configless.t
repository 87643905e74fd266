#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Nodes without a slurm.conf of their own: Slurm sends them its files, into a
# directory where no sluice.conf is. They have that in /etc/slurm, or not at
# all, and then it comes from sluiced.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
KEPT=/run/sluice/fetched.conf

run_job() { # NAME
	local job
	job=$(buffer_script in | submit -N 2 -t 5)
	check_within 60 "$1: a job with a file system ends" job_ended "$job"
	check "$1: the job completes" job_is "$job" COMPLETED
	check "$1: its output is complete" output_complete in "$job"
	check "$1: no node is drained" equal "$(on ctl sinfo -hR)" ''
}

test_own() {
	make_input in 20 2
	check "configless: a node has no slurm.conf" \
		fails on n1 test -e /etc/slurm/slurm.conf
	check "configless: the probe finds the files that slurmctld has sent" matches \
		"$(on n1 sluice-node probe)" '^slurm +ok'
	check "configless: the probe names the sluice.conf in use" matches \
		"$(on n1 sluice-node probe)" \
		'^sluice.conf +ok +/etc/slurm/sluice.conf'
	run_job "its own sluice.conf"
}

is_kept() { # HOST LINE
	on "$1" grep -qxF "$2" "$KEPT"
}

log_says() { # HOST EXTENDED-REGULAR-EXPRESSION
	on "$1" grep -qE "$2" /var/log/sluice-node.log
}

test_fetched() {
	make_input in 20 2
	check "the node has no sluice.conf of its own" fails on n1 \
		test -e /etc/slurm/sluice.conf
	check_within 30 "slurmd's start fetches sluice.conf from sluiced" \
		is_kept n1 NodeStorage=auto
	check "the probe names the fetched file and its source" matches \
		"$(on n1 sluice-node probe)" "^sluice.conf +ok +$KEPT, fetched from"
	check "the probe finds Slurm's files" matches "$(on n1 sluice-node probe)" \
		'^slurm +ok'
	run_job "fetched"
	check "user commands use the fetched sluice.conf" \
		quietly bounded_exec -u alice n1 \
		sysquery hosts
}

# It is another one: nodes hear so with the next job's plan.
test_changed() {
	cluster conf sluice.conf StageInTimeout=1234
	on ctl scontrol reconfigure
	on ctl pkill -HUP sluiced
	run_job "changed"
	check "n1 has the changed sluice.conf" is_kept n1 StageInTimeout=1234
	check "n2 has the changed sluice.conf" is_kept n2 StageInTimeout=1234
	# a bad one changes nothing
	cluster conf sluice.conf NoSuchKey=1
	on ctl pkill -HUP sluiced
	run_job "bad"
	check "an invalid sluice.conf is not distributed" fails is_kept n1 NoSuchKey=1
	on ctl sed -i /NoSuchKey/d /etc/slurm/sluice.conf
}

# What was fetched goes on serving.
test_away() {
	local job
	cluster kill ctl sluiced
	check "without sluiced the probe names the kept sluice.conf" matches \
		"$(on n1 sluice-node probe)" \
		"^sluice.conf +note +$KEPT, fetched from .* which does not answer"
	job=$(buffer_script in | submit -N 2 -t 5)
	cluster stop n1 slurmd
	cluster start n1 slurmd
	cluster start ctl sluiced
	check_within 90 "a job that waited for sluiced ends" job_ended "$job"
	check "a job that waited for sluiced completes" job_is "$job" COMPLETED
}

is_held() { # JOB
	[ "$(job_field "$1" Priority)" = 0 ]
}

# Nobody says where to fetch it, and nothing is kept.
test_none() {
	local job
	cluster conf sluice.conf SetupTimeout=5 OnSetupFailure=hold
	on ctl pkill -HUP sluiced
	on ctl sed -i 's/ sluiced=.*//' /etc/slurm/plugstack.conf
	on ctl scontrol reconfigure
	cluster stop n1 slurmd
	on n1 rm "$KEPT"
	cluster start n1 slurmd
	check "without sluice.conf the probe says what to do" \
		matches "$(on n1 sluice-node probe 2>&1)" \
		'put sluiced=HOST into plugstack.conf'
	wait_for 30 prints '^idle$' on ctl sinfo -hn n1 -o %T
	job=$(buffer_script in | submit -w n1 -t 5)
	check_within 60 "a job on a node without sluice.conf is held" is_held "$job"
	check "the node's log says that no source of sluice.conf is known" log_says n1 \
		'nobody says where to fetch it'
	check "no node is drained" equal "$(on ctl sinfo -hR)" ''
	as_alice scancel "$job"
}

# slurm.conf knows n2 no more, nor does anybody's /etc/hosts: it registers by
# itself (slurmd -Z), and slurmctld says where it is.
test_dynamic() {
	local job etc=/var/tmp/sluice-$CLUSTER/etc
	cluster stop n2 slurmd
	cluster stop ctl slurmctld
	sed -i '/^NodeName=n2 /d; s/^\(PartitionName=main Nodes\)=[^ ]*/\1=ALL/
		$a MaxNodeCount=4' "$etc/slurm/slurm.conf"
	sed -i '/ n2$/d' "$etc/hosts"
	cluster start ctl slurmctld
	wait_for 30 prints idle on ctl sinfo -hn n1 -o %T
	on n2 rm -rf /run/sluice
	on n2 slurmd -Z --conf-server 10.77.0.1 --conf "CPUs=2 RealMemory=1000"
	check_within 30 "a dynamic node registers" \
		prints idle on ctl sinfo -hn n2 -o %T
	check_within 60 "the dynamic node has sluice.conf from sluiced" is_kept n2 \
		NodeStorage=auto
	check_within 30 "sluiced accepts the dynamic node's credential" \
		quietly on n2 /opt/sluice/bin/sysmap --push
	run_job "dynamic"
}

cluster_up --nodes 2 --ions 0 --configless
test_own
cluster_gone
cluster_up --nodes 2 --ions 0 --configless --fetch
test_fetched
test_changed
test_away
test_dynamic
test_none
finish
