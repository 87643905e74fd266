# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The packages in /packages of a root of tools/debian --fresh. Sourced after
# tests/system/lib.sh.
[ -d /packages ] || skip_all "not in a root of tools/debian --fresh"
shopt -s extglob
DEBS=(/packages/!(*-dbgsym_*).deb)
NAMES=("${DEBS[@]##*/}")
NAMES=("${NAMES[@]%%_*}")
POLICY=/usr/sbin/policy-rc.d

# Nothing is started meanwhile.
apt() {
	printf '#!/bin/sh\nexit 101\n' >$POLICY
	chmod 755 $POLICY
	DEBIAN_FRONTEND=noninteractive apt-get -qy "$@" </dev/null \
		>/root/apt.log 2>&1 ||
		{ note "$(tail -20 /root/apt.log)" && false; }
}

# The same packages, as if they had been built of a later version.
later() { # DIRECTORY
	local deb
	mkdir "$1"
	for deb in "${DEBS[@]}"; do
		dpkg-deb -R "$deb" /root/deb
		sed -i 's/\([0-9.]*\)+slurm/\1.1+slurm/g' /root/deb/DEBIAN/control
		dpkg-deb -b --root-owner-group /root/deb \
			"$1/$(basename "$deb")" >/dev/null
		rm -r /root/deb
	done
}
