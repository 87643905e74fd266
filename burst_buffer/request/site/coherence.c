/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the coherence that a request wants (what a process on one node sees
 * of what another node has written) with what each file system of the site
 * guarantees, and chooses the file system for a request that names none. A
 * driver option that splits files over servers (striped in struct slu_fstype)
 * is refused unless each file is written by one node alone (coherence=private).
 */
#include "config.h"
#include "burst_buffer/request/site/coherence.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "burst_buffer/request/site/fstype.h"
#include "common/str.h"
#include "wire/node.h"

enum slu_coherence slu_coherence_of(const char *driver, const char *said)
{
	const struct slu_fstype *type = slu_fstype_find(driver);
	enum slu_coherence word = slu_coherence_word(said);

	if (word && slu_fstype_has(type, "coherence"))
		return word;
	return type ? type->coherence : SLU_COHERENCE_UNSAID;
}

enum slu_coherence slu_fstype_coherence(const struct slu_fs_conf *fs)
{
	return slu_coherence_of(fs->driver,
				slu_fs_option(fs, "coherence", NULL));
}

enum slu_coherence slu_plan_coherence(const struct slu_plan *plan)
{
	return slu_coherence_of(plan->driver,
				slu_plan_option(plan, "coherence", NULL));
}

static enum slu_coherence most(const struct slu_fs_conf *fs)
{
	return slu_coherence_of(fs->driver, NULL);
}

const struct slu_fs_conf *slu_coherence_fs(const struct slu_conf *conf,
					   enum slu_coherence least,
					   slu_fits_f *fits)
{
	const struct slu_fs_conf *best = NULL;

	for (size_t i = 0; i < conf->n_fs; i++) {
		const struct slu_fs_conf *fs = &conf->fs[i];
		const struct slu_fstype *type = slu_fstype_find(fs->driver);

		if (!type || type->coherence < least || (fits && !fits(type)))
			continue;
		if (fs->is_default)
			return fs;
		if (!best || most(fs) > most(best))
			best = fs;
	}
	return best;
}

static int check_least(const struct slu_request *req,
		       const struct slu_fs_conf *fs,
		       const struct slu_conf *conf, slu_fits_f *fits,
		       struct slu_err *err)
{
	const char *asked = slu_coherence_names[req->coherence];
	const struct slu_fs_conf *other;

	if (req->coherence <= most(fs))
		return 0;
	other = slu_coherence_fs(conf, req->coherence, fits);
	if (!other)
		return slu_err(err, SLU_INVALID,
			       "coherence=%s: %s is %s, and no file system "
			       "here%s gives more",
			       asked, fs->name, slu_coherence_names[most(fs)],
			       fits ? " that can outlive a job" : "");
	return slu_err(err, SLU_INVALID,
		       "coherence=%s: %s is %s; type=%s would be %s", asked,
		       fs->name, slu_coherence_names[most(fs)], other->name,
		       slu_coherence_names[most(other)]);
}

/* The profile's, or the file system's. */
static const char *driver_option(const struct slu_request *req,
				 const struct slu_fs_conf *fs,
				 const struct slu_conf *conf, const char *key)
{
	const struct slu_profile_conf *p =
		req->profile ? slu_conf_profile(conf, req->profile) : NULL;

	for (size_t i = 0; p && i < p->n_option; i++)
		if (!strcasecmp(p->option[i].key, key))
			return p->option[i].value;
	return slu_fs_option(fs, key, NULL);
}

int slu_check_persist_gives(const struct slu_request *req,
			    enum slu_coherence given, struct slu_err *err)
{
	if (req->coherence <= given)
		return 0;
	return slu_err(err, SLU_INVALID,
		       "the persistent buffer %s is %s, not %s as this job "
		       "wants it",
		       req->name, slu_coherence_names[given],
		       slu_coherence_names[req->coherence]);
}

int slu_check_coherence(const struct slu_request *req,
			const struct slu_conf *conf, slu_fits_f *fits,
			struct slu_err *err)
{
	const struct slu_fs_conf *fs = slu_conf_fs(conf, req->fs);
	const struct slu_fstype *type = slu_fstype_find(fs->driver);
	enum slu_coherence given =
		req->coherence ? req->coherence : slu_fstype_coherence(fs);
	const char *pieces;

	if (check_least(req, fs, conf, fits, err))
		return -1;
	pieces = type->striped ? driver_option(req, fs, conf, type->striped)
			       : NULL;
	if (!pieces || given == SLU_COHERENCE_PRIVATE)
		return 0;
	return slu_err(err, SLU_INVALID,
		       "%s=%s of %s breaks a file that two nodes write; "
		       "where each file is written by one node alone, say "
		       "coherence=private",
		       type->striped, pieces, fs->name);
}
