/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the lines FileSystem=NAME, Profile=NAME and Mover= of sluice.conf.
 * After the name come KEY=VALUE words. This file interprets Driver, Pool and
 * Default; all others are kept as text for the driver, or for the code that
 * applies the profile.
 */
#include "config.h"
#include "common/conf_fs.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/str.h"

#define NAME_CHARS \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

/* A list of pairs, as both kinds of lines have one. */
struct pairs {
	struct slu_option **option;
	size_t *n;
};

static void clear_pairs(struct slu_option *option, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(option[i].key);
		free(option[i].value);
	}
	free(option);
}

void slu_fs_conf_clear(struct slu_fs_conf *fs)
{
	clear_pairs(fs->option, fs->n_option);
	free(fs->name);
	free(fs->driver);
	free(fs->pool);
	*fs = (struct slu_fs_conf){0};
}

void slu_profile_conf_clear(struct slu_profile_conf *profile)
{
	clear_pairs(profile->option, profile->n_option);
	free(profile->name);
	*profile = (struct slu_profile_conf){0};
}

static int read_default(struct slu_fs_conf *fs, const char *value,
			struct slu_err *err)
{
	fs->is_default = strcasecmp(value, "yes") == 0;
	if (fs->is_default || strcasecmp(value, "no") == 0)
		return 0;
	return slu_err(err, SLU_INVALID, "Default: \"%s\" is not yes or no",
		       value);
}

static int no_memory(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "no memory");
}

static int add_option(struct pairs p, const char *key, const char *value,
		      struct slu_err *err)
{
	struct slu_option *more =
		realloc(*p.option, (*p.n + 1) * sizeof(*more));

	if (!more)
		return no_memory(err);
	*p.option = more;
	more[*p.n] = (struct slu_option){strdup(key), strdup(value)};
	if (!more[*p.n].key || !more[*p.n].value) {
		free(more[*p.n].key);
		free(more[*p.n].value);
		return no_memory(err);
	}
	++*p.n;
	return 0;
}

char *slu_conf_cut(char *word, struct slu_err *err)
{
	char *value = strchr(word, '=');

	if (!value || value == word || !value[1]) {
		slu_err(err, SLU_INVALID, "\"%s\" is not key=value", word);
		return NULL;
	}
	*value = '\0';
	return value + 1;
}

static bool has_pair(struct pairs p, const char *key)
{
	for (size_t i = 0; i < *p.n; i++)
		if (strcasecmp((*p.option)[i].key, key) == 0)
			return true;
	return false;
}

static int add_pair(struct pairs p, const char *key, const char *value,
		    struct slu_err *err)
{
	if (has_pair(p, key))
		return slu_err(err, SLU_INVALID, "%s is given twice", key);
	return add_option(p, key, value, err);
}

static int read_once(char **field, const char *key, const char *value,
		     struct slu_err *err)
{
	if (*field)
		return slu_err(err, SLU_INVALID, "%s is given twice", key);
	*field = strdup(value);
	return *field ? 0 : no_memory(err);
}

/* A pair of a FileSystem line. */
static int read_pair(struct slu_fs_conf *fs, char *word, struct slu_err *err)
{
	char *value = slu_conf_cut(word, err);

	if (!value)
		return -1;
	if (strcasecmp(word, "Default") == 0)
		return read_default(fs, value, err);
	if (strcasecmp(word, "Driver") == 0)
		return read_once(&fs->driver, word, value, err);
	if (strcasecmp(word, "Pool") == 0)
		return read_once(&fs->pool, word, value, err);
	return add_pair((struct pairs){&fs->option, &fs->n_option}, word, value,
			err);
}

char *slu_conf_name(char *words, char **save, struct slu_err *err)
{
	char *word = strtok_r(words, " \t", save), *name;

	if (word[strspn(word, NAME_CHARS)]) {
		slu_err(err, SLU_INVALID,
			"\"%s\" is no name: use letters, digits and _.-", word);
		return NULL;
	}
	name = strdup(word);
	if (!name)
		no_memory(err);
	return name;
}

static int read_words(struct slu_fs_conf *fs, char *words, struct slu_err *err)
{
	char *save, *word;

	fs->name = slu_conf_name(words, &save, err);
	if (!fs->name)
		return -1;
	while ((word = strtok_r(NULL, " \t", &save)))
		if (read_pair(fs, word, err) < 0)
			return -1;
	if (!fs->driver)
		return slu_err(err, SLU_INVALID, "%s has no Driver=", fs->name);
	return 0;
}

/* Does it agree with the lines before? */
static int check(const struct slu_conf *conf, const struct slu_fs_conf *fs,
		 struct slu_err *err)
{
	for (size_t i = 0; i < conf->n_fs; i++) {
		if (strcmp(conf->fs[i].name, fs->name) == 0)
			return slu_err(err, SLU_INVALID, "%s is given twice",
				       fs->name);
		if (conf->fs[i].is_default && fs->is_default)
			return slu_err(err, SLU_INVALID,
				       "%s is the default already",
				       conf->fs[i].name);
	}
	return 0;
}

