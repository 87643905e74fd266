/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests which jobs wait for bandwidth of the parallel file system (IOStart):
 * random histories of submissions, starts, ends, restarts, measurements and
 * changes of the configuration. Each answer is compared with a model whose only
 * state is the running jobs; promised starts must be kept.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "ctl/iostart/iostart.h"

#define CAPACITY 1000.0
#define MAX_WAIT 5000
#define PATIENCE 20
#define JOBS	 40
#define APPS	 12
#define EPSILON	 1e-6

static struct slu_conf conf_of(enum slu_io_start mode)
{
	return (struct slu_conf){
		.io_start = mode,
		.io = {{.bandwidth = (uint64_t)CAPACITY}},
		.io_scope = SLU_IO_READ | SLU_IO_WRITTEN,
		.max_io_wait = MAX_WAIT,
	};
}

/* Applications of a user each; a job of app 0 moves next to nothing. */
static void app_name(size_t app, char out[16])
{
	snprintf(out, 16, "app-%c", (char)('a' + app));
}

static double app_rate(size_t app) /* bytes/s by node */
{
	return app ? 3.7 * (double)(app * app) : 0.001;
}

static void teach(struct slu_iostart *s, struct slu_rates *oracle)
{
	char name[16];

	for (size_t app = 0; app < APPS; app++)
		for (int run = 0; run < 8; run++) {
			double bytes = app_rate(app) * 2 * 3600;

			app_name(app, name);
			slu_iostart_learn(
				s, &(struct slu_io_ended){
					   .uid = (uint32_t)app,
					   .name = name,
					   .nodes = 2,
					   .end = 3600,
					   .read_bytes = bytes / 4,
					   .written_bytes = bytes * 3 / 4});
			if (oracle)
				slu_rates_learn(oracle, (uint32_t)app, name, 2,
						3600, bytes);
		}
	slu_iostart_taught(s);
}

struct model_job {
	struct slu_io_job is;
	char name[16];
	bool waits, runs;
	double rate; /* foretold, then as it is counted */
	struct slu_demand foretold;
	double moved;
	int64_t measured;
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
		w->job[i].measured = 0;
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
	double more = 0;
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
		if (j->measured)
			more += fmax(bytes - j->moved, 0);
		j->moved = bytes;
		j->measured = w->now;
		moved[n++] = (struct slu_job_moved){j->is.job_id, bytes / 2,
						    bytes / 2, 0, NULL};
	}
	if (w->moved_at && w->now > w->moved_at)
		w->busy =
			more / (double)(w->now - w->moved_at) > 0.9 * CAPACITY;
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

static const struct slu_io_job heavy = {.job_id = 1,
					.uid = APPS - 1,
					.name = "app-l",
					.nodes = 2,
					.seconds = 3600};

static void set_up(struct slu_iostart *s, enum slu_io_start mode)
{
	struct slu_conf conf = conf_of(mode);

	slu_iostart_init(s);
	slu_iostart_configure(s, &conf);
	slu_iostart_link(s, true, 1);
	teach(s, NULL);
}

static bool asks(struct slu_iostart *s, uint32_t id, int64_t now,
		 char why[SLU_IOSTART_WHY])
{
	struct slu_io_job job = heavy;

	job.job_id = id;
	return slu_iostart_waits(s, &job, now, why);
}

/* A history that is only partly read holds no job. */
START_TEST(test_half_read)
{
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	slu_iostart_init(&s);
	slu_iostart_configure(&s, &conf);
	slu_iostart_link(&s, true, 1);
	slu_iostart_learn(&s, &(struct slu_io_ended){.uid = heavy.uid,
						     .name = heavy.name,
						     .nodes = 2,
						     .end = 3600,
						     .read_bytes = 9e9});
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(!asks(&s, 2, 101, why));
	slu_iostart_taught(&s);
	ck_assert(asks(&s, 2, 102, why));
	slu_iostart_fini(&s);
}
END_TEST

