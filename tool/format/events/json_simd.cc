/* SPDX-License-Identifier: MIT */
/*
 * json_simd - implement format/events/json.h with simdjson's DOM, which chooses
 * its code for the processor at run time and validates everything. Speed
 * matters less here, since event_json_fast.c takes most lines.
 */
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#define SIMDJSON_EXCEPTIONS 0
/* Leave the choice to the library: implementations for inlining take long to
 * compile. */
#define SIMDJSON_IMPLEMENTATION_ICELAKE 0
#define SIMDJSON_IMPLEMENTATION_HASWELL 0
#define SIMDJSON_IMPLEMENTATION_WESTMERE 0
#include <simdjson.h>

extern "C" {
#include "common/memory.h"
}
#include "format/events/json.h"
#include "format/events/json_skip.h"

namespace dom = simdjson::dom;

struct tr2_json {
	dom::parser parser;
	/* Memory for the words, repaired strings and raw texts of one line. It
	 * does not move while a line is parsed. */
	char *scratch = nullptr;
	size_t used = 0, size = 0;
	/* The value of member number `current`, and where the text of an
	 * earlier member begins. */
	dom::element value;
	size_t current = 0, earlier = 0;
	const char *at = nullptr;
	std::string quoted; /* the line, if a number in it is too large */
};

static const char replacement[] = "\xef\xbf\xbd";

/* Make room for the decoded strings and minified texts of a line: they never
 * need more than this. */
static void make_room(tr2_json *json, size_t len)
{
	size_t want = len * 8 + 4096;

	json->used = 0;
	if (json->size >= want)
		return;
	free(json->scratch);
	json->scratch = static_cast<char *>(tr2_realloc(nullptr, 1, want));
	json->size = want;
}

static void put_text(tr2_json *json, const char *s, size_t n)
{
	if (n > json->size - json->used)
		n = json->size - json->used;
	memcpy(json->scratch + json->used, s, n);
	json->used += n;
}

/* Append a string. Replace a NUL, at which the model's strings would end, by
 * U+FFFD. */
static void put_without_nul(tr2_json *json, std::string_view s)
{
	for (size_t at; (at = s.find('\0')) != s.npos;
	     s.remove_prefix(at + 1)) {
		put_text(json, s.data(), at);
		put_text(json, replacement, 3);
	}
	put_text(json, s.data(), s.size());
}

static tr2_view view_from(tr2_json *json, size_t start)
{
	return tr2_view{ json->scratch + start, json->used - start };
}

static tr2_view string_view_of(tr2_json *json, std::string_view s)
{
	size_t start = json->used;

	if (s.find('\0') == s.npos)
		return tr2_view{ s.data(), s.size() };
	put_without_nul(json, s);
	return view_from(json, start);
}

/* The next functions require valid JSON. */
static const char *skip_space(const char *p)
{
	while (tr2_json_is_space(*p))
		p++;
	return p;
}

/* Return where the value of a member begins. */
static const char *skip_key(const char *p)
{
	return skip_space(skip_space(tr2_json_skip_string(skip_space(p))) + 1);
}

/* Find the current value in the text. Few values are needed as text, so that
 * most lines are parsed without this. */
static std::string_view find_source(tr2_json *json)
{
	const char *from;

	for (; json->earlier < json->current; json->earlier++)
		json->at = 1 + skip_space(
				       tr2_json_skip_value(skip_key(json->at)));
	from = skip_key(json->at);
	return { from, size_t(tr2_json_skip_value(from) - from) };
}

static const char *skip_number(const char *p)
{
	return p + strspn(p, "0123456789+-.eE");
}

/* Append the value with decoded strings, so that redaction sees through
 * escapes. Numbers stay as in the source: simdjson would write other digits. */
static void put_decoded(tr2_json *json, const char *source)
{
	std::string text = simdjson::minify(json->value);
	const char *p = text.c_str(), *from;

	while (*p) {
		source = skip_space(source);
		from = p;
		if (*p == '"') {
			p = tr2_json_skip_string(p);
			source = tr2_json_skip_string(source);
		} else if (*p == '-' || (*p >= '0' && *p <= '9')) {
			p = skip_number(p);
			from = source;
			source = skip_number(source);
			put_text(json, from, source - from);
			continue;
		} else {
			p++;
			source++;
		}
		put_text(json, from, p - from);
	}
}

extern "C" tr2_view tr2_json_source(const tr2_json_value *v)
{
	tr2_json *json = v->json;
	std::string_view source = find_source(json);
	size_t start = json->used;
	const char *p = source.data(), *end = p + source.size(), *from;

	if (source.find('\\') != source.npos) {
		put_decoded(json, p);
		return view_from(json, start);
	}
	while (p < end) {
		for (from = p; p < end && !tr2_json_is_space(*p);)
			p = *p == '"' ? tr2_json_skip_string(p) : p + 1;
		put_text(json, from, p - from);
		p = p < end ? skip_space(p) : end;
	}
	return view_from(json, start);
}

static bool words_of(tr2_json *json, dom::array array, tr2_json_value *out)
{
	size_t start = json->used;

	out->nr = 0;
	for (dom::element e : array) {
		std::string_view s;

		if (e.get(s)) {
			json->used = start;
			return false;
		}
		put_without_nul(json, s);
		put_text(json, "", 1);
		out->nr++;
	}
	out->text = view_from(json, start);
	return true;
}

