/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the parser of sluice.conf: a configuration that parses has every value
 * set; an error names the line. */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>
#include "common/conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct slu_err err = {0};
	struct slu_conf *conf;

	must(text != NULL);
	conf = slu_conf_parse(text, "f", &err);
	if (conf) {
		must(conf->database[0] == '/' && conf->daemon_addr[0]);
		must(conf->setup_timeout > 0 && conf->keep_failed >= 0);
		must(!conf->n_fs == !slu_conf_fs(conf, NULL));
	} else {
		must(err.kind == SLU_INVALID && !strncmp(err.text, "f:", 2));
	}
	slu_conf_free(conf);
	free(text);
	return 0;
}
