/* SPDX-License-Identifier: MIT */
struct json_writer {
	struct strbuf json;
};
