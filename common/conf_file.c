/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses sluice.conf into struct slu_conf. Lines are read in order, and the
 * line of each key is remembered for messages, each of which begins with
 * FILE:LINE. Keys without a line get their defaults at the end.
 */
#include "config.h"
#include "common/conf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/conf_fs.h"
#include "common/file.h"
#include "common/str.h"

struct parser {
	struct slu_conf *conf;
	const char *file;
	int line;
	int given[SLU_CONF_KEYS_MAX]; /* line where each key stood, 0: nowhere
				       */
};

static int unknown_key(const char *key, struct slu_err *err)
{
	const char *names[SLU_CONF_KEYS_MAX + 1] = {0}, *nearest;

	for (int i = 0; slu_conf_keys[i].name; i++)
		names[i] = slu_conf_keys[i].name;
	nearest = slu_nearest(key, names);
	if (nearest)
		return slu_err(err, SLU_INVALID,
			       "unknown key %s; did you mean %s?", key,
			       nearest);
	return slu_err(err, SLU_INVALID, "unknown key %s", key);
}

static int key_index(const char *key)
{
	for (int i = 0; slu_conf_keys[i].name; i++)
		if (strcasecmp(slu_conf_keys[i].name, key) == 0)
			return i;
	return -1;
}

static int read_key(struct parser *p, const struct slu_conf_key *key,
		    const char *value, struct slu_err *err)
{
	if (key->read(value, (char *)p->conf + key->offset, err) < 0)
		return slu_err_prefix(err, "%s", key->name);
	return 0;
}

/* One line that is neither empty nor a comment. */
static int read_line(struct parser *p, char *line, struct slu_err *err)
{
	char *value = strchr(line, '=');
	const struct slu_conf_key *key;
	int i;

	if (!value)
		return slu_err(err, SLU_INVALID, "\"%s\" is not Key=Value",
			       line);
	*value++ = '\0';
	line = slu_trim(line);
	value = slu_trim(value);
	i = key_index(line);
	if (i < 0)
		return unknown_key(line, err);
	key = &slu_conf_keys[i];
	if (p->given[i] && !key->repeats)
		return slu_err(err, SLU_INVALID, "%s was given on line %d",
			       key->name, p->given[i]);
	p->given[i] = p->conf->line = p->line;
	if (!*value)
		return slu_err(err, SLU_INVALID, "%s has no value", key->name);
	return read_key(p, key, value, err);
}

static int read_text(struct parser *p, char *text, struct slu_err *err)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		p->line++;
		line[strcspn(line, "#")] = '\0';
		line = slu_trim(line);
		if (*line && read_line(p, line, err) < 0)
			return slu_err_prefix(err, "%s:%d", p->file, p->line);
	}
	return 0;
}

/* Compute nodes that may be recruited as I/O nodes must be in IONodes. */
static int check_recruits(const struct slu_conf *conf, struct slu_err *err)
{
	for (size_t i = 0; i < conf->recruit_idle.n; i++)
		if (slu_hosts_find(&conf->io_nodes,
				   conf->recruit_idle.name[i]) < 0)
			return slu_err(err, SLU_INVALID,
				       "RecruitIdle: %s is not one of IONodes",
				       conf->recruit_idle.name[i]);
	return 0;
}

static int check_prestage(const struct slu_conf *conf, struct slu_err *err)
{
	if (!conf->prestage_rate)
		return slu_err(err, SLU_INVALID,
			       "PrestageRate: it is at least 1 byte a second; "
			       "PrestageTo=off brings nothing");
	if (conf->prestage && !conf->stage_cache.bytes &&
	    !conf->stage_cache.percent)
		return slu_err(err, SLU_INVALID,
			       "PrestageTo needs StageCache, the room for what "
			       "is brought to nodes");
	return 0;
}

