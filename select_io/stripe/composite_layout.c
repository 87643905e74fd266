/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the components of a file's stripe layout (rules: see the header).
 *
 * slu_stripe_plan() starts with a fixed list of components for the file's kind
 * of access, or with a computed one if tasks share a file of known size. Then
 * it removes components and stripes beyond the size, limits the stripes to the
 * targets that there are, leaves one component for Lustre before 2.10, adjusts
 * the number of stripes until every part has room on its target, puts the begin
 * of the file on the metadata target, lets components extend themselves, and
 * makes the layout small enough for its extended attribute.
 */
#include "config.h"
#include "select_io/stripe/composite_layout.h"

#include <math.h>
#include <string.h>

#define KIB  (UINT64_C(1) << 10)
#define MIB  (UINT64_C(1) << 20)
#define GIB  (UINT64_C(1) << 30)
#define TIB  (UINT64_C(1) << 40)
#define UNIT (64 * KIB) /* alignment of ends and widths */

/* The first Lustre version with files of more than FEW stripes. */
#define MANY 2004
#define FEW  160
/* Bytes of the extended attribute that has the layout, with and without
 * ea_inode. */
#define ATTRIBUTE	 65536
#define NARROW_ATTRIBUTE 4000
/* What extensions are a multiple of, in Lustre. */
#define EXTEND_UNIT (64 * MIB)
/* By how much a component extends itself, on each target and together: rarely
 * enough that asking the metadata server for it takes no time to speak of. */
#define EXTEND	   (4 * GIB)
#define EXTEND_MAX (2 * TIB)

static const struct slu_stripe_component sequential[] = {
	{64 * MIB, 1, MIB, "small files cost one object"},
	{GIB, 4, MIB, "read one after the other: a few targets"},
	{10 * GIB, 8, 2 * MIB, "grows: twice as many, twice as wide"},
	{TIB, 16, 4 * MIB, "large: sixteen targets at 4 MiB"},
	{0, 64, 4 * MIB, "huge: as much bandwidth as sixty-four targets have"},
};

static const struct slu_stripe_component random_access[] = {
	{GIB, 1, MIB, "read here and there: one target, narrow"},
	{100 * GIB, 4, MIB, "random reads gain nothing from more than a few"},
	{0, 8, MIB, "large: spread its space, still narrow"},
};

/* Several processes that all read the whole file, then parts of it, as BLAST
 * does with its database (Table V, where layout C is the fastest). */
static const struct slu_stripe_component several[] = {
	{100 * GIB, 16, MIB, "several readers: sixteen targets, narrow"},
	{0, 64, MIB, "huge: as much bandwidth as sixty-four targets have"},
};

/* Fig. 11 of the paper, with 16 to 512 clients. */
static const struct slu_stripe_component crowd[] = {
	{26 * GIB, 16, MIB, "many readers at once: sixteen targets at first"},
	{52 * GIB, 64, MIB, "many readers: sixty-four"},
	{0, 128, MIB, "many readers: a hundred and twenty-eight"},
};

static void copy(struct slu_stripe_layout *out,
		 const struct slu_stripe_component *part, size_t n)
{
	memcpy(out->part, part, n * sizeof(*part));
	out->n = n;
}

static bool is_narrow(const struct slu_stripe_request *r)
{
	return r->narrow || (r->lustre && r->lustre < MANY);
}

/* The most stripes that a file can have. */
static uint32_t most_stripes(const struct slu_stripe_request *r)
{
	uint32_t most = is_narrow(r) ? FEW : SLU_STRIPE_COUNT_MAX;

	return r->targets && r->targets < most ? r->targets : most;
}

/*
 * One component for tasks that each have a part of their own of the file. The
 * number of stripes n is the least of three bounds:
 *	- the targets that there are;
 *	- what the tasks keep busy: each as many targets as its window
 *	  (SLU_STRIPE_WINDOW) has stripes;
 *	- sqrt(size / (RATE GLIMPSE)), RATE that of a target, which minimises
 *	  size / (n RATE) + n GLIMPSE, the time of a pass over the file and of
 *	  opening n stripes. With fewer than 8 tasks less is enough, as their
 *	  network is the limit.
 * Few tasks fill their window better with narrow stripes. With these numbers
 * bench/stripe found no rival that is more than 3 % better.
 */
