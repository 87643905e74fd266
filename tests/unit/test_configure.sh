#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What configure refuses: plugin directories, and Slurms that do not fit.
set -u
configure=$(realpath "${srcdir:-.}/configure")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0

# An empty one is what slurmctld's answer is while it does not run.
for plugindir in '' lib/slurm yes; do
	"$configure" --with-slurm-plugindir="$plugindir" >out 2>&1 && {
		echo "--with-slurm-plugindir='$plugindir' is taken"
		failed=1
	}
	grep -q 'error: --with-slurm-plugindir=.*absolute.*PluginDir' out || {
		cat out
		failed=1
	}
done

# refused TEXT OPTION...: configure ends with an error that says TEXT.
refused() {
	local text=$1
	shift
	! "$configure" "$@" >out 2>&1 && grep -q "error: .*$text" out && return
	echo "configure $*: not refused with '$text'"
	tail -n 3 out
	failed=1
}

# slurm DIR RELEASE NUMBER: what configure looks at of a Slurm and its source.
slurm() {
	mkdir -p "$1/include/slurm" "$1/sbin" "$1/src/slurmctld"
	echo "#define SLURM_VERSION_NUMBER $3" \
		>"$1/include/slurm/slurm_version.h"
	printf '  Version:\t%s\n' "$2" >"$1/META"
	touch "$1/src/slurmctld/slurmctld.h"
	printf '#!/bin/sh\necho slurm %s\n' "$2" >"$1/sbin/slurmctld"
	chmod +x "$1/sbin/slurmctld"
}
slurm "$dir/a" 25.11.7 0x190b07
slurm "$dir/b" 25.11.6 0x190b06
slurm "$dir/old" 21.08.8 0x150808
cp -r a mixed && cp b/sbin/slurmctld mixed/sbin/

refused 'no Slurm is installed there' --with-slurm="$dir/none" \
	--with-slurm-source="$dir/a"
refused 'need the source of that Slurm, too' --with-slurm="$dir/a"
refused 'is Slurm 25.11.6 (0x190b06) but 0x190b07 is installed' \
	--with-slurm="$dir/a" --with-slurm-source="$dir/b"
refused 'slurmctld is slurm 25.11.6, but the headers' \
	--with-slurm="$dir/mixed" --with-slurm-source="$dir/a"
refused 'the plugins are for Slurm 22.05 to' \
	--with-slurm="$dir/old" --with-slurm-source="$dir/old"
refused 'cannot be compiled' --with-slurm="$dir/a" \
	--with-slurm-source="$dir/a"
exit $failed
