/* SPDX-License-Identifier: MIT */
/*
 * html - what the two halves of the page for a browser share: html.c walks the
 * recording and makes the data, html_page.c puts the page around it.
 *
 * The data is JSON, in arrays without names so that 100,000 spans are 4 MB;
 * tool/html/data.js gives the places their names. All of it goes through
 * tr2_html_add_data(): no text of a recording can end the element that it
 * stands in.
 */
#ifndef TR2_EXPORT_HTML_H
#define TR2_EXPORT_HTML_H

#include "export/export.h"

/* One file of tool/html, made a part of the program by the Makefile. */
struct tr2_html_part {
	const char *path; /* "tool/html/style.css" */
	const char *text;
};

extern const struct tr2_html_part tr2_html_parts[]; /* ends with NULL */

/* The page down to its data, and what comes after them. */
void tr2_html_open(struct tr2_export *x, const char *title);
void tr2_html_close(struct tr2_export *x);

/* JSON text for the element that the data stands in. */
void tr2_html_add_data(struct tr2_buf *b, const char *json, size_t len);

extern const struct tr2_export_format tr2_export_html;

#endif
