# What is loaded into programs of others: what ends the waiting of forked
# children beside the client of GekkoFS; what keeps the kernel's cache out of
# the client of glusterfs.
pkglib_LTLIBRARIES += libsluice_forked.la libsluice_direct.la
libsluice_forked_la_SOURCES = burst_buffer/preload/forked.c
libsluice_forked_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared
libsluice_forked_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libsluice_forked_la_LIBADD = -ldl -lpthread
libsluice_direct_la_SOURCES = burst_buffer/preload/direct.c
libsluice_direct_la_LDFLAGS = -module -avoid-version -shared
# Into programs that were built without sanitizers.
libsluice_direct_la_CFLAGS = -std=gnu11 $(SLU_WARN_CFLAGS) -fvisibility=hidden
libsluice_direct_la_LIBADD = -ldl -lpthread
