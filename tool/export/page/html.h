/* SPDX-License-Identifier: MIT */
/*
 * html - declarations that the files of the page for a browser share: html.c,
 * html_rows.c and html_tables.c write the data of the recording, and
 * html_page.c writes the page around the data.
 *
 * The data is JSON: arrays without names of members, so that 100,000 spans take
 * 4 MB. page.def names the places in these arrays. All data goes through
 * tr2_html_add_data(), so that no text of a recording can end the HTML element
 * that contains the data.
 */
#pragma once

#include "export/export.h"

/* One file of tool/export/page, embedded into the program by the Makefile. */
struct tr2_html_part {
	const char *path; /* "tool/export/page/style.css" */
	const char *text;
};

extern const struct tr2_html_part tr2_html_parts[]; /* all files; path NULL ends
						     * the list */

/* Write the page up to the data. title NULL: write the part after the data. */
void tr2_html_half(struct tr2_export *x, const char *title);

/* Append JSON text for the element that contains the data. */
void tr2_html_add_data(struct tr2_buf *b, const char *json, size_t len);

extern const struct tr2_export_format tr2_export_html;
