# SPDX-License-Identifier: GPL-2.0-or-later
# But for lustre-check nothing here is installed; the tools come along in the tarball.
EXTRA_DIST += .shellcheckrc .ci/run tools/setup tools/slurm-source \
	tools/check-packages \
	tools/build tools/debian tools/matrix tools/test tools/cluster tools/lib/common.sh \
	tools/lib/cluster/names.sh tools/lib/cluster/host.sh \
	tools/lib/cluster/host-init tools/lib/cluster/conf.sh \
	tools/lib/cluster/daemons.sh tools/lib/cluster/up.sh \
	tools/lib/cluster/faults.sh tools/demo tools/lib/demo/ui.sh \
	tools/lib/demo/jobs.sh tools/lib/demo/inventory.sh \
	tools/lib/demo/first_job.sh tools/lib/demo/prediction.sh \
	tools/lib/demo/ions.sh tools/lib/demo/iostart.sh tools/lib/demo/page.sh \
	tools/lib/demo/trouble.sh

# Installed as one file: each part in the place of the line that sources it.
lustre_check = tools/lustre-check tools/lib/lustre-check/results.sh \
	tools/lib/lustre-check/settings.sh tools/lib/lustre-check/lustre_values.sh \
	tools/lib/lustre-check/extractors.sh tools/lib/lustre-check/layouts.sh \
	tools/lib/lustre-check/files.sh tools/lib/lustre-check/daemon.sh tools/lib/lustre-check/rates.sh \
	tools/lib/lustre-check/placement.sh
EXTRA_DIST += $(lustre_check)
dist_man_MANS += man/sluice-lustre-check.8
nodist_sbin_SCRIPTS = sluice-lustre-check
CLEANFILES += sluice-lustre-check
sluice-lustre-check: $(lustre_check) Makefile
	$(AM_V_GEN)awk -v tools='$(srcdir)/tools' ' \
		/^TOOLS=/ { next } \
		!sub("^\\. \"[$$]TOOLS", "") { print; next } \
		{ file = tools substr($$0, 1, length($$0) - 1); on = 0; \
		  while ((getline line < file) > 0) { \
			if (on) print line; \
			on = on || line == "" \
		  } }' \
		'$(srcdir)/tools/lustre-check' | \
		sed -e 's,[@]VERSION@,$(VERSION),' -e 's,[@]pkglibdir@,$(pkglibdir),' >$@
	$(AM_V_at)chmod 755 $@
