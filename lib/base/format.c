/* SPDX-License-Identifier: MIT */
/*
 * Read a format as the C library does. A width or precision may be an argument
 * ('*'): only then step over the arguments before it, by their types.
 */
#include "base/format.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum type { NONE, INT, LONG, LLONG, DOUBLE, LDOUBLE, POINTER, UNKNOWN };

/* The most arguments with a position, such as %65$d, that a format may have. */
#define MAX_POSITIONS 64

/* A number in a conversion. */
struct number {
	unsigned int value; /* exact up to TR2_FORMAT_MAX_WIDTH; a larger number
			     * may be reduced, but stays larger than that */
	unsigned int at; /* for `*7$`: 7, the position of the argument; else
			  * 0 */
	bool is_argument;
};

struct conversion {
	unsigned int at; /* for `%7$d`: 7, the position of the argument; else
			  * 0 */
	struct number width, precision;
	enum type type;
	bool is_string, writes;
};

struct arguments {
	va_list ap;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *read_digits(const char *p, unsigned int *value)
{
	for (*value = 0; is_digit(*p); p++)
		if (*value <= TR2_FORMAT_MAX_WIDTH)
			*value = *value * 10 + (unsigned int)(*p - '0');
	return p;
}

/* Read digits, a star, or a star with a position. */
static const char *read_number(const char *p, struct number *number)
{
	const char *end;

	if (*p != '*')
		return read_digits(p, &number->value);
	number->is_argument = true;
	end = read_digits(++p, &number->at);
	if (number->at && *end == '$')
		return end + 1;
	number->at = 0;
	return p;
}

static enum type of_size(size_t bytes)
{
	return bytes > sizeof(long) ? LLONG : bytes > sizeof(int) ? LONG : INT;
}

/* Read the modifier of a conversion, and find the type of an integer with
 * it. */
static const char *read_length(const char *p, enum type *integer,
			       bool *is_long_double)
{
	*integer = INT;
	switch (*p) {
	case 'h':
		return p[1] == 'h' ? p + 2 : p + 1;
	case 'l':
		*integer = p[1] == 'l' ? LLONG : LONG;
		*is_long_double = p[1] == 'l';
		return p[1] == 'l' ? p + 2 : p + 1;
	case 'L':
	case 'q':
		*is_long_double = true;
		*integer = LLONG;
		return p + 1;
	case 'j':
		*integer = of_size(sizeof(intmax_t));
		return p + 1;
	case 'z':
	case 'Z':
		*integer = of_size(sizeof(size_t));
		return p + 1;
	case 't':
		*integer = of_size(sizeof(ptrdiff_t));
		return p + 1;
	default:
		return p;
	}
}

static enum type type_of(char c, enum type integer, bool is_long_double)
{
	if (c && strchr("dioxXubB", c))
		return integer;
	if (c && strchr("fFeEgGaA", c))
		return is_long_double ? LDOUBLE : DOUBLE;
	if (c && strchr("sSpn", c))
		return POINTER;
	if (c == 'c' || c == 'C')
		return INT;
	return c == '%' || c == 'm' ? NONE : UNKNOWN;
}

/* Return whether the conversion writes. An older C library does not know C23's
 * %w32n, and ends the conversion at w. */
static bool writes(const char *p)
{
	if (*p == 'w')
		p += 1 + strspn(p + 1, "f0123456789");
	return *p == 'n';
}

/* Read the conversion after a percent sign. */
static const char *read_conversion(const char *p, struct conversion *c)
{
	bool is_long_double = false;
	enum type integer;
	const char *end;

	memset(c, 0, sizeof(*c));
	end = read_digits(p, &c->at);
	if (c->at && *end == '$')
		p = end + 1;
	else
		c->at = 0;
	p += strspn(p, "-+ #0'I");
	p = read_number(p, &c->width);
	if (*p == '.')
		p = read_number(p + 1, &c->precision);
	p = read_length(p, &integer, &is_long_double);
	c->type = type_of(*p, integer, is_long_double);
	c->is_string = *p == 's' || *p == 'S' || *p == 'm';
	c->writes = writes(p);
	return *p ? p + 1 : p;
}

/* Return whether the width is small enough; a negative width aligns to the
 * left. */
static bool is_width(int value)
{
	return (value < 0 ? 0u - (unsigned int)value : (unsigned int)value) <=
	       TR2_FORMAT_MAX_WIDTH;
}

static bool is_precision(const struct conversion *c, int value)
{
	return c->is_string || value <= (int)TR2_FORMAT_MAX_WIDTH;
}

static bool has_room(const struct conversion *c)
{
	return c->width.value <= TR2_FORMAT_MAX_WIDTH &&
	       (c->is_string || c->precision.value <= TR2_FORMAT_MAX_WIDTH) &&
	       c->at <= TR2_FORMAT_MAX_WIDTH;
}

static void step_over(struct arguments *from, enum type type)
{
	switch (type) {
	case INT:
		(void)va_arg(from->ap, int);
		break;
	case LONG:
		(void)va_arg(from->ap, long);
		break;
	case LLONG:
		(void)va_arg(from->ap, long long);
		break;
	case DOUBLE:
		(void)va_arg(from->ap, double);
		break;
	case LDOUBLE:
		(void)va_arg(from->ap, long double);
		break;
	case POINTER:
		(void)va_arg(from->ap, void *);
		break;
	case NONE:
	case UNKNOWN:
		break;
	}
}

/* Stop at an unknown conversion: after it, the position of a width among the
 * arguments is unknown. */
static bool are_bounded(const char *p, struct arguments *from)
{
	struct conversion c;

	while ((p = strchr(p, '%'))) {
		p = read_conversion(p + 1, &c);
		if (c.width.is_argument && !is_width(va_arg(from->ap, int)))
			return false;
		if (c.precision.is_argument &&
		    !is_precision(&c, va_arg(from->ap, int)))
			return false;
		if (c.type == UNKNOWN)
			return false;
		step_over(from, c.type);
	}
	return true;
}

/* The known types and values of arguments, by their positions from 1. */
struct positions {
	unsigned char type[MAX_POSITIONS + 1];
	int value[MAX_POSITIONS + 1]; /* the values of int arguments */
	unsigned int nr;
};

/*
 * Record the type of the argument at a position. false: the position is
 * missing, is too high, or already has another type.
 */
static bool note_argument(struct positions *all, unsigned int at,
			  enum type type)
{
	if (!at || at > MAX_POSITIONS ||
	    (all->type[at] != NONE && all->type[at] != (unsigned char)type))
		return false;
	all->type[at] = (unsigned char)type;
	if (at > all->nr)
		all->nr = at;
	return true;
}

static bool note_conversion(struct positions *all, const struct conversion *c)
{
	return (!c->width.is_argument ||
		note_argument(all, c->width.at, INT)) &&
	       (!c->precision.is_argument ||
		note_argument(all, c->precision.at, INT)) &&
	       ((c->type == NONE && !c->at) ||
		note_argument(all, c->at, c->type));
}

/* Read the arguments by ascending position. false: the format leaves a position
 * out, or the type at a position is unknown. */
static bool read_positions(struct positions *all, struct arguments *from)
{
	unsigned int at;

	for (at = 1; at <= all->nr; at++)
		if (all->type[at] == INT)
			all->value[at] = va_arg(from->ap, int);
		else if (all->type[at] == NONE || all->type[at] == UNKNOWN)
			return false;
		else
			step_over(from, (enum type)all->type[at]);
	return true;
}

static bool are_positions_safe(const char *fmt, struct arguments *from)
{
	struct positions all = { .nr = 0 };
	struct conversion c;
	const char *p;

	for (p = fmt; (p = strchr(p, '%'));) {
		p = read_conversion(p + 1, &c);
		if (!note_conversion(&all, &c))
			return false;
	}
	if (!read_positions(&all, from))
		return false;
	for (p = fmt; (p = strchr(p, '%'));) {
		p = read_conversion(p + 1, &c);
		if (!is_width(all.value[c.width.at]) ||
		    !is_precision(&c, all.value[c.precision.at]))
			return false;
	}
	return true;
}

bool tr2_format_is_safe(const char *fmt, va_list ap)
{
	bool has_arguments = false, has_positions = false, is_safe = true;
	struct arguments from;
	struct conversion c;
	const char *p = fmt;

	while ((p = strchr(p, '%'))) {
		if (p[1] == 's' || p[1] == 'd' || p[1] == 'u') {
			p += 2;
			continue;
		}
		p = read_conversion(p + 1, &c);
		if (c.writes || !has_room(&c))
			return false;
		has_arguments |= c.width.is_argument || c.precision.is_argument;
		has_positions |= c.at || c.width.at || c.precision.at;
	}
	if (!has_arguments && !has_positions)
		return true;
	va_copy(from.ap, ap);
	is_safe = has_positions ? are_positions_safe(fmt, &from) :
				  are_bounded(fmt, &from);
	va_end(from.ap);
	return is_safe;
}