/* With `advise` it logs once what would have been held, and holds no job. */
START_TEST(test_advise)
{
	struct slu_iostart_log_entry said[SLU_IOSTART_LOG];
	struct slu_io_job second = heavy;
	char why[SLU_IOSTART_WHY];
	struct slu_buf text = {0};
	struct slu_iostart s;
	uint64_t lost;

	set_up(&s, SLU_IOSTART_ADVISE);
	second.job_id = 2;
	ck_assert(!asks(&s, 1, 100, why));
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert_uint_eq(slu_iostart_log_entries(&s, said, &lost), 0);
	ck_assert(!asks(&s, 2, 101, why));
	slu_iostart_begun(&s, &second, 101);
	ck_assert_uint_eq(slu_iostart_log_entries(&s, said, &lost), 1);
	ck_assert(said[0].advised && said[0].job_id == 2);
	ck_assert_int_eq(said[0].waited, 3600 - 1);
	ck_assert_msg(strstr(said[0].why, "in use (jobs 1)"), "%s",
		      said[0].why);
	slu_iostart_print(&s, 102, &text);
	ck_assert_msg(strstr(text.data,
			     "IOStart=advise: 0 jobs wait; 1.78 kB/s of 1 kB/s "
			     "are in use (jobs 1, 2); 1 would have waited"),
		      "%s", text.data);
	slu_buf_free(&text);
	slu_iostart_fini(&s);
}
END_TEST

/* What people read, and what is counted. */
START_TEST(test_reports)
{
	struct slu_iostart_log_entry said[SLU_IOSTART_LOG];
	struct slu_io_job second = heavy;
	char why[SLU_IOSTART_WHY];
	struct slu_buf text = {0};
	struct slu_iostart s;
	uint64_t lost;

	set_up(&s, SLU_IOSTART_ON);
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(asks(&s, 2, 101, why));
	ck_assert_msg(strstr(why, ": 891 B/s of 1 kB/s are in use (jobs 1), "
				  "this one needs 891 B/s; until 1970-01-01T"),
		      "%s", why);
	slu_iostart_print(&s, 102, &text);
	ck_assert_msg(strstr(text.data, "IOStart=on: 1 jobs wait; 891 B/s of "
					"1 kB/s are in use (jobs 1)"),
		      "%s", text.data);
	slu_buf_free(&text);
	slu_iostart_print(&s, 402, &text); /* it was not asked about again */
	ck_assert_msg(strstr(text.data, "IOStart=on: 0 jobs wait; "), "%s",
		      text.data);
	slu_buf_free(&text);
	for (int64_t t = 1; t < MAX_WAIT; t += 1000)
		ck_assert(asks(&s, 2, 101 + t, why));
	ck_assert(asks(&s, 2, 101 + MAX_WAIT - 1, why));
	ck_assert(!asks(&s, 2, 101 + MAX_WAIT, why));
	second.job_id = 2;
	slu_iostart_begun(&s, &second, 101 + MAX_WAIT);
	ck_assert_uint_eq(slu_iostart_log_entries(&s, said, &lost), 1);
	ck_assert(said[0].bound && said[0].waited == MAX_WAIT);
	slu_iostart_link(&s, false, 9000);
	slu_iostart_print(&s, 9000 + SLU_IOSTART_GRACE, &text);
	ck_assert_msg(strstr(text.data, "no job is held back: sluiced does "
					"not answer"),
		      "%s", text.data);
	ck_assert_msg(strstr(text.data,
			     "; 1 have waited, 1 of them until MaxIOWait\n"),
		      "%s", text.data);
	slu_buf_free(&text);
	slu_iostart_fini(&s);
}
END_TEST

/* It waited before slurmctld was started anew, and was not asked about since.
 */
