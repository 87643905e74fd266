#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# I/O nodes on a real cluster: jobs start and end, and at each step the
# assignment is as good as the best of all that there are, tried one by one;
# mappings, features and comments say the same; also after slurmctld was
# killed between an event and its publication, when a job is resized, when an
# I/O node fails and when it registers anew; who shares one is not forgotten;
# near I/O nodes come first; no job waits for long for its mapping.
. "$(dirname "$0")/lib.sh"

declare -A CHOICES # of each running job: "IONS:MB/s ..."

ask() { # SYSQUERY-ARGUMENT...
	on ctl /opt/sluice/bin/sysquery --json "$@"
}

linked() {
	on ctl curl -s localhost:6480/metrics | grep -q '^sluice_linked 1$' ||
		ask ions | grep -q policy
}

run_job() { # PATTERN NODES [SBATCH-OPTION]: prints the job
	submit -N"$2" --job-name="$1" --bb="forward pattern=$1" "${@:3}" <<-EOT
		#!/bin/sh
		sleep 600
	EOT
}

# Start a job and note what it may choose, by the table below and its nodes.
start() { # PATTERN NODES CHOICES [SBATCH-OPTION]
	JOB=$(run_job "$1" "$2" "${@:4}")
	CHOICES[$JOB]=$3
	wait_for 30 job_is "$JOB" RUNNING
}

end() { # JOB
	as_alice scancel "$1"
	unset "CHOICES[$1]"
	wait_for 40 job_ended "$1"
}

