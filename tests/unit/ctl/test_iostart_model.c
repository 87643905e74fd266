/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests which jobs wait for bandwidth of the parallel file system (IOStart):
 * random histories of submissions, starts, ends, restarts, measurements and
 * changes of the configuration. Each answer is compared with a model whose only
 * state is the running jobs; promised starts must be kept.
 */
#include "config.h"
#include "tests/unit/ctl/iostart_site.h"

struct model_job {
	struct slu_io_job is;
	char name[16];
	bool waits, runs;
	double rate; /* foretold, then as it is counted */
	struct slu_demand foretold;
	double moved, lately;
	int64_t measured, told, lasts;
};

struct world {
	struct slu_iostart s;
	struct slu_rates *rates;
	struct model_job job[JOBS];
	enum slu_io_start mode;
	bool taught, linked, busy;
	int64_t now, lost, moved_at, active;
	uint64_t seed;
	uint32_t next_id;
	int held, bound, kept; /* how often, so that the test can fail */
};

static bool able(const struct world *w)
{
	return w->mode != SLU_IOSTART_OFF && w->taught &&
	       (w->linked || w->now - w->lost < SLU_IOSTART_GRACE);
}

static double foretold(const struct world *w, const struct model_job *j)
{
	const struct slu_admission_site site = {.capacity = CAPACITY,
						.small = 0.01};
	struct slu_rate r = slu_rates_foretell(w->rates, j->is.uid, j->name,
					       j->is.nodes, j->is.seconds);

	return slu_admission_rate(&site, &r, j->is.nodes);
}

static double demand(const struct world *w)
{
	double sum = 0;

	each(j, w->job) sum += j->runs ? j->rate : 0;
	return sum;
}

/* One that needs all leaves a hundredth to noise. */
static double needs(double rate)
{
	return fmin(rate, 0.99 * CAPACITY);
}

static int64_t bound_of(const struct model_job *j)
{
	return (int64_t)ceil(fmin(MAX_WAIT, PATIENCE * j->is.seconds));
}

static void submit(struct world *w, struct model_job *j)
{
	size_t app = slu_random(&w->seed, APPS + 1); /* one is new */

	*j = (struct model_job){.waits = true};
	app_name(app, j->name);
	j->is = (struct slu_io_job){
		.job_id = ++w->next_id,
		.uid = (uint32_t)app,
		.name = j->name,
		.nodes = 1 + (double)slu_random(&w->seed, 3),
		.seconds = 1 + (double)slu_random(&w->seed, 600),
	};
}

static void begin(struct world *w, struct model_job *j)
{
	j->waits = false;
	j->runs = true;
	j->is.since = 0;
	j->is.start = w->now;
	j->rate = w->taught ? foretold(w, j) : 0;
	j->foretold = (struct slu_demand){.nodes = j->is.nodes,
					  .rate = j->rate,
					  .seconds = j->is.seconds};
	slu_iostart_begun(&w->s, &j->is, w->now);
}

static void check_waits(struct world *w, const struct model_job *j, double rate,
			const char *why)
{
	int64_t held = j->is.since ? w->now - j->is.since : 0;
	int64_t when = slu_iostart_when(&w->s, j->is.job_id, w->now);

	w->held++;
	if (!w->taught && w->now - w->active < SLU_IOSTART_GRACE) {
		w->kept++;
		expect(w->mode == SLU_IOSTART_ON && j->is.since &&
			       held < MAX_WAIT,
		       "%ld s", (long)held);
		return;
	}
	expect(w->mode == SLU_IOSTART_ON && able(w), "held, mode %d", w->mode);
	expect(rate > 0.01 * CAPACITY, "small: %g", rate);
	expect(held < bound_of(j), "%ld s, bound %ld", (long)held,
	       (long)bound_of(j));
	expect(when > w->now && when <= w->now + bound_of(j) - held,
	       "in %ld s, bound %ld, held %ld", (long)(when - w->now),
	       (long)bound_of(j), (long)held);
	expect(strstr(why, "waits for bandwidth"), "%s", why);
}

static void check_starts(struct world *w, const struct model_job *j,
			 double rate)
{
	int64_t held = j->is.since ? w->now - j->is.since : 0;
	double all = demand(w) + needs(rate);

	if (w->mode != SLU_IOSTART_ON || !able(w) || rate <= 0.01 * CAPACITY)
		return;
	if (held >= bound_of(j))
		w->bound++;
	else
		expect(all <= CAPACITY + EPSILON, "%g with %g", all, rate);
}

static void ask(struct world *w, struct model_job *j)
{
	char why[SLU_IOSTART_WHY] = "";
	double rate = w->taught ? foretold(w, j) : 0;
	double all = demand(w) + needs(rate);
	bool waits;

	waits = slu_iostart_waits(&w->s, &j->is, w->now, why);
	if (waits) {
		check_waits(w, j, rate, why);
		expect(!w->taught || all > CAPACITY - EPSILON,
		       "there is room: %g", all);
		if (!j->is.since)
			j->is.since = w->now;
		return;
	}
	check_starts(w, j, rate);
	begin(w, j);
}

static void end(struct world *w, struct model_job *j)
{
	j->runs = j->waits = false;
	slu_iostart_ended(&w->s, j->is.job_id);
}

