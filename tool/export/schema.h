/* SPDX-License-Identifier: MIT */
/*
 * schema - the version, indexes and views of an SQLite database; its tables are
 * in tables.def.
 */
#ifndef TR2_EXPORT_SCHEMA_H
#define TR2_EXPORT_SCHEMA_H

/* In `PRAGMA user_version` and in the table `schema`. It grows if the meaning
 * of existing columns changes, or if a table is added: an older version would
 * leave rows of replaced sessions in a table that it does not know. */
#define TR2_SCHEMA_VERSION 2
/* Since this version only tables have been added, which are created if
 * missing. */
#define TR2_SCHEMA_OLDEST 1
/* `PRAGMA application_id`: "tr2d". */
#define TR2_SCHEMA_APPLICATION 0x74723264

extern const char tr2_schema_indexes[], tr2_schema_views[];

#endif
