# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# sluice-lustre-check: sysquery stripe check on files that are made for it, and the
# lfs migrate that it prints, run. Sourced.

# Read at random by 16, one target is too few, however slow the servers are.
FILE_SIZE=$((2 << 30))

# With bytes at both ends, a hole between.
make_file() { # NAME OPTION-OF-SETSTRIPE...
	lfs setstripe "${@:2}" "$work/files/$1" 2>"$state/error" || return 1
	head -c 65536 /dev/urandom >>"$work/files/$1"
	truncate -s $((FILE_SIZE - 65536)) "$work/files/$1"
	head -c 65536 /dev/urandom >>"$work/files/$1"
}

contents() {
	local name
	for name in few composite hard; do
		stat -c '%n %i %h %s' "$work/files/$name"
		head -c 65536 "$work/files/$name" | cksum
		tail -c 65536 "$work/files/$name" | cksum
	done
}

stripe_check() { # OPTION...: into $state/review
	sysquery stripe check "$work/files" --access random --readers 16 \
		"$@" >"$state/review" 2>"$state/error"
}

number_of() { # KEY: in the JSON of stripe_check
	grep -o "\"$1\":[0-9]*" "$state/review" | head -n 1 | cut -d: -f2
}

migrate_all() { # the lines as they are printed, each by a shell
	local line rc=0
	while IFS= read -r line; do
		[[ $line == "lfs migrate "* ]] || continue
		migrated=$((migrated + 1))
		bash -c "$line" 2>>"$state/error" || rc=1
	done <"$state/review"
	return $rc
}

check_files() {
	local before special=0 migrated=0
	$dry && would "make files in $work/files of one stripe, composite, mirrored," \
		"run sysquery stripe check there, and the lfs migrate that it prints" &&
		return
	[ "$n_osts" -ge 2 ] || { skip files "one target only" && return; }
	mkdir "$work/files"
	make_file few -c 1 && make_file composite -E 64M -c 1 -E -1 -c 1 ||
		{ skip files "$(tail -n 1 "$state/error")" && return; }
	ln "$work/files/few" "$work/files/hard"
	if make_file mirrored -N2 -c 1; then special=1; fi
	before=$(contents)
	stripe_check --json
	same "stripe check: files, of which one has two names" \
		"$(number_of seen)" $((2 + special))
	same "stripe check: layouts that could not be read" "$(number_of unread)" 0
	same "stripe check: files that are mirrored" "$(number_of special)" $special
	stripe_check --table
	if migrate_all && [ $migrated = 2 ]; then
		pass "the lfs migrate that it prints for each of the others is taken"
	else
		fail "the lfs migrate that it prints for each of the others is taken" \
			"$(tail -n 1 "$state/error")" "$migrated commands" \
			"$(grep '^lfs migrate' "$state/review" | paste -sd';')"
	fi
	same "content and names of the files, and the inode, are as before" \
		"$(contents | cksum)" "$(cksum <<<"$before")"
	stripe_check --json
	same "stripe check finds nothing then" \
		"$(grep -c '"files":\[\]' "$state/review") of 1" "1 of 1"
	rm -rf "$work/files"
}
