#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The RPM packages in /packages on a Debian that has nothing of Sluice: installed
# by rpm without regard to what Debian calls that which they need, verified,
# used by a job, installed again while a job runs, erased. Run by tools/test
# packages.
export SLUICE_PREFIX=/usr
. "$(dirname "$0")/../system/lib.sh"
. "$(dirname "$0")/../system/buffer.sh"
shopt -s nullglob globstar
RPMS=(/packages/**/*.rpm)
[ "${#RPMS[@]}" -gt 0 ] || skip_all "no RPM packages in /packages"

rpms() { # OPTION...: as root of a system of RPM's
	rpm --nodeps "$@" >/root/rpm.log 2>&1 ||
		{ note "$(tail -20 /root/rpm.log)" && false; }
}

names() {
	rpm -qa --qf '%{NAME}\n' 'sluice*'
}

erased() {
	names | xargs rpm -e >/root/rpm.log 2>&1 ||
		{ note "$(cat /root/rpm.log)" && false; }
}

# Prints what is not as the package had it; documentation is not installed in
# images for containers.
altered() {
	names | xargs rpm -V --nodeps | grep -v '^missing *d'
}

missing_libraries() {
	names | xargs rpm -ql | grep -E '/s?bin/.|\.so$' |
		while read -r file; do ldd "$file" 2>/dev/null; done |
		grep 'not found'
}

job_with_buffer() { # prints its id
	buffer_script in | submit -N 2 -t 5
}

"$TOP/tools/setup" --run >/root/setup.log 2>&1 || note "$(tail -3 /root/setup.log)"
# What the libraries are called on Debian.
DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends rpm \
	libcurl4 libmicrohttpd12 libxxhash0 >/root/apt.log 2>&1 ||
	note "$(tail -5 /root/apt.log)"
check "packages are installed" rpms -i "${RPMS[@]}"
check "they are as they were made" fails altered
check "all libraries are found" fails missing_libraries
cluster_up --nodes 2 --ions 0
make_input in 20 2
first=$(job_with_buffer)
check_within 60 "a first job ends" job_ended "$first"
check "it COMPLETED" job_is "$first" COMPLETED
check "its output is complete" output_complete in "$first"

touch "$PFS/alice/wait"
second=$(job_with_buffer)
check_within 60 "a second job runs in its buffer" copied "$second"
echo 'OPTIONS="--verbose"' >/etc/sysconfig/sluiced
check "packages are installed anew meanwhile" rpms -U --force "${RPMS[@]}"
check "what was changed in /etc is kept" grep -q verbose /etc/sysconfig/sluiced
rm "$PFS/alice/wait"
check_within 60 "the job ends" job_ended "$second"
check "it COMPLETED" job_is "$second" COMPLETED
check "its output is complete" output_complete in "$second"

check "packages are erased" erased
check "what was changed is left, nothing else" equal \
	"$(find /etc /usr /lib /var/lib /var/log -name '*sluice*' ! -type l)" \
	/etc/sysconfig/sluiced.rpmsave
finish
