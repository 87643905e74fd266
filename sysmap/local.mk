# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LTLIBRARIES += libslusysmap.la
libslusysmap_la_SOURCES = \
	sysmap/documents.c sysmap/documents.h \
	sysmap/extract.c sysmap/extract.h \
	sysmap/model.c sysmap/model.h \
	sysmap/output.c sysmap/output.h \
	sysmap/receive.c sysmap/receive.h \
	sysmap/root.c sysmap/root.h \
	sysmap/storage.c sysmap/storage.h \
	sysmap/linux/block.c \
	sysmap/linux/cpu.c \
	sysmap/linux/filesystems.c \
	sysmap/linux/linux.h \
	sysmap/linux/machine.c \
	sysmap/linux/memory.c \
	sysmap/linux/mounts.c sysmap/linux/mounts.h \
	sysmap/linux/procs.c sysmap/linux/procs.h
libslusysmap_la_LIBADD = libslustore.la libsluwire.la libslucommon.la \
	$(XXHASH_LIBS)

# Apart, because it needs the network: link libslunet.la as well.
noinst_LTLIBRARIES += libslupush.la
libslupush_la_SOURCES = sysmap/push.c sysmap/push.h
libslupush_la_LIBADD = libslusysmap.la

dist_man_MANS += man/sysmap.1
bin_PROGRAMS += sysmap/sysmap
sysmap_sysmap_SOURCES = sysmap/main.c
sysmap_sysmap_LDADD = libslupush.la libslunet.la libslusysmap.la

EXTRA_DIST += tests/fixtures/machines/fat.tree \
	tests/fixtures/machines/fat.expected \
	tests/fuzz/corpus/proc tests/fuzz/corpus/receive
noinst_HEADERS += tests/unit/machine.h
dist_check_SCRIPTS += tests/unit/test_sysmap.sh
TESTS += tests/unit/test_sysmap.sh

sysmap_fuzz = tests/fuzz/fuzz_proc tests/fuzz/fuzz_receive
check_PROGRAMS += $(sysmap_fuzz)
TESTS += $(sysmap_fuzz)
tests_fuzz_fuzz_proc_SOURCES = tests/fuzz/fuzz_proc.c tests/fuzz/replay.c
tests_fuzz_fuzz_proc_LDADD = libslusysmap.la
tests_fuzz_fuzz_receive_SOURCES = tests/fuzz/fuzz_receive.c \
	tests/fuzz/replay.c
tests_fuzz_fuzz_receive_LDADD = libslusysmap.la

if HAVE_CHECK
sysmap_tests = tests/unit/test_root tests/unit/test_mounts \
	tests/unit/test_procs tests/unit/test_extract \
	tests/unit/test_recorded tests/unit/test_receive \
	tests/unit/test_node_storage tests/unit/test_push \
	tests/unit/test_output tests/unit/test_http_site
check_PROGRAMS += $(sysmap_tests)
TESTS += $(sysmap_tests)
sysmap_test_libs = libslusysmap.la $(CHECK_LIBS)
tests_unit_test_root_LDADD = $(sysmap_test_libs)
tests_unit_test_mounts_LDADD = $(sysmap_test_libs)
tests_unit_test_procs_LDADD = $(sysmap_test_libs)
tests_unit_test_extract_LDADD = $(sysmap_test_libs)
tests_unit_test_recorded_LDADD = $(sysmap_test_libs)
tests_unit_test_push_LDADD = libslupush.la $(sysmap_test_libs)
tests_unit_test_output_LDADD = $(sysmap_test_libs)
tests_unit_test_http_site_LDADD = libslunet.la libslucommon.la $(CHECK_LIBS)
tests_unit_test_receive_LDADD = $(sysmap_test_libs)
tests_unit_test_node_storage_LDADD = $(sysmap_test_libs)
endif
