#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Of every command: --help and --version, also where they cannot be written;
# what is wrong with the words is said in one line that tells how to get help.
# Run in the build directory.
set -u
err=$(mktemp)
log=$(mktemp)
trap 'rm -f "$err" "$log"' EXIT
failed=0

complain() {
	echo "$*: $(cat "$err")"
	failed=1
}

want() { # STATUS PATTERN PROGRAM WORD...: that one line and no other
	local status=$1 pattern=$2 got
	shift 2
	"$@" >/dev/null 2>"$err" </dev/null
	got=$?
	[ $got = "$status" ] && [ "$(wc -l <"$err")" = 1 ] &&
		grep -qx -- "$pattern" "$err" || complain "$* ($got)"
}

check() { # PROGRAM WORD-WITH-VALUE
	local name=${1##*/}
	local word help="(see $name --help)"
	[ "$("$1" --version)" = "$name ${version:=$("$1" --version | cut -d' ' -f2)}" ] ||
		complain "$1 --version"
	"$1" --help | head -1 | grep -q "^Usage: $name" || complain "$1 --help"
	"$1" --help | grep -E '^.{81}' && complain "$1 --help is too wide"
	for word in --help --version; do
		"$1" $word >/dev/full 2>"$err" && complain "$1 $word, full"
		[ "$(cat "$err")" = "$name: standard output: No space left on device" ] ||
			complain "$1 $word, full"
	done
	want 2 "$name: unknown option --nosuch $help" "$1" --nosuch
	want 2 "$name: unknown option -Z $help" "$1" -Z
	want 2 "$name: $2 needs a value $help" "$1" "$2"
}

check sysquery/sysquery --output
check sysmap/sysmap --host
check sluiced/sluiced --conf
check ./sluice-node --node
check ./sluice-stage-out --job
check ./sluice-preview --bb
check select_io/tbfd/sluice-tbfd --state
check ./sluice-place --name
check ./sluice-web --listen
check ./sluice-segments --lfs
check ./sluice-lustre-check --part

# Each line of a refusal says who says it.
printf '#!/bin/sh\n#BB jobfs capacty=1MiB\ntrue\n#BB jobfs\n' >"$log"
./sluice-preview "$log" 2>"$err"
[ "$(grep -c '^sluice-preview: line [24]: ' "$err")" = 2 ] ||
	complain "sluice-preview, two mistakes"
# What is right, or asks for nothing, is said to be so.
says() { # LINE REQUEST
	printf '#!/bin/sh\n%s\ntrue\n' "$2" >"$log"
	[ "$(SLUICE_CONF=/nosuch/conf ./sluice-preview "$log" 2>"$err")" = "$1" ] ||
		complain "sluice-preview of $2"
}
says 'this job gets no file system' '#SBATCH -N 2'
says 'nothing to stage in' '#BB jobfs capacity=1MiB'
: >"$log"

# slurmd lets nobody read what sluice-node says without its configuration.
SLUICE_CONF=/nosuch/conf want 2 "sluice-node: open /nosuch/conf: .*" \
	./sluice-node status --log "$log"
grep -q 'error .*open /nosuch/conf: ' "$log" || complain "the log lacks it"

# A letter that some long option has for its number, and is none.
want 2 "sluice-node: unknown option -j (see sluice-node --help)" \
	./sluice-node status -jx

# What is to be typed, whatever word is missing.
for words in fetch 'fetch 7'; do
	# shellcheck disable=SC2086 # two words
	want 2 "usage: sluice-node fetch JOB DIR" ./sluice-node $words
done
want 2 "usage: sluice-node cancel JOB" ./sluice-node cancel

# Words of one line, too, where a verb or an option has its own.
want 2 "sluice-node forwarder: write --hosts FILE .* (see sluice-node --help)" \
	./sluice-node forwarder --hosts
want 2 "sluice-node forwarder: host list: .* (see sluice-node --help)" \
	./sluice-node forwarder --hosts /x --ions 'n[1' -- true
for command in start why predict ions buffers; do
	want 2 'sysquery: "17_3" is a task of an array: want 17, or .* -j 17_3 -o %A)' \
		sysquery/sysquery $command 17_3
	want 2 'sysquery: "17x" is no job (see sysquery --help)' \
		sysquery/sysquery $command 17x
done
want 2 'sluice-tbfd: "0" is no number from .* on (see sluice-tbfd --help)' \
	select_io/tbfd/sluice-tbfd --period 0
for word in '--rate x' '--target-rate a=x'; do
	# shellcheck disable=SC2086
	want 2 'sluice-tbfd: "x" is no rate, as .* are (see sluice-tbfd --help)' \
		select_io/tbfd/sluice-tbfd $word
done
for word in '--rate 2Gb/s' '--target-rate a=2Gb/s'; do
	# shellcheck disable=SC2086
	want 2 'sluice-tbfd: "2Gb/s": bits? bytes are B, as in 200GB/s or .*' \
		select_io/tbfd/sluice-tbfd $word
done
want 2 "sluice-tbfd: --target-rate a: write TARGET=RATE" \
	select_io/tbfd/sluice-tbfd --target-rate a
exit $failed
