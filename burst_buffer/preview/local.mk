# SPDX-License-Identifier: GPL-2.0-or-later
# What of burst_buffer/ runs where jobs are submitted.
noinst_LIBRARIES += libslupreview.a
libslupreview_a_SOURCES = \
	burst_buffer/preview/stage_sources.c burst_buffer/preview/stage_sources.h
libslupreview = libslupreview.a $(libslunode)

dist_man_MANS += man/sluice-preview.1
bin_PROGRAMS += sluice-preview
sluice_preview_SOURCES = burst_buffer/preview/main.c $(command_words)
sluice_preview_LDADD = $(libslupreview)

if HAVE_CHECK
check_PROGRAMS += tests/unit/burst_buffer/preview/test_preview
TESTS += tests/unit/burst_buffer/preview/test_preview
tests_unit_burst_buffer_preview_test_preview_LDADD = $(libslupreview) $(CHECK_LIBS)
endif
