#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The stage cache: the second job with an input reads it from its node, nobody
# else does, and neither a killed node program nor a power cut leaves anything
# in it that is wrong.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

# A job on these nodes that lists the sums of what was staged in.
cached_script() { # INPUT TYPE
	cat <<-EOT
		#!/bin/bash
		#BB jobfs type=$2 capacity=200MiB
		#BB stage_in source=/pfs/alice/$1/ destination=\$BB_JOBFS/in
		cd "\${BB_JOBFS:?}/in"
		find . -type f -exec md5sum {} + | sort >/pfs/shared/sums.\$SLURM_JOB_ID
	EOT
}

run_cached() { # INPUT TYPE SBATCH-OPTION...: prints the id
	local input=$1 type=$2 job
	shift 2
	job=$(cached_script "$input" "$type" | submit -t 5 "$@") || return
	wait_for 120 job_ended "$job"
	wait_for 60 no_buffer_alive
	echo "$job"
}

has_input() { # INPUT JOB
	local want
	want=$(cd "$PFS/alice/$1" && find . -type f -exec md5sum {} + | sort)
	[ "$(cat "$PFS/shared/sums.$2")" = "$want" ]
}

cache_hits() { # JOB
	on ctl sysquery buffers --job "$1" --json |
		grep -oE '"cache_hits": ?[0-9]+' | awk -F: '{ n += $2 }
		END { print n + 0 }'
}

kept() { # HOST INPUT: how many files of it, for alice
	on "$1" sluice-node cache --json | tr '{' '\n' | grep '"alice"' |
		grep -c "/pfs/alice/$2/"
}

keeps() { # HOST INPUT NUMBER, or +: some
	local n
	n=$(kept "$1" "$2")
	[ "$n" = "$3" ] || { [ "$3" = + ] && [ "$n" != 0 ]; }
}

metric() { # NAME
	on ctl bash -c 'exec 3<>/dev/tcp/ctl/6480 &&
		printf "GET /metrics HTTP/1.0\r\n\r\n" >&3 && tr -d "\r" <&3' |
		awk -v name="$1" '$1 == name { print $2 }'
}

