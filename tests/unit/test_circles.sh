#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tools/check-circles refuses circles of includes and of calls, and nothing else.
tools=$(cd "${srcdir:-.}/tools" && pwd) || exit 99
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
mkdir common wire store sysmap sysquery job_submit burst_buffer select_io ctl \
	sluiced plugins

verdict() { # WANT WHAT
	said=$(srcdir=$dir "$tools/check-circles" "$dir")
	is=$?
	[ "$is" -eq "$1" ] && return
	echo "$2: exit $is instead of $1"
	echo "$said"
	exit 1
}

# A .c file and its header are one; the circle goes through three folders.
echo 'int wire(void);' >wire/b.h
echo '#include "common/a.h"' >wire/b.c
echo '#include "store/c.h"' >common/a.h
echo 'int store(void);' >store/c.h
verdict 0 'one way'
echo '#include "wire/b.h"' >store/c.c
verdict 1 'a circle of includes'
echo "$said" | grep -q '^store/c includes wire/b' || exit 1
: >store/c.c

${CC:-cc} --version >/dev/null 2>&1 || exit 0
build() { # FILE TEXT
	echo "$2" >"$1.c"
	mkdir -p "${1%/*}/.libs"
	${CC:-cc} -c -o "${1%/*}/.libs/lib_la-${1##*/}.o" "$1.c" || exit 99
}
build ctl/d 'int e(void); int d(void); int d(void) { return e(); }'
build sluiced/e 'int f; int e(void); int e(void) { return f; }'
verdict 0 'one calls the other'
build sluiced/e 'int d(void); int e(void); int e(void) { return d(); }'
verdict 1 'a circle of calls'
echo "$said" | grep -q '^ctl/d calls sluiced/e: e' || exit 1
rm sluiced/e.c
verdict 0 'an object whose source is gone'
