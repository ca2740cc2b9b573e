/* SPDX-License-Identifier: MIT */
/*
 * schema - the version, indexes and views of an SQLite database; its tables are
 * in tables.def.
 */
#ifndef TR2_EXPORT_SQL_SCHEMA_H
#define TR2_EXPORT_SQL_SCHEMA_H

/* In `PRAGMA user_version` and in the table `schema`. It grows if the meaning
 * of existing columns changes, or if a table or a column is added: an older
 * version would leave rows of replaced sessions in a table that it does not
 * know. */
#define TR2_SCHEMA_VERSION 4
/* Databases since this version are upgraded. */
#define TR2_SCHEMA_OLDEST 1
/* `PRAGMA application_id`: "tr2d". */
#define TR2_SCHEMA_APPLICATION 0x74723264

extern const char tr2_schema_indexes[], tr2_schema_views[];
/* Databases before this version had other tables in place of some, from which
 * these are filled. */
#define TR2_SCHEMA_TABLES 3
extern const char tr2_schema_upgrade[];

#endif