static int64_t seconds_to_ns(double seconds)
{
	if (seconds >= TR2_JSON_MAX_SECONDS)
		return INT64_MAX;
	if (seconds <= -TR2_JSON_MAX_SECONDS)
		return -INT64_MAX;
	return std::llround(seconds * 1e9);
}

static void value_of(tr2_json *json, dom::element e, tr2_json_value *out)
{
	std::string_view s;

	switch (e.type()) {
	case dom::element_type::STRING:
		out->type = TR2_JSON_STRING;
		s = e.get_string().value_unsafe();
		out->text = string_view_of(json, s);
		break;
	case dom::element_type::INT64:
		out->type = TR2_JSON_INT;
		out->i = e.get_int64().value_unsafe();
		break;
	case dom::element_type::UINT64:
		out->type = TR2_JSON_UINT;
		out->u = e.get_uint64().value_unsafe();
		break;
	case dom::element_type::DOUBLE:
		out->type = TR2_JSON_DECIMAL;
		out->ns = seconds_to_ns(e.get_double().value_unsafe());
		break;
	case dom::element_type::BOOL:
		out->type = TR2_JSON_BOOL;
		out->i = e.get_bool().value_unsafe();
		break;
	case dom::element_type::NULL_VALUE:
		out->type = TR2_JSON_NULL;
		break;
	case dom::element_type::ARRAY:
		out->type = words_of(json, e.get_array().value_unsafe(), out) ?
				    TR2_JSON_WORDS : TR2_JSON_RAW;
		break;
	default:
		out->type = TR2_JSON_RAW;
	}
	if (out->type == TR2_JSON_RAW)
		out->text = tr2_json_source(out);
}

extern "C" tr2_json *tr2_json_new(void)
{
	tr2_json *json = new (std::nothrow) tr2_json;

	tr2_must(json);
	return json;
}

extern "C" void tr2_json_free(tr2_json *json)
{
	if (json)
		free(json->scratch);
	delete json;
}

/* Is the number at p too large for a 64-bit type? A malformed number does not
 * matter: its line is refused anyway. */
static bool is_too_large(const char *p, size_t len)
{
	std::string number(p, len);
	char *end;

	errno = 0;
	if (number.find_first_of(".eE") != number.npos)
		return std::isinf(strtod(number.c_str(), &end));
	if (number[0] == '-')
		strtoll(number.c_str(), &end, 10);
	else
		strtoull(number.c_str(), &end, 10);
	return errno == ERANGE;
}

/* Is this a number by the grammar of JSON? */
static bool is_number(const char *p, const char *end)
{
	p += *p == '-';
	if (*p == '0')
		p++;
	else
		p += strspn(p, "0123456789");
	if (*p == '.' && strspn(p + 1, "0123456789"))
		p += 1 + strspn(p + 1, "0123456789");
	if (*p == 'e' || *p == 'E') {
		p += 1 + (p[1] == '+' || p[1] == '-');
		if (!strspn(p, "0123456789"))
			return false;
		p += strspn(p, "0123456789");
	}
	return p == end;
}

/* Copy a line, and put quotes around the numbers that are too large. So the
 * line's other members, and the number itself, are not lost. false: no number
 * is too large. */
static bool quote_numbers(std::string *out, const char *p, size_t len)
{
	const char *end = p + len, *from;
	bool any = false;

	out->clear();
	for (; p < end; out->append(from, size_t(p - from))) {
		from = p;
		if (*p == '"') {
			for (p++; p < end && *p != '"'; p++)
				p += *p == '\\';
			p = p < end ? p + 1 : end;
		} else if (*p == '-' || (*p >= '0' && *p <= '9')) {
			p = skip_number(p);
			if (p > end || !is_number(from, p) ||
			    !is_too_large(from, size_t(p - from)))
				continue;
			out->append("\"").append(from, size_t(p - from));
			out->append("\"");
			from = p;
			any = true;
		} else {
			p++;
		}
	}
	return any;
}

extern "C" tr2_json_result tr2_json_object(tr2_json *json, const char *text,
					   size_t len,
					   tr2_json_member_fn *member,
					   void *data)
{
	dom::element root;
	dom::object object;
	simdjson::error_code error;

	static_assert(TR2_JSON_PADDING >= simdjson::SIMDJSON_PADDING,
		      "simdjson reads past the end of the text");
	make_room(json, len);
	error = json->parser.parse(text, len, false).get(root);
	tr2_must(error != simdjson::MEMALLOC);
	if (error == simdjson::UTF8_ERROR)
		return TR2_JSON_UTF8;
	if (error == simdjson::NUMBER_ERROR && text != json->quoted.data() &&
	    quote_numbers(&json->quoted, text, len)) {
		len = json->quoted.size();
		json->quoted.append(TR2_JSON_PADDING + 1, '\n');
		return tr2_json_object(json, json->quoted.data(), len, member,
				       data);
	}
	if (error || root.get(object))
		return TR2_JSON_BAD;
	json->at = skip_space(text) + 1;
	json->current = json->earlier = 0;
	for (dom::key_value_pair pair : object) {
		tr2_json_value value = {};

		value.json = json;
		json->value = pair.value;
		value_of(json, pair.value, &value);
		member(data, pair.key.data(), pair.key.size(), &value);
		json->current++;
	}
	return TR2_JSON_OK;
}
