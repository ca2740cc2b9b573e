/* SPDX-License-Identifier: MIT */
/* What the adapter uses of this header of Git; written for the test. */
struct json_writer {
	struct strbuf json;
};
