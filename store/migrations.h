/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORE_MIGRATIONS_H
#define SLU_STORE_MIGRATIONS_H

/*
 * The schema of the database, as the numbered steps that lead to it: step i
 * changes a database from version i to i + 1 (PRAGMA user_version). Released
 * steps are never changed; new ones are added at the end.
 */

#include "store/db.h"

extern const int slu_schema_version; /* what this program writes */

/* Run the steps that are missing, in one transaction. */
int slu_db_migrate(struct slu_db *db, struct slu_err *err);

#endif
