/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sources are what a run time may be copied from: the runs of each of the
 * seven classes, the request, usual shares of it (request_shares.c), and the
 * shares that the user's last jobs took of theirs, by what they have in common
 * with this one (attention.c). The weight of a point is the weight of its
 * source times that of its place in the source (the latest first) and of its
 * kind: a run that failed, or reached its request, or is like the one before or
 * after it, or came after one like the last, says more, or less, than others.
 * What weighs the places of the last two sources is in their files.
 *
 * Places and kinds have weights that hold for the site. Sources have five sets
 * of weights: the site's (by how much is known of the job), the same seen
 * through the job's features (gate.c), the user's, that of user and request,
 * and that of user, nodes and request; these three are kept in the classes
 * themselves. The five are mixed in turn, by how many jobs have taught
 * them. Each ended job moves all of these towards whatever would have foretold
 * it, by one step of the EM algorithm for mixtures with a forgetting rate; for
 * that, the classes are looked at as they were when it was submitted. Many that
 * were told the same (issued.c) say little more of the sources than a few do.
 *
 * `level` corrects the distribution: level[i] is the share of it within which
 * a share slu_knot[i] of the jobs has ended lately. Each ended job moves it by
 * a fixed step for having ended below it or not (adaptive conformal inference,
 * Gibbs and Candes 2021), judged by what was said at its submission (issued.c).
 *
 * What belongs to the site are atomic numbers; a reader may see some of them a
 * lesson older than others, which does not matter.
 */
#include <math.h>
#include <stdlib.h>
#include "job_submit/predictor/mixture.h"

static const char *const level_name[LEVELS] = {
	"class", "size", "request", "name", "user", "account", "site"};

const double slu_knot[SLU_VIEW_KNOTS] = {0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99};

/* Of meeting a run; see slu_spread_choice(). */
#define WORTH	      0.2
#define WORTH_LASTING 0.4

static double higher(double a, double b)
{
	return a > b ? a : b;
}

/* The share of the distribution that stands for a share of the jobs: linear
 * between the knots. */
static double level_of(const struct slu_predictor *p, double share)
{
	double x0 = 0, y0 = 0, x1 = 1, y1 = 1;

	for (size_t i = 0; i < SLU_VIEW_KNOTS; i++)
		if (slu_knot[i] <= share) {
			x0 = slu_knot[i];
			y0 = higher(y0, (double)slu_get(&p->level[i]));
		} else {
			x1 = slu_knot[i];
			y1 = (double)slu_get(&p->level[i]);
			break;
		}
	return y0 + (share - x0) / (x1 - x0) * higher(y1 - y0, 0);
}

double slu_predict_quantile(const struct slu_predictor *p,
			    const struct slu_outlook *outlook, double share,
			    double elapsed)
{
	return slu_spread_quantile(&outlook->spread, level_of(p, share),
				   elapsed);
}

static int64_t at_most(int64_t seconds, int64_t asked)
{
	return asked && seconds > asked ? asked : seconds;
}

static int64_t at_least(int64_t seconds, int64_t least)
{
	return seconds < least ? least : seconds;
}

static int64_t careful(const struct slu_predictor *p,
		       const struct slu_spread *spread, int64_t seconds,
		       int64_t asked)
{
	double level = level_of(p, p->quantile), q;

	/* Most often it is the request, or the floor; that is seen at once. */
	if (asked &&
	    slu_spread_below(spread, slu_spread_at((double)asked)) < level)
		return asked;
	if (p->floor &&
	    slu_spread_below(spread, slu_spread_at((double)p->floor)) >= level)
		q = 0;
	else
		q = slu_spread_quantile(spread, level, 0);
	q = fmax(ceil(q), (double)p->floor);
	return at_most(at_least((int64_t)q, seconds), asked);
}

double slu_view_choice(const struct slu_predictor *p,
		       const struct slu_spread *spread)
{
	struct slu_loss loss = {
		.far = (double)slu_get(&p->far),
		.any = {(double)slu_get(&p->near), WORTH},
		.lasting = {(double)slu_get(&p->near_lasting), WORTH_LASTING},
	};

	return slu_spread_choice(spread, &loss);
}

void slu_predict(const struct slu_predictor *p, const struct slu_job *job,
		 struct slu_prediction *out)
{
	int64_t asked = (int64_t)job->limit_asked * 60;
	uint32_t lessons =
		atomic_load_explicit(&p->lessons, memory_order_relaxed);
	struct slu_spread spread;
	struct slu_view v;
	int l = 0;

