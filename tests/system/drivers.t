#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The language of requests and the drivers, on real Slurm: lists, patterns and
# #DW lines; a directory on the parallel file system.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
FAKES=${FAKES:-$TOP/build-test/plain/tests/fakes}

ended() { # JOB
	job_is "$1" COMPLETED FAILED CANCELLED NODE_FAIL TIMEOUT
}

run_job() { # SBATCH-OPTION...: the script is on standard input; prints the id
	local job
	job=$(submit -N2 -w 'n[1-2]' "$@") || return
	wait_for 60 ended "$job"
	wait_for 60 no_buffer_alive
	echo "$job"
}

completed() { # TEXT JOB
	check "$1: the job completes" equal "$(job_field "$2" JobState)" \
		COMPLETED
	check "$1: nothing is left" nothing_left n1 n2
}

test_language() {
	local job
	printf '1/f1\n2\n' >"$PFS/alice/in/list"
	job=$(run_job <<-'EOT'
		#!/bin/bash
		#DW jobdw capacity=100MiB access_mode=striped name=my-fs
		#DW stage_in type=list source=/pfs/alice/in/list destination=$DW_JOB_my-fs/in
		#BB stage_in source=/pfs/alice/in/lar*[0-9] destination=$BB_my_fs
		#DW stage_out type=directory source=$DW_JOB_STRIPED/ destination=/pfs/alice/dw
		#BB stage_out source=$BB_my_fs/in/2 destination=/pfs/alice/checked verify=content
		[ "$DW_JOB_STRIPED" = "$BB_my_fs/" ] && srun touch "$DW_JOB_my_fs/ran"
		for n in {1..99}; do ls -d /local/sluice/$SLURM_JOB_ID.$n/fs; done 2>&1 |
			grep -c "Permission denied"
	EOT
	)
	completed "#DW lines" "$job"
	check "user processes cannot reach the servers' storage directly" \
		equal "$(job_wrote "$job")" 1
	check "stage_in type=list copies listed files" test -e "$PFS/alice/dw/in/1/f1"
	check "stage_in type=list copies listed directories recursively" \
		diff -r "$PFS/alice/in/2" \
		"$PFS/alice/dw/in/2"
	check "stage_in type=list copies nothing else" test ! -e "$PFS/alice/dw/in/3"
	check "stage_in with a pattern copies files that match" \
		cmp "$PFS/alice/in/large0" \
		"$PFS/alice/dw/large0"
	check "a step finds its file system under the DataWarp name" \
		test -e "$PFS/alice/dw/ran"
	check "stage_out with verify=content copies the directory" \
		diff -r "$PFS/alice/in/2" \
		"$PFS/alice/checked/2"
	check "the buffer's record says how copies were verified" matches \
		"$(on ctl sysquery buffers "$job")" 'verified by size and time and in part by content'
}

test_lustre() {
	local job
	job=$(run_job --bb='jobfs type=dir capacity=50MiB; stage_out source=$BB_JOBFS/ destination=/pfs/alice/dirout' <<-'EOT'
		#!/bin/bash
		srun sh -c 'echo $SLURM_PROCID >$BB_JOBFS/$SLURM_PROCID'
	EOT
	)
	completed "a directory on the parallel file system" "$job"
	check "data in a directory on the parallel file system is staged out" \
		equal "$(cat "$PFS"/alice/dirout/*)" \
		"$(printf '0\n1')"
	check "the directory on the parallel file system is removed" \
		equal "$(ls "$PFS/jobs")" ""
}

