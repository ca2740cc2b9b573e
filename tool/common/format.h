/* SPDX-License-Identifier: MIT */
/*
 * format - the formats of a command's output.
 */
#ifndef TR2_COMMON_FORMAT_H
#define TR2_COMMON_FORMAT_H

enum tr2_format {
	TR2_FORMAT_TEXT,
	TR2_FORMAT_JSON,
	TR2_FORMAT_CSV,
	TR2_FORMAT_MARKDOWN,
	TR2_FORMAT_PAGE /* of report --html; no option selects it */
};

#endif