START_TEST(test_wait_noted_before_a_restart)
{
	struct slu_iostart_log_entry said[SLU_IOSTART_LOG];
	struct slu_io_job job = heavy;
	struct slu_iostart s;
	uint64_t lost;

	set_up(&s, SLU_IOSTART_ON);
	job.since = 40;
	slu_iostart_begun(&s, &job, 100);
	ck_assert_uint_eq(slu_iostart_log_entries(&s, said, &lost), 1);
	ck_assert(said[0].waited == 60 && !said[0].bound);
	job.start = 90; /* runs when slurmctld starts */
	slu_iostart_begun(&s, &job, 100);
	ck_assert_uint_eq(slu_iostart_log_entries(&s, said, &lost), 0);
	slu_iostart_fini(&s);
}
END_TEST

/* A clock that is set back makes no job wait longer. */
START_TEST(test_clock)
{
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	set_up(&s, SLU_IOSTART_ON);
	slu_iostart_begun(&s, &heavy, 100000);
	ck_assert(asks(&s, 2, 100001, why));
	ck_assert(!asks(&s, 2, 90000, why));
	slu_iostart_fini(&s);
}
END_TEST

/* What has ended its I/O gives back, what moves more takes it. */
START_TEST(test_gives_back)
{
	struct slu_job_moved moved = {.job_id = 1};
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	set_up(&s, SLU_IOSTART_ON);
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(asks(&s, 2, 101, why));
	moved.read_bytes = 895 * 1800; /* half an hour, and no more */
	slu_iostart_measured(&s, &moved, 1, 1900);
	ck_assert(asks(&s, 2, 1901, why));
	moved.read_bytes = 1;
	slu_iostart_measured(&s, &moved, 1, 100 + 40 * 3600);
	ck_assert(!asks(&s, 3, 101 + 40 * 3600, why));
	moved.written_bytes = 990.0 * 80 * 3600;
	slu_iostart_measured(&s, &moved, 1, 100 + 80 * 3600);
	ck_assert(asks(&s, 4, 101 + 80 * 3600, why));
	moved.written_bytes = NAN;
	slu_iostart_measured(&s, &moved, 1, 102 + 80 * 3600);
	ck_assert(asks(&s, 4, 103 + 80 * 3600, why));
	slu_iostart_fini(&s);
}
END_TEST

/* Where only metadata servers publish, what a job reads is not measured. */
START_TEST(test_nothing_is_not_measured)
{
	struct slu_job_moved moved = {.job_id = 1, .metadata_ops = 1e6};
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	set_up(&s, SLU_IOSTART_ON);
	slu_iostart_begun(&s, &heavy, 100);
	slu_iostart_measured(&s, &moved, 1, 100 + 40 * 3600);
	ck_assert(asks(&s, 2, 101 + 40 * 3600, why));
	slu_iostart_fini(&s);
}
END_TEST

/* Of reads and writes only what the site says counts. */
START_TEST(test_only_scoped_io_counts)
{
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	conf.io_scope = SLU_IO_READ; /* a quarter */
	slu_iostart_init(&s);
	ck_assert(slu_iostart_configure(&s, &conf));
	slu_iostart_link(&s, true, 1);
	teach(&s, NULL);
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(!asks(&s, 2, 101, why));
	conf.io_scope = SLU_IO_WRITTEN;
	ck_assert(slu_iostart_configure(&s, &conf)); /* and is taught again */
	ck_assert(!asks(&s, 2, 102, why));
	teach(&s, NULL);
	ck_assert(asks(&s, 2, 103, why));
	slu_iostart_fini(&s);
}
END_TEST

#define RUN_KINDS 6

/* Runs of some kinds, of which one is the heavy job's: together up to 190 B/s
 * they take 1000 s, and twice as long above. */
static void teach_runs(struct slu_iostart *s, double most, int64_t at)
{
	char name[16];

	for (int round = 0; round < 30; round++, at += 10000)
		for (int i = 0; i < RUN_KINDS; i++) {
			double all = most * (round + 1) / 30;
			int64_t took = all > 190 ? 2000 : 1000;

			snprintf(name, sizeof(name), "k%c", 'a' + i);
			slu_iostart_learn(
				s, &(struct slu_io_ended){
					   .uid = heavy.uid,
					   .name = i ? name : heavy.name,
					   .nodes = 1,
					   .start = at,
					   .end = at + took + i + round % 7,
					   .read_bytes = all / RUN_KINDS *
							 (double)took,
					   .metadata_ops = all / RUN_KINDS *
							   (double)took});
		}
	slu_iostart_taught(s);
}

