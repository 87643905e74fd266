# What ends the waiting of forked children, loaded beside a client that
# interposes.
pkglib_LTLIBRARIES += libsluice_forked.la
libsluice_forked_la_SOURCES = burst_buffer/forked/forked.c
libsluice_forked_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared
libsluice_forked_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libsluice_forked_la_LIBADD = -ldl -lpthread
