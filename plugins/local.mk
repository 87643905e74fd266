# SPDX-License-Identifier: GPL-2.0-or-later
# Plugins are modules with an export map and never unloaded (libsluice's thread
# may be in their code). They do not link libslurm: Slurm's own symbols are
# resolved in whichever daemon has loaded us, so they may stay undefined here,
# whatever a distribution's flags say, and slurmctld's are weak.
EXTRA_DIST += plugins/burst_buffer.map plugins/cli_filter.map \
	plugins/job_submit.map \
	plugins/node_features.map plugins/prep.map plugins/spank.map
dist_check_SCRIPTS += plugins/check-symbols

if WITH_SLURM
slurmplugindir = $(slurm_plugindir)
slurm_plugin_cppflags = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) \
	-DNDEBUG -DMULTIPLE_SLURMD
slurm_plugin_ldflags = -avoid-version -shared \
	-Wl,-z,nodelete -Wl,-Bsymbolic \
	-Wl,--version-script=$(top_srcdir)/plugins

noinst_LTLIBRARIES += libsluhost.la
libsluhost_la_SOURCES = \
	plugins/account.c plugins/account.h \
	plugins/job_actions.c plugins/actions.h plugins/node_actions.c plugins/job_end_times.c \
	plugins/node_labels.c \
	plugins/compat.h \
	plugins/job_fields.c plugins/job_fields.h \
	plugins/partitions.c plugins/partitions.h \
	plugins/eligible_nodes.c plugins/eligible_nodes.h \
	plugins/hetjobs.c plugins/hetjobs.h plugins/ctl_ops.c plugins/host.h \
	plugins/planned_starts.c plugins/start_comments.c \
	plugins/mail_program.c \
	plugins/limits.c plugins/limit_facts.c plugins/limits_rules.c plugins/limits_user.c \
	plugins/limits.h \
	plugins/last_job_id.c plugins/last_job_id.h \
	common/err.c common/file.c common/hostlist.c common/hosttext.c common/str.c
libsluhost_la_CPPFLAGS = $(slurm_plugin_cppflags)
libsluhost_la_LDFLAGS =

slurmplugin_LTLIBRARIES = burst_buffer_sluice.la job_submit_sluice.la \
	cli_filter_sluice.la \
	node_features_sluice.la prep_sluice.la spank_sluice.la

burst_buffer_sluice_la_SOURCES = plugins/burst_buffer.c \
	plugins/bb_room.c plugins/bb_room.h \
	plugins/bb_state.c plugins/bb_state.h \
	plugins/bb_submission.c plugins/bb_submission.h \
	plugins/io_start.c plugins/io_start.h \
	plugins/reserve.c plugins/reserve.h
burst_buffer_sluice_la_CPPFLAGS = $(slurm_plugin_cppflags)
burst_buffer_sluice_la_LDFLAGS = -module $(slurm_plugin_ldflags)/burst_buffer.map
burst_buffer_sluice_la_LIBADD = libsluhost.la libsluice.la $(SLURM_UNDEFINED)

cli_filter_sluice_la_SOURCES = plugins/cli_filter.c
cli_filter_sluice_la_CPPFLAGS = $(slurm_plugin_cppflags)
cli_filter_sluice_la_LDFLAGS = -module $(slurm_plugin_ldflags)/cli_filter.map
cli_filter_sluice_la_LIBADD = $(SLURM_UNDEFINED)

job_submit_sluice_la_SOURCES = plugins/job_submit.c
job_submit_sluice_la_CPPFLAGS = $(slurm_plugin_cppflags)
job_submit_sluice_la_LDFLAGS = -module $(slurm_plugin_ldflags)/job_submit.map
job_submit_sluice_la_LIBADD = libsluhost.la libsluice.la $(SLURM_UNDEFINED)

node_features_sluice_la_SOURCES = plugins/node_features.c
node_features_sluice_la_CPPFLAGS = $(slurm_plugin_cppflags)
node_features_sluice_la_LDFLAGS = -module $(slurm_plugin_ldflags)/node_features.map
node_features_sluice_la_LIBADD = libsluhost.la libsluice.la $(SLURM_UNDEFINED)

prep_sluice_la_SOURCES = plugins/prep.c
prep_sluice_la_CPPFLAGS = $(slurm_plugin_cppflags)
prep_sluice_la_LDFLAGS = -module $(slurm_plugin_ldflags)/prep.map
prep_sluice_la_LIBADD = libsluhost.la libsluice.la $(SLURM_UNDEFINED)

spank_sluice_la_SOURCES = plugins/spank.c plugins/spank_env.c \
	plugins/spank_env.h plugins/spank_map.c plugins/spank_map.h
spank_sluice_la_CPPFLAGS = $(slurm_plugin_cppflags)
spank_sluice_la_LDFLAGS = -module $(slurm_plugin_ldflags)/spank.map
spank_sluice_la_LIBADD = $(SLURM_UNDEFINED)

if HAVE_CHECK
check_PROGRAMS += tests/unit/plugins/test_account
TESTS += tests/unit/plugins/test_account
tests_unit_plugins_test_account_SOURCES = tests/unit/plugins/test_account.c plugins/account.c \
	common/str.c
tests_unit_plugins_test_account_CPPFLAGS = $(slurm_plugin_cppflags)
tests_unit_plugins_test_account_LDADD = $(CHECK_LIBS)

check_PROGRAMS += tests/unit/plugins/test_last_job_id
TESTS += tests/unit/plugins/test_last_job_id
tests_unit_plugins_test_last_job_id_SOURCES = tests/unit/plugins/test_last_job_id.c plugins/last_job_id.c \
	common/err.c common/file.c common/str.c
tests_unit_plugins_test_last_job_id_CPPFLAGS = $(slurm_plugin_cppflags)
tests_unit_plugins_test_last_job_id_LDADD = $(CHECK_LIBS)
endif

unsanitized += plugins/check-symbols
if !SANITIZERS
AM_TESTS_ENVIRONMENT = SLURM_SOURCE='$(SLURM_SOURCE)' \
	SLURM_PREFIX='$(SLURM_PREFIX)'; export SLURM_SOURCE SLURM_PREFIX;
endif
endif