static void share(struct slu_stripe_layout *out,
		  const struct slu_stripe_request *r)
{
	uint32_t mib = r->access == SLU_STRIPE_RANDOM || r->tasks < 4 ? 1 : 4;
	double rate = r->target_rate > 0 ? r->target_rate : SLU_STRIPE_DISK;
	const struct {
		double most;
		const char *why;
	} bound[] = {
		{most_stripes(r),
		 "a part for each task: all targets that there are"},
		{(double)r->tasks * (SLU_STRIPE_WINDOW / mib),
		 "a part for each task: targets that they keep busy"},
		{ceil(sqrt((double)r->size / (rate * SLU_STRIPE_GLIMPSE)) *
		      fmin(1, fmax(0.25, r->tasks / 8.0))),
		 "a part for each task: more targets take longer to open than "
		 "they save"},
	};
	size_t least = 0;

	for (size_t i = 1; i < sizeof(bound) / sizeof(*bound); i++)
		if (bound[i].most < bound[least].most)
			least = i;
	out->part[0] = (struct slu_stripe_component){
		.count = (uint32_t)bound[least].most,
		.width = (uint32_t)(mib * MIB),
		.why = bound[least].why,
	};
	out->n = 1;
}

/* Merges adjacent components that are equal. */
static void merge(struct slu_stripe_layout *l)
{
	size_t n = 0;

	for (size_t i = 1; i < l->n; i++)
		if (l->part[i].count == l->part[n].count &&
		    l->part[i].width == l->part[n].width)
			l->part[n].end = l->part[i].end;
		else
			l->part[++n] = l->part[i];
	l->n = n + 1;
}

/* Do `bytes`, in n equal parts, fit on the n targets with the most free space?
 */
static bool holds(const struct slu_stripe_request *r, uint32_t n,
		  uint64_t bytes)
{
	return bytes / n + (bytes % n != 0) <= r->room[n - 1];
}

/* The smallest number of stripes >= want with which the bytes fit, else the
 * largest below it; 0: they fit with none. */
static uint32_t holding(const struct slu_stripe_request *r, uint32_t want,
			uint64_t bytes)
{
	uint32_t most = most_stripes(r);

	for (uint32_t n = want; n <= most; n++)
		if (holds(r, n, bytes))
			return n;
	for (uint32_t n = want < most ? want : most; n > 0; n--)
		if (holds(r, n, bytes))
			return n;
	return 0;
}

static void set_count(struct slu_stripe_component *p, uint32_t n)
{
	if (p->count != n)
		p->why = p->count < n ? "so many targets have room for it "
					"together"
				      : "others are too full";
	p->count = n;
}

/* Gives each component enough stripes for its bytes, no fewer than the one
 * before has, and no more than the last, which would hold the whole file. */
static void widen(const struct slu_stripe_request *r,
		  struct slu_stripe_layout *l)
{
	uint32_t last = l->part[l->n - 1].count, n, least = 1;
	uint64_t begin = 0;

	for (size_t i = 0; i + 1 < l->n; i++) {
		struct slu_stripe_component *p = &l->part[i];

		n = holding(r, p->count > least ? p->count : least,
			    p->end - begin);
		if (n < least || n > last)
			n = last;
		set_count(p, n);
		least = n;
		begin = p->end;
	}
}

/* Adjusts the number of stripes until every component fits on its targets, or
 * fails. Both too few stripes (each part is too large) and too many (one is on
 * a nearly full target) may not fit. */
static int make_room(const struct slu_stripe_request *r,
		     struct slu_stripe_layout *l, struct slu_err *err)
{
	struct slu_stripe_component *last = &l->part[l->n - 1];
	uint32_t n;

	if (!r->room || r->targets == 0 || r->size == 0)
		return 0;
	n = holding(r, last->count, r->size);
	if (n == 0)
		return slu_err(err, SLU_INVALID,
			       "no number of the %u targets has room for the "
			       "file",
			       r->targets);
	set_count(last, n);
	for (size_t was = 0; was != l->n; merge(l)) {
		was = l->n; /* merged components may have to be widened again */
		widen(r, l);
	}
	return 0;
}

static void cap(struct slu_stripe_layout *l, uint32_t targets)
{
	for (size_t i = 0; i < l->n && targets > 0; i++)
		if (l->part[i].count > targets) {
			l->part[i].count = targets;
			l->part[i].why = "all targets that there are";
		}
}

/* Removes stripes that contain no byte of the file. */
static void cut_stripes(struct slu_stripe_layout *l, uint64_t size)
{
	for (size_t i = 0; i < l->n && size > 0; i++) {
		struct slu_stripe_component *p = &l->part[i];
		uint64_t filled = (size - 1) / p->width + 1;

		if (p->count <= filled)
			continue;
		p->count = (uint32_t)filled;
		p->why = "so small: each stripe has some of it";
	}
}