test_again() { # TYPE FILES HOST...
	local type=$1 files=$2 job host
	shift 2
	for host; do on "$host" sluice-node cache --drop >/dev/null; done
	job=$(run_cached in "$type" -N $# -w "$(IFS=, && echo "$*")")
	check "$type: the first job has its input" has_input in "$job"
	check "$type: the first job reads nothing from the cache" \
		equal "$(cache_hits "$job")" 0
	check_within 60 "$type: the input of the first job is kept in the cache" \
		keeps "$1" in "$files"
	job=$(run_cached in "$type" -N $# -w "$(IFS=, && echo "$*")")
	check "$type: the second job has its input" has_input in "$job"
	check "$type: the second job reads all of its input from the cache" equal \
		"$(cache_hits "$job")" 24
	check "$type: the second job's output names the cache" \
		matches "$(job_output "$job")" \
		"of it from the nodes' stage caches"
	check "$type: sysquery job shows the bytes from the cache" matches \
		"$(on ctl sysquery job "$job")" '"cache_bytes":[1-9]'
	check "$type: no file system of the jobs is left" nothing_left n1 n2
}

# What bob may read is read by bob.
test_other() {
	local job
	job=$(cached_script in scratch |
		bounded_exec -u bob ctl sbatch --parsable -D /pfs/bob -t 5 -w n1)
	check_within 120 "bob's job ends" job_ended "$job"
	check "bob's job has its input" has_input in "$job"
	check "bob's job reads it from the source, not from alice's cache entries" \
		equal "$(cache_hits "$job")" 0
	check "users cannot read the cache directory" fails on -u alice n1 \
		ls /local/sluice/cache 2>/dev/null
}

# Same size, same time.
test_changed() {
	local job file=$PFS/alice/in/large0 time
	time=$(stat -c %y "$file")
	head -c 1M /dev/urandom >"$file"
	touch -d "$time" "$file"
	sleep 11 # until a change is old enough to be told from the next
	job=$(run_cached in scratch -w n1)
	check "a source that was changed with size and time kept is read again" \
		has_input in "$job"
	check "sources that were not changed are read from the cache" \
		equal "$(cache_hits "$job")" 23
}

# Within the node, as it is soon over.
kill_filling() { # HOST
	LIMIT=60 on "$1" sh -c '
		until ls /local/sluice/cache/*/fill.*/*.new; do :; done 2>/dev/null \
			>/dev/null
		pkill -KILL sluice-node'
}

test_killed() {
	local job killer
	on n1 sluice-node cache --drop >/dev/null
	kill_filling n1 &
	killer=$!
	job=$(cached_script big scratch | submit -t 5 -w n1)
	check "sluice-node is killed while it fills the cache" wait "$killer"
	check "a fill that was killed leaves no cache entry" keeps n1 big 0
	check_within 180 "a job whose set-up was killed ends, or is held" \
		settled "$job"
	as_alice scancel "$job" 2>/dev/null
	check_within 120 "the file system of the killed set-up is removed" \
		no_buffer_alive
	on ctl scontrol update NodeName=n1 State=RESUME 2>/dev/null
	check_within 60 "the node of the killed set-up is idle" nodes_idle n1
	job=$(run_cached in scratch -w n1)
	check "a job after the killed fill has its input" has_input in "$job"
	check_within 60 "the input of that job is kept in the cache" keeps n1 in 24
	check "no partial fill is left after the kill" equal \
		"$(on n1 find /local/sluice/cache -name 'fill.*')" ''
}

settled() { # JOB
	job_ended "$1" || prints 'Reason=[Jj]obHeld|Restarts=[1-9]' \
		on ctl scontrol -o show job "$1"
}

# All of it is written, and nothing is known to be on disk.
stop_filled() { # HOST
	LIMIT=60 on "$1" sh -c '
		until [ "$(ls /local/sluice/cache/*/fill.* 2>/dev/null |
			grep -cE "^[0-9a-f]{64}$")" = 3 ]; do :; done
		pkill -STOP sluice-node'
}

test_crash() {
	local job stopper
	on n1 sluice-node cache --drop >/dev/null
	stop_filled n1 &
	stopper=$!
	job=$(cached_script big scratch | submit -t 5 -w n1)
	check "sluice-node is stopped after it has filled the cache" wait "$stopper"
	check "data that was not synced is no cache entry" equal "$(on n1 find \
		/local/sluice/cache -mindepth 2 -maxdepth 2 -type f)" ''
	cluster crash n1
	cluster boot n1
	on ctl scontrol update NodeName=n1 State=RESUME 2>/dev/null
	check_within 120 "a job whose node crashed ends, or is held" \
		settled "$job"
	as_alice scancel "$job" 2>/dev/null
	check_within 120 "the file system of the crashed job is removed" no_buffer_alive
	check_within 90 "the crashed node is idle again" nodes_idle n1
	job=$(run_cached big scratch -w n1)
	check "a job after the crash has its input" has_input big "$job"
	check_within 60 "the input of that job is kept in the cache" keeps n1 big 1
	check "no partial fill is left after the crash" equal \
		"$(on n1 find /local/sluice/cache -name 'fill.*')" ''
	job=$(run_cached big scratch -w n1)
	check "a job reads correct data from the cache after the crash" \
		has_input big "$job"
	check "that job reads all of its input from the cache" \
		equal "$(cache_hits "$job")" 3
}

# What is free is too little for the job, with what the cache has it is enough.
test_room() {
	local job
	check "a larger input is in the cache" keeps n1 big 1
	cluster fill n1 250000000
	job=$(as_alice sbatch --parsable -o 'job-%j.out' -t 5 -w n1 \
		--bb='jobfs type=scratch capacity=300MiB' --wrap=true)
	check_within 120 "a job that needs the space of the cache ends" job_ended "$job"
	check "a job that needs the space of the cache completes" \
		job_is "$job" COMPLETED
	check "the log says that cache entries made way for the job's storage" \
		on n1 grep -q \
		"removed for the job's storage" /var/log/sluice-node.log
	cluster unfill n1
}

test_off() {
	local job
	cluster conf sluice.conf StageCache=off
	job=$(run_cached in scratch -w n1)
	check "with StageCache=off a job has its input" has_input in "$job"
	check "with StageCache=off nothing is read from the cache" \
		equal "$(cache_hits "$job")" 0
	check "with StageCache=off the cache is emptied" keeps n1 in 0
}

cluster_up --nodes 2 --ions 0
make_input in 20 4
chmod -R a+rX "$PFS/alice/in"
mkdir "$PFS/alice/big"
head -c 150M /dev/urandom >"$PFS/alice/big/data"
chown -R --reference="$PFS/alice" "$PFS/alice/big"
install -d -m 1777 "$PFS/shared"
cluster conf sluice.conf StageCache=50%
on ctl pkill -HUP sluiced
sleep 11
test_again scratch 24 n1
check "the metrics count the bytes from the cache" fails equal \
	"$(metric sluice_stage_cache_saved_bytes_total)" 0
test_other
test_changed
test_again glusterfs + n1 n2
test_killed
test_crash
test_room
test_off
finish