# One file system per leaf switch: each has all that is staged in, shows what
# its own nodes wrote, and is staged out below its switch's name.
test_split() {
	local job
	job=$(submit -N4 --bb='jobfs type=glusterfs capacity=200MiB split=switch; stage_in source=/pfs/alice/in/1 destination=$BB_JOBFS; stage_out source=$BB_JOBFS/out/ destination=/pfs/alice/split' <<-'EOT'
		#!/bin/bash
		srun sh -c 'mkdir -p $BB_JOBFS/out && cmp $BB_JOBFS/1/f1 /pfs/alice/in/1/f1 &&
			echo "$SLURMD_NODENAME" >$BB_JOBFS/out/$SLURMD_NODENAME &&
			echo same >$BB_JOBFS/out/same'
		srun sh -c 'echo "$SLURMD_NODENAME sees" $(ls $BB_JOBFS/out)'
	EOT
	)
	wait_for 60 ended "$job"
	wait_for 60 no_buffer_alive
	check "split by switch: the job completes" equal \
		"$(job_field "$job" JobState)" COMPLETED
	check "split by switch: nothing is left" nothing_left n1 n2 n3 n4
	check "split by switch: nodes of one switch share a file system" matches \
		"$(job_output "$job")" '^n1 sees n1 n2 same$'
	check "split by switch: nodes of other switches do not" \
		matches "$(job_output "$job")" \
		'^n4 sees n3 n4 same$'
	check "split by switch: each part is staged out below its switch's name" equal \
		"$(cd "$PFS/alice/split" && find . -type f | sort | tr '\n' ' ')" \
		"./leaf1/n1 ./leaf1/n2 ./leaf1/same ./leaf2/n3 ./leaf2/n4 ./leaf2/same "
	check "split by switch: sysquery buffers shows the parts" matches \
		"$(on ctl sysquery buffers "$job")" \
		'split into leaf1: n\[1-2\]; leaf2: n\[3-4\]'
	check "split by switch: refused for a file system of one node" matches \
		"$(as_alice sbatch --bb='type=scratch capacity=1MiB split=switch' \
			--wrap=true 2>&1)" 'split=switch: scratch is private'
}

# A machine of two NUMA nodes, whose only network card is at the second.
numa_tree() { # DIRECTORY CPUS-OF-0 CPUS-OF-1
	local i pci=$1/sys/devices/pci0000:00/0000:00:01.0
	mkdir -p "$1"/sys/class/net "$1"/sys/bus/pci/devices "$pci/net/eth9"
	for i in 0 1; do
		mkdir -p "$1/sys/devices/system/node/node$i"
	done
	echo "$2" >"$1/sys/devices/system/node/node0/cpulist"
	echo "$3" >"$1/sys/devices/system/node/node1/cpulist"
	echo "10 21" >"$1/sys/devices/system/node/node0/distance"
	echo "21 10" >"$1/sys/devices/system/node/node1/distance"
	echo 1 >"$pci/numa_node"
	echo 1 >"$pci/net/eth9/type"
	echo up >"$pci/net/eth9/operstate"
	echo 100000 >"$pci/net/eth9/speed"
	ln -s ../../../0000:00:01.0 "$pci/net/eth9/device"
	ln -s ../../devices/pci0000:00/0000:00:01.0/net/eth9 "$1/sys/class/net/eth9"
	ln -s ../../../devices/pci0000:00/0000:00:01.0 "$1/sys/bus/pci/devices/0000:00:01.0"
}

servers_cpus() { # SRUN-OPTION...: where the servers on n1 run
	as_alice srun -Q -N1 -w n1 "$@" sh -c 'for p in $(pgrep "^glusterfs"); do
		sed -n "s/^Cpus_allowed_list:[[:blank:]]*//p" /proc/$p/status
	done' | sort -u
}

