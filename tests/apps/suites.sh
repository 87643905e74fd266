# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Suites of tests of what a file system has to do, run in parts. Sourced by job;
# see programs, parts. They run on the last node.
export CONTROL=$DIR/control.$EUID PJDFSTEST LTP

suite() { # pjdfstest|ltp PATTERN
	on "$LAST" "$DIR/parts" "$@"
}

# Of the parts of ltp those named after one of these calls.
ltp_calls() { # NAME...
	local IFS='|'
	suite ltp "($*)[0-9][0-9_a-zA-Z]*"
}

# The calls of pjdfstest's tests by turns on all nodes: what one node has done
# the others have to see.
suite_by_turns() { # PATTERN
	local beside=$CONTROL/../turns.$NAME
	mkdir -p "$beside"
	ln -s "$PJDFSTEST/tests" "$beside/tests"
	cp "$DIR/by-turns" "$beside/pjdfstest"
	each "$beside/pjdfstest" serve &
	until [ "$(find "$beside" -name 'node.*' | wc -l)" = ${#NODE[@]} ]; do
		sleep 0.1
	done
	TESTS=$beside/tests suite pjdfstest "$1"
	kill $! # srun ends its step
	rm -rf "$beside"
}
