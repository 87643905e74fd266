# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Small things every tool here needs. Sourced.

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

need_root() {
	[ "$(id -u)" = 0 ] || die "must run as root (sudo $0)"
}

# wait_for SECONDS COMMAND...: until it succeeds; 1 when the time is over. The
# seconds are what it may take on a quiet machine; a busy one gets PATIENCE
# times as long. The command, which takes time from what is waited for, runs less
# often the longer that takes: after a tenth of it, in bounds.
wait_for() {
	local from=${EPOCHREALTIME/.} waited pause limit=$(($1 * ${PATIENCE:-3} * 1000000))
	shift
	until "$@"; do
		waited=$((${EPOCHREALTIME/.} - from)) pause=$((waited / 10))
		[ "$waited" -lt "$limit" ] || return 1
		pause=$((pause < 50000 ? 50000 : pause > 400000 ? 400000 : pause))
		printf -v pause '0.%06d' "$pause"
		sleep "$pause"
	done
}

# step TEXT COMMAND...: run it, print one line with the seconds it took; on a
# terminal the line begins before.
step() {
	local text=$1 from=$EPOCHREALTIME
	shift
	[ ! -t 1 ] || printf '  %s ...\r' "$text"
	"$@" || die "$text: failed"
	awk -v t="$text" -v a="$from" -v b="$EPOCHREALTIME" \
		'BEGIN { printf "  %-44s %6.2f s\n", t, b - a }'
}

quietly() {
	"$@" >/dev/null 2>&1
}
