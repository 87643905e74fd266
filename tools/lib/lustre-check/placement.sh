# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# sluice-lustre-check: targets on which nothing should be placed. Sourced.

published() { # TARGET: "TOTAL AVAILABLE" in KiB, as sluiced knows
	sysquery osts --json --fsname "$fsname" 2>"$state/error" | tr '{' '\n' |
		grep -F "\"name\":\"$1\"" | grep -F '"available_bytes":' |
		sed 's/.*"size_bytes":\([0-9]*\).*"available_bytes":\([0-9]*\).*/\1 \2/' |
		awk 'NR == 1 { printf "%.0f %.0f\n", $1 / 1024, $2 / 1024 }'
}

known() { # TARGET: the same, by lctl
	echo "$(($(kib "obdfilter.$1.kbytestotal") / 1024))" \
		"$(($(kib "obdfilter.$1.kbytesavail") / 1024))"
}

is_published() {
	[ "$(published "$1")" = "$(known "$1")" ]
}

check_publish() {
	local target list
	list=$(targets obdfilter | grep "^$fsname-")
	[ -n "$list" ] || { skip targets "no OST of $fsname is here" && return; }
	$dry && would "look whether sysquery osts has the size and space of" \
		"$(paste -sd' ' <<<"$list")" && return
	places --targets 1 -c 1 >/dev/null ||
		{ skip targets "$(tail -n 1 "$state/error")" && return; }
	for target in $list; do
		if until_true is_published "$target"; then
			pass "$target: size and space are what sysquery osts says"
		else
			fail "$target: size and space are what sysquery osts says" \
				"not in $PATIENCE s" "$(published "$target")" \
				"$(known "$target")"
		fi
	done
}

left_out() { # TARGET: does sysquery osts say so?
	sysquery osts --json --fsname "$fsname" 2>"$state/error" |
		tr '{' '\n' | grep -F "\"name\":\"$1\"" | grep -q '"left_out":"'
}

is_used() {
	! left_out "$1"
}

goes_to() { # INDEX: does one of the files in $state/placed?
	tr ',' '\n' <"$state/placed" | grep -qx "$1"
}

# By as many files of that size, which nobody remembers.
is_avoided() { # INDEX FILES SIZE
	sysquery osts place --table --fsname "$fsname" --stripes 1 --count "$2" \
		--size "$3" 2>"$state/error" |
		sed -n 's/^lfs setstripe -c 1 -o \([0-9]*\) .*/\1/p' >"$state/placed"
	[ -s "$state/placed" ] && ! goes_to "$1"
}

avoids() { # WHAT INDEX FILES SIZE
	local what="$1: none of $3 files goes there"
	if ! until_true is_avoided "${@:2}"; then
		fail "$what" "$(tail -n 1 "$state/error")" \
			"$(paste -sd' ' "$state/placed")" "not $2"
	elif ! places --targets "$3" -c 1 -s "$4" >"$state/placed"; then
		fail "$what" "$(tail -n 1 "$state/error")"
	elif goes_to "$2"; then
		fail "$what" "sluice-place" "$(paste -sd' ' "$state/placed")" "not $2"
	else
		pass "$what"
	fi
}

closes() { # WHAT TARGET PARAMETER VALUE
	local index=$((16#${2: -4})) what="$1 $2"
	is_used "$2" || { skip "$what" "it is left out already" && return; }
	change "$3" "$4" ||
		{ skip "$what" "$3: $(tail -n 1 "$state/error")" && return; }
	if until_true left_out "$2"; then
		pass "$what: sysquery osts leaves it out"
	else
		fail "$what: sysquery osts leaves it out" "not in $PATIENCE s" \
			"it is used" "$3=$(get "$3")"
	fi
	avoids "$what" "$index" 64 1MiB
	restore "$3" ||
		{ fail "$what: $3 as it was" "$(cat "$state/error")" && return; }
	if until_true is_used "$2"; then
		pass "$what: it is used again afterwards"
	else
		fail "$what: it is used again afterwards" "not in $PATIENCE s" \
			"left out" "$3=$(get "$3")"
	fi
}

fills() { # TARGET: a file takes all of its space but a little
	local index=$((16#${1: -4})) free
	free=$(get "osc.$1-osc-[0-9a-f]*.kbytesavail" | head -n 1)
	[ -n "$free" ] || free=$(get "obdfilter.$1.kbytesavail")
	[ -n "$free" ] || { skip "full $1" "its space is not known" && return; }
	[ "$free" -le $((fill_bytes >> 10)) ] ||
		{ skip "full $1" "$free KiB are free: more than --fill says" && return; }
	lfs setstripe -c 1 -i "$index" "$work/fill" 2>"$state/error" &&
		fallocate -l $((free * 9 / 10))K "$work/fill" 2>>"$state/error" ||
		{ skip "full $1" "$(tail -n 1 "$state/error")" && return; }
	avoids "full $1" "$index" 4 $((free / 8))KiB
	rm -f "$work/fill"
}

check_placement() {
	local osp target last
	last=$(awk 'END { print $2 }' "$state/osts")
	osp=$(lctl list_param "osp.$last-osc-MDT*" 2>/dev/null | head -n 1)
	target=$(targets obdfilter | grep "^$fsname-" | tail -n 1)
	[ -n "$osp$target" ] ||
		{ skip targets "no MDT and no OST of $fsname is here" && return; }
	if $dry; then
		[ -z "$osp" ] || would "set $osp.max_create_count=0 and back," \
			"$osp.active=0 and back"
		[ -z "$target" ] || would "set obdfilter.$target.degraded=1 and back"
		[ -z "$target" ] || would "fill $target, if it has no more than $fill" \
			"free, by a file in $work that is removed"
		return
	fi
	$write || { skip targets "it changes settings: say --write" && return; }
	places --targets 1 -c 1 >/dev/null ||
		{ skip targets "$(tail -n 1 "$state/error")" && return; }
	if [ -n "$osp" ]; then
		# Lustre sets it to 0, too, and then to its least.
		note "$osp.create_count"
		closes drained "$last" "$osp.max_create_count" 0
		restore "$osp.create_count" || fail \
			"drained $last: create_count as it was" "$(cat "$state/error")"
		closes inactive "$last" "$osp.active" 0
	else
		skip drained "no MDT of $fsname is here"
	fi
	if [ -n "$target" ]; then
		closes degraded "$target" "obdfilter.$target.degraded" 1
		fills "$target"
	else
		skip degraded "no OST of $fsname is here"
	fi
}
