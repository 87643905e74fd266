/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libsluice_segments.so: replaces mmap and aio_read for files in segments. A
 * mapping is composed of mappings of the parts; nothing is read for it, however
 * large it is.
 */
#include "config.h"
#include "select_io/segments/descriptors.h"

#include <aio.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define NEXT(name)                     \
	static __typeof__(&name) next; \
	if (!next)                     \
	next = (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name)

struct mapping {
	char *at;
	size_t n;
	int prot, flags;
	uint64_t begin; /* offset in the file */
};

static void *real_mmap(void *addr, size_t n, int prot, int flags, int fd,
		       off_t at)
{
	NEXT(mmap);
	return next(addr, n, prot, flags, fd, at);
}

/* Do all parts within the mapping begin at a page boundary? Otherwise they
 * cannot be mapped. */
static bool is_even(const struct slu_segments *s, const struct mapping *m)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (size_t i = slu_segments_find(s, m->begin); i < s->n; i++)
		if (s->part[i].begin < m->begin + m->n &&
		    s->part[i].begin % page)
			return false;
	return true;
}

/* Maps one part; the last one up to the end of the mapping, since nothing comes
 * after it. */
static int map_part(struct slu_descriptor *j, size_t i, const struct mapping *m)
{
	const struct slu_segments *s = slu_descriptor_segments(j);
	const struct slu_segment *part = &s->part[i];
	uint64_t from = part->begin > m->begin ? part->begin : m->begin;
	uint64_t to = m->begin + m->n;
	int fd = slu_descriptor_part(j, i);
	void *p;

	if (fd < 0)
		return -1;
	if (i + 1 < s->n && part->begin + part->size < to)
		to = part->begin + part->size;
	p = real_mmap(m->at + (from - m->begin), (size_t)(to - from), m->prot,
		      m->flags, fd, (off_t)(from - part->begin));
	slu_descriptor_part_put(j, i);
	return p == MAP_FAILED ? -1 : 0;
}

static int map_parts(struct slu_descriptor *j, const struct mapping *m)
{
	const struct slu_segments *s = slu_descriptor_segments(j);

	for (size_t i = slu_segments_find(s, m->begin); i < s->n; i++)
		if (s->part[i].begin < m->begin + m->n && map_part(j, i, m))
			return -1;
	return 0;
}

/* Reads everything into an anonymous mapping. */
static int read_all(struct slu_descriptor *j, const struct mapping *m)
{
	uint64_t size = slu_descriptor_segments(j)->size;
	uint64_t left = size > m->begin ? size - m->begin : 0;
	size_t want = m->n < left ? m->n : (size_t)left;
	ssize_t got;

	if (mprotect(m->at, m->n, PROT_READ | PROT_WRITE))
		return -1;
	got = slu_descriptor_read(j, m->at, want, (off_t)m->begin);
	if (got >= 0 && (size_t)got < want)
		errno = EIO;
	return got == (ssize_t)want ? mprotect(m->at, m->n, m->prot) : -1;
}

static void *map(struct slu_descriptor *j, void *addr, size_t n, int prot,
		 int flags, off_t at)
{
	const int fixed = MAP_FIXED | MAP_FIXED_NOREPLACE;
	struct mapping m = {.n = n,
			    .prot = prot,
			    .flags = (flags & ~fixed) | MAP_FIXED,
			    .begin = (uint64_t)at};
	int rc;

	if (prot & PROT_WRITE && (flags & MAP_TYPE) != MAP_PRIVATE) {
		errno = EACCES;
		return MAP_FAILED;
	}
	if (at < 0 || at % sysconf(_SC_PAGESIZE)) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	m.at = real_mmap(addr, n, PROT_NONE,
			 (flags & fixed) | MAP_PRIVATE | MAP_ANONYMOUS |
				 MAP_NORESERVE,
			 -1, 0);
	if (m.at == MAP_FAILED)
		return MAP_FAILED;
	rc = is_even(slu_descriptor_segments(j), &m) ? map_parts(j, &m)
						     : read_all(j, &m);
	if (rc) {
		int keep = errno;

		munmap(m.at, n);
		errno = keep;
	}
	return rc ? MAP_FAILED : m.at;
}

#define MMAP(name)                                                             \
	EXPORT void *name(void *addr, size_t n, int prot, int flags, int fd,   \
			  off_t at)                                            \
	{                                                                      \
		struct slu_descriptor *j =                                     \
			flags & MAP_ANONYMOUS ? NULL : slu_descriptor_get(fd); \
		void *p;                                                       \
                                                                               \
		NEXT(name);                                                    \
		if (!j)                                                        \
			return next(addr, n, prot, flags, fd, at);             \
		p = map(j, addr, n, prot, flags, at);                          \
		slu_descriptor_put(j);                                         \
		return p;                                                      \
	}
MMAP(mmap)
MMAP(mmap64)

/* Reads synchronously; requests with a signal or thread notification, and
 * lists, are refused. The private members of the control block are those that
 * aio_error() and aio_return() read. */
#define AIO_READ(name, type)                                                   \
	EXPORT int name(struct type *cb)                                       \
	{                                                                      \
		struct slu_descriptor *j = slu_descriptor_get(cb->aio_fildes); \
		ssize_t got;                                                   \
                                                                               \
		NEXT(name);                                                    \
		if (!j)                                                        \
			return next(cb);                                       \
		if (cb->aio_sigevent.sigev_notify != SIGEV_NONE) {             \
			slu_descriptor_put(j);                                 \
			errno = ENOSYS;                                        \
			return -1;                                             \
		}                                                              \
		got = slu_descriptor_read(j, (void *)(uintptr_t)cb->aio_buf,   \
					  cb->aio_nbytes, cb->aio_offset);     \
		cb->__error_code = got < 0 ? errno : 0;                        \
		cb->__return_value = got;                                      \
		slu_descriptor_put(j);                                         \
		return 0;                                                      \
	}
AIO_READ(aio_read, aiocb)
AIO_READ(aio_read64, aiocb64)

#define LIO_LISTIO(name, type)                                                \
	EXPORT int name(int mode, struct type *const list[], int n,           \
			struct sigevent *event)                               \
	{                                                                     \
		NEXT(name);                                                   \
		for (int i = 0; i < n; i++)                                   \
			if (list[i] && list[i]->aio_lio_opcode == LIO_READ && \
			    slu_descriptor_is_segmented(                      \
				    list[i]->aio_fildes)) {                   \
				errno = ENOSYS;                               \
				return -1;                                    \
			}                                                     \
		return next(mode, list, n, event);                            \
	}
LIO_LISTIO(lio_listio, aiocb)
LIO_LISTIO(lio_listio64, aiocb64)
