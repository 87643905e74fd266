/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make_site DB NODES JOBS NOW [TEXT]: writes a database with the simulated data
 * of a site (site.h). */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include "tests/unit/sysquery/site.h"

int main(int argc, char **argv)
{
	struct site site = {0};
	struct slu_err err = {0};
	struct slu_db *db;
	int rc = -1;

	if (argc < 5)
		return 2;
	site.nodes = (uint32_t)atol(argv[2]);
	site.jobs = (uint32_t)atol(argv[3]);
	site.now = atol(argv[4]);
	site.hostile = argc > 5 ? argv[5] : NULL;
	db = slu_db_open(argv[1], SLU_DB_WRITE, &err);
	if (db)
		rc = site_fill(db, &site, &err);
	slu_db_close(db);
	if (rc < 0)
		fprintf(stderr, "make_site: %s\n", err.text);
	return rc < 0;
}
