# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# sluice-lustre-check: what is changed stands in $state/undo before it is; it is
# put back at the end, on signals, and by a guard after a kill -9. Sourced.

get() { # PARAMETER: its value
	lctl get_param -n "$1" 2>/dev/null
}

note() { # PARAMETER: it will be put back, after those that are noted later
	local old
	old=$(get "$1") && [ -n "$old" ] || return 1
	echo "$1=$old" >>"$state/undo"
}

change() { # PARAMETER VALUE
	note "$1" || return 1
	lctl set_param "$1=$2" >/dev/null 2>"$state/error"
}

restore() { # PARAMETER: as it was
	local was
	was=$(grep -m 1 -F "$1=" "$state/undo") || return 0
	lctl set_param "$was" >/dev/null 2>"$state/error" || return 1
	grep -v -F "$1=" "$state/undo" >"$state/left"
	mv "$state/left" "$state/undo"
}

stop_programs() { # by their ids, with all that they started
	local pid
	while read -r pid; do
		kill -KILL -- "-$pid" 2>/dev/null
	done <"$state/programs"
	: >"$state/programs"
	[ ! -e "$state/daemon" ] || {
		# shellcheck disable=SC2046 # --service NAME
		sluice-tbfd --clean $(<"$state/daemon") --state "$state/tbfd.json" \
			2>/dev/null
		rm -f "$state/daemon"
	}
}

undo() { # all of it; as often as one likes
	local was
	stop_programs
	while read -r was; do
		lctl set_param "$was" >/dev/null 2>>"$state/error" ||
			echo "$NAME: cannot put back $was:" \
				"$(tail -n 1 "$state/error")" >&2
	done < <(tac "$state/undo")
	: >"$state/undo"
	[ -z "$work" ] || rm -rf "$work"
}

guard() { # PID: when it is gone, what it left is put back
	trap '' INT TERM HUP
	while kill -0 "$1" 2>/dev/null; do sleep 0.5; done
	[ ! -e "$state/undo" ] || {
		undo
		rm -rf "$state"
	}
}

finish() {
	trap '' INT TERM HUP
	undo
	rm -rf "$state"
}
