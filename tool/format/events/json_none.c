/* SPDX-License-Identifier: MIT */
/*
 * json_none - replaces json_simd.cc in a build without simdjson.
 */

#include "format/events/json.h"

#ifdef HAVE_SIMDJSON
bool tr2_json_available(void)
{
	return true;
}
#else
bool tr2_json_available(void)
{
	return false;
}

struct tr2_json *tr2_json_new(void)
{
	return NULL;
}

void tr2_json_free(struct tr2_json *json)
{
	(void)json;
}

enum tr2_json_result tr2_json_object(struct tr2_json *json, const char *text,
				     size_t len, tr2_json_member_fn *member,
				     void *data)
{
	(void)json;
	(void)text;
	(void)len;
	(void)member;
	(void)data;
	return TR2_JSON_BAD;
}

struct tr2_view tr2_json_source(const struct tr2_json_value *v)
{
	return v->text;
}
#endif
