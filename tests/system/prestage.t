#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# PrestageTo: the input of a job that waits is on its node when it starts, and
# is not read a second time; it goes when the job does, or when somebody wants
# the room, and nobody else gets it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
SYSQUERY=/opt/sluice/bin/sysquery

serve() { # HOST
	on "$1" sh -c 'setsid sluice-node serve --period 0.5 \
		--log /var/log/serve.log >/dev/null 2>&1 </dev/null & '
}

# A job that waits for a node of its own, and lists the sums of its input.
wait_with() { # INPUT SBATCH-OPTION...: prints the id
	local input=$1
	shift
	submit --exclusive -N1 -t 5 "$@" <<-EOT
		#!/bin/bash
		#BB jobfs type=scratch capacity=300MiB
		#BB stage_in source=/pfs/alice/$input/ destination=\$BB_JOBFS/in
		cd "\${BB_JOBFS:?}/in"
		find . -type f -exec md5sum {} + | sort >/pfs/shared/sums.\$SLURM_JOB_ID
	EOT
}

# Holds this node for so many minutes at most.
hold() { # HOST MINUTES
	as_alice sbatch --parsable -o /dev/null --exclusive -w "$1" -t "$2" \
		--wrap 'sleep 1000'
}

has_input() { # INPUT JOB
	local want
	want=$(cd "$PFS/alice/$1" && find . -type f -exec md5sum {} + | sort)
	[ "$(cat "$PFS/shared/sums.$2")" = "$want" ]
}

input_is() { # JOB STATE: as sysquery tells its user
	as_alice "$SYSQUERY" --json prestage | tr '{' '\n' |
		grep -F "\"job_id\":$1," | grep -qF "\"state\":\"$2\""
}

ahead_of() { # HOST JOB: what is there
	on "$1" sh -c "ls -d /local/sluice/cache/*/ahead.$2 2>/dev/null"
}

cached() { # JOB MEMBER: the sum
	on ctl "$SYSQUERY" buffers --job "$1" --json |
		grep -oE "\"$2\": ?[0-9]+" | awk -F: '{ n += $2 }
		END { print n + 0 }'
}

metric() { # NAME
	on ctl bash -c 'exec 3<>/dev/tcp/ctl/6480 &&
		printf "GET /metrics HTTP/1.0\r\n\r\n" >&3 && tr -d "\r" <&3' |
		awk -v name="$1" '$1 == name { print $2 }'
}

has_begun() { # JOB: its file system is there
	prints RUNNING on ctl "$SYSQUERY" buffers --job "$1" --json
}

counts() { # NAME: something
	[ "$(metric "$1")" -gt 0 ]
}

test_hit() {
	local job first
	first=$(hold n1 10)
	hold n2 60 >/dev/null
	check_within 60 "both nodes are taken" prints '2' on ctl sh -c \
		'squeue -h -t RUNNING | wc -l'
	job=$(wait_with big)
	check_within 120 "the input of a job that waits is on its node" \
		input_is "$job" there
	check "not on the other" equal "$(ahead_of n2 "$job")" ''
	check "it was read as its user, and is closed to users" fails \
		on -u alice n1 ls /local/sluice/cache
	check "bob is not told of it" fails prints "\"job_id\":$job" \
		bounded_exec -u bob ctl "$SYSQUERY" --json prestage
	check "root is" prints "$job +n1 +there" on ctl "$SYSQUERY" --table \
		prestage
	as_alice scancel "$first"
	check_within 120 "it runs" job_ended "$job"
	check "where it was predicted" equal "$(on ctl sacct -nXPj "$job" \
		-o NodeList 2>/dev/null || echo n1)" n1
	check "it has its input" has_input big "$job"
	check "all of it from its node" equal "$(cached "$job" cache_misses)" 0
	check "which is what was brought" matches "$(cached "$job" cache_hits)" \
		'^[1-9]'
	check_within 60 "nothing is left that was brought ahead" fails \
		ahead_of n1 "$job"
	check_within 30 "the metrics count what was used" counts \
		'sluice_prestage_bytes_total{used="yes"}'
	check "and that nothing was wasted" equal \
		"$(metric 'sluice_prestage_bytes_total{used="no"}')" 0
}

test_cancelled() {
	local job
	blocker=$(hold n1 10)
	job=$(wait_with other)
	check_within 120 "the next input is brought" input_is "$job" there
	as_alice scancel "$job"
	check_within 90 "it goes with its job" fails ahead_of n1 "$job"
	check_within 30 "the metrics count what was wasted" counts \
		'sluice_prestage_bytes_total{used="no"}'
	check "so does sysquery" matches "$(on ctl "$SYSQUERY" --table prestage)" \
		'were not used'
}

# What another job's file system needs is had at once, and before anything else
# that the cache has.
test_room() {
	local waits job
	waits=$(wait_with other)
	check_within 120 "an input is brought again" input_is "$waits" there
	cluster fill n1 290000000
	as_alice scontrol update JobId="$waits" Nice=1000
	job=$(as_alice sbatch --parsable -o /dev/null -w n1 -t 5 --exclusive \
		--bb='jobfs type=scratch capacity=300MiB' --wrap='sleep 100')
	as_alice scancel "$blocker"
	check_within 180 "what was brought goes for a job's storage" on n1 \
		grep -q "removed for the job's storage" /var/log/sluice-node.log
	check "what was used stays" prints /pfs/alice/big \
		on n1 sluice-node cache --json
	check_within 60 "the job has what it wants" has_begun "$job"
	cluster unfill n1
	as_alice scancel "$job"
	check_within 180 "the job that waited runs" job_ended "$waits"
	check "and has its input" has_input other "$waits"
}

# It is not asked for where it is off; what is there goes.
test_off() {
	local job
	as_alice scancel -u alice
	check_within 120 "all jobs are gone" no_buffer_alive
	cluster conf sluice.conf PrestageTo=off
	on ctl pkill -HUP sluiced
	on ctl scontrol reconfigure
	sleep 3
	hold n1 10 >/dev/null
	hold n2 60 >/dev/null
	job=$(wait_with big)
	sleep 15
	check "with PrestageTo=off nothing is looked for" prints \
		'PrestageTo is off' on ctl "$SYSQUERY" --table prestage
	check "and nothing is brought" equal "$(ahead_of n1 "$job")" ''
	as_alice scancel -u alice
}

cluster_up --nodes 2 --ions 0 --disk 1500M
for input in big other; do
	mkdir -p "$PFS/alice/$input/d"
	head -c 100M /dev/urandom >"$PFS/alice/$input/data"
	head -c 1M /dev/urandom >"$PFS/alice/$input/d/a:b"
done
chown -R --reference="$PFS/alice" "$PFS/alice/big" "$PFS/alice/other"
chmod 700 "$PFS/alice/big" "$PFS/alice/other"
install -d -m 1777 "$PFS/shared"
cluster conf sluice.conf StageCache=50%
cluster conf sluice.conf PrestageAfter=2
cluster conf sluice.conf PrestageTo=predicted
on ctl pkill -HUP sluiced
on ctl scontrol reconfigure
serve n1
serve n2
sleep 11 # until the sources can be kept
test_hit
test_cancelled
test_room
test_off
finish
