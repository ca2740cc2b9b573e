/* SPDX-License-Identifier: MIT */
/*
 * schema - what an SQLite database has besides the tables of tables.def.
 */
#ifndef TR2_EXPORT_SCHEMA_H
#define TR2_EXPORT_SCHEMA_H

/* In `PRAGMA user_version` and in the table `schema`. Another meaning of what
 * is there already is a new number; so is a new table, since who does not know
 * it leaves in it what a session has no longer. */
#define TR2_SCHEMA_VERSION 2
/* From this one on, all that is missing are tables: they are made. */
#define TR2_SCHEMA_OLDEST 1
/* `PRAGMA application_id`: "tr2d". */
#define TR2_SCHEMA_APPLICATION 0x74723264

extern const char tr2_schema_indexes[], tr2_schema_views[];

#endif
