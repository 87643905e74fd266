/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FileSystem=NAME lines. The words behind the name are pairs without blanks;
 * Driver and Default are ours, the others are kept for the driver.
 */
#include "config.h"
#include "common/conf_fs.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/str.h"

#define NAME_CHARS \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

void slu_fs_conf_clear(struct slu_fs_conf *fs)
{
	for (size_t i = 0; i < fs->n_option; i++) {
		free(fs->option[i].key);
		free(fs->option[i].value);
	}
	free(fs->option);
	free(fs->name);
	free(fs->driver);
	*fs = (struct slu_fs_conf){0};
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

static int add_option(struct slu_fs_conf *fs, const char *key,
		      const char *value, struct slu_err *err)
{
	struct slu_option *more =
		realloc(fs->option, (fs->n_option + 1) * sizeof(*more));

	if (!more)
		return no_memory(err);
	fs->option = more;
	more[fs->n_option] = (struct slu_option){strdup(key), strdup(value)};
	if (!more[fs->n_option].key || !more[fs->n_option].value) {
		free(more[fs->n_option].key);
		free(more[fs->n_option].value);
		return no_memory(err);
	}
	fs->n_option++;
	return 0;
}

/* One "key=value" word. */
static int read_pair(struct slu_fs_conf *fs, char *word, struct slu_err *err)
{
	char *value = strchr(word, '=');

	if (!value || value == word || !value[1])
		return slu_err(err, SLU_INVALID, "\"%s\" is not key=value",
			       word);
	*value++ = '\0';
	if (strcasecmp(word, "Default") == 0)
		return read_default(fs, value, err);
	if (strcasecmp(word, "Driver") == 0 ? !!fs->driver
					    : !!slu_fs_option(fs, word, NULL))
		return slu_err(err, SLU_INVALID, "%s is given twice", word);
	if (strcasecmp(word, "Driver") != 0)
		return add_option(fs, word, value, err);
	fs->driver = strdup(value);
	return fs->driver ? 0 : no_memory(err);
}

static int read_words(struct slu_fs_conf *fs, char *words, struct slu_err *err)
{
	char *save, *word = strtok_r(words, " \t", &save);

	if (word[strspn(word, NAME_CHARS)])
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is no name: use letters, digits and _.-",
			       word);
	fs->name = strdup(word);
	if (!fs->name)
		return no_memory(err);
	while ((word = strtok_r(NULL, " \t", &save)))
		if (read_pair(fs, word, err) < 0)
			return -1;
	if (!fs->driver)
		return slu_err(err, SLU_INVALID, "%s has no Driver=", fs->name);
	return 0;
}

/* Does it go together with the lines before? */
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
	struct slu_fs_conf fs = {0}, *more;
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