int slu_conf_read_fs(const char *value, void *field, struct slu_err *err)
{
	struct slu_conf *conf = field;
	struct slu_fs_conf fs = {.line = conf->line}, *more;
	char *words = strdup(value);

	if (!words)
		return no_memory(err);
	if (read_words(&fs, words, err) < 0 || check(conf, &fs, err) < 0)
		goto fail;
	more = realloc(conf->fs, (conf->n_fs + 1) * sizeof(*more));
	if (!more) {
		no_memory(err);
		goto fail;
	}
	conf->fs = more;
	conf->fs[conf->n_fs++] = fs;
	free(words);
	return 0;
fail:
	slu_fs_conf_clear(&fs);
	free(words);
	return -1;
}

const struct slu_fs_conf *slu_conf_fs(const struct slu_conf *conf,
				      const char *name)
{
	for (size_t i = 0; i < conf->n_fs; i++)
		if (name ? strcmp(conf->fs[i].name, name) == 0
			 : conf->fs[i].is_default)
			return &conf->fs[i];
	return NULL;
}

const char *slu_fs_option(const struct slu_fs_conf *fs, const char *key,
			  const char *fallback)
{
	for (size_t i = 0; i < fs->n_option; i++)
		if (strcasecmp(fs->option[i].key, key) == 0)
			return fs->option[i].value;
	return fallback;
}

static int read_profile(struct slu_profile_conf *p, char *words,
			struct slu_err *err)
{
	char *save, *word, *value;

	p->name = slu_conf_name(words, &save, err);
	if (!p->name)
		return -1;
	while ((word = strtok_r(NULL, " \t", &save))) {
		value = slu_conf_cut(word, err);
		if (!value || add_pair((struct pairs){&p->option, &p->n_option},
				       word, value, err) < 0)
			return -1;
	}
	return 0;
}

int slu_conf_read_profile(const char *value, void *field, struct slu_err *err)
{
	struct slu_conf *conf = field;
	struct slu_profile_conf p = {.line = conf->line}, *more;
	char *words = strdup(value);

	if (!words)
		return no_memory(err);
	if (read_profile(&p, words, err) < 0)
		goto fail;
	if (slu_conf_profile(conf, p.name)) {
		slu_err(err, SLU_INVALID, "%s is given twice", p.name);
		goto fail;
	}
	more = realloc(conf->profile, (conf->n_profile + 1) * sizeof(*more));
	if (!more) {
		no_memory(err);
		goto fail;
	}
	conf->profile = more;
	conf->profile[conf->n_profile++] = p;
	free(words);
	return 0;
fail:
	slu_profile_conf_clear(&p);
	free(words);
	return -1;
}

const struct slu_profile_conf *slu_conf_profile(const struct slu_conf *conf,
						const char *name)
{
	for (size_t i = 0; i < conf->n_profile; i++)
		if (strcmp(conf->profile[i].name, name) == 0)
			return &conf->profile[i];
	return NULL;
}

/* Which of the two directories a word names, as slu_stage_move() reads it. */
static int mover_word(const char *word, bool given[2], struct slu_err *err)
{
	for (const char *at = word; (at = strchr(at, '%')); at += 2) {
		if (!at[1] || !strchr("sd%", at[1]))
			return slu_err(err, SLU_INVALID,
				       "\"%s\": %% stands only before s, d "
				       "and %%",
				       word);
		given[0] |= at[1] == 's';
		given[1] |= at[1] == 'd';
	}
	return 0;
}

static int mover_words(char *const *words, struct slu_err *err)
{
	bool given[2] = {false, false};

	if (!words[0])
		return slu_err(err, SLU_INVALID,
			       "it names no program: an absolute path, and "
			       "arguments with %%s and %%d, is wanted");
	if (words[0][0] != '/')
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not an absolute path", words[0]);
	for (; *words; words++)
		if (mover_word(*words, given, err) < 0)
			return -1;
	if (!given[0] || !given[1])
		return slu_err(err, SLU_INVALID,
			       "no word has %s, the %s directory",
			       given[0] ? "%d" : "%s",
			       given[0] ? "destination" : "source");
	return 0;
}

/* A program and its arguments, without blanks in them; "%s" and "%d" must be
 * among them. */
int slu_conf_read_mover(const char *value, void *field, struct slu_err *err)
{
	char *copy = strdup(value), *save = NULL, *w;
	char **words = calloc(strlen(value) + 1, sizeof(*words));
	bool whole = copy && words;

	w = whole ? strtok_r(copy, " \t", &save) : NULL;
	for (size_t n = 0; w && whole; w = strtok_r(NULL, " \t", &save))
		whole = (words[n++] = strdup(w)) != NULL;
	free(copy);
	if (!whole)
		no_memory(err);
	else if (mover_words(words, err) == 0) {
		*(char ***)field = words;
		return 0;
	}
	slu_strv_free(words);
	return -1;
}
