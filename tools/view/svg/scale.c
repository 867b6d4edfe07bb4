/* scale.c - a time axis: the position of a time, and the labelled times. */
#include "scale.h"
#include <math.h>
#include <stdio.h>

static const struct {
	double seconds;
	const char *name;
} units[] = {{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}};
enum { NUNIT = sizeof units / sizeof *units };

static int unit_of(double seconds)
{
	int unit = 0;
	while (unit + 1 < NUNIT && seconds >= units[unit + 1].seconds * (1 - 1e-9))
		unit++;
	return unit;
}

/* The smallest 1, 2 or 5 times a power of ten that is not less. */
static double round_up(double number)
{
	const double power = pow(10, floor(log10(number)));
	static const double factors[] = {1, 2, 5, 10};
	int i = 0;
	while (i < 3 && factors[i] * power < number * (1 - 1e-9))
		i++;
	return factors[i] * power;
}

struct scale make_scale(double begin, double end, double left, double right, int nwanted)
{
	struct scale scale = {.begin = begin, .end = end, .left = left, .right = right};
	scale.step = round_up(end > begin ? (end - begin) / nwanted : 1e-9);
	scale.first_tick = (int64_t)ceil(begin / scale.step - 1e-6);
	scale.last_tick = (int64_t)floor(end / scale.step + 1e-6);
	const int unit = unit_of(end);
	scale.unit = units[unit].seconds;
	scale.unit_name = units[unit].name;
	const double digits = -floor(log10(scale.step / scale.unit) + 1e-6);
	scale.decimals = digits > 0 ? (int)digits : 0;
	return scale;
}

double place_on_scale(const struct scale *scale, double seconds)
{
	if (!(scale->end > scale->begin))
		return scale->left;
	return scale->left + (scale->right - scale->left) *
				     ((seconds - scale->begin) / (scale->end - scale->begin));
}

void print_tick(const struct scale *scale, int64_t tick, char *text, size_t size)
{
	snprintf(text, size, "%.*f", scale->decimals, (double)tick * scale->step / scale->unit);
}

void print_duration(double seconds, char *text, size_t size)
{
	const int unit = unit_of(seconds);
	const double number = seconds / units[unit].seconds;
	const int decimals = number < 10 ? 3 : number < 100 ? 2 : number < 1000 ? 1 : 0;
	int length = snprintf(text, size, "%.*f", seconds > 0 ? decimals : 0, number);
	while (seconds > 0 && decimals && length > 0 && (size_t)length < size &&
		text[length - 1] == '0')
		length--;
	if (length > 0 && (size_t)length < size && text[length - 1] == '.')
		length--;
	if (length >= 0 && (size_t)length < size)
		snprintf(text + length, size - (size_t)length, " %s", units[unit].name);
}
