# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# sluice-lustre-check: sysquery stripe explain against lfs, and files that are
# placed one by one. Sourced.

explain() { # OPTION...: the options of lfs setstripe; of this file system
	{ sysquery stripe explain --table --fsname "$fsname" "$@" 2>/dev/null ||
		sysquery stripe explain --table --targets "$n_osts" "$@" \
			2>/dev/null; } |
		sed -n 's/^lfs setstripe \(.*\) FILE$/\1/p'
}

layouts() { # all different ones that stripe explain prints
	local size access readers preset
	for size in '' 1MiB 1GiB 16GiB 1TiB 100TiB; do
		for access in sequential random; do
			for readers in 1 8 1024; do
				explain ${size:+--size $size} --access $access \
					--readers $readers --lustre "$version"
			done
		done
	done
	# What #BB stripe shared=yes asks for.
	for size in 1GiB 16GiB 1TiB; do
		for readers in 2 64 1024; do
			explain --size $size --tasks $readers --lustre "$version"
		done
	done
	explain --mdt 64KiB --lustre "$version"
	explain --mdt 64KiB --size 1KiB --lustre "$version"
	# What it prints where targets are unequally full; since 2.13.
	[ "$(printf '%s\n' 2.13 "$version" | sort -V | head -n 1)" != 2.13 ] ||
		echo "-E 10G -c 1 -S 2M -z 4G -E -1 -c 2 -S 4M -z 8G"
	for preset in IOR.{1..6} netflow.{1..6} blast.{1..18} tableI fig11; do
		sysquery stripe explain --table --preset "$preset" \
			--lustre "$version" 2>/dev/null |
			sed -n 's/^lfs setstripe \(.*\) FILE$/\1/p'
	done
}

bytes_of() { # SIZE of lfs: 64K, 4M
	local units=KMGTPE number=${1%[KMGTPE]} before
	before=${units%%"${1: -1}"*}
	[ "$number" != "$1" ] || { echo "$1" && return; }
	echo $((number << 10 * (${#before} + 1)))
}

# "END COUNT SIZE EXTENSION" for each component; COUNT of Data-on-MDT is mdt.
wanted_layout() { # OPTION...
	local end=EOF count=1 size='' by='' any=false
	while [ $# -gt 1 ]; do
		case $1 in
		-E)
			! $any || echo "$end $count ${size:-?}$by"
			any=true
			end=EOF by=''
			[ "$2" = -1 ] || end=$(bytes_of "$2")
			;;
		-c | -C) count=$2 ;;
		-S) size=$(bytes_of "$2") ;;
		-L) count=mdt ;;
		-z) by=" $(bytes_of "$2")" ;;
		esac
		shift 2
	done
	echo "$end $count ${size:-?}$by"
}

# The same from lfs getstripe, plain or composite, of any version. A component and
# what it has yet to extend to are one.
real_layout() { # FILE
	lfs getstripe "$1" 2>"$state/error" | awk '
		function put() {
			if (count != "")
				print end, (pattern ~ /mdt/ ? "mdt" : count), size by
			count = by = ""
		}
		BEGIN { end = "EOF" }
		/lcme_flags:/ {
			extends = $2 ~ /extension/
			if (!extends)
				put()
		}
		/lcme_extent.e_end:/ { end = $2 }
		/lmm_stripe_count:/ && !extends { count = $2 }
		/lmm_stripe_size:/ { size = $2 }
		/lmm_extension_size:/ { by = " " $2 }
		/lmm_pattern:/ { pattern = $2 }
		END { put() }'
}

real_osts() { # FILE: the targets of its first component, "3,1"
	lfs getstripe "$1" 2>"$state/error" | awk '
		/l_ost_idx:/ && match($0, /l_ost_idx: *[0-9]+/) {
			x = substr($0, RSTART, RLENGTH); sub(/.*[: ]/, "", x)
			list = list "," x
		}
		/obdidx/ { on = 1; next }
		on && $1 ~ /^[0-9]+$/ { list = list "," $1 }
		END { print substr(list, 2) }'
}

