# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# sluice-lustre-check: a line for each result. Sourced.

passed=0 failed=0 skipped=0
declare -a results=()

# When nobody can read why something is left alone, it must not be done instead:
# that ends the program, and all is put back.
say() { # FORMAT VALUE...
	# shellcheck disable=SC2059
	printf "$@" 2>/dev/null && return
	echo "$NAME: standard output: No space left on device" >&2
	exit 1
}

quoted() { # TEXT: as a JSON string
	local text=${1//\\/\\\\}
	text=${text//\"/\\\"}
	printf '"%s"' "$(tr '\000-\037' ' ' <<<"$text" | sed 's/ $//')"
}

result() { # STATUS WHAT [WHY [OURS LUSTRE]]
	local line
	printf -v line '{"part":%s,"what":%s,"result":"%s"' "$(quoted "$part")" \
		"$(quoted "$2")" "$1"
	[ -z "${3-}" ] || line+=",\"why\":$(quoted "$3")"
	[ $# -lt 5 ] || line+=",\"sluice\":$(quoted "$4"),\"lustre\":$(quoted "$5")"
	results+=("$line}")
	$json || say '%s  %-10s  %s%s%s\n' "$1" "$part" "$2" \
		"${3:+: $3}" "${5+ (sluice: $4; lustre: $5)}"
}

pass() {
	passed=$((passed + 1))
	result pass "$@"
}

fail() {
	failed=$((failed + 1))
	result fail "$@"
}

skip() {
	skipped=$((skipped + 1))
	result skip "$@"
}

would() { # TEXT: for --dry-run
	say '%-10s  %s\n' "$part" "$*"
}

same() { # WHAT SLUICE LUSTRE
	if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" differs "$2" "$3"; fi
}

PATIENCE=${SLUICE_CHECK_PATIENCE:-30} # seconds

until_true() { # COMMAND...: false when it is not so in time
	local end=$((SECONDS + PATIENCE))
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.2
	done
}
