/* units.c - times, bytes and rates as text. */
#include <ordo/units.h>
#include <stdbool.h>
#include <stdio.h>

/* %.4g would write 12345 with an exponent. */
static char *print_number(char out[ORDO_UNITS_SIZE], double number, const char *unit)
{
	snprintf(out, ORDO_UNITS_SIZE, number < 9999.5 ? "%.4g %s" : "%.0f %s", number, unit);
	return out;
}

char *ordo_time_text(char out[ORDO_UNITS_SIZE], double seconds)
{
	if (seconds < 1e-3)
		return print_number(out, seconds < 1e-12 ? 0 : seconds * 1e6, "us");
	if (seconds < 1)
		return print_number(out, seconds * 1e3, "ms");
	return print_number(out, seconds, "s");
}

char *ordo_bytes_text(char out[ORDO_UNITS_SIZE], double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	int unit = 0;
	for (; bytes >= 1024 && unit < 6; unit++)
		bytes /= 1024;
	snprintf(out, ORDO_UNITS_SIZE, unit && bytes < 100 ? "%.4g %s" : "%.0f %s", bytes,
		units[unit]);
	return out;
}

char *ordo_rate_text(char out[ORDO_UNITS_SIZE], double bytes_per_second)
{
	const bool large = bytes_per_second >= 1e8;
	const double rate = bytes_per_second * (large ? 1e-9 : 1e-6);
	const int decimals = rate < 10 ? 2 : rate < 100 ? 1 : 0;
	if (rate < 0.095)
		snprintf(out, ORDO_UNITS_SIZE, "%.2g MB/s", rate < 1e-4 ? 0 : rate);
	else
		snprintf(out, ORDO_UNITS_SIZE, "%.*f %s", decimals, rate, large ? "GB/s" : "MB/s");
	return out;
}
