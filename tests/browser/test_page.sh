#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The page in a real browser, of a thousand nodes and ten thousand jobs: it
# loads, nothing is wrong on the console, nothing is fetched, all pictures have
# names and it fits the window. Run in the build directory. With PICTURES=DIR
# pictures of it are left there.
set -u
export TZ=UTC LC_ALL=C
look=${srcdir:-.}/tests/browser/look
for program in python3 chromium; do
	command -v $program >/dev/null || {
		echo "skipped: no $program (tools/setup --browser)"
		exit 77
	}
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
tests/unit/sysquery/make_site "$dir/site.db" 1000 10000 1790000000 '<i>&"' || exit 99
printf 'ClusterName=x\nNodeName=n[1-1000] CPUs=1 RealMemory=262144\n' \
	>"$dir/slurm.conf"
SLURM_CONF=$dir/slurm.conf sysquery/sysquery page -f "$dir/site.db" \
	--now @1790000000 --json >"$dir/stored" || exit 99
# What only a running site has.
python3 "${srcdir:-.}/tests/browser/running" <"$dir/stored" >"$dir/json" &&
	tests/unit/sysquery/render_page "$dir/json" >"$dir/page.html" || exit 99
timeout 120 "$look" "file://$dir/page.html" ${PICTURES:+"$PICTURES"} \
	>"$dir/found"
status=$?
[ $status = 77 ] && echo 'skipped: no browser' && exit 77
[ $status = 0 ] || {
	cat "$dir/found"
	exit 1
}
python3 - "$dir/found" <<'EOT'
import json, sys
found = json.load(open(sys.argv[1]))
want = {"console": [], "elsewhere": [], "nameless": 0, "ids_twice": 0,
        "scripts": 0, "sections": 7, "pictures": 14, "too_wide": False,
        "narrow_too_wide": False,
        "spoken_without_name": {}}
wrong = {k: found[k] for k, v in want.items() if found[k] != v}
if wrong:
    sys.exit(f"not as it should be: {wrong}")
if found["narrow_text_px"] < 9:
    sys.exit(f"text of {found['narrow_text_px']} px on a narrow screen")
if found["spoken"].get("image", 0) + found["spoken"].get("img", 0) < 14:
    sys.exit(f"a screen reader is told of {found['spoken']}")
print(f"loaded in {found['load_ms']} ms")
EOT
