#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No manual page is wider than a terminal: what is, wraps there, and a table is
# not to be read any more. None has a macro, character or escape that groff does
# not know and leaves out.
set -u
command -v man >/dev/null && command -v col >/dev/null || {
	echo 'skipped: no man or col'
	exit 77
}
failed=0
for page in "${srcdir:-.}"/man/*.[1-8]; do
	text=$(LC_ALL=C.UTF-8 MANWIDTH=80 \
		man -l "$page" 2>/dev/null | LC_ALL=C.UTF-8 col -bx)
	[ -n "$text" ] || {
		echo 'skipped: man shows no page here'
		exit 77
	}
	unknown=$(LC_ALL=C.UTF-8 man --warnings=char,escape,mac -l "$page" \
		2>&1 >/dev/null | grep 'warning:') && {
		echo "${page##*/}: $unknown"
		failed=1
	}
	wide=$(LC_ALL=C.UTF-8 grep -E '^.{81}' <<<"$text") || continue
	echo "${page##*/} is wider than 80 columns:"
	echo "$wide"
	failed=1
done
exit $failed
