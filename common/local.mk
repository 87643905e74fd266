# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LTLIBRARIES += libslucommon.la
libslucommon_la_SOURCES = \
	common/err.c common/err.h \
	common/str.c common/str.h \
	common/log.c common/log.h \
	common/jsonx.c common/jsonx.h \
	common/size.c common/size.h \
	common/hostlist.c common/hosttext.c common/hostlist.h \
	common/file.c common/rmtree.c common/file.h \
	common/proc.c common/proc.h
libslucommon_la_LIBADD = $(JSON_LIBS) $(CURL_LIBS) $(GCRYPT_LIBS) \
	$(MUNGE_LIBS) -lm

if HAVE_CHECK
common_tests = tests/unit/test_err tests/unit/test_str tests/unit/test_log \
	tests/unit/test_jsonx tests/unit/test_size tests/unit/test_hostlist \
	tests/unit/test_file tests/unit/test_rmtree tests/unit/test_proc
check_PROGRAMS += $(common_tests)
TESTS += $(common_tests)
common_test_libs = libslucommon.la $(CHECK_LIBS)
tests_unit_test_err_LDADD = $(common_test_libs)
tests_unit_test_str_LDADD = $(common_test_libs)
tests_unit_test_log_LDADD = $(common_test_libs)
tests_unit_test_jsonx_LDADD = $(common_test_libs)
tests_unit_test_size_LDADD = $(common_test_libs)
tests_unit_test_hostlist_LDADD = $(common_test_libs)
tests_unit_test_file_LDADD = $(common_test_libs)
tests_unit_test_rmtree_LDADD = $(common_test_libs)
tests_unit_test_proc_LDADD = $(common_test_libs)
endif
