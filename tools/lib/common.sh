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
# times as long.
wait_for() {
	local end=$((${EPOCHREALTIME%.*} + $1 * ${PATIENCE:-3}))
	shift
	until "$@"; do
		[ "${EPOCHREALTIME%.*}" -lt "$end" ] || return 1
		sleep 0.05
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
