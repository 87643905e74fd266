#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What bash offers for the words of our commands. Run in the build directory.
set -u
. "${srcdir:-.}/etc/sluice.completion"
failed=0

offered() { # PROGRAM WORD...: the last one is being written
	COMP_CWORD=$(($# - 1)) COMPREPLY=() COMP_WORDS=("$@")
	_sluice "$1" "${!#}"
	echo "${COMPREPLY[*]}"
}

want() { # TEXT PROGRAM WORD...
	local text=$1 got
	shift
	got=$(offered "$@")
	[ "$got" = "$text" ] || {
		echo "$*: \"$got\" is offered, not \"$text\""
		failed=1
	}
}

want 'check check-integrity' sysquery/sysquery ch
want '--stripes' sysquery/sysquery osts place --str
want '--stripe-size' sysquery/sysquery predict --str
want '--server --sort --state --since' sysquery/sysquery buffers --s
want '' sysquery/sysquery diff n
want 'run_seconds' sysquery/sysquery jobs -o run
want 'user,run_seconds' sysquery/sysquery jobs -o user,run
want '-capacity_bytes,state' sysquery/sysquery buffers --sort -capacity_bytes,stat
want '' sysquery/sysquery stripe -o f
want 'begin cache cancel discard down fetch forwarder io missed probe recover serve status up watch' \
	./sluice-node ''
want '--version' ./sluice-node probe --v
want 'remove run split' ./sluice-segments ''
want 'nodes status' select_io/tbfd/sluice-tbfd ''
want '--rate --resync --root' select_io/tbfd/sluice-tbfd --r
want '--measure --measure-bytes --measure-seconds' sysmap/sysmap --m
want '' sysmap/sysmap ''
want '--check-conf --conf' sluiced/sluiced --c
want '' ./sluice-place f
want '--server --since' ./sluice-web --s
want '--job' ./sluice-stage-out --j

# A command that has no completion would be forgotten.
for page in "${srcdir:-.}"/man/*.[18]; do
	name=$(basename "${page%.*}")
	complete -p "$name" >/dev/null 2>&1 || {
		echo "$name: no completion"
		failed=1
	}
done
exit $failed