test_bind() {
	local most
	most=$(on n1 sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' /proc/self/status)
	[ "$most" = 0-1 ] || {
		check "bind # SKIP there are not two processors" true
		return
	}
	numa_tree "$PFS/numa" 0 1
	on n1 sysmap --root /pfs/numa --host n1 -e numa,networkdevices --push
	check "servers are bound to the network card's NUMA node" equal \
		"$(servers_cpus --bb='type=glusterfs capacity=30MiB')" 1
	check "with bind=far servers are bound to the other NUMA node" equal \
		"$(servers_cpus --bb='type=glusterfs capacity=30MiB bind=far')" 0
	check "with bind=none servers are not bound" equal \
		"$(servers_cpus --bb='type=glusterfs capacity=30MiB bind=none')" 0-1
	on n1 sysmap --push
	wait_for 60 no_buffer_alive
}

# A node whose disk another job has a part of gives less.
test_uneven() {
	local other job
	other=$(submit -N1 -n1 -w n2 --bb='type=scratch capacity=300MiB' <<-'EOT'
		#!/bin/bash
		until [ -e /pfs/alice/enough ]; do sleep 0.1; done
	EOT
	)
	wait_for 60 job_is "$other" RUNNING
	job=$(submit -N2 -n2 -w 'n[1-2]' --bb='type=glusterfs capacity=1200MiB' \
		--wrap='touch "${BB_JOBFS:?}/x"')
	wait_for 60 ended "$job"
	touch "$PFS/alice/enough"
	wait_for 60 no_buffer_alive
	check "uneven nodes: the job completes" equal \
		"$(job_field "$job" JobState)" COMPLETED
	check "uneven nodes: one gives what it has, the other one the rest" \
		equal "$(query "
		SELECT sum(n.value ->> 'capacity' < (600 << 20)) || ' ' ||
			(sum(n.value ->> 'capacity') >= 1200 << 20)
		FROM Buffer, json_each(Plan, '\$.node') n
		WHERE JobID = $job")" "1 1"
}

# While the job runs, by one node for both; what was changed after that, and
# the rest, at its end.
test_early() {
	local job
	job=$(run_job --bb='jobfs type=glusterfs capacity=60MiB; stage_out source=$BB_JOBFS/out/ destination=/pfs/alice/early nodes=staging' <<-'EOT'
		#!/bin/bash
		mkdir "$BB_JOBFS/out"
		srun sh -c 'mkdir $BB_JOBFS/out/$SLURM_PROCID
			echo done >$BB_JOBFS/out/$SLURM_PROCID/f
			sluice-stage-out $BB_JOBFS/out/$SLURM_PROCID'
		sluice-stage-out "$BB_JOBFS" 2>&1
		for i in $(seq 200); do
			cat /pfs/alice/early/[01]/f 2>/dev/null |
				tr '\n' ' ' | grep 'done done' && break
			sleep 0.1
		done
		echo changed >"$BB_JOBFS/out/0/f"
		echo late >"$BB_JOBFS/out/late"
	EOT
	)
	completed "stage-out while the job runs" "$job"
	check "sluice-stage-out copies files while the job runs" matches \
		"$(job_output "$job")" '^done done'
	check "sluice-stage-out refuses a path outside of the stage_out sources" \
		matches \
		"$(job_output "$job")" 'not below the source of a stage_out'
	check "files that were changed later are staged out at the job's end" equal \
		"$(cat "$PFS"/alice/early/{0/f,1/f,late})" \
		"$(printf 'changed\ndone\nlate')"
}

# A directory of the user's, and no job file system.
test_stripe() {
	local job
	install -d -m 1777 "$PFS/layouts"
	cp "$TOP/tests/fakes/fake_lfs" "$PFS/fake_lfs"
	printf '#!/bin/sh\nFAKE_LFS_STATE=/pfs/layouts exec %s "$@"\n' \
		/pfs/fake_lfs >"$PFS/lfs"
	chmod 755 "$PFS/lfs" "$PFS/fake_lfs"
	job=$(run_job --bb='stripe target=/pfs/alice/laid/%j size=100GiB' <<-'EOT'
		#!/bin/bash
		srun sh -c 'echo "${BB_JOBFS:-nothing} $(ls -d /pfs/alice/laid/*)"'
	EOT
	)
	completed "a job that only has a directory laid out" "$job"
	check "stripe: the job's tasks find the directory" \
		matches "$(job_output "$job")" \
		"^nothing /pfs/alice/laid/$job\$"
	check "stripe: the layout is set as the owner" equal \
		"$(head -n 1 "$PFS/layouts/%2Fpfs%2Falice%2Flaid%2F$job")" \
		"uid $(on ctl id -u alice)"
}

# A server of Lustre's with three targets, one of which is full.
tell_of_targets() {
	local i t root=$PFS/server
	for i in 0 1 2; do
		t=big-OST000$i
		mkdir -p "$root"/{sys,proc}/fs/lustre/obdfilter/$t
		echo 1000000000 >"$root/sys/fs/lustre/obdfilter/$t/kbytestotal"
		echo $((i == 1 ? 1000 : 900000000)) \
			>"$root/sys/fs/lustre/obdfilter/$t/kbytesavail"
		echo 'read_bytes 5 samples [bytes] 1 2 10' \
			>"$root/proc/fs/lustre/obdfilter/$t/stats"
	done
	cp /proc/stat /proc/meminfo "$root/proc/"
	on ctl sluice-tbfd --publish /etc/slurm/sluice.conf \
		--root /pfs/server >"$LOGS/publisher.log" 2>&1 &
	PUBLISHER=$!
}

targets_known() {
	on ctl sysquery osts | grep -q big-OST0002
}

# The targets that servers have told of are those that lfs gets.
test_place() {
	local job
	tell_of_targets
	check_within 20 "servers of Lustre report their targets" targets_known
	job=$(run_job --bb='stripe target=/pfs/alice/placed stripes=2 size=1GiB' \
		<<<$'#!/bin/bash\ntrue')
	completed "a job whose files go to chosen targets" "$job"
	check "stripe: the directory is on the two targets with space" \
		grep -qE ' (0,2|2,0) raid0$' \
		"$PFS/layouts/%2Fpfs%2Falice%2Fplaced"
	test_per_file
	kill "$PUBLISHER"
}

# Programs know nothing of it; what the client of Lustre is told is noted. No
# client of Lustre is built: nothing is looked at.
test_per_file() {
	local job client=$FAKES/.libs/fake_lustre_client.so
	[ ! -e "$client" ] || cp "$client" "$PFS/lustre_client.so"
	[ -e "$PFS/lustre_client.so" ] || return 0
	touch "$PFS/files.log"
	chmod 666 "$PFS/files.log"
	job=$(run_job --bb='stripe target=/pfs/alice/each stripes=2 size=1MiB per_file=yes' <<-'EOT'
		#!/bin/bash
		export LD_PRELOAD="$LD_PRELOAD /pfs/lustre_client.so"
		export FAKE_LUSTRE=/pfs/alice/each FAKE_LUSTRE_LOG=/pfs/files.log
		cp /pfs/alice/in/large0 /pfs/alice/each/copy
		srun sh -c 'cp /pfs/alice/in/large0 /pfs/alice/each/$SLURM_PROCID
			cp /pfs/alice/in/large0 /pfs/alice/elsewhere'
		cmp /pfs/alice/in/large0 /pfs/alice/each/1
	EOT
	)
	completed "a job whose files are placed one by one" "$job"
	check "per_file: each file is on targets with space" \
		equal "$(sort "$PFS/files.log" |
		grep -cE '^list /pfs/alice/each/(copy|0|1) (0,2|2,0)$')" 3
	check "per_file: files elsewhere are not placed" equal "$(grep -vc ^made \
		"$PFS/files.log")" 3
}

