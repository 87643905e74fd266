/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the lines FailureDomain=NAME of sluice.conf: storage servers that fail
 * together.
 */
#include "config.h"
#include "common/conf_fs.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void slu_domain_conf_clear(struct slu_domain_conf *domain)
{
	free(domain->name);
	slu_hosts_free(&domain->servers);
	*domain = (struct slu_domain_conf){0};
}

/* NAME Servers=HOSTLIST */
static int read_words(struct slu_domain_conf *domain, char *words,
		      struct slu_err *err)
{
	char *save, *word, *value;

	domain->name = slu_conf_name(words, &save, err);
	if (!domain->name)
		return -1;
	word = strtok_r(NULL, " \t", &save);
	value = word ? slu_conf_cut(word, err) : NULL;
	if (word && !value)
		return -1;
	if (!word || strcasecmp(word, "Servers") ||
	    strtok_r(NULL, " \t", &save))
		return slu_err(err, SLU_INVALID,
			       "want NAME Servers=HOSTLIST, and nothing else");
	return slu_conf_read_hosts(value, &domain->servers, err);
}

static int add(struct slu_conf *conf, const struct slu_domain_conf *domain,
	       struct slu_err *err)
{
	struct slu_domain_conf *more;

	for (size_t i = 0; i < conf->n_domain; i++)
		if (strcmp(conf->domain[i].name, domain->name) == 0)
			return slu_err(err, SLU_INVALID, "%s is given twice",
				       domain->name);
	for (size_t i = 0; i < domain->servers.n; i++) {
		const char *host = domain->servers.name[i];
		const char *other = slu_conf_domain(conf, host);

		if (other)
			return slu_err(err, SLU_INVALID, "%s is in %s already",
				       host, other);
	}
	more = realloc(conf->domain, (conf->n_domain + 1) * sizeof(*more));
	if (!more)
		return slu_err(err, SLU_NOMEM, "no memory");
	conf->domain = more;
	more[conf->n_domain++] = *domain;
	return 0;
}

int slu_conf_read_domain(const char *value, void *field, struct slu_err *err)
{
	struct slu_domain_conf domain = {0};
	char *words = strdup(value);
	int rc = -1;

	if (!words)
		return slu_err(err, SLU_NOMEM, "no memory");
	if (read_words(&domain, words, err) == 0)
		rc = add(field, &domain, err);
	if (rc < 0)
		slu_domain_conf_clear(&domain);
	free(words);
	return rc;
}

const char *slu_conf_domain(const struct slu_conf *conf, const char *server)
{
	for (size_t i = 0; i < conf->n_domain; i++)
		if (slu_hosts_find(&conf->domain[i].servers, server) >= 0)
			return conf->domain[i].name;
	return NULL;
}
