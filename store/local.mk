# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libslustore.a
libslustore_a_SOURCES = \
	store/busy.c store/confine.c \
	store/db.c store/db.h \
	store/migrations.c store/migrations.h \
	store/open.c store/column_texts.c store/column_texts.h store/db_private.h
libslustore = libslustore.a $(libslucommon) $(SQLITE_LIBS)

if HAVE_CHECK
store_tests = tests/unit/store/test_db tests/unit/store/test_db_open \
	tests/unit/store/test_migrations tests/unit/store/test_texts
check_PROGRAMS += $(store_tests)
TESTS += $(store_tests)
tests_unit_store_test_db_LDADD = $(libslustore) $(CHECK_LIBS)
tests_unit_store_test_db_open_LDADD = $(libslustore) $(CHECK_LIBS)
tests_unit_store_test_migrations_LDADD = $(libslustore) $(CHECK_LIBS)
tests_unit_store_test_texts_LDADD = $(libslustore) $(CHECK_LIBS)
noinst_HEADERS += tests/unit/store/store_db.h
endif
