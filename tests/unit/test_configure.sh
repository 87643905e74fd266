#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What configure refuses before it looks at anything.
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
exit $failed
