/* SPDX-License-Identifier: MIT */
/*
 * html - declarations that both halves of the page for a browser share: html.c,
 * html_rows.c and html_tables.c write the data of the recording, html_page.c
 * the page around it.
 *
 * The data is JSON: arrays without names, so that 100,000 spans take 4 MB.
 * page.def names the places in them. All data goes through tr2_html_add_data(),
 * so that no text of a recording can end the element that contains it.
 */
#pragma once

#include "export/export.h"

/* One file of tool/export/page, embedded into the program by the Makefile. */
struct tr2_html_part {
	const char *path; /* "tool/export/page/style.css" */
	const char *text;
};

extern const struct tr2_html_part tr2_html_parts[]; /* ends with NULL */

/* Write the page up to its data; without a title (NULL), the part after the
 * data. */
void tr2_html_half(struct tr2_export *x, const char *title);

/* Append JSON text for the element that contains the data. */
void tr2_html_add_data(struct tr2_buf *b, const char *json, size_t len);

extern const struct tr2_export_format tr2_export_html;
