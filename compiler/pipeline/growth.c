/* growth.c - laws of growth through two points, the best of which a third point selects.
 *
 * One power, n^a (log n)^b, where lower terms are small; else sums of two terms: all to all beside
 * steps, c n^2 + d n log n, or beside what each rank does once, c n^2 + d n; groups of root n,
 * c n^(3/2) + d n; steps beside what each rank does once, c n log n + d n.
 */
#include "growth.h"
#include <math.h>
#include <stdbool.h>

/* n^power (log n)^logs */
struct term {
	double power, logs;
};
static const struct term sums[][2] = {
	{{2, 0}, {1, 0}}, {{2, 0}, {1, 1}}, {{1.5, 0}, {1, 0}}, {{1, 1}, {1, 0}}};
enum { NSUM = sizeof sums / sizeof *sums };

static double value_of(const struct term *term, double n)
{
	return pow(n, term->power) * (term->logs > 0 ? pow(log(n), term->logs) : 1);
}

/* c g + d h through the first two points, if its greater term grows; else 0. */
static double sum_at(const struct ordo_growth_points *points, const struct term terms[2], double n)
{
	const double g0 = value_of(&terms[0], points->n[0]), g1 = value_of(&terms[0], points->n[1]),
		     h0 = value_of(&terms[1], points->n[0]), h1 = value_of(&terms[1], points->n[1]),
		     c = (points->f[0] * h1 - points->f[1] * h0) / (g0 * h1 - g1 * h0),
		     d = (points->f[0] - c * g0) / h0;
	return c > 0 ? c * value_of(&terms[0], n) + d * value_of(&terms[1], n) : 0;
}

/* c n^a (log n)^b through the first two points, a = 0, 1, 3/2 or 2. */
static double power_at(const struct ordo_growth_points *points, double n)
{
	const double n1 = points->n[1], n2 = points->n[0];
	if (n1 < 2)
		return points->f[0] * n / n2;
	const double slope = log(points->f[0] / points->f[1]) / log(n2 / n1);
	const double power = slope > 1.9 ? 2 : slope > 1.4 ? 1.5 : slope > 0.8 ? 1 : 0;
	const double logs = (slope - power) * log(n2 / n1) / log(log(n2) / log(n1));
	return points->f[0] * pow(n / n2, power) * pow(log(n) / log(n2), logs);
}

/* How far a law is from the third point. */
static double error_of(const struct ordo_growth_points *points, double found)
{
	return found > 0 ? fabs(log(found / points->f[2])) : HUGE_VAL;
}

double ordo_growth(const struct ordo_growth_points *points, double n, bool wants_square)
{
	if (points->count < 2 || points->f[0] <= 0 || points->f[1] <= 0 || n <= points->n[0])
		return 1;
	const bool selects = points->count > 2 && points->f[2] > 0 && points->n[2] >= 2;
	double best = power_at(points, n),
	       least = selects ? error_of(points, power_at(points, points->n[2])) : HUGE_VAL;
	for (int i = 0; i < NSUM && points->n[1] >= 2; i++) {
		const double found = sum_at(points, sums[i], n);
		if (found < points->f[0])
			continue;
		const double error =
			selects ? error_of(points, sum_at(points, sums[i], points->n[2])) : 0;
		if (error < least && (selects || (wants_square && i == 0))) {
			best = found;
			least = error;
		}
	}
	return best / points->f[0];
}
