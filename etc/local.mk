# SPDX-License-Identifier: GPL-2.0-or-later
# What a site takes, changes or leaves: an example of the configuration, units,
# what keeps a node tidy, completion. Packages add what lies in default/ and
# logrotate.d/, which another "make install" would overwrite.
dist_doc_DATA += etc/sluice.conf.example etc/sysmap-health-check
# What Prometheus and Grafana are given.
prometheusdir = $(datadir)/sluice/prometheus
dist_prometheus_DATA = etc/prometheus/sluice.rules.yml
grafanadir = $(datadir)/sluice/grafana
dist_grafana_DATA = etc/grafana/sluice.json
dist_check_SCRIPTS += tests/unit/test_alerts.sh
TESTS += tests/unit/test_alerts.sh
EXTRA_DIST += tests/prometheus/sluice.test.yml
EXTRA_DIST += etc/ansible/inventory.example etc/ansible/site.yml \
	etc/ansible/roles/sluice/defaults/main.yml \
	etc/ansible/roles/sluice/handlers/main.yml \
	etc/ansible/roles/sluice/tasks/conf.yml \
	etc/ansible/roles/sluice/tasks/main.yml \
	etc/ansible/roles/sluice/vars/main.yml
EXTRA_DIST += etc/default/sluiced etc/default/sluice-tbfd \
	etc/logrotate.d/sluice-node

units = etc/sluiced.service etc/sluice-serve.service etc/sluice-tbfd.service \
	etc/sluice-web.service \
	etc/sysmap.service
systemdunitdir = $(systemdsystemunitdir)
nodist_systemdunit_DATA = $(units)
dist_systemdunit_DATA = etc/sysmap.timer
EXTRA_DIST += $(units:=.in)
CLEANFILES += $(units)
SUFFIXES = .service.in .service
.service.in.service:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's,[@]bindir@,$(bindir),' \
		-e 's,[@]sbindir@,$(sbindir),' \
		-e 's,[@]slurm_confdir@,$(slurm_confdir),' $< >$@

tmpfilesdir = $(prefix)/lib/tmpfiles.d
dist_tmpfiles_DATA = etc/tmpfiles.d/sluice.conf

# One file for all; bash looks for the name of the command.
completiondir = $(datarootdir)/bash-completion/completions
completions = sluice-ionbench sluice-lustre-check sluice-place sluice-preview \
	sluice-segments sluice-stage-out sluice-tbfd sluice-web sluiced sysmap sysquery
EXTRA_DIST += etc/sluice.completion
install-data-local: install-schemas
	$(MKDIR_P) $(DESTDIR)$(completiondir)
	$(INSTALL_DATA) $(srcdir)/etc/sluice.completion \
		$(DESTDIR)$(completiondir)/sluice-node
	for name in $(completions); do \
		ln -sf sluice-node $(DESTDIR)$(completiondir)/$$name; \
	done
uninstall-local: uninstall-schemas
	cd $(DESTDIR)$(completiondir) && rm -f sluice-node $(completions)