	slu_view_look(p, job, &v);
	while (l < LEVELS && !v.seen.n[l])
		l++;
	*out = (struct slu_prediction){
		.seconds = asked,
		.careful = asked,
		.from = asked ? "asked" : "none",
	};
	if (l == LEVELS && (!asked || !lessons))
		return;
	slu_view_spread(p, &v, &spread);
	out->seconds = llround(slu_view_choice(p, &spread));
	out->careful = careful(p, &spread, out->seconds, asked);
	out->from = l < LEVELS ? level_name[l] : "shares";
	out->jobs = l < LEVELS ? v.class[l].jobs : lessons;
}

void slu_predict_outlook(const struct slu_predictor *p,
			 const struct slu_job *job, struct slu_outlook *out)
{
	struct slu_view v;

	slu_view_look(p, job, &v);
	slu_view_spread(p, &v, &out->spread);
	for (int l = 0; l < LEVELS; l++)
		out->class[l] = (struct slu_evidence){
			level_name[l], v.class[l].jobs, v.seen.weight[l]};
	out->class[LEVELS] = (struct slu_evidence){"alike", v.seen.n[ATTENDED],
						   v.seen.weight[ATTENDED]};
	out->asked = job->limit_asked * 60;
}

int64_t slu_predict_early(const struct slu_predictor *p,
			  const struct slu_job *job)
{
	struct slu_outlook o;
	int64_t q;

	slu_predict_outlook(p, job, &o);
	q = (int64_t)ceil(slu_predict_quantile(p, &o, SLU_PREDICT_SOON, 0));
	return q > 0 ? at_most(at_least(q, p->floor), o.asked) : 0;
}

/* What is believed before anything has been seen. */
static void begin(struct slu_predictor *p)
{
	static const float first[SLU_VIEW_WIDTH] = {
		[CLASS] = 1,	  [SIZE] = 0.8f,  [REQUEST] = 0.4f,
		[NAME] = 0.05f,	  [USER] = 0.1f,  [ACCOUNT] = 0.05f,
		[SITE] = 0.02f,	  [ASKED] = 0.1f, [SHARES] = 0.1f,
		[ATTENDED] = 0.2f};
	float weight[SLU_VIEW_WIDTH], place[SLU_VIEW_LISTED];

	for (int s = 0; s < SLU_VIEW_WIDTH; s++)
		weight[s] = first[s] / 2.6f;
	for (int i = 0; i < SLU_VIEW_KNOWN; i++)
		slu_store(p->weight[i], weight, SLU_VIEW_KEPT);
	for (int i = 0; i < SLU_VIEW_LISTED; i++)
		place[i] = powf(0.8f, (float)(i % SLU_VIEW_PLACES));
	slu_store(p->place, place, SLU_VIEW_LISTED);
	slu_attention_begin(p);
	for (int s = 0; s < LEVELS; s++)
		for (size_t k = 0; k < SLU_VIEW_KINDS; k++)
			slu_set(&p->kind[s][k], 1);
	for (int i = 0; i < SLU_VIEW_SEASONS; i++)
		for (int m = 0; m < SLU_VIEW_MIXERS; m++)
			slu_set(&p->mix[i][m], 1);
	for (size_t i = 0; i < SLU_VIEW_KNOTS; i++)
		slu_set(&p->level[i], (float)slu_knot[i]);
	slu_said_note_levels(p, 0);
	slu_set(&p->far, 4000);
	slu_set(&p->near, 200);
	slu_set(&p->near_lasting, 800);
}

struct slu_predictor *slu_predictor_new(size_t max_classes, double quantile,
					int64_t floor, struct slu_err *err)
{
	struct slu_predictor *p;

	if (!(quantile > 0.5 && quantile < 1) || floor < 0) {
		slu_err(err, SLU_INVALID, "quantile %g, floor %lld", quantile,
			(long long)floor);
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	if (!p) {
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	p->said = slu_said_new();
	p->rings = slu_rings_new();
	p->shares = slu_shares_new();
	if (p->said && p->rings && p->shares)
		p->classes = slu_classes_new(max_classes, err);
	else
		slu_err(err, SLU_NOMEM, "out of memory");
	if (!p->classes) {
		slu_predictor_free(p);
		return NULL;
	}
	p->quantile = quantile;
	p->floor = floor;
	begin(p);
	return p;
}

void slu_predictor_free(struct slu_predictor *p)
{
	if (p) {
		slu_classes_free(p->classes);
		slu_said_free(p->said);
		slu_rings_free(p->rings);
		slu_shares_free(p->shares);
	}
	free(p);
}
