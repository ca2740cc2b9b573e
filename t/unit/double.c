/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text: the same as printf() and strtod() give, for random bits, and
 * without an exception. `double NR [SEED]` tries NR numbers.
 */
#include "base/double.h"
#include "tap.h"

#define NR 200000

/* The flags of exceptions, and the exceptions that are traps. */
#if defined(__x86_64__)
#define FLAGS 0x3fu
#define CALM 0x1f80u
static unsigned int raised(void)
{
	return __builtin_ia32_stmxcsr() & FLAGS;
}

static void take_flags_away(bool trap)
{
	__builtin_ia32_ldmxcsr(trap ? 0 : CALM);
}
#else
static unsigned int raised(void)
{
	return 0;
}

static void take_flags_away(bool trap)
{
}
#endif

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static const char *want_of(uint64_t bits, char text[64])
{
	double value = double_of(bits);

	if ((bits << 1) > UINT64_C(0x7ff) << 53)
		return "NaN";
	if ((bits << 1) == UINT64_C(0x7ff) << 53)
		return bits >> 63 ? "-Infinity" : "Infinity";
	snprintf(text, 64, "%.15g", value);
	if (strtod(text, NULL) != value)
		snprintf(text, 64, "%.17g", value);
	return text;
}

static bool is_the_same(uint64_t bits)
{
	char want[64], got[TR2_DOUBLE_BYTES + 1];
	const char *text = want_of(bits, want);
	unsigned int flags;

	take_flags_away(true);
	*tr2_put_double(got, bits) = '\0';
	flags = raised();
	take_flags_away(false);
	if (!strcmp(got, text) && !flags)
		return true;
	printf("# %016" PRIx64 ": %s, not %s, exceptions %x\n", bits, text, got,
	       flags);
	return false;
}

static void test_classes(void)
{
	static const uint64_t bits[] = {
		0, 1, 2, /* subnormal */
		UINT64_C(0x000fffffffffffff), /* largest of these */
		UINT64_C(0x0010000000000000), /* DBL_MIN */
		UINT64_C(0x7fefffffffffffff), /* DBL_MAX */
		UINT64_C(0x7ff0000000000000), /* infinite */
		UINT64_C(0x7ff0000000000001), /* signalling NaN */
		UINT64_C(0x7ff8000000000000), /* quiet NaN */
		UINT64_C(0x3fb999999999999a), /* 0.1 */
		UINT64_C(0x3ff0000000000000), /* 1 */
		UINT64_C(0x430c6bf526340000), /* 1e15 */
		UINT64_C(0x430c6bf52633fff8), /* just below */
		UINT64_C(0x3f1a36e2eb1c432d), /* 0.0001 */
		UINT64_C(0x3f1a36e2eb1c432c), /* just below */
		UINT64_C(0x44b52d02c7e14af6), /* 1e23, or just below */
		UINT64_C(0x44b52d02c7e14af7),
	};
	unsigned int i, same = 0, nr = sizeof(bits) / sizeof(*bits);

	for (i = 0; i < nr; i++)
		same += is_the_same(bits[i]) +
			is_the_same(bits[i] | UINT64_C(1) << 63);
	IS(same, 2 * nr, "numbers of all classes, of both signs");
}

/* Steps change at powers of two, and the number of digits at those of ten. */
static void test_powers(void)
{
	unsigned int nr = 0, same = 0;
	uint64_t exponent, bits;
	char text[16];
	double ten;
	int i;

	for (exponent = 0; exponent < 0x7ff; exponent++)
		for (i = -2; i <= 2; i++, nr++)
			same += is_the_same((exponent << 52) + (uint64_t)i);
	IS(same, nr, "numbers beside all powers of two");
	for (nr = same = 0, exponent = 0; exponent <= 631; exponent++) {
		snprintf(text, sizeof(text), "1e%d", (int)exponent - 323);
		ten = strtod(text, NULL);
		memcpy(&bits, &ten, sizeof(bits));
		for (i = -2; i <= 2; i++, nr++)
			same += is_the_same(bits + (uint64_t)i);
	}
	IS(same, nr, "numbers beside all powers of ten");
}

static uint64_t seed;

static uint64_t random_bits(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* Any bits, a whole number, or a few digits, as people write. */
static uint64_t random_double(long nr)
{
	uint64_t bits = random_bits();
	char text[48];
	double value;

	if (nr % 3 == 0)
		return bits;
	snprintf(text, sizeof(text), "%ue%d", (unsigned int)bits & 0xffffff,
		 (int)(bits >> 40) % 30 - 15);
	value = nr % 3 == 1 ? (double)(bits >> bits % 64) : strtod(text, NULL);
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void test_random(long nr)
{
	long same = 0, i;

	printf("# seed %" PRIu64 "\n", seed);
	for (i = 0; i < nr && same == i; i++)
		same += is_the_same(random_double(i));
	IS(same, nr, "random numbers");
}

int main(int argc, char **argv)
{
	seed = argc > 2 ? strtoull(argv[2], NULL, 10) :
			  (uint64_t)time(NULL) * 2654435761u + 1;
	test_classes();
	test_powers();
	test_random(argc > 1 ? strtol(argv[1], NULL, 10) : NR);
	return done_testing();
}