static struct slu_io_use use_of(struct slu_iostart *s)
{
	struct slu_io_use use = {0};

	ck_assert(slu_iostart_use(s, 200, &use));
	return use;
}

/* IOBandwidth=auto: nobody waits while it is not known; then it is what history
 * says, then what servers say, less what is degraded. */
START_TEST(test_auto)
{
	struct slu_io_capacity said = {.targets = 10,
				       .degraded = 1,
				       .scope = SLU_IO_READ | SLU_IO_WRITTEN};
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	char why[SLU_IOSTART_WHY];
	struct slu_buf text = {0};
	struct slu_iostart s;

	conf.io[0].bandwidth = SLU_IO_AUTO;
	slu_iostart_init(&s);
	ck_assert(slu_iostart_configure(&s, &conf));
	ck_assert(!slu_iostart_configure(&s, &conf));
	slu_iostart_link(&s, true, 1);
	teach_runs(&s, 150, 1000);
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(!asks(&s, 2, 101, why));
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	slu_iostart_print(&s, 102, &text);
	ck_assert_msg(strstr(text.data, "IOStart=on: no job is held back: "
					"IOBandwidth=auto is not known "
					"yet; "),
		      "%s", text.data);
	slu_buf_free(&text);
	teach_runs(&s, 400, 1000000);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_RAN_WELL);
	ck_assert_double_eq_tol(use_of(&s).capacity, 190, 10);
	ck_assert(asks(&s, 2, 103, why));
	slu_iostart_reached(&s, &said, 103); /* servers that are not full */
	ck_assert_double_eq_tol(use_of(&s).capacity, 0.9 * 190, 10);
	said.capacity = 1e6;
	said.scope = SLU_IO_WRITTEN; /* sluiced has not been reloaded yet */
	slu_iostart_reached(&s, &said, 104);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_RAN_WELL);
	said.scope = conf.io_scope;
	slu_iostart_reached(&s, &said, 104);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_REACHED);
	ck_assert_double_eq(use_of(&s).capacity, 9e5);
	ck_assert(!asks(&s, 2, 104, why));
	said.capacity = 0; /* sluiced has forgotten */
	said.degraded = 5;
	slu_iostart_reached(&s, &said, 105);
	ck_assert_double_eq(use_of(&s).capacity, 5e5);
	ck_assert_uint_eq(use_of(&s).degraded, 5);
	conf.io[0].bandwidth = 1000;
	ck_assert(slu_iostart_configure(&s, &conf)); /* learnt anew */
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_CONFIGURED);
	ck_assert_double_eq(use_of(&s).capacity, 1000);
	slu_iostart_fini(&s);
}
END_TEST

/* IOMetadata=auto: the same of operations. */
START_TEST(test_metadata_auto)
{
	struct slu_io_capacity said = {.targets = 2,
				       .capacity = 1e6,
				       .scope = SLU_IO_READ | SLU_IO_WRITTEN};
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	char why[SLU_IOSTART_WHY];
	struct slu_buf text = {0};
	struct slu_iostart s;

	conf.io[0].metadata = SLU_IO_AUTO;
	slu_iostart_init(&s);
	slu_iostart_count_metadata(&s);
	ck_assert(slu_iostart_configure(&s, &conf));
	slu_iostart_link(&s, true, 1);
	teach_runs(&s, 150, 1000);
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(!asks(&s, 2, 101, why));
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	slu_iostart_print(&s, 102, &text);
	expect(strstr(text.data, "IOMetadata=auto is not known yet; "), "%s",
	       text.data);
	slu_buf_free(&text);
	slu_iostart_reached(&s, &said, 103); /* of bytes */
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	teach_runs(&s, 400, 1000000);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_RAN_WELL);
	ck_assert_double_eq_tol(use_of(&s).capacity, 190, 10);
	ck_assert(asks(&s, 2, 103, why));
	said.scope = SLU_IO_OPS;
	slu_iostart_reached(&s, &said, 104);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_REACHED);
	ck_assert_double_eq(use_of(&s).capacity, 1e6);
	ck_assert(!asks(&s, 2, 104, why));
	slu_iostart_fini(&s);
}
END_TEST

