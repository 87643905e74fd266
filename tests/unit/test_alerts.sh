#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The alert rules, and every expression of the dashboard, by Prometheus' own
# promtool: they are understood, and each alert fires on what it is for.
# shellcheck disable=SC2013 # alerts have no blanks
set -u
command -v promtool >/dev/null || {
	echo 'skipped: no promtool (package prometheus)'
	exit 77
}
top=${srcdir:-.}
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
cp "$top/etc/prometheus/sluice.rules.yml" \
	"$top/tests/prometheus/sluice.test.yml" "$dir"
failed=0
promtool check rules "$dir/sluice.rules.yml" || failed=1
promtool test rules "$dir/sluice.test.yml" || failed=1

# As recording rules, with what Grafana would put in.
{
	printf 'groups:\n- name: dashboard\n  rules:\n'
	sed -nE 's/^ *"expr": "(.*)",?$/\1/p' "$top/etc/grafana/sluice.json" |
		sed -E 's/\\"/"/g; s/\$instance/.*/g' |
		awk '{ printf "  - record: panel:%d\n    expr: >-\n      %s\n", NR, $0 }'
} >"$dir/dashboard.yml"
promtool check rules "$dir/dashboard.yml" || failed=1
grep -q 'panel:20' "$dir/dashboard.yml" || {
	echo "sluice.json has not the expressions that it had"
	failed=1
}
# each metric that is named there is one that is written: the page has them all
for metric in $(grep -ohE 'sluice_[a-z_]+' "$top/etc/grafana/sluice.json" \
	"$top/etc/prometheus/sluice.rules.yml" | sed -E 's/_(bucket|count|sum)$//' | sort -u); do
	grep -q "\`$metric\`" "$top/doc/monitoring.md" || {
		echo "$metric is not in doc/monitoring.md"
		failed=1
	}
done
# each alert is tested
for alert in $(sed -nE 's/.*- alert: ([A-Za-z]+).*/\1/p' \
	"$dir/sluice.rules.yml"); do
	grep -q "alertname: $alert\$" "$dir/sluice.test.yml" || {
		echo "$alert never fires in sluice.test.yml"
		failed=1
	}
done
exit $failed
