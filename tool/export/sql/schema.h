/* SPDX-License-Identifier: MIT */
/*
 * schema - the indexes and views of an SQLite database; its tables are in
 * tables.def.
 */
#ifndef TR2_EXPORT_SQL_SCHEMA_H
#define TR2_EXPORT_SQL_SCHEMA_H

/* `PRAGMA application_id`: "tr2d". */
#define TR2_SCHEMA_APPLICATION 0x74723264

extern const char tr2_schema_indexes[], tr2_schema_views[];

#endif
