# What is loaded into programs of others: what ends the waiting of forked
# children beside the client of GekkoFS; what makes the client of glusterfs do
# what programs rely on.
pkglib_LTLIBRARIES += libsluice_forked.la libsluice_glusterfs.la
libsluice_forked_la_SOURCES = burst_buffer/preload/forked.c
libsluice_forked_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared
libsluice_forked_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libsluice_forked_la_LIBADD = -ldl -lpthread
libsluice_glusterfs_la_SOURCES = burst_buffer/preload/glusterfs_calls.c \
	burst_buffer/preload/glusterfs_calls.h burst_buffer/preload/appended.c \
	burst_buffer/preload/brick_data.c burst_buffer/preload/brick_names.c \
	burst_buffer/preload/vectors.c
libsluice_glusterfs_la_LDFLAGS = -module -avoid-version -shared
# Into programs that were built without sanitizers.
libsluice_glusterfs_la_CFLAGS = -std=gnu11 $(SLU_WARN_CFLAGS) -fvisibility=hidden
libsluice_glusterfs_la_LIBADD = -ldl -lpthread
