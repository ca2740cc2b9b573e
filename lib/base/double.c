/* SPDX-License-Identifier: MIT */
/*
 * Compute the digits of a number exactly. The number is a fraction of two large
 * integers, and each digit is the integer part of ten times the rest after the
 * last digit (Steele and White).
 */
#include "base/double.h"

#include "base/macros.h"
#include "base/put.h"

#define MANTISSA_BITS 52
#define HIDDEN_BIT (UINT64_C(1) << MANTISSA_BITS)
#define EXPONENT_BIAS (1023 + MANTISSA_BITS)

#define FEW 15
#define MANY 17
#define TEN_TO_16 UINT64_C(10000000000000000)

/*
 * A large integer, least significant word first, without zeros at the end. The
 * largest is 5^324 times 2^53, shifted to a whole word and times 20: 843 bits.
 */
#define WORDS 28
struct big {
	unsigned int len;
	uint32_t word[WORDS];
};

/*
 * The number is top / below * 10^exponent, 1 <= top / below < 10, and the next
 * larger number is larger by step / below * 10^exponent.
 */
struct fraction {
	struct big top, below, step;
	int exponent;
};

struct decimal {
	uint64_t digits;
	int exponent; /* the exponent of ten of the first digit */
	int nr;
};

static void set_big(struct big *b, uint32_t value)
{
	b->len = 1;
	b->word[0] = value;
}

static void push_carry(struct big *b, uint64_t carry)
{
	if (carry && b->len < WORDS)
		b->word[b->len++] = (uint32_t)carry;
}

static void multiply_big(struct big *b, uint32_t by)
{
	uint64_t carry = 0;
	unsigned int i;

	for (i = 0; i < b->len; i++) {
		carry += (uint64_t)b->word[i] * by;
		b->word[i] = (uint32_t)carry;
		carry >>= 32;
	}
	push_carry(b, carry);
}

static void trim_zeros(struct big *b)
{
	while (b->len && !b->word[b->len - 1])
		b->len--;
}

/* Set *to to *b times by. `to` and `b` may be the same number. */
static void set_product(struct big *to, const struct big *b, uint64_t by)
{
	unsigned __int128 carry = 0;
	unsigned int i;

	for (i = 0; i < b->len; i++) {
		carry += (unsigned __int128)b->word[i] * by;
		to->word[i] = (uint32_t)carry;
		carry >>= 32;
	}
	for (; carry && i < WORDS; carry >>= 32)
		to->word[i++] = (uint32_t)carry;
	to->len = i;
	trim_zeros(to);
}

static void multiply_by_5(struct big *b, unsigned int times)
{
	static const uint32_t power[] = { 1,	   5,	     25,      125,
					  625,	   3125,     15625,   78125,
					  390625,  1953125,  9765625, 48828125,
					  244140625 };

	for (; times >= 13; times -= 13)
		multiply_big(b, 1220703125);
	multiply_big(b, power[times]);
}

static void shift_big(struct big *b, unsigned int bits)
{
	unsigned int words = bits / 32, i;

	multiply_big(b, UINT32_C(1) << bits % 32);
	if (!words || b->len + words > WORDS)
		return;
	for (i = b->len; i--;)
		b->word[i + words] = b->word[i];
	for (i = 0; i < words; i++)
		b->word[i] = 0;
	b->len += words;
}

static int compare_big(const struct big *a, const struct big *b)
{
	unsigned int i;

	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	for (i = a->len; i--;)
		if (a->word[i] != b->word[i])
			return a->word[i] < b->word[i] ? -1 : 1;
	return 0;
}

/* Subtract b * times from a, which is at least as large. */
static void subtract(struct big *a, const struct big *b, uint32_t times)
{
	uint64_t product = 0;
	int64_t rest = 0;
	unsigned int i;

	for (i = 0; i < a->len; i++) {
		if (i < b->len)
			product += (uint64_t)b->word[i] * times;
		rest += (int64_t)a->word[i] - (int64_t)(uint32_t)product;
		a->word[i] = (uint32_t)rest;
		rest >>= 32;
		product >>= 32;
	}
	trim_zeros(a);
}

static void add_big(struct big *a, const struct big *b)
{
	uint64_t carry = 0;
	unsigned int i;

	for (i = 0; i < a->len || i < b->len; i++) {
		carry += i < a->len ? a->word[i] : 0;
		carry += i < b->len ? b->word[i] : 0;
		a->word[i] = (uint32_t)carry;
		carry >>= 32;
	}
	a->len = i;
	push_carry(a, carry);
}

/* Return the integer part of top / below, which is less than 10, and leave the
 * rest in top. `below` has 28 bits in its last word: the estimated digit is
 * right, or one too small. */
static uint32_t take_digit(struct big *top, const struct big *below)
{
	uint32_t digit;

	if (top->len < below->len)
		return 0;
	digit = top->word[below->len - 1] / (below->word[below->len - 1] + 1);
	if (digit)
		subtract(top, below, digit);
	if (compare_big(top, below) < 0)
		return digit;
	subtract(top, below, 1);
	return digit + 1;
}

/* Multiply `below` and `step` by a power of two, so that the last word of
 * `below` has 28 bits. */
static void normalise(struct fraction *f)
{
	uint32_t last = f->below.word[f->below.len - 1];
	unsigned int bits = ((unsigned int)__builtin_clz(last) + 28) % 32;

	shift_big(&f->below, bits);
	shift_big(&f->step, bits);
}

/* Return the exponent of 10 in 2^bits, rounded down. */
static int log10_of(int bits)
{
	return (int)(((int64_t)bits * 315653 - (bits < 0 ? 1048575 : 0)) /
		     1048576);
}

