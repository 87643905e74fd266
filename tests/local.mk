# SPDX-License-Identifier: GPL-2.0-or-later
dist_check_SCRIPTS += tools/check-failures tools/check-includes tools/check-circles tools/check-glossary \
	tools/check-options tools/check-pages tools/check-symptoms \
	tools/check-version
TESTS += tools/check-options

# What all commands have in common.
dist_check_SCRIPTS += tests/unit/test_cli.sh
TESTS += tests/unit/test_cli.sh

# The units that systemd is given.
dist_check_SCRIPTS += tests/unit/test_units.sh tests/unit/test_man.sh
TESTS += tests/unit/test_man.sh

# What a shell offers.
dist_check_SCRIPTS += tests/unit/test_completion.sh
TESTS += tests/unit/test_completion.sh

# Pages as HTML.
dist_check_SCRIPTS += tests/unit/test_html.sh

# What configure refuses.
dist_check_SCRIPTS += tests/unit/test_configure.sh

# What refuses circles of files.
dist_check_SCRIPTS += tests/unit/test_circles.sh

unsanitized += tools/check-failures tools/check-includes tools/check-circles tools/check-glossary \
	tools/check-pages tools/check-symptoms tools/check-version \
	tests/unit/test_units.sh tests/unit/test_html.sh \
	tests/unit/test_circles.sh tests/unit/test_configure.sh
if !SANITIZERS
TESTS += $(unsanitized)
endif

# These alone; `make check TESTS=...` would build all programs.
.PHONY: check-unsanitized
check-unsanitized: all $(unsanitized)
	rm -f $(TEST_SUITE_LOG) $(unsanitized:=.log)
	$(MAKE) $(AM_MAKEFLAGS) $(TEST_SUITE_LOG) TESTS='$(unsanitized)'

# A unit test is tests/unit/ROOM/test_NAME.c, with the helpers it shares beside it
# (as burst_world.c), added by the local.mk of the room that it tests.
noinst_HEADERS += tests/unit/arbiter_help.h tests/unit/harness.h \
	tests/unit/scratch.h \
	tests/unit/random.h tests/unit/tmpdir.h
# System tests: tests/system/run, or tools/test.
EXTRA_DIST += tests/system/run tests/system/lib.sh tests/system/apps.t \
	tests/system/cluster.t tests/system/database.t \
	tests/system/accounting.t tests/system/buffer.sh \
	tests/system/demo.test tests/system/ions.t \
	tests/system/ionbench.t tests/system/meeting.t \
	tests/system/configless.t tests/system/doctor.t \
	tests/system/mistakes.t tests/system/fate.t tests/system/job.t \
	tests/system/drivers.t tests/system/faults.sh \
	tests/system/faults-control.t tests/system/faults-node.t \
	tests/system/faults-owner.t tests/system/failover.t \
	tests/system/federation.t \
	tests/system/forgotten.t tests/system/gekkofs.t \
	tests/system/late.t tests/system/lustre.t tests/system/older.t tests/system/limits.sh tests/system/limits.t \
	tests/system/cloud.t tests/system/power.t tests/system/return.t \
	tests/system/page.t tests/system/pools.t tests/system/cache.t tests/system/prestage.t tests/system/tiers.t tests/system/devices.t tests/system/spread.t tests/system/shard.t tests/system/recruit.t \
	tests/system/runs.t \
	tests/system/scripts.t tests/system/pages.t tests/system/persistent.t \
	tests/system/iostart.t tests/system/iometa.t tests/system/start.t \
	tests/system/announced_limits.t tests/system/waiting.t tests/system/ways.t \
	tests/system/chaos tests/system/chaos.sh tests/system/chaos_judge.sh \
	tests/system/chaos.t tests/system/chaos_limits

# What packages do to a host: tools/test packages.
EXTRA_DIST += tests/packages/ansible.t tests/packages/boot.t \
	tests/packages/lib.sh tests/packages/life.t tests/packages/rpm.t

# Programs of others in job file systems: tools/test apps.
EXTRA_DIST += tests/apps/by-turns tests/apps/codes.sh tests/apps/fsx.c \
	tests/apps/gromacs.mdp \
	tests/apps/gromacs.top tests/apps/job tests/apps/lammps.again \
	tests/apps/lammps.first tests/apps/limits tests/apps/loads.sh \
	tests/apps/mdtree.c tests/apps/mpiio.c tests/apps/once.py tests/apps/parts \
	tests/apps/pool.py tests/apps/programs tests/apps/report.sh tests/apps/run \
	tests/apps/steps.sh tests/apps/suites.sh tests/apps/weather.cdl

# Stand-ins for software that Debian does not have.
dist_check_SCRIPTS += tests/fakes/fake_beeond tests/fakes/fake_lfs \
	tests/fakes/fake_lfs_files tests/fakes/fake_lustre \
	tests/unit/test_fake_lustre.sh tests/unit/test_lustre_check.sh
TESTS += tests/unit/test_fake_lustre.sh tests/unit/test_lustre_check.sh
check_PROGRAMS += tests/fakes/fake_gkfwd tests/fakes/fake_gkfwd_put
tests_fakes_fake_gkfwd_SOURCES = tests/fakes/fake_gkfwd.c
tests_fakes_fake_gkfwd_put_SOURCES = tests/fakes/fake_gkfwd_put.c
check_PROGRAMS += tests/fakes/fake_gkfs_daemon
tests_fakes_fake_gkfs_daemon_SOURCES = tests/fakes/fake_gkfs_daemon.c
# A module, although it is not installed: -rpath makes libtool build one.
check_LTLIBRARIES += tests/fakes/fake_gkfs_intercept.la
tests_fakes_fake_gkfs_intercept_la_SOURCES = tests/fakes/fake_gkfs_intercept.c \
	tests/fakes/fake_gkfs_client.c tests/fakes/fake_gkfs_client.h
tests_fakes_fake_gkfs_intercept_la_LDFLAGS = -module -avoid-version -shared \
	-rpath /nowhere
tests_fakes_fake_gkfs_intercept_la_LIBADD = -ldl
# All that system tests use.
.PHONY: fakes
fakes: tests/fakes/fake_gkfwd tests/fakes/fake_gkfwd_put \
	tests/fakes/fake_gkfs_daemon tests/fakes/fake_gkfs_intercept.la \
	tests/fakes/fake_lctl tests/fakes/fake_lustre_client.la

dist_check_SCRIPTS += tests/fakes/test_fake_gkfwd.sh \
	tests/fakes/test_forwarder.sh
TESTS += tests/fakes/test_fake_gkfwd.sh tests/fakes/test_forwarder.sh
