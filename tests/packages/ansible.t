#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The playbook of etc/ansible, with the packages in /packages as a repository, on
# the hosts of a private cluster that has Slurm without Sluice: a job has a
# buffer afterwards, and a second run has nothing to do. Run by tools/test
# packages.
. "$(dirname "$0")/../system/lib.sh"
. "$(dirname "$0")/../system/buffer.sh"
. "$(dirname "$0")/lib.sh"
PLAY=/root/play

# What they depend on is here, as on hosts that reach a repository for it.
depended_on() {
	apt install --no-install-recommends dpkg-dev ansible-core python3-apt \
		"${DEBS[@]}" && dpkg --purge "${NAMES[@]}" >/root/purge.log 2>&1
}

repository() {
	cd /packages && dpkg-scanpackages . 2>/dev/null >Packages &&
		rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* &&
		echo 'deb [trusted=yes] file:/packages ./' >/etc/apt/sources.list &&
		apt update
}

# ssh, but into a host of the cluster; what systemd does elsewhere is done by
# hand, since nobody runs it there.
inventory() {
	mkdir -p $PLAY/group_vars
	cat >$PLAY/ssh <<-EOT
		#!/bin/bash
		while [[ \$1 = -* ]]; do
			[[ \$1 = -o ]] && shift
			shift
		done
		exec $TOP/tools/cluster exec --name $CLUSTER "\$1" sh -c "\${*:2}"
	EOT
	chmod 755 $PLAY/ssh
	cat >$PLAY/ansible.cfg <<-EOT
		[defaults]
		forks = 1
		[ssh_connection]
		ssh_executable = $PLAY/ssh
		transfer_method = piped
		pipelining = true
	EOT
	cat >$PLAY/inventory <<-EOT
		[sluice_controller]
		ctl
		[sluice_node]
		n[1:2]
	EOT
	cat >$PLAY/group_vars/all.yml <<-EOT
		ansible_become: false
		sluice_conf: |
		  Database=/var/tmp/sluice-$CLUSTER/host/ctl/sluice/sluice.db
		  DaemonAddr=ctl:6821
		  FileSystem=glusterfs Driver=glusterfs Default=yes
		  NodeStorage=auto
		sluice_units: {}
		sluice_restart_slurmctld: pgrep -x sluiced || sluiced;
		  pkill -x slurmctld; while pgrep -x slurmctld; do sleep 0.1; done; slurmctld
		sluice_restart_slurmd:
		  pkill -x slurmd; while pgrep -x slurmd; do sleep 0.1; done; slurmd
		sluice_reload: pkill -HUP -x sluiced; scontrol reconfigure
	EOT
}

play() { # OPTION...: what it says is in /root/play.log
	(cd "$PLAY" && ANSIBLE_CONFIG=ansible.cfg ansible-playbook \
		-i inventory "$@" "$TOP/etc/ansible/site.yml") \
		>/root/play.log 2>&1 || { note "$(tail -30 /root/play.log)" && false; }
}

stopped() {
	fails play >/dev/null
}

changed() { # prints how many tasks of all hosts have changed something
	sed -n '/^PLAY RECAP/,$s/.* changed=\([0-9]*\).*/\1/p' /root/play.log |
		awk '{ n += $1 } END { print n + 0 }'
}

has_line() { # LINE: in the cluster's slurm.conf
	grep -qx "$1" "$CONF/slurm.conf" || { note "$(grep "^${1%%=*}" "$CONF/slurm.conf")" && false; }
}

all_idle() {
	on ctl sinfo -hN -o %T >/root/states
	[ "$(sort -u /root/states)" = idle ]
}

apt update
check "Slurm and Ansible are installed" depended_on
"$TOP/tools/setup" --run >/root/setup.log 2>&1 || note "$(tail -3 /root/setup.log)"
check "the packages are a repository" repository
cluster_up --plain --nodes 2 --ions 0
CONF=$(dirname "$PFS")/etc/slurm
inventory
cluster conf slurm.conf JobSubmitPlugins=require_timelimit \
	HealthCheckInterval=60
check "a setting that the site has otherwise stops it" stopped
check "which it says" grep -q \
	'slurm.conf has HealthCheckInterval=60, wanted is 600: change it' \
	/root/play.log
cluster conf slurm.conf HealthCheckInterval=600
check "it goes through" play
check "plugins of the site are kept" has_line \
	JobSubmitPlugins=require_timelimit,sluice
check_within 60 "all nodes are idle" all_idle
[ "$FAILED" = 0 ] || note "$(cat /root/states; tail -n 40 /root/play.log)"
check "slurmctld has nothing to say of slurm.conf" fails \
	grep -q 'sluice: slurm.conf:' "$(dirname "$PFS")/log/ctl/slurmctld.log"
make_input in 20 2
job=$(buffer_script in | submit -N 2 -t 5)
check_within 60 "a first job ends" job_ended "$job"
check "it COMPLETED" job_is "$job" COMPLETED
check "its output is complete" output_complete in "$job"
check "it goes through again" play
check "and changes nothing" equal "$(changed)" 0
finish
