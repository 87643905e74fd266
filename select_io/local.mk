# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LTLIBRARIES += libsluion.la
libsluion_la_SOURCES = \
	select_io/ion/answer.c select_io/ion/private.h \
	select_io/ion/arbiter.c select_io/ion/arbiter.h \
	select_io/ion/curves.c select_io/ion/curves.h \
	select_io/ion/mapping.c \
	select_io/ion/classes.c select_io/ion/core.c select_io/ion/group.c \
	select_io/ion/hull.c \
	select_io/ion/mckp.c select_io/ion/mckp.h \
	select_io/ion/mckp_private.h \
	select_io/ion/order.c select_io/ion/order.h \
	select_io/ion/relax.c select_io/ion/table.c \
	select_io/ion/placement.c select_io/ion/placement.h \
	select_io/ion/policy.c select_io/ion/policy.h
libsluion_la_LIBADD = libsluwire.la $(XXHASH_LIBS) -lm

if HAVE_CHECK
ion_tests = tests/unit/test_mckp tests/unit/test_mckp_events tests/unit/test_order \
	tests/unit/test_curves \
	tests/unit/test_policy tests/unit/test_placement \
	tests/unit/test_mapping tests/unit/test_arbiter \
	tests/unit/test_arbiter_days
check_PROGRAMS += $(ion_tests)
TESTS += $(ion_tests)
tests_unit_test_mckp_LDADD = libsluion.la $(CHECK_LIBS)
tests_unit_test_order_LDADD = libsluion.la $(CHECK_LIBS)
tests_unit_test_mckp_events_LDADD = libsluion.la $(CHECK_LIBS) -lm
tests_unit_test_curves_LDADD = libsluion.la $(CHECK_LIBS)
tests_unit_test_policy_LDADD = libsluion.la $(CHECK_LIBS)
tests_unit_test_placement_LDADD = libsluion.la $(CHECK_LIBS)
tests_unit_test_mapping_LDADD = libsluion.la $(CHECK_LIBS)
tests_unit_test_arbiter_LDADD = libsluion.la $(CHECK_LIBS)
tests_unit_test_arbiter_days_LDADD = libsluion.la $(CHECK_LIBS)
endif