static int fill_in_defaults(struct parser *p, struct slu_err *err)
{
	for (int i = 0; slu_conf_keys[i].name; i++)
		if (!p->given[i] && slu_conf_keys[i].fallback &&
		    read_key(p, &slu_conf_keys[i], slu_conf_keys[i].fallback,
			     err) < 0)
			return slu_err_prefix(err, "%s", p->file);
	if (p->conf->io_start != SLU_IOSTART_OFF && !p->conf->io[0].bandwidth &&
	    !p->conf->io[0].metadata)
		return slu_err(
			err, SLU_INVALID,
			"%s: IOStart needs IOBandwidth, what the file "
			"system can move: auto, or a rate; sysquery iostart "
			"tells what it was seen to (or IOMetadata)",
			p->file);
	if (check_prestage(p->conf, err) < 0 ||
	    check_recruits(p->conf, err) < 0)
		return slu_err_prefix(err, "%s", p->file);
	p->conf->default_said = slu_conf_fs(p->conf, NULL);
	if (p->conf->n_fs && !p->conf->default_said)
		p->conf->fs[0].is_default = true;
	return p->conf->n_pool ? 0 : slu_conf_read_pool("nodes", p->conf, err);
}

bool slu_conf_only_io(const struct slu_conf *conf, const char *node)
{
	return slu_hosts_find(&conf->io_nodes, node) >= 0 &&
	       slu_hosts_find(&conf->recruit_idle, node) < 0;
}

struct slu_conf *slu_conf_parse(const char *text, const char *name,
				struct slu_err *err)
{
	struct parser p = {.file = name, .conf = calloc(1, sizeof(*p.conf))};
	char *copy = strdup(text);

	if (!p.conf || !copy) {
		slu_err(err, SLU_NOMEM, "%s: no memory", name);
		goto fail;
	}
	if (read_text(&p, copy + slu_byte_order_mark(copy), err) < 0 ||
	    fill_in_defaults(&p, err) < 0)
		goto fail;
	free(copy);
	return p.conf;
fail:
	free(copy);
	slu_conf_free(p.conf);
	return NULL;
}

struct slu_conf *slu_conf_load_text(const char *path, struct slu_buf *text,
				    struct slu_err *err)
{
	if (slu_file_read(AT_FDCWD, path, SLU_CONF_MOST, text, err) < 0)
		return NULL;
	if (!text->len)
		slu_err(err, SLU_INVALID,
			"%s is empty; for the defaults write a comment in it",
			path);
	else if (memchr(text->data, '\0', text->len))
		slu_err(err, SLU_INVALID, "%s is not a text file", path);
	else
		return slu_conf_parse(text->data, path, err);
	return NULL;
}

struct slu_conf *slu_conf_load(const char *path, struct slu_err *err)
{
	struct slu_buf text = {0};
	struct slu_conf *conf = slu_conf_load_text(path, &text, err);

	slu_buf_free(&text);
	return conf;
}

void slu_conf_free(struct slu_conf *conf)
{
	if (!conf)
		return;
	for (size_t i = 0; i < conf->n_fs; i++)
		slu_fs_conf_clear(&conf->fs[i]);
	free(conf->fs);
	for (size_t i = 0; i < conf->n_profile; i++)
		slu_profile_conf_clear(&conf->profile[i]);
	free(conf->profile);
	for (size_t i = 0; i < conf->n_pool; i++)
		slu_pool_conf_clear(&conf->pool[i]);
	free(conf->pool);
	for (size_t i = 0; i < conf->n_domain; i++)
		slu_domain_conf_clear(&conf->domain[i]);
	free(conf->domain);
	free(conf->database);
	slu_strv_free(conf->daemon_addr);
	free(conf->control_socket);
	free(conf->slurm_user);
	slu_strv_free(conf->mover);
	free(conf->node_storage);
	free(conf->run_dir);
	slu_strv_free(conf->allow_users);
	slu_strv_free(conf->deny_users);
	slu_hosts_free(&conf->io_nodes);
	slu_hosts_free(&conf->recruit_idle);
	slu_weights_free(&conf->ion_qos_weights);
	slu_weights_free(&conf->ion_account_weights);
	free(conf->job_totals);
	slu_hosts_free(&conf->persistent_nodes);
	slu_hosts_free(&conf->staging_nodes);
	free(conf->performance_table);
	free(conf->mapping_dir);
	free(conf->mapping_program);
	free(conf);
}