static void expect_line(struct slu_iostart *s, int64_t now, const char *words)
{
	struct slu_buf text = {0};

	slu_iostart_print(s, now, &text);
	expect(strstr(text.data, words), "%s", text.data);
	slu_buf_free(&text);
}

/* What servers have done for ten minutes they can do, whatever was known. */
START_TEST(test_held)
{
	struct slu_io_capacity said = {.targets = 10,
				       .held = 500,
				       .scope = SLU_IO_READ | SLU_IO_WRITTEN};
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	struct slu_iostart s;

	conf.io[0].bandwidth = SLU_IO_AUTO;
	slu_iostart_init(&s);
	slu_iostart_configure(&s, &conf);
	slu_iostart_link(&s, true, 1);
	slu_iostart_taught(&s);
	slu_iostart_reached(&s, &said, 100); /* perhaps it can do any more */
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	ck_assert_double_eq(use_of(&s).capacity, 0);
	teach_runs(&s, 400, 1000000);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_HELD);
	ck_assert_double_eq(use_of(&s).capacity, 500);
	said.capacity = said.held = 800;
	slu_iostart_reached(&s, &said, 130);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_REACHED);
	ck_assert_double_eq(use_of(&s).capacity, 800);
	said.capacity = 0; /* it is disproved */
	said.held = 1200;
	said.degraded = 1;
	slu_iostart_reached(&s, &said, 160);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_HELD);
	ck_assert_double_eq(use_of(&s).capacity, 1080);
	said.held = 0; /* sluiced has forgotten */
	slu_iostart_reached(&s, &said, 190);
	ck_assert_double_eq(use_of(&s).capacity, 1080);
	said.capacity = said.held = 700; /* and has seen it full again */
	slu_iostart_reached(&s, &said, 195);
	ck_assert_double_eq(use_of(&s).capacity, 630);
	slu_iostart_fini(&s);
}
END_TEST

/* Servers that say nothing for long do not count, and that is told; nor while
 * no target is whole, which is told, too. */
START_TEST(test_silent_servers)
{
	struct slu_io_capacity said = {.capacity = 900,
				       .held = 900,
				       .targets = 10,
				       .degraded = 10,
				       .silent = 2,
				       .scope = SLU_IO_READ | SLU_IO_WRITTEN};
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	struct slu_io_use use;
	struct slu_iostart s;

	conf.io[0].bandwidth = SLU_IO_AUTO;
	slu_iostart_init(&s);
	slu_iostart_configure(&s, &conf);
	slu_iostart_link(&s, true, 1);
	slu_iostart_taught(&s);
	ck_assert(!slu_iostart_forget_servers(&s, 1000000)); /* never heard */
	expect_line(&s, 100,
		    "no job is held back: IOBandwidth=auto is not "
		    "known");
	slu_iostart_reached(&s, &said, 100);
	ck_assert_uint_eq(use_of(&s).silent, 2);
	expect_line(&s, 100, "no job is held back: all Lustre targets are");
	said.degraded = 0;
	slu_iostart_reached(&s, &said, 100);
	ck_assert_double_eq(use_of(&s).capacity, 900);
	ck_assert_int_eq(use_of(&s).unheard, 0);
	ck_assert(!slu_iostart_forget_servers(&s, 86500));
	slu_iostart_use(&s, 86500, &use);
	ck_assert_int_eq(use.unheard, 100);
	ck_assert_double_eq(use.capacity, 900);
	expect_line(&s, 86500, "no Lustre server has reported since 1970");
	ck_assert(slu_iostart_forget_servers(&s, 86501));
	ck_assert(!slu_iostart_forget_servers(&s, 86502)); /* told once */
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	ck_assert_double_eq(use_of(&s).capacity, 0);
	slu_iostart_fini(&s);
}
END_TEST

