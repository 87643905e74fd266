# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LTLIBRARIES += libsluiced.la
libsluiced_la_SOURCES = \
	sluiced/assignment.c sluiced/assignment.h \
	sluiced/batch.c sluiced/batch.h \
	sluiced/child.c sluiced/child.h \
	sluiced/control.c sluiced/control.h \
	sluiced/history.c sluiced/history.h \
	sluiced/httpd.c sluiced/httpd.h \
	sluiced/jobs.c sluiced/jobs.h \
	sluiced/line.c sluiced/line.h \
	sluiced/lock.c sluiced/lock.h \
	sluiced/longpoll.c sluiced/longpoll.h \
	sluiced/loop.c sluiced/loop.h \
	sluiced/nodes.c sluiced/nodes.h \
	sluiced/orders.c sluiced/orders.h \
	sluiced/publish.c sluiced/publish.h
libsluiced_la_LIBADD = libsluhistory.la libsluion.la libslustore.la libsluwire.la \
	libslucommon.la $(MHD_LIBS) $(JSON_LIBS)

if HAVE_CHECK
sluiced_tests = \
	tests/unit/test_sluiced_assignment \
	tests/unit/test_sluiced_batch \
	tests/unit/test_sluiced_control \
	tests/unit/test_sluiced_httpd \
	tests/unit/test_sluiced_jobs \
	tests/unit/test_sluiced_line \
	tests/unit/test_sluiced_longpoll \
	tests/unit/test_sluiced_loop \
	tests/unit/test_sluiced_nodes \
	tests/unit/test_sluiced_orders \
	tests/unit/test_sluiced_publish
check_PROGRAMS += $(sluiced_tests)
TESTS += $(sluiced_tests)
tests_unit_test_sluiced_assignment_LDADD = libsluiced.la $(CHECK_LIBS)
tests_unit_test_sluiced_batch_LDADD = libsluiced.la $(CHECK_LIBS)
tests_unit_test_sluiced_control_LDADD = libsluiced.la $(CHECK_LIBS)
tests_unit_test_sluiced_httpd_LDADD = libsluiced.la $(CHECK_LIBS)
tests_unit_test_sluiced_jobs_LDADD = libsluiced.la $(CHECK_LIBS)
tests_unit_test_sluiced_line_LDADD = libsluiced.la $(CHECK_LIBS)
tests_unit_test_sluiced_longpoll_LDADD = libsluiced.la $(CHECK_LIBS)
tests_unit_test_sluiced_loop_LDADD = libsluiced.la $(CHECK_LIBS)
tests_unit_test_sluiced_nodes_LDADD = libsluiced.la $(CHECK_LIBS)
tests_unit_test_sluiced_orders_LDADD = libsluiced.la $(CHECK_LIBS)
tests_unit_test_sluiced_publish_LDADD = libsluiced.la $(CHECK_LIBS)
endif