# The greatest sum of all ways to choose.
best() { # IONS CHOICES...
	local room=$1 first=${2:-} most=-1 one sum
	[ -n "$first" ] || { echo 0 && return; }
	shift 2
	for one in $first; do
		[ "${one%:*}" -le "$room" ] || continue
		sum=$((${one#*:} + $(best $((room - ${one%:*})) "$@")))
		[ $sum -le $most ] || most=$sum
	done
	echo $most
}

# What sluiced says is in force is for these jobs and as good as the best.
as_good_as() { # IONS
	local answer
	answer=$(ask ions) || return 1
	[ "$(jq '.jobs | length' <<<"$answer")" = ${#CHOICES[@]} ] &&
		[ "$(jq '.total | round' <<<"$answer")" = \
			"$(best "$1" "${CHOICES[@]}")" ] &&
		[ "$(jq .proved <<<"$answer")" = true ]
}

# The mapping of each job has a line for each of its nodes, with I/O nodes that
# are marked as held by it, and no job has another's.
mapped() {
	local answer job ion
	answer=$(ask ions) || return 1
	for job in "${!CHOICES[@]}"; do
		for ion in $(on ctl scontrol show hostnames "$(jq -r \
			".jobs[] | select(.job_id == $job) | .ions" \
			<<<"$answer")"); do
			on ctl scontrol -o show node "$ion" |
				grep -q "ActiveFeatures=.*ion_assigned.*Comment=.*sluice: $job\b" ||
				return 1
			grep -q " $(($(tr -dc 0-9 <<<"$ion") - 1))\$" \
				"$PFS/.sluice/$job.map" || return 1
		done
	done
}

ions_of() { # JOB IONS
	[ "$(ask ions | jq -r ".jobs[] | select(.job_id == $1) | .ions")" = "$2" ]
}

registered_since() { # HOST TIME
	[ "$(on ctl scontrol -o show node "$1" |
		sed -n 's/.*SlurmdStartTime=\([^ ]*\).*/\1/p')" != "$2" ]
}

free_ions() { # HOW-MANY
	[ "$(on ctl scontrol -o show node 'io[1-3]' |
		grep -c 'ActiveFeatures=.*ion_free')" = "$1" ]
}

# What a step of the job has in its environment, which its user can read.
has_map() { # JOB FILE
	# shellcheck disable=SC2016 # for the step's shell
	equal "$(as_alice srun --jobid="$1" --overlap -n1 bash -c \
		'echo "$LIBGKFS_FORWARDING_MAP_FILE"
		cat "$LIBGKFS_FORWARDING_MAP_FILE"')" \
		"/pfs/.sluice/$2"$'\n'"$(<"$PFS/.sluice/$2")"
}

node_has() { # NODE JOB: the node's mapping is as that job's
	grep -qxf "$PFS/.sluice/$2.map" "$PFS/.sluice/nodes/$1.map"
}

node_shows() { # NODE REGEX
	on ctl scontrol -o show node "$1" | grep -q "$2"
}

equal_ions() { # IONS: all there are
	[ "$(ask ions | jq -r .ions)" = "$1" ]
}

shares() { # OWNER GUEST
	[ "$(ask ions | jq -c '[.jobs[] | [.job_id, .shared]] | sort')" = \
		"[[$1,false],[$2,true]]" ]
}

had() { # JOB IONS: by its history
	[ "$(ask jobs | jq ".jobs[] | select(.job_id == $1) | .ion_count")" = "$2" ]
}

step() { # TEXT IONS
	check_within 20 "$1: as good as the best" as_good_as "$2"
	check_within 10 "$1: mappings, features and comments agree" mapped
}

cluster_up --nodes 4 --ions 3
cat >"$PFS/bandwidth.csv" <<-EOT
	pattern,0,1,2
	steep,10,100,300
	flat,80,90,95
	none,70,20,10
EOT
cluster conf sluice.conf "PerformanceTable=/pfs/bandwidth.csv" \
	"DirectAccess=yes"
on ctl sh -c 'cat >/etc/slurm/topology.conf' <<-EOT
	SwitchName=s1 Nodes=n[1-2],io3
	SwitchName=s2 Nodes=n[3-4],io[1-2]
	SwitchName=top Switches=s[1-2]
EOT
check "the network topology is in the resource map" on ctl \
	/opt/sluice/bin/sysmap -e topology --push
cluster stop ctl slurmctld
cluster start ctl slurmctld
check_within 30 "slurmctld is connected to sluiced" linked

start flat 1 "0:80 1:90" -w n1 -J near
step "a job on n1" 3
check "a job on n1 gets the I/O node on the same switch" ions_of "$JOB" io3
end "$JOB"
start flat 1 "0:80 1:90" -w n4 -J far
step "a job on n4" 3
check "a job on n4 gets the first I/O node on its switch" ions_of "$JOB" io1
end "$JOB"

start steep 2 "0:10 1:100 2:300" -J shrinks
step "a job on two nodes" 3
on ctl scontrol update JobId="$JOB" NumNodes=1
CHOICES[$JOB]="0:10 1:100"
step "after a resize to one node" 3
end "$JOB"

start steep 2 "0:10 1:100 2:300"
steep=$JOB
step "the first of three jobs" 3
start flat 1 "0:80 1:90"
flat=$JOB
step "the second of three jobs" 3
start none 1 "0:70 1:20"
step "a third job, which is faster without I/O nodes" 3
check "a job without I/O nodes has no mapping" fails test -e "$PFS/.sluice/$JOB.map"
check "sysquery ions shows the job's curve" equal \
	"$(ask ions "$JOB" | jq -c '[.jobs[0].curve[].bandwidth]')" "[70,20,10]"
check "sysquery ions shows the job's changes" equal \
	"$(ask ions "$JOB" | jq -c '[.history[].changed[].job_id]')" "[$JOB]"
check "what-if with one I/O node is as good as the best" equal \
	"$(ask ions --ions 1 | jq '.what_if.total | round')" \
	"$(best 1 "${CHOICES[@]}")"
check "what-if without a job is as good as the best" equal \
	"$(ask ions --without "$steep" | jq '.what_if.total | round')" \
	"$(best 3 "${CHOICES[$flat]}" "${CHOICES[$JOB]}")"
check "what-if without a job that does not run is refused" \
	fails ask ions --without 99999

# An I/O node fails, and returns.
on ctl scontrol update nodename=io1 state=drain reason=test
step "an I/O node is drained" 2
on ctl scontrol update nodename=io1 state=resume
step "the drained I/O node is resumed" 3
cluster stop io2 slurmd
on ctl scontrol update nodename=io2 state=down reason=test
step "another I/O node is down" 2
cluster start io2 slurmd
on ctl scontrol update nodename=io2 state=resume 2>/dev/null # or by itself
step "the I/O node that was down is resumed" 3

# slurmd on an I/O node starts again and registers.
SINCE=$(on ctl scontrol -o show node io1 |
	sed -n 's/.*SlurmdStartTime=\([^ ]*\).*/\1/p')
sleep 1
cluster stop io1 slurmd
cluster start io1 slurmd
check_within 30 "slurmd of io1 has registered" registered_since io1 "$SINCE"
step "after a registration" 3

# slurmctld is killed after a job has ended, before that is published.
cluster kill ctl sluiced
end "$steep"
kill_slurmctld
cluster start ctl sluiced
cluster start ctl slurmctld
check_within 40 "slurmctld is connected to sluiced after both were killed" linked
step "slurmctld was killed between an event and its publication" 3
start steep 1 "0:10 1:100"
step "a job starts after the kill" 3
on ctl scontrol reconfigure
step "after a reconfiguration" 3

# An administrator writes over what the I/O nodes show.
on ctl scontrol update nodename='io[1-3]' comment="new fan" \
	features=big activefeatures=big
step "features and comments were overwritten" 3
check "the administrator's comments and features are kept" node_shows io3 \
	'AvailableFeatures=big,ion_.*ActiveFeatures=big,ion_.*Comment=new fan'
for job in "${!CHOICES[@]}"; do
	end "$job"
done

# Two jobs on one node: both have the node's mapping, which is that of the one
# that was there first, until it ends.
start steep 1 "0:10 1:100" -w n3 -J first # a name without a history
first=$JOB
step "a job on n3" 3
start flat 1 "0:80 1:90" -w n3 -J second
step "a second job on n3" 3
check "on a shared node the first job keeps its I/O node" node_has n3 "$first"
check "a step of the first job has the node's mapping" has_map "$first" nodes/n3.map
check "a step of the second job has the node's mapping" has_map "$JOB" nodes/n3.map
end "$first"
step "the first job on n3 has ended" 3
check_within 10 "the node's mapping becomes the second job's" node_has n3 "$JOB"
end "$JOB"
step "all jobs have ended" 3
check_within 20 "all I/O nodes are free after the last job" free_ions 3
check_within 10 "a node without jobs has no mapping" fails \
	test -e "$PFS/.sluice/nodes/n3.map"

# sluiced does not answer: nobody waits for it longer than MappingTimeout.
SLUICED=$(on ctl pgrep -xo sluiced)
on ctl kill -STOP "$SLUICED"
LATE=$(
	submit -N1 -J late --bb="forward pattern=steep" <<-\EOT
		#!/bin/sh
		echo "first: $LIBGKFS_FORWARDING_MAP_FILE"
		sleep 600
	EOT
)
CHOICES[$LATE]="0:10 1:100"
check_within 60 "a job starts without its mapping after MappingTimeout" \
	grep -qx 'first: ' "$PFS/alice/job-$LATE.out"
check "slurmctld's log says that MappingTimeout has passed" \
	grep -q "JobId=$LATE starts without .*MappingTimeout" \
	"/run/sluice-clusters/$CLUSTER/log/ctl/slurmctld.log"
on ctl kill -CONT "$SLUICED"
step "sluiced answers again" 3
check "a later step of that job has its mapping" has_map "$LATE" "$LATE.map"

# The node that it holds is not to be one any more.
HELD=$(ask ions | jq -r ".jobs[] | select(.job_id == $LATE) | .ions")
check "the I/O node of that job shows it" node_shows "$HELD" "Comment=.*sluice: $LATE"
cluster conf sluice.conf \
	"IONodes=$(echo io1 io2 io3 | sed "s/$HELD//" | xargs | tr ' ' ,)"
on ctl scontrol reconfigure
check_within 20 "a node taken out of IONodes shows no job" \
	fails node_shows "$HELD" 'Comment=.*sluice:\|ActiveFeatures=.*ion_'
end "$LATE"

# One I/O node for two jobs: whose it is, and who shares it, outlives slurmctld.
cluster conf sluice.conf "IONodes=io1" "DirectAccess=no" "ArbiterPolicy=STATIC"
on ctl scontrol reconfigure
check_within 20 "the pool is reduced to one I/O node" equal_ions io1
start flat 1 "1:90" -J owner
OWNER=$JOB
check_within 20 "the first job gets the only I/O node" \
	node_shows io1 "Comment=.*sluice: $OWNER\b"
start flat 1 "1:90" -J guest
check_within 20 "a second job shares the only I/O node" node_shows io1 \
	"ion_shared.*Comment=.*sluice: $OWNER,$JOB\*"
cluster kill ctl sluiced
kill_slurmctld
cluster start ctl sluiced
cluster start ctl slurmctld
check_within 40 "slurmctld is connected to sluiced after the second kill" linked
check_within 20 "the assignment of the shared node survives both daemons" \
	shares "$OWNER" "$JOB"
check "the node's comment names owner and guest again" node_shows io1 \
	"ion_shared.*Comment=.*sluice: $OWNER,$JOB\*"
end "$JOB"
end "$OWNER"
check_within 20 "the owner's history has one I/O node" had "$OWNER" 1
check_within 20 "the guest's history has no I/O node of its own" had "$JOB" null
finish