/* Removes components beyond the end of the file. */
static void cut(struct slu_stripe_layout *l, uint64_t size)
{
	for (size_t i = 0; i < l->n && size > 0; i++)
		if (l->part[i].end >= size) {
			l->part[i].end = 0;
			l->n = i + 1;
		}
}

/* Before 2.10 a file has a single layout: that of the component with most of
 * its bytes. */
static void make_old(struct slu_stripe_layout *l, uint64_t size,
		     uint32_t version)
{
	uint64_t begin = 0, best = 0;
	size_t most = 0;

	if (version == 0 || version >= SLU_STRIPE_COMPOSITE)
		return;
	for (size_t i = 0; i < l->n; i++) {
		uint64_t end = l->part[i].end ? l->part[i].end : size;

		if (end > begin && end - begin >= best) {
			best = end - begin;
			most = i;
		}
		begin = l->part[i].end;
	}
	if (l->n > 1)
		l->part[most].why = "no composite layouts before 2.10: most of "
				    "the file is in it (see sluice-segments)";
	l->part[0] = l->part[most];
	l->part[0].end = 0;
	l->n = 1;
}

/* Does the layout fit in `most` bytes? It has a header, an entry for each
 * component with a pool's name, and an object for each stripe. What a component
 * has yet to extend to is one more without objects. */
static bool fits_attribute(const struct slu_stripe_layout *l, uint64_t most)
{
	const uint64_t entry = 48 + 48;
	uint64_t bytes = 32 + (l->mdt ? entry : 0);

	for (size_t i = 0; i < l->n; i++)
		bytes += entry + (l->extend[i] ? entry : 0) +
			 24 * (uint64_t)l->part[i].count;
	return bytes <= most;
}

/* If the layout is too large for its extended attribute, only the last, widest
 * component is kept. */
static void fit_attribute(struct slu_stripe_layout *l, uint64_t most)
{
	if (fits_attribute(l, most))
		return;
	l->part[0] = l->part[l->n - 1];
	l->extend[0] = l->extend[l->n - 1];
	l->part[0].why = "with more components there would be too many stripes "
			 "for one layout";
	l->n = 1;
}

/* The bytes that the first component of the file has on its metadata target. */
static uint64_t on_mdt(const struct slu_stripe_request *r)
{
	uint64_t most = r->mdt;

	if (r->lustre && r->lustre < SLU_STRIPE_MDT)
		return 0;
	if (r->mdt_told && r->mdt_most < most)
		most = r->mdt_most;
	return most - most % SLU_STRIPE_MDT_UNIT;
}

/* Puts a small file on its metadata target, and the begin of one of unknown
 * size, which may be small. Of a large one it would take room for nothing, and
 * many readers of the same bytes are better served by several targets. */
static void use_mdt(struct slu_stripe_layout *l,
		    const struct slu_stripe_request *r)
{
	uint64_t most = on_mdt(r);
	size_t first = 0;

	if (most == 0 || r->size > most || (r->size == 0 && r->readers > 1))
		return;
	while (l->part[first].end && l->part[first].end <= most)
		first++;
	l->n -= first;
	memmove(l->part, l->part + first, l->n * sizeof(*l->part));
	l->mdt = most;
}

/* The bytes by which component i extends itself; 0: it does not. The first one
 * is made with as much at once, and has to have as much left; behind one on the
 * metadata target it may become the first, where that takes nothing after all,
 * and Lustre refuses it then. */
static uint64_t extension(const struct slu_stripe_layout *l, size_t i)
{
	uint64_t bytes = l->part[i].count * EXTEND, most = EXTEND_MAX;

	if (i == 0 && l->mdt)
		return 0;
	if (i == 0 && l->part[i].end) {
		most = l->part[i].end / 2;
		most -= most % EXTEND_UNIT;
	}
	return bytes < most ? bytes : most;
}

/* Lets a file of unknown size go on elsewhere when one of its targets is full,
 * where others have more than twice as much room: components of which one
 * target gets more than the fullest has left extend themselves, but where they
 * have all targets. */