# More stripes than there are targets are as many as there are.
agree() { # WANTED REAL
	awk -v n="$n_osts" '
		NR == FNR { want[++m] = $0; next }
		{
			k++
			split(want[k], w, " ")
			all = w[2] == "-1" || w[2] + 0 > n
			if (w[1] != $1 || w[2] != $2 && !(all && ($2 == n || $2 == -1)) ||
			    w[3] != "?" && w[2] != "mdt" && w[3] != $3 || w[4] != $4)
				bad = 1
		}
		END { exit bad || k != m }' <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

check_layout() { # OPTIONS-OF-SETSTRIPE
	local file=$work/layout wanted real options
	read -ra options <<<"$1"
	rm -f "$file"
	lfs setstripe "${options[@]}" "$file" 2>"$state/error" ||
		{ fail "$1" "lfs setstripe" "$1" "$(tail -n 1 "$state/error")" &&
			return; }
	wanted=$(wanted_layout "${options[@]}")
	real=$(real_layout "$file")
	[[ $wanted != *mdt* || $real == *mdt* ]] ||
		{ skip "$1" "lod.*.dom_stripesize is 0" && return; }
	if agree "$wanted" "$real"; then
		pass "$1"
	else
		fail "$1" "read back differs" "$(paste -sd';' <<<"$wanted")" \
			"$(paste -sd';' <<<"$real")"
	fi
}

check_layouts() {
	local line
	$dry && would "give all layouts of sysquery stripe explain to lfs setstripe" \
		"for a file in $work, and read them by lfs getstripe" && return
	layouts | sort -u >"$state/layouts"
	[ -s "$state/layouts" ] || skip layouts "sysquery stripe explain says none"
	while read -r line; do check_layout "$line"; done <"$state/layouts"
}

PLACED=${SLUICE_PLACED:-@pkglibdir@/libsluice_placed.so}

places() { # OPTION-OF-SLUICE-PLACE...: targets of files, a line each
	sluice-place --fsname "$fsname" "$@" 2>"$state/error"
}

preloaded() { # COMMAND...
	LD_PRELOAD="$PLACED${LD_PRELOAD:+ $LD_PRELOAD}" SLUICE_PLACE=$dir \
		SLUICE_PLACE_STRIPES=2 "$@" 2>"$state/said"
}

# Why a file has no layout of its own: what the program with the library said,
# else what sluice-place says to the same question.
why_not() {
	local said
	said=$(tail -n 1 "$state/said")
	[ -n "$said" ] || places --targets 1 -c 2 >/dev/null ||
		said=$(tail -n 1 "$state/error")
	echo "${said:-neither the program nor sluice-place says why}"
}

has_stripes() { # WHAT NUMBER FILE
	local real
	real=$(real_layout "$3" | cut -d' ' -f2)
	if [ "$real" = "$2" ]; then
		pass "$1"
	else
		fail "$1" "$(why_not)" "$2 stripes" "${real:-no} stripes"
	fi
	cmp -s /etc/passwd "$3" || fail "$1" "its content differs"
}

# Files that programs make by other calls than open(2), or their children.
check_programs() {
	local elsewhere
	tar -C /etc -cf "$state/tar" passwd
	preloaded tar -C "$dir" -xf "$state/tar"
	has_stripes "tar (openat): its own layout" 2 "$dir/passwd"
	preloaded find /etc/passwd -exec cp {} "$dir/child" \;
	has_stripes "a program started by find: its own" 2 "$dir/child"
	preloaded mv "$work/beside/file" "$dir/renamed"
	has_stripes "mv within Lustre: keeps the one it has" 1 "$dir/renamed"
	if elsewhere=$(mktemp -p /dev/shm "$NAME.XXXXXX" 2>"$state/error"); then
		cp /etc/passwd "$elsewhere"
		preloaded mv "$elsewhere" "$dir/moved"
		rm -f "$elsewhere"
		has_stripes "mv from elsewhere (a copy): its own" 2 "$dir/moved"
	else
		skip "mv from elsewhere" "$(tail -n 1 "$state/error")"
	fi
	command -v python3 >/dev/null ||
		{ skip O_TMPFILE "there is no python3" && return; }
	same "O_TMPFILE: as without the library" \
		"$(preloaded python3 -c "$TMPFILE" "$dir")" \
		"$(python3 -c "$TMPFILE" "$dir")"
}

TMPFILE='
import os, sys
try:
    fd = os.open(sys.argv[1], os.O_TMPFILE | os.O_RDWR, 0o600)
    print("made, and takes", os.write(fd, b"text"), "bytes")
except OSError as e:
    print(e.strerror)'

check_preload() {
	local dir=$work/each
	$dry && would "copy a file into $dir with libsluice_placed.so preloaded," \
		"and read its layout" && return
	[ "$n_osts" -ge 2 ] || { skip library "one target only" && return; }
	[ -e "$PLACED" ] || { skip library "there is no $PLACED" && return; }
	places --targets 1 -c 2 >/dev/null ||
		{ skip library "$(tail -n 1 "$state/error")" && return; }
	mkdir "$dir" "$work/beside"
	lfs setstripe -c 1 "$dir"
	lfs setstripe -c 1 "$work/beside"
	preloaded cp /etc/passwd "$work/beside/file"
	has_stripes "a file elsewhere has the directory's" 1 "$work/beside/file"
	preloaded cp /etc/passwd "$dir/file"
	has_stripes "a file below SLUICE_PLACE has its own layout" 2 "$dir/file"
	if cmp -s /etc/passwd "$dir/file"; then
		pass "its content is right"
	else
		fail "its content is right" "cmp says no"
	fi
	check_programs
}