/* slurmctld was killed: what is not in its jobs is forgotten. */
static void restart(struct world *w)
{
	struct slu_conf conf = conf_of(w->mode);

	slu_iostart_fini(&w->s);
	slu_iostart_init(&w->s);
	ck_assert(slu_iostart_configure(&w->s, &conf) ==
		  (w->mode != SLU_IOSTART_OFF));
	w->taught = w->linked = w->busy = false;
	w->lost = w->moved_at = 0;
	w->active = w->now;
	slu_iostart_active(&w->s, w->now);
	for (size_t i = 0; i < JOBS; i++) {
		w->job[i].measured = w->job[i].lasts = 0;
		w->job[i].rate = 0;
		if (w->job[i].runs)
			slu_iostart_begun(&w->s, &w->job[i].is, w->now);
	}
}

static void count_anew(struct world *w)
{
	for (size_t i = 0; i < JOBS; i++) {
		struct model_job *j = &w->job[i];

		if (j->runs)
			j->rate = j->measured ? slu_admission_seen(
							&j->foretold,
							(double)(j->measured -
								 j->is.start),
							j->moved, w->busy)
					      : j->foretold.rate;
	}
}

static void learn(struct world *w)
{
	if (w->mode == SLU_IOSTART_OFF)
		return;
	if (!w->taught)
		teach(&w->s, NULL);
	w->taught = true;
	for (size_t i = 0; i < JOBS; i++)
		w->job[i].foretold.rate =
			w->job[i].runs ? foretold(w, &w->job[i]) : 0;
	for (size_t i = 0; i < JOBS; i++)
		w->job[i].foretold.nodes = w->job[i].is.nodes,
		w->job[i].foretold.seconds = w->job[i].is.seconds;
	count_anew(w);
}

static void set_mode(struct world *w, enum slu_io_start mode)
{
	struct slu_conf conf = conf_of(mode);
	bool anew = w->mode == SLU_IOSTART_OFF && mode != SLU_IOSTART_OFF;

	ck_assert(slu_iostart_configure(&w->s, &conf) == anew);
	w->mode = mode;
	if (anew)
		w->taught = false;
}

static void measure(struct world *w)
{
	struct slu_job_moved moved[JOBS];
	double rate = 0;
	size_t n = 0;

	for (size_t i = 0; i < JOBS; i++) {
		struct model_job *j = &w->job[i];
		double bytes = (double)slu_random(&w->seed, 200) *
			       (double)(w->now - j->is.start);

		if (!j->runs)
			continue;
		if (slu_random(&w->seed, 3) == 0) { /* nothing new */
			j->measured = j->measured ? w->now : 0;
			continue;
		}
		if (j->measured && w->now > j->told) {
			j->lately = fmax(bytes - j->moved, 0) /
				    (double)(w->now - j->told);
			j->lasts = 2 * w->now - j->told;
		}
		j->moved = bytes;
		j->measured = j->told = w->now;
		moved[n++] = (struct slu_job_moved){j->is.job_id, bytes / 2,
						    bytes / 2, 0, NULL};
	}
	for (size_t i = 0; i < JOBS; i++)
		if (w->job[i].runs && w->now < w->job[i].lasts)
			rate += w->job[i].lately;
	if (w->moved_at && w->now > w->moved_at)
		w->busy = rate > 0.9 * CAPACITY;
	w->moved_at = w->now;
	slu_iostart_measured(&w->s, moved, n, w->now);
	count_anew(w);
}

static void link_to(struct world *w, bool up)
{
	slu_iostart_link(&w->s, up, w->now);
	if (w->linked && !up)
		w->lost = w->now;
	w->linked = up;
}

static void happen(struct world *w)
{
	struct model_job *j = &w->job[slu_random(&w->seed, JOBS)];

	switch (slu_random(&w->seed, 100)) {
	case 0:
		restart(w);
		break;
	case 1:
		set_mode(w, (enum slu_io_start)slu_random(&w->seed, 3));
		break;
	case 2:
		link_to(w, slu_random(&w->seed, 2));
		break;
	case 3:
		measure(w);
		break;
	case 4:
	case 5:
	case 6:
		set_mode(w, SLU_IOSTART_ON);
		link_to(w, true);
		learn(w);
		break;
	default:
		if (j->runs && slu_random(&w->seed, 3) == 0)
			end(w, j);
		else if (j->waits)
			ask(w, j);
		else if (!j->runs)
			submit(w, j);
	}
}

/* Whatever waits is let go at once. */
static void switch_off(struct world *w)
{
	char why[SLU_IOSTART_WHY];

	set_mode(w, SLU_IOSTART_OFF);
	for (size_t i = 0; i < JOBS; i++)
		if (w->job[i].waits)
			ck_assert(!slu_iostart_waits(&w->s, &w->job[i].is,
						     w->now, why));
}

START_TEST(test_histories)
{
	int held = 0, bound = 0, kept = 0;

	for (uint64_t seed = 0; seed < 200; seed++) {
		struct world w = {.seed = seed, .now = 1000000};

		w.rates = slu_rates_new(64 * APPS, NULL);
		slu_iostart_init(&w.s);
		set_mode(&w, SLU_IOSTART_ON);
		teach(&w.s, w.rates);
		w.taught = true;
		link_to(&w, true);
		for (int i = 0; i < 1500; i++) {
			if (slu_random(&w.seed, 2)) /* else at once */
				w.now += (int64_t)slu_random(&w.seed, 80);
			happen(&w);
		}
		switch_off(&w);
		held += w.held;
		bound += w.bound;
		kept += w.kept;
		slu_rates_free(w.rates);
		slu_iostart_fini(&w.s);
	}
	ck_assert_int_gt(held, 10000);
	ck_assert_int_gt(bound, 100);
	ck_assert_int_gt(kept, 100);
}
END_TEST

TEST_MAIN("iostart model", test_histories)