static void extend(struct slu_stripe_layout *l,
		   const struct slu_stripe_request *r)
{
	uint64_t begin = l->mdt, least;

	if (r->size > 0 || !r->room || r->targets < 2 ||
	    r->lustre < SLU_STRIPE_EXTENDING || is_narrow(r))
		return;
	least = r->room[r->targets - 1];
	if (least >= r->room[0] / 2)
		return;
	for (size_t i = 0; i < l->n; i++) {
		struct slu_stripe_component *p = &l->part[i];

		if (p->count < r->targets &&
		    (p->end == 0 || (p->end - begin) / p->count > least))
			l->extend[i] = extension(l, i);
		if (l->extend[i])
			p->why = "unequally full targets: it goes on elsewhere "
				 "when one is full";
		begin = p->end;
	}
}

/* Lustre has the extension's KiB in the place of a stripe size. */
static bool can_extend(const struct slu_stripe_layout *l, size_t i)
{
	const uint64_t by = l->extend[i], end = l->part[i].end;

	if (by == 0)
		return true;
	return by % EXTEND_UNIT == 0 && by <= EXTEND_MAX &&
	       by % l->part[i].width == 0 && end % (by / KIB) == 0 &&
	       (i > 0 || (l->mdt == 0 && (end == 0 || by < end)));
}

static int check_special(const struct slu_stripe_layout *l, struct slu_err *err)
{
	const uint64_t first = l->part[0].end;

	if (l->mdt % SLU_STRIPE_MDT_UNIT || l->mdt > SLU_STRIPE_MDT_MAX ||
	    (first && l->mdt >= first))
		return slu_err(err, SLU_INVALID,
			       "%llu bytes on the metadata target",
			       (unsigned long long)l->mdt);
	for (size_t i = 0; i < l->n; i++)
		if (!can_extend(l, i))
			return slu_err(err, SLU_INVALID,
				       "component %zu extends itself by %llu",
				       i, (unsigned long long)l->extend[i]);
	return 0;
}

int slu_stripe_check(const struct slu_stripe_layout *l, struct slu_err *err)
{
	uint64_t begin = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct slu_stripe_component *p = &l->part[i];
		bool last = i + 1 == l->n;

		if (p->count == 0 || p->count > SLU_STRIPE_COUNT_MAX)
			return slu_err(err, SLU_INVALID, "%u stripes",
				       p->count);
		if (p->width == 0 || p->width % UNIT)
			return slu_err(err, SLU_INVALID,
				       "the width %u is no multiple of 64 KiB",
				       p->width);
		if (last != (p->end == 0))
			return slu_err(err, SLU_INVALID,
				       "the last component, and only it, goes "
				       "to the end");
		if (!last && (p->end <= begin || p->end % p->width))
			return slu_err(err, SLU_INVALID,
				       "component %zu ends at %llu", i,
				       (unsigned long long)p->end);
		begin = p->end;
	}
	if (l->n == 0)
		return slu_err(err, SLU_INVALID, "no component");
	if (!fits_attribute(l, ATTRIBUTE))
		return slu_err(err, SLU_INVALID,
			       "more stripes than a layout can name");
	return check_special(l, err);
}

static int most_first(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

void slu_stripe_set_room(struct slu_stripe_request *r, uint64_t *room)
{
	qsort(room, r->targets, sizeof(*room), most_first);
	r->room = room;
}

int slu_stripe_plan(const struct slu_stripe_request *r,
		    struct slu_stripe_layout *out, struct slu_err *err)
{
	struct slu_stripe_layout l = {.pool = r->pool};
	struct slu_err why;

	if (r->tasks > 0 && r->size > 0)
		share(&l, r);
	else if (r->access == SLU_STRIPE_RANDOM)
		copy(&l, random_access,
		     sizeof(random_access) / sizeof(*random_access));
	else if (r->readers >= 16)
		copy(&l, crowd, sizeof(crowd) / sizeof(*crowd));
	else if (r->readers > 1)
		copy(&l, several, sizeof(several) / sizeof(*several));
	else
		copy(&l, sequential, sizeof(sequential) / sizeof(*sequential));
	cut(&l, r->size);
	cut_stripes(&l, r->size);
	cap(&l, r->targets);
	make_old(&l, r->size, r->lustre);
	if (make_room(r, &l, err))
		return -1;
	merge(&l);
	use_mdt(&l, r);
	extend(&l, r);
	fit_attribute(&l, is_narrow(r) ? NARROW_ATTRIBUTE : ATTRIBUTE);
	if (slu_stripe_check(&l, &why))
		return slu_err(err, SLU_INTERNAL, "no valid layout: %s",
			       why.text);
	*out = l;
	return 0;
}