/* Make the fraction of mantissa * 2^exponent; f->exponent is set already. */
static void make_fraction_at(struct fraction *f, uint64_t mantissa,
			     int exponent)
{
	int twos = exponent - f->exponent;

	set_big(&f->step, 1);
	set_big(&f->below, 1);
	if (f->exponent < 0)
		multiply_by_5(&f->step, (unsigned int)-f->exponent);
	else
		multiply_by_5(&f->below, (unsigned int)f->exponent);
	if (twos < 0)
		shift_big(&f->below, (unsigned int)-twos);
	else
		shift_big(&f->step, (unsigned int)twos);
	normalise(f);
	set_product(&f->top, &f->step, mantissa);
}

/* Try the estimated exponent of 10, which may be one too small. */
static void make_fraction(struct fraction *f, uint64_t mantissa, int exponent)
{
	struct big ten;

	f->exponent = log10_of(exponent + 63 - __builtin_clzll(mantissa));
	make_fraction_at(f, mantissa, exponent);
	set_product(&ten, &f->below, 10);
	if (compare_big(&f->top, &ten) < 0)
		return;
	f->exponent++;
	make_fraction_at(f, mantissa, exponent);
}

/* Return the next `nr` digits, not rounded. The fraction keeps the rest. */
static uint64_t take_digits(struct fraction *f, unsigned int nr)
{
	uint64_t digits = take_digit(&f->top, &f->below);

	while (--nr) {
		multiply_big(&f->top, 10);
		digits = digits * 10 + take_digit(&f->top, &f->below);
	}
	return digits;
}

static bool rounds_up(const struct fraction *f, uint64_t digits)
{
	struct big twice;
	int than_half;

	set_product(&twice, &f->top, 2);
	than_half = compare_big(&twice, &f->below);
	return than_half > 0 || (!than_half && digits % 2);
}

/*
 * Return whether the digits `few` read back as the same number: the difference
 * is at most half a step, or less than that if the last bit is odd. Below a
 * power of two, steps are half as long. f: a fraction whose top is the rest
 * after the digits `all`; it is changed.
 */
static bool reads_back(struct fraction *f, uint64_t mantissa, bool is_short,
		       uint64_t few, uint64_t all)
{
	bool is_less = few <= all;
	int than_half;

	set_product(&f->below, &f->below, is_less ? all - few : few - all);
	if (is_less)
		add_big(&f->below, &f->top);
	else
		subtract(&f->below, &f->top, 1);
	multiply_big(&f->below, is_less && is_short ? 4 : 2);
	set_product(&f->step, &f->step, TEN_TO_16);
	than_half = compare_big(&f->below, &f->step);
	return than_half < 0 || (!than_half && mantissa % 2 == 0);
}

static struct decimal find_decimal(uint64_t mantissa, int exponent,
				   bool is_short)
{
	struct fraction f;
	uint64_t all, few, rest;
	bool up;

	make_fraction(&f, mantissa, exponent);
	all = take_digits(&f, MANY);
	few = all / 100;
	rest = all % 100;
	few += rest > 50 || (rest == 50 && (f.top.len || few % 2));
	up = rounds_up(&f, all);
	if (reads_back(&f, mantissa, is_short, few * 100, all))
		return (struct decimal){ few, f.exponent, FEW };
	return (struct decimal){ all + up, f.exponent, MANY };
}

/* Put digits, with a point after the first `before` digits. */
static char *put_digits(char *p, const char *digits, int nr, int before)
{
	int i;

	for (i = 0; i < nr || i < before; i++) {
		if (i == before)
			*p++ = '.';
		*p++ = i < nr ? digits[i] : '0';
	}
	return p;
}

static char *put_exponent(char *p, int exponent)
{
	unsigned int size = (unsigned int)(exponent < 0 ? -exponent : exponent);

	*p++ = 'e';
	*p++ = exponent < 0 ? '-' : '+';
	return size < 100 ? tr2_put_2(p, size) : tr2_put_u64(p, size);
}

static char *put_decimal(char *p, const struct decimal *d)
{
	char text[20];
	int nr = (int)(tr2_put_u64(text, d->digits) - text);
	int exponent = d->exponent + nr - d->nr; /* rounding up may have added a
						  * digit */

	while (nr > 1 && text[nr - 1] == '0')
		nr--;
	if (exponent < -4 || exponent >= d->nr)
		return put_exponent(put_digits(p, text, nr, 1), exponent);
	if (exponent >= 0)
		return put_digits(p, text, nr, exponent + 1);
	p = tr2_put_lit(p, "0.");
	p = put_digits(p, "", 0, -exponent - 1);
	return tr2_put(p, text, (size_t)nr);
}

char *tr2_put_double(char *p, uint64_t bits)
{
	uint64_t mantissa = bits & (HIDDEN_BIT - 1);
	int exponent = (int)(bits >> MANTISSA_BITS & 0x7ff);
	bool is_power = !mantissa && exponent > 1;
	struct decimal decimal;

	if (!tr2_double_is_finite(bits) && mantissa)
		return tr2_put_lit(p, "NaN");
	if (bits >> 63)
		*p++ = '-';
	if (!tr2_double_is_finite(bits))
		return tr2_put_lit(p, "Infinity");
	if (!exponent && !mantissa)
		return tr2_put_lit(p, "0");
	if (exponent)
		mantissa |= HIDDEN_BIT;
	else
		exponent = 1;
	decimal = find_decimal(mantissa, exponent - EXPONENT_BIAS, is_power);
	return put_decimal(p, &decimal);
}
