#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sysquery page on a database as that of a site: where it is written, that the
# same database gives the same bytes, and that names which users choose do not
# become markup, as a parser of XML sees it. Run in the build directory.
set -u
export TZ=UTC LC_ALL=C
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sysquery=$PWD/sysquery/sysquery db=$dir/site.db now=1790000000
failed=0

complain() {
	echo "$*"
	failed=1
}

page() { # OPTION...
	SLURM_CONF=$dir/slurm.conf "$sysquery" page -f "$db" --now @$now "$@"
}

want() { # STATUS TEXT COMMAND...: one line
	local status=$1 text=$2 got out
	shift 2
	out=$("$@" 2>&1 >/dev/null)
	got=$?
	[ $got = "$status" ] && [ "$out" = "$text" ] ||
		complain "$*: $got, $out"
}

tests/unit/sysquery/make_site "$db" 60 600 $now "'\"><script>alert(1)</script>&<!--" ||
	exit 99
cat >"$dir/slurm.conf" <<'EOT'
ClusterName=x
NodeName=n[1-60] CPUs=1 RealMemory=262144
EOT

page -o "$dir/out" || complain "into a directory that is made"
page -o "$dir/out" || complain "into one that is there"
page -o "$dir/one.html" || complain "into a file"
page >"$dir/stdout" || complain "standard output"
cmp "$dir/out/index.html" "$dir/one.html" || complain "not the same bytes"
cmp "$dir/stdout" "$dir/one.html" || complain "not the same bytes"
(umask 077 && page -o "$dir/own.html")
[ "$(stat -c %a "$dir/own.html")" = 600 ] || complain "umask"
page --json | grep -q '^{"schema":"sluice.page","version":1,' ||
	complain "--json"
page --json >"$dir/json" && tests/unit/sysquery/render_page "$dir/json" |
	cmp - "$dir/one.html" || complain "--json has not all of it"
[ "$(page --since @$((now - 86400)) | grep -c 'since 2026-09-20 ')" = 1 ] ||
	complain "--since"
grep -q 'less than slurm.conf says' "$dir/one.html" || complain "slurm.conf"
rm "$dir/slurm.conf"
page | grep -q '<strong>Not compared with slurm.conf.</strong>' ||
	complain "without slurm.conf"

want 2 'sysquery: page: it has no table' page --table
want 2 'sysquery: --since: it is not past' page --since @$now
want 3 "sysquery: $dir/none: there is no such file" \
	"$sysquery" page -f "$dir/none"
want 2 'sysquery: --last is not an option of page (see sysquery --help)' \
	page --last 3

command -v python3 >/dev/null || {
	echo 'no python3: not looked at by a parser of XML'
	exit $failed
}
python3 - "$dir/one.html" <<'EOT' || failed=1
import sys, xml.dom.minidom
page = xml.dom.minidom.parse(sys.argv[1])
for name in ("script", "iframe", "object", "img"):
    if page.getElementsByTagName(name):
        sys.exit(f"there is a <{name}>")
for e in page.getElementsByTagName("*"):
    for name, value in e.attributes.items():
        if name.startswith("on") or name == "style":
            sys.exit(f"attribute {name}")
        if name in ("href", "src") and not value.startswith(("#", "data:,")):
            sys.exit(f"{name}={value}")
text = "".join(n.data for e in page.getElementsByTagName("td")
               for n in e.childNodes if n.nodeType == n.TEXT_NODE)
if "'\"><script>alert(1)</script>&<!--" not in text:
    sys.exit("a job's name is not as it was")
EOT
exit $failed
