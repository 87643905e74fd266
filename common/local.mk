# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LTLIBRARIES += libslucommon.la
libslucommon_la_SOURCES = \
	common/err.c common/err.h \
	common/str.c common/str.h \
	common/log.c common/log.h \
	common/jsonx.c common/jsonx.h
libslucommon_la_LIBADD = $(JSON_LIBS) $(CURL_LIBS) $(GCRYPT_LIBS) \
	$(MUNGE_LIBS)

if HAVE_CHECK
common_tests = tests/unit/test_err tests/unit/test_str tests/unit/test_log \
	tests/unit/test_jsonx
check_PROGRAMS += $(common_tests)
TESTS += $(common_tests)
tests_unit_test_err_LDADD = libslucommon.la $(CHECK_LIBS)
tests_unit_test_str_LDADD = libslucommon.la $(CHECK_LIBS)
tests_unit_test_log_LDADD = libslucommon.la $(CHECK_LIBS)
tests_unit_test_jsonx_LDADD = libslucommon.la $(CHECK_LIBS) -lm
endif
