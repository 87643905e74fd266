# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Question 2: a job with a file system of its own. Sourced by tools/demo.

# Alice's input: 128 files of text.
make_input() {
	local dir=$PFS/alice/input i
	mkdir -p "$dir"
	for ((i = 100; i < 228; i++)); do
		head -c 786432 /dev/urandom | base64 >"$dir/text$i"
	done
	chown -R --reference="$PFS/alice" "$dir"
}

translate_script() {
	cat <<-'EOT'
		#!/bin/bash
		#SBATCH --job-name=translate --nodes=4 --ntasks-per-node=1
		#BB jobfs capacity=800MiB
		#BB stage_in  source=/pfs/alice/input/    destination=$BB_JOBFS/input
		#BB stage_out source=$BB_JOBFS/output/ destination=/pfs/alice/output.%j
		cd "${BB_JOBFS:?}" && mkdir output
		srun bash -c '
		    for file in input/*; do
		        [ $((i++ % SLURM_NTASKS)) = $SLURM_PROCID ] || continue
		        tr a-zA-Z A-Za-z <$file >output/${file#input/}
		        echo "$(hostname) $file"
		    done'
	EOT
}

# A timeline: how long the buffer was in each state, and what was moved then.
phases() { # JOB
	ask buffers "$1" | jq -r '
		def seconds: . * 100 | round / 100;
		["from", "phase", "seconds", "bytes", "files", "by nodes"],
		(.buffers[-1] | INDEX(.phases[]; .name) as $moved |
		 [.history | range(length) as $i |
			select($i == 0 or .[$i].state != .[$i - 1].state) |
			.[$i]] |
		 range(length - 1) as $i |
		 (.[$i].state | ascii_downcase) as $phase |
		 [(.[$i].time - .[0].time | seconds), $phase,
		  (.[$i + 1].time - .[$i].time | seconds)] +
		 if $phase | startswith("stage_")
		 then $moved[$phase] | [.bytes, .files, .nodes]
		 else ["-", "-", "-"] end) | @tsv'
}

# Read back with the same translation, byte by byte.
compare_output() { # JOB
	local file n=0
	for file in "$PFS"/alice/input/*; do
		tr a-zA-Z A-Za-z <"$PFS/alice/output.$1/${file##*/}" |
			cmp - "$file" || return 1
		n=$((n + 1))
	done
	[ "$n" = "$(ls "$PFS/alice/output.$1" | wc -l)" ]
}

show_first_job() {
	local job
	question 2 "What does a job get that asks for a file system?"
	make_input
	translate_script >"$PFS/alice/translate.sh"
	say "alice submits this:"
	echo
	sed "s/^/    $DIM/; s/\$/$PLAIN/" "$PFS/alice/translate.sh"
	echo
	job=$(submit --time=5 -o 'job-%j.out' translate.sh)
	FIRST=$job
	watch_job "$job"
	say "Job $job is $(job_state "$job"). Its file system's life:"
	echo
	phases "$job" | table
	say "Files were read on $(grep -v '^sluice: ' "$PFS/alice/job-$job.out" |
		cut -d' ' -f1 | sort -u | wc -l) nodes."
	compare_output "$job"
	verdict $? "all $(ls "$PFS/alice/input" | wc -l) output files translated back are equal to the input, byte by byte"
}
