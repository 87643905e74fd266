#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The life of the Debian packages in /packages on a Debian that has nothing:
# installed, used by a job, upgraded while a job runs, removed, purged. Run by
# tools/test packages.
export SLUICE_PREFIX=/usr
. "$(dirname "$0")/../system/lib.sh"
. "$(dirname "$0")/../system/buffer.sh"
. "$(dirname "$0")/lib.sh"
CONF=/etc/slurm/sluice.conf STATE=/var/lib/sluice/sluice.db
NODE_LOG=/var/log/sluice-node.log

# apt does not know names whose packages left nothing behind.
purged() {
	dpkg --purge "${NAMES[@]}" >/root/purge.log 2>&1 ||
		{ note "$(cat /root/purge.log)" && false; }
}

version() { # PACKAGE
	dpkg-query -W -f '${Version}' "$1"
}

all_present() { # what their lists name
	local file rc=0
	while read -r file; do
		[ -e "${file:-/}" ] || [[ $file = /usr/share/doc/* ]] ||
			{ note "no $file" && rc=1; }
	done < <(dpkg -L "${NAMES[@]}" | sort -u)
	return "$rc"
}

libraries_found() {
	local file rc=0
	for file in $(dpkg -L "${NAMES[@]}" | grep -E '/s?bin/.|\.so$'); do
		! ldd "$file" 2>&1 | grep 'not found' || rc=1
	done
	return "$rc"
}

job_with_buffer() { # prints its id
	buffer_script in | submit -N 2 -t 5
}

# What a postinst of ours does where systemd runs.
restart() { # HOST DAEMON
	cluster stop "$@" && cluster start "$@"
}

apt update
check "all packages are installed, and with them Slurm" \
	apt install --no-install-recommends "${DEBS[@]}"
check "all their files are there" all_present
check "all libraries are found" libraries_found
check "nothing was enabled" \
	fails grep -rqs sluice /etc/systemd/system/*.wants /etc/rc?.d
check "the version names the release of Slurm" matches \
	"$(version sluice-plugins)" "\\+slurm$(slurmctld -V | cut -d' ' -f2)\$"

"$TOP/tools/setup" --run >/root/setup.log 2>&1 || note "$(tail -3 /root/setup.log)"
cluster_up --nodes 2 --ions 0
check "plugins are found where Slurm has its own" \
	fails grep -q '^PluginDir' "$(dirname "$PFS")/etc/slurm/slurm.conf"
make_input in 20 2
first=$(job_with_buffer)
check_within 60 "a first job ends" job_ended "$first"
check "it COMPLETED" job_is "$first" COMPLETED
check "its output is complete" output_complete in "$first"

touch "$PFS/alice/wait"
second=$(job_with_buffer)
check_within 60 "a second job runs in its buffer" copied "$second"
echo 'OPTIONS="--verbose"' >/etc/default/sluiced
later /later
check "packages are upgraded meanwhile" apt install /later/*.deb
check "all of them are" fails grep -qv '\.1+slurm' <(
	dpkg-query -W -f '${Version}\n' "${NAMES[@]}")
check "what was changed in /etc is kept" grep -q verbose /etc/default/sluiced
restart ctl sluiced
restart ctl slurmctld
rm "$PFS/alice/wait"
check_within 60 "the job ends" job_ended "$second"
check "it COMPLETED" job_is "$second" COMPLETED
check "its output is complete" output_complete in "$second"
check_within 60 "jobs of before and after are known" prints \
	"\"job_id\":$first,.*\"job_id\":$second,|\"job_id\":$second,.*\"job_id\":$first," \
	on ctl sysquery --json jobs
check "no node is drained" equal "$(on ctl sinfo -hR)" ''

# As if all that had been here.
install -D "$DB" $STATE
cp "$(dirname "$PFS")/log/n1/sluice-node.log" $NODE_LOG
cp "$(dirname "$PFS")"/etc/slurm/{slurm,plugstack,sluice}.conf /etc/slurm/
check "packages are removed" apt remove "${NAMES[@]}"
check "it is said that slurmctld will not start" \
	grep -q 'slurm.conf still names plugins of Sluice' /root/apt.log
check "and that no job will run here" \
	grep -q 'plugstack.conf still names spank_sluice.so' /root/apt.log
check "commands and plugins are gone" equal \
	"$(find /usr/bin /usr/sbin /usr/lib /lib/systemd -name '*sluice*' ! -type l)" ''
for kept in $STATE $CONF $NODE_LOG /etc/default/sluiced \
	/etc/logrotate.d/sluice-node; do
	check "$kept is kept" test -s "$kept"
done
check "packages are purged" purged
check "what is left is the site's sluice.conf" equal \
	"$(find /etc /usr /var/lib /var/log -path /var/lib/apt -prune -o \
		-name '*sluice*' -print)" $CONF
finish