# What is large is left to another program, and verified by us.
test_mover() {
	local job
	make_input moved 20 24
	cluster conf sluice.conf "Mover=/usr/bin/rsync --archive %s/ %d" \
		MoverFrom=20MiB
	job=$(run_job <<-'EOT'
		#!/bin/bash
		#BB jobfs capacity=150MiB type=glusterfs
		#BB stage_in source=/pfs/alice/moved destination=$BB_JOBFS/
		#BB stage_in source=/pfs/alice/in destination=$BB_JOBFS/
		#BB stage_out source=$BB_JOBFS/moved destination=/pfs/alice/back verify=content
		srun cat "$BB_JOBFS/in/2/f2" && cat "/run/sluice/$SLURM_JOB_ID/log"
	EOT
	)
	completed "the site's own copier" "$job"
	check "Mover: copies what is larger than MoverFrom" \
		matches "$(job_output "$job")" \
		'stage_in 0 moved: by /usr/bin/rsync'
	check "Mover: its copies are verified" matches "$(job_output "$job")" \
		'stage_in 0 verified'
	check "Mover: does not copy smaller sources" not_matches \
		"$(job_output "$job")" 'stage_in 1 moved'
	check "Mover: the staged-out tree equals its source" \
		diff -r "$PFS/alice/moved" \
		"$PFS/alice/back/moved"
	sed -i /^Mover=/d "/var/tmp/sluice-$CLUSTER/etc/slurm/sluice.conf"
	cluster conf sluice.conf "Mover=/bin/ls --no-such-option %s %d"
	job=$(submit -N1 -w n1 --bb='capacity=60MiB; stage_in source=/pfs/alice/moved destination=$BB_JOBFS/' <<<$'#!/bin/bash\ntrue')
	check_within 40 "Mover: its error message is in the reason of the held job" \
		mover_failed "$job"
	as_alice scancel "$job"
	wait_for 40 no_buffer_alive
	cluster conf sluice.conf MoverFrom=1PiB
}

not_matches() { # TEXT PATTERN
	! grep -qE -- "$2" <<<"$1"
}

mover_failed() { # JOB
	job_field "$1" Reason | tr _ ' ' | grep -qE \
		'held: .*stage-in failed: n1: mover: /bin/ls ended with exit code 2: Try'
}

cluster_up --nodes 4 --switches 2 --ions 0 --disk 1G
make_input in 40 2
install -d -m 711 "$PFS/jobs"
cluster conf sluice.conf \
	"FileSystem=dir Driver=lustre root=/pfs/jobs lfs=/pfs/lfs"
cluster stop ctl sluiced
cluster start ctl sluiced
on ctl scontrol reconfigure
wait_for 20 nodes_idle 'n[1-4]'
wait_for 20 knows dir
test_language
test_lustre
test_early
test_split
test_bind
test_uneven
test_stripe
test_place
test_mover
check "the database is sound" database_sound
finish
