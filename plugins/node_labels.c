/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets features and comments of I/O nodes: a feature of a fixed set
 * (node_features.c) and, in the comment, the jobs that have the node.
 * Administrators' features and text are not changed; ours come after them.
 */
#include "config.h"
#include "plugins/host.h"

#include <time.h>

#include "common/str.h"
#include "wire/note.h"

#define VOCABULARY "ion_assigned,ion_free,ion_shared"

static bool is_ours(const char *feature)
{
	return !xstrcmp(feature, "ion_assigned") ||
	       !xstrcmp(feature, "ion_free") || !xstrcmp(feature, "ion_shared");
}

/* The words of a comma separated list that are ours, or those that are not;
 * NULL: none. Caller frees with xfree. */
static char *only(const char *features, bool ours)
{
	char *copy = xstrdup(features), *all = NULL, *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		if (*word && is_ours(word) == ours)
			xstrfmtcat(all, "%s%s", all ? "," : "", word);
	xfree(copy);
	return all;
}

/* A comma separated list with `ours` ("" or NULL for none) in the place of our
 * features. Caller frees with xfree. */
static char *with_ours(const char *features, const char *ours)
{
	char *all = only(features, false);

	if (ours && *ours)
		xstrfmtcat(all, "%s%s", all ? "," : "", ours);
	return all;
}

char *slu_node_labels_features(const char *features, const char *before)
{
	char *ours = only(before, true);
	char *all = with_ours(features, ours);

	xfree(ours);
	return all;
}

/* Returns whether that changed anything. */
static bool put_features(char **features, const char *ours)
{
	char *all = with_ours(*features, ours);
	bool changed = xstrcmp(all, *features);

	xfree(*features);
	*features = all;
	return changed;
}

/* The features that a node may have: all of ours for an I/O node. */
static const char *vocabulary(const struct slu_ctl_node_label *mark)
{
	return *mark->feature ? VOCABULARY : "";
}

static void mark_node(node_record_t *node,
		      const struct slu_ctl_node_label *mark)
{
	char *comment;

	if (put_features(&node->features, vocabulary(mark)))
		update_node_avail_features(node->name, node->features,
					   FEATURE_MODE_IND);
	if (put_features(&node->features_act, mark->feature))
		update_node_active_features(node->name, node->features_act,
					    FEATURE_MODE_IND);
	comment = slu_ctl_comment_put(node->comment, mark->comment);
	if (comment) {
		xfree(node->comment);
		node->comment = *comment ? xstrdup(comment) : NULL;
	}
	free(comment);
}

void slu_node_labels_set(void *arg, const struct slu_ctl_node_label *mark,
			 size_t n)
{
	slurmctld_lock_t lock = {
		.conf = READ_LOCK,
		.job = READ_LOCK,
		.node = WRITE_LOCK,
	};
	node_record_t *node;

	(void)arg;
	lock_slurmctld(lock);
	for (size_t i = 0; i < n; i++)
		if ((node = find_node_record2(mark[i].node)))
			mark_node(node, &mark[i]);
	last_node_update = time(NULL);
	unlock_slurmctld(lock);
	schedule_node_save();
}

static bool has_features(const char *features, const char *ours)
{
	char *all = with_ours(features, ours);
	bool same = !xstrcmp(all, features);

	xfree(all);
	return same;
}

static bool is_marked(const node_record_t *node,
		      const struct slu_ctl_node_label *mark)
{
	char *ours = slu_ctl_comment_ours(node->comment);
	bool same = slu_eq(ours, mark->comment);

	free(ours);
	return same && has_features(node->features, vocabulary(mark)) &&
	       has_features(node->features_act, mark->feature);
}

bool slu_node_labels_are_set(void *arg, const struct slu_ctl_node_label *mark,
			     size_t n)
{
	slurmctld_lock_t lock = {.node = READ_LOCK};
	const node_record_t *node;
	bool all = true;

	(void)arg;
	lock_slurmctld(lock);
	for (size_t i = 0; i < n && all; i++)
		if ((node = find_node_record2(mark[i].node)))
			all = is_marked(node, &mark[i]);
	unlock_slurmctld(lock);
	return all;
}
