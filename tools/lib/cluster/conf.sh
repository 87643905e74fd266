# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# /etc of a cluster's hosts: the machine's, changed. Sourced by tools/cluster.

# Two ordinary users with numbers that are free on this machine.
conf_users() {
	local user uid=2001
	for user in alice bob; do
		while getent passwd "$uid" || getent group "$uid"; do
			uid=$((uid + 1))
		done >/dev/null
		echo "$user:x:$uid:$uid::/pfs/$user:/bin/bash" >>"$DIR/etc/passwd"
		echo "$user:x:$uid:" >>"$DIR/etc/group"
		install -d -o "$uid" -g "$uid" -m 755 "$DIR/pfs/$user"
		uid=$((uid + 1))
	done
}

conf_hosts() {
	echo "127.0.0.1 localhost" >"$DIR/etc/hosts"
	awk '{ print $2, $1 }' "$DIR/hosts" >>"$DIR/etc/hosts"
}

conf_munge() {
	head -c 128 /dev/urandom >"$DIR/etc/munge/munge.key"
	chown munge:munge "$DIR/etc/munge/munge.key"
	chmod 400 "$DIR/etc/munge/munge.key"
}

conf_slurm() {
	local conf=$DIR/etc/slurm
	rm -rf "$conf"
	mkdir "$conf"
	{
		slurm_conf_base
		slurm_conf_nodes
		[ "$SWITCHES" = 0 ] || echo "TopologyPlugin=topology/tree"
		[ "$CONFIGLESS" = no ] ||
			echo "SlurmctldParameters=enable_configless"
		[ "$DBD" = no ] || slurm_conf_dbd
		[ "$PLAIN" = yes ] || slurm_conf_sluice
	} >"$conf/slurm.conf"
	[ "$SWITCHES" = 0 ] || conf_topology >"$conf/topology.conf"
	# Without /sys/fs/cgroup slurmd would refuse to start.
	echo "CgroupPlugin=cgroup/v1" >"$conf/cgroup.conf"
	: >"$conf/plugstack.conf"
	[ "$DBD" = no ] || conf_slurmdbd >"$conf/slurmdbd.conf"
	chown slurm "$conf"/*
	chmod 600 "$conf"/slurmdbd.conf 2>/dev/null || true
	[ "$PLAIN" = yes ] || conf_sluice
}

conf_topology() {
	local host i
	local -A below
	for host in $(hosts compute); do
		i=$(leaf_of "$host")
		below[$i]+=${below[$i]:+,}$host
	done
	for ((i = 1; i <= SWITCHES; i++)); do
		echo "SwitchName=leaf$i Nodes=${below[$i]}"
	done
	echo "SwitchName=core Switches=leaf[1-$SWITCHES]"
}

slurm_conf_base() {
	cat <<-EOT
		ClusterName=$NAME
		SlurmctldHost=ctl($(address ctl))
		SlurmUser=slurm
		SlurmdUser=root
		AuthType=auth/munge
		CredType=cred/munge
		MpiDefault=none
		SlurmctldPidFile=/run/slurm/slurmctld.pid
		SlurmdPidFile=/run/slurmd.pid
		StateSaveLocation=$DIR/host/ctl/state
		SlurmdSpoolDir=$DIR/host/%h/spool
		SlurmctldLogFile=$DIR/log/ctl/slurmctld.log
		SlurmdLogFile=$DIR/log/%h/slurmd.log
		SlurmctldDebug=debug
		SlurmdDebug=debug
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SwitchType=switch/none
		JobAcctGatherType=jobacct_gather/linux
		JobCompType=jobcomp/none
		PrologFlags=Alloc,DeferBatch
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		SchedulerType=sched/backfill
		SchedulerParameters=bf_interval=2,sched_interval=2,batch_sched_delay=1,sched_min_interval=0
		ReturnToService=2
		SlurmctldTimeout=10
		SlurmdTimeout=20
		KillWait=3
		MinJobAge=60
		MessageTimeout=10
	EOT
}

slurm_conf_nodes() {
	echo "SlurmdParameters=config_overrides"
	echo "NodeName=DEFAULT CPUs=2 Boards=1 SocketsPerBoard=1" \
		"CoresPerSocket=2 ThreadsPerCore=1 RealMemory=1000 State=UNKNOWN"
	awk '$3 != "controller" { print "NodeName=" $1 " NodeAddr=" $2 }' \
		"$DIR/hosts"
	echo "PartitionName=main Nodes=$(compute_list) Default=YES" \
		"MaxTime=INFINITE DefaultTime=60 State=UP"
	[ "$IONS" = 0 ] ||
		echo "PartitionName=io Nodes=$(ion_list) RootOnly=YES State=UP"
}

slurm_conf_dbd() {
	cat <<-EOT
		AccountingStorageType=accounting_storage/slurmdbd
		AccountingStorageHost=ctl
	EOT
	[ "$PLAIN" = yes ] || echo "AccountingStorageTRES=bb/sluice"
}

conf_slurmdbd() {
	cat <<-EOT
		AuthType=auth/munge
		DbdHost=ctl
		DbdAddr=$(address ctl)
		SlurmUser=slurm
		PidFile=/run/slurm/slurmdbd.pid
		LogFile=$DIR/log/ctl/slurmdbd.log
		StorageType=accounting_storage/mysql
		StorageHost=127.0.0.1
		StoragePort=3306
		StorageUser=slurm
		StoragePass=slurm
		StorageLoc=slurm_acct_db
	EOT
}

# Where our plugins are, unless packages have put them beside Slurm's.
our_plugins() {
	[ ! -e "$PREFIX/lib/slurm/spank_sluice.so" ] ||
		echo /opt/sluice/lib/slurm
}

# Our lines of slurm.conf, and what else Slurm reads because of them.
slurm_conf_sluice() {
	local ours
	ours=$(our_plugins)
	[ -z "$ours" ] || echo "PluginDir=$ours:$(slurm_plugins)"
	cat <<-EOT
		JobSubmitPlugins=sluice
		BurstBufferType=burst_buffer/sluice
		NodeFeaturesPlugins=sluice
		PrEpPlugins=script,sluice
		BatchStartTimeout=120
		HealthCheckProgram=/etc/slurm/health-check
		HealthCheckInterval=60
		HealthCheckNodeState=ANY
	EOT
}

conf_sluice() {
	local conf=$DIR/etc/slurm ours
	ours=$(our_plugins)
	echo "required ${ours:+$ours/}spank_sluice.so" \
		"map=/pfs/.sluice$([ "$CONFIGLESS" != fetch ] ||
			echo " sluiced=$(address ctl):6480")" \
		>"$conf/plugstack.conf"
	cat >"$conf/health-check" <<-EOT
		#!/bin/sh
		/opt/sluice/bin/sysmap --push
		exec timeout 30 /opt/sluice/bin/sluice-node recover
	EOT
	chmod 755 "$conf/health-check"
	install -d -o slurm -g slurm -m 755 "$DIR/host/ctl/sluice" \
		"$DIR/pfs/.sluice"
	cat >"$conf/sluice.conf" <<-EOT
		Database=$DIR/host/ctl/sluice/sluice.db
		DaemonAddr=$(address ctl):6480
		ControlSocket=/run/slurm/sluice.sock
		FileSystem=scratch Driver=scratch
		FileSystem=glusterfs Driver=glusterfs Default=yes
		NodeStorage=auto
		PredictMode=fill
	EOT
	[ "$IONS" = 0 ] || cat >>"$conf/sluice.conf" <<-EOT
		IONodes=$(ion_list)
		MappingDir=/pfs/.sluice
	EOT
}