/* What servers said is of a controller's time: one that is active again goes by
 * what they say then. */
START_TEST(test_servers_of_before)
{
	struct slu_io_capacity said = {.capacity = 900,
				       .held = 900,
				       .targets = 10,
				       .scope = SLU_IO_READ | SLU_IO_WRITTEN};
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	struct slu_iostart s;

	conf.io[0].bandwidth = SLU_IO_AUTO;
	slu_iostart_init(&s);
	slu_iostart_configure(&s, &conf);
	slu_iostart_reached(&s, &said, 100);
	slu_iostart_forget(&s); /* another controller has taken over */
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	ck_assert_double_eq(use_of(&s).capacity, 0);
	ck_assert_uint_eq(use_of(&s).targets, 0);
	said.capacity = 0; /* meanwhile another, smaller file system */
	said.held = 100;
	slu_iostart_reached(&s, &said, 1000000);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	teach_runs(&s, 400, 1000000);
	ck_assert_double_eq_tol(use_of(&s).capacity, 190, 10);
	slu_iostart_fini(&s);
}
END_TEST

/* Runs that were in each other's way moved less than they need: that is not
 * learnt as what they need. */
START_TEST(test_busy_runs)
{
	struct slu_job_moved moved = {.job_id = 1};
	struct slu_io_ended run = {.uid = heavy.uid,
				   .name = heavy.name,
				   .nodes = 2,
				   .start = 100,
				   .end = 3700,
				   .read_bytes = 891.0 * 3600 / 3};
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	set_up(&s, SLU_IOSTART_ON);
	slu_iostart_begun(&s, &heavy, 100);
	for (int64_t t = 100; t <= 3700; t += 30) {
		moved.read_bytes = 995.0 * (double)(t - 100);
		slu_iostart_measured(&s, &moved, 1, t);
	}
	for (int i = 0; i < 20; i++)
		slu_iostart_learn(&s, &run);
	ck_assert(asks(&s, 2, 3701, why));
	ck_assert_msg(strstr(why, "this one needs 89"), "%s", why);
	run.start += 7200; /* when it was not busy, as far as is known */
	run.end += 7200;
	for (int i = 0; i < 20; i++)
		slu_iostart_learn(&s, &run);
	slu_iostart_ended(&s, 1);
	slu_iostart_begun(&s, &heavy, 11000);
	ck_assert(!asks(&s, 2, 11001, why));
	slu_iostart_fini(&s);
}
END_TEST

/* A random part in the file system "home", some of which is not known to be
 * there. */
static double say_shares(uint64_t *seed, char *text, size_t size)
{
	double home = 1 + (double)slu_random(seed, 600000);
	double other = (double)slu_random(seed, 2) * 4000000;
	double unknown = (double)slu_random(seed, 2) * 200000;

	snprintf(text, size, "home %.0f 0 1 0,scratch 0 %.0f 1 0,? %.0f 0 1 9",
		 home, other, unknown);
	return home + unknown;
}

/* One that counts a file system does as one that hears only of that: random
 * histories of runs, starts, measurements and ends. */
