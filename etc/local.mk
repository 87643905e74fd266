# SPDX-License-Identifier: GPL-2.0-or-later
# What a site takes, changes or leaves: an example of the configuration, units,
# what keeps a node tidy, completion. Packages add what lies in default/ and
# sluice-node.logrotate, which an administrator's "make install" would overwrite.
dist_doc_DATA += etc/sluice.conf.example etc/sysmap-health-check
EXTRA_DIST += etc/default/sluiced etc/default/sluice-tbfd \
	etc/sluice-node.logrotate

units = etc/sluiced.service etc/sluice-serve.service etc/sluice-tbfd.service \
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
dist_tmpfiles_DATA = etc/sluice.tmpfiles.conf
