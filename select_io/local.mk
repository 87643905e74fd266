# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LTLIBRARIES += libsluion.la
libsluion_la_SOURCES = \
	select_io/ion/arbiter.h \
	select_io/ion/mckp.c select_io/ion/mckp.h
libsluion_la_LIBADD = libsluwire.la -lm

if HAVE_CHECK
ion_tests = tests/unit/test_mckp
check_PROGRAMS += $(ion_tests)
TESTS += $(ion_tests)
tests_unit_test_mckp_LDADD = libsluion.la $(CHECK_LIBS)
endif
