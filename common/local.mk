# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libslucommon.a
libslucommon_a_SOURCES = \
	common/err.c common/err.h common/fast.h common/grow.h \
	common/fs_name.c common/fs_name.h \
	common/clock.c common/clock.h \
	common/str.c common/str.h common/text.c common/text.h \
	common/log.c common/log.h \
	common/jsonlex.c common/jsonlex.h common/jsonparse.c common/jsonx.c common/jsonx.h \
	common/size.c common/size.h \
	common/hostlist.c common/hosttext.c common/hostlist.h \
	common/uptime.c common/uptime.h \
	common/file.c common/rmtree.c common/file.h \
	common/proc.c common/proc.h \
	common/slurmfile.c common/slurmfile.h \
	common/conf_file.c common/conf_where.c common/conf_fs.c common/conf_fs.h common/conf_keys.c \
	common/conf_values.c common/conf_values.h common/tiers.c common/tiers.h \
	common/conf_domain.c common/conf_io.c common/conf_pool.c common/conf_weights.c \
	common/conf.h \
	common/rest.c common/rest.h
libslucommon = libslucommon.a $(JSON_LIBS) -lm

# Only for programs: it prints.
command_words = common/cli.c common/cli.h

# What needs libcurl and libmunge stands apart, so that libsluice does not
# bring them into slurmctld.
noinst_LIBRARIES += libslunet.a
libslunet_a_SOURCES = \
	common/cred.c common/cred.h common/gcrypt_init.h \
	common/curl_library.c common/curl_library.h \
	common/http.c common/http.h common/http_client.c common/http_client.h \
	common/http_get.c common/http_error.c common/http_error.h \
	common/http_site.c common/conf_host.c common/conf_host.h
libslunet = libslunet.a $(libslucommon) $(GCRYPT_LIBS) $(MUNGE_LIBS)

# What others write is parsed by these; tests/fuzz/replay.c runs them.
common_fuzz = tests/fuzz/fuzz_conf tests/fuzz/fuzz_conf_kept tests/fuzz/fuzz_hostlist \
	tests/fuzz/fuzz_jsonx tests/fuzz/fuzz_size
check_PROGRAMS += $(common_fuzz)
TESTS += $(common_fuzz)
noinst_HEADERS += tests/fuzz/fuzz.h
EXTRA_DIST += tests/fuzz/corpus/conf tests/fuzz/corpus/conf_kept tests/fuzz/corpus/hostlist \
	tests/fuzz/corpus/jsonx tests/fuzz/corpus/size
tests_fuzz_fuzz_conf_SOURCES = tests/fuzz/fuzz_conf.c tests/fuzz/replay.c
tests_fuzz_fuzz_conf_LDADD = $(libslucommon)
tests_fuzz_fuzz_conf_kept_SOURCES = tests/fuzz/fuzz_conf_kept.c tests/fuzz/replay.c
tests_fuzz_fuzz_conf_kept_LDADD = $(libslunet)
tests_fuzz_fuzz_hostlist_SOURCES = tests/fuzz/fuzz_hostlist.c tests/fuzz/replay.c
tests_fuzz_fuzz_hostlist_LDADD = $(libslucommon)
tests_fuzz_fuzz_jsonx_SOURCES = tests/fuzz/fuzz_jsonx.c tests/fuzz/replay.c
tests_fuzz_fuzz_jsonx_LDADD = $(libslucommon)
tests_fuzz_fuzz_size_SOURCES = tests/fuzz/fuzz_size.c tests/fuzz/replay.c
tests_fuzz_fuzz_size_LDADD = $(libslucommon)

if HAVE_CHECK
common_tests = tests/unit/common/test_err tests/unit/common/test_str tests/unit/common/test_log \
	tests/unit/common/test_jsonx tests/unit/common/test_size tests/unit/common/test_hostlist \
	tests/unit/common/test_file tests/unit/common/test_rmtree tests/unit/common/test_proc \
	tests/unit/common/test_slurmfile \
	tests/unit/common/test_conf tests/unit/common/test_conf_errors \
	tests/unit/common/test_conf_manual tests/unit/common/test_cred tests/unit/common/test_http \
	tests/unit/common/test_http_get
check_PROGRAMS += $(common_tests)
TESTS += $(common_tests)
common_test_libs = $(libslucommon) $(CHECK_LIBS)
tests_unit_common_test_err_LDADD = $(common_test_libs)
tests_unit_common_test_str_LDADD = $(common_test_libs)
tests_unit_common_test_log_LDADD = $(common_test_libs)
tests_unit_common_test_jsonx_LDADD = $(common_test_libs)
tests_unit_common_test_size_LDADD = $(common_test_libs)
tests_unit_common_test_hostlist_LDADD = $(common_test_libs)
tests_unit_common_test_file_LDADD = $(common_test_libs)
tests_unit_common_test_rmtree_LDADD = $(common_test_libs)
tests_unit_common_test_proc_LDADD = $(common_test_libs)
tests_unit_common_test_slurmfile_LDADD = $(common_test_libs)
tests_unit_common_test_conf_LDADD = $(common_test_libs)
tests_unit_common_test_conf_errors_LDADD = $(common_test_libs)
tests_unit_common_test_conf_manual_LDADD = $(common_test_libs)
tests_unit_common_test_cred_LDADD = $(libslunet) $(CHECK_LIBS)
tests_unit_common_test_http_LDADD = $(libslunet) $(CHECK_LIBS)
tests_unit_common_test_http_get_LDADD = $(libslunet) $(CHECK_LIBS)
noinst_HEADERS += tests/unit/common/conf_text.h tests/unit/common/http_listen.h \
	tests/unit/common/munged.h
endif

libslucommon_a_SOURCES += common/table.c common/table.h \
	common/fit.c common/fit.h common/width.c common/width.h
if HAVE_CHECK
table_tests = tests/unit/common/test_fit tests/unit/common/test_table tests/unit/common/test_width
check_PROGRAMS += $(table_tests)
TESTS += $(table_tests)
tests_unit_common_test_fit_LDADD = $(common_test_libs)
tests_unit_common_test_width_LDADD = $(common_test_libs)
tests_unit_common_test_table_LDADD = $(common_test_libs)
endif