START_TEST(test_file_system_alone)
{
	struct slu_conf conf = conf_of(SLU_IOSTART_ON), named = conf;
	struct slu_iostart both[2], *home = &both[0], *alone = &both[1];
	char name[16], shares[100], why[2][SLU_IOSTART_WHY];
	uint64_t seed = 11;
	int64_t now = 100000;
	int waited = 0;

	strcpy(named.io[0].fs, "home");
	for (struct slu_iostart *s = both; s < both + 2; s++) {
		slu_iostart_init(s);
		slu_iostart_configure(s, s == home ? &named : &conf);
		slu_iostart_link(s, true, 1);
		slu_iostart_taught(s);
	}
	for (int i = 0; i < 3000; i++, now += 20) {
		double bytes = say_shares(&seed, shares, sizeof(shares));
		bool known = slu_random(&seed, 4);
		struct slu_io_job job = {
			.job_id = 1 + (uint32_t)slu_random(&seed, 20),
			.nodes = 1,
			.name = name,
			.seconds = 3600};
		struct slu_io_ended run = {.name = name,
					   .nodes = 1,
					   .start = now - 3600,
					   .end = now,
					   .read_bytes = bytes};
		struct slu_job_moved moved = {.job_id = job.job_id,
					      .read_bytes = bytes};
		uint64_t what = slu_random(&seed, 4);
		bool waits[2];

		app_name(slu_random(&seed, 5), name);

		for (struct slu_iostart *s = both; s < both + 2; s++) {
			size_t k = (size_t)(s - both);

			run.by_fs = known && s == home ? shares : NULL;
			moved.by_fs = (char *)(uintptr_t)run.by_fs;
			if (what == 0)
				slu_iostart_learn(s, &run);
			else if (what == 1)
				slu_iostart_begun(s, &job, now);
			else if (what == 2)
				slu_iostart_measured(s, &moved, 1, now);
			else
				slu_iostart_ended(s, job.job_id);
			job.job_id += 100;
			waits[k] = slu_iostart_waits(s, &job, now, why[k]);
			slu_iostart_ended(s, job.job_id);
			job.job_id -= 100;
		}
		ck_assert(waits[0] == waits[1]);
		waited += waits[0];
		ck_assert_double_eq(use_of(home).demand, use_of(alone).demand);
		if (waits[0])
			ck_assert_ptr_nonnull(
				strstr(why[0], " of the home file system: "));
	}
	expect(waited > 100 && waited < 2900, "%d", waited);
	for (struct slu_iostart *s = both; s < both + 2; s++)
		slu_iostart_fini(s);
}
END_TEST

/* Servers' capacity is of the file system that they name; and a run that is
 * known to have moved nothing there is learnt. */
START_TEST(test_file_system)
{
	struct slu_io_capacity said = {.capacity = 9e5,
				       .targets = 10,
				       .scope = SLU_IO_READ | SLU_IO_WRITTEN};
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	conf.io[0].bandwidth = SLU_IO_AUTO;
	strcpy(conf.io[0].fs, "home");
	slu_iostart_init(&s);
	ck_assert(slu_iostart_configure(&s, &conf));
	ck_assert(!slu_iostart_configure(&s, &conf));
	slu_iostart_link(&s, true, 1);
	slu_iostart_reached(&s, &said, 100);
	said.fs = (char *)(uintptr_t) "scratch";
	slu_iostart_reached(&s, &said, 100);
	ck_assert_double_eq(use_of(&s).capacity, 0);
	said.fs = (char *)(uintptr_t) "home";
	said.capacity = 1000;
	slu_iostart_reached(&s, &said, 100);
	ck_assert_double_eq(use_of(&s).capacity, 1000);
	ck_assert_ptr_null(use_of(&s).fs);
	teach(&s, NULL);
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(asks(&s, 2, 101, why));
	expect_line(&s, 101, "IOStart=on, home: 1 jobs wait; ");
	for (int run = 0; run < 20; run++)
		slu_iostart_learn(&s, &(struct slu_io_ended){
					      .uid = heavy.uid,
					      .name = heavy.name,
					      .nodes = 2,
					      .end = 3600,
					      .read_bytes = 1e9,
					      .by_fs = "scratch 1000 0 1 0"});
	ck_assert(!asks(&s, 2, 102, why));
	strcpy(conf.io[0].fs, "scratch"); /* its name changes: learnt anew */
	ck_assert(slu_iostart_configure(&s, &conf));
	slu_iostart_fini(&s);
}
END_TEST

TEST_MAIN("iostart", test_file_system, test_file_system_alone, test_busy_runs,
	  test_auto, test_metadata_auto, test_held, test_silent_servers,
	  test_servers_of_before, test_histories, test_half_read, test_advise,
	  test_reports, test_wait_noted_before_a_restart, test_clock,
	  test_gives_back, test_nothing_is_not_measured,
	  test_only_scoped_io_counts)
