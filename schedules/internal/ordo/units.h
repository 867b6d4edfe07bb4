/* units.h - times, bytes and rates as text, with a unit and at most four digits. */
#ifndef ORDO_UNITS_H
#define ORDO_UNITS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Room for each of these texts, with its NUL. */
enum { ORDO_UNITS_SIZE = 32 };

/* `0 us`, `70.5 us`, `3.25 ms`, `12 s`; returns out. seconds >= 0. */
char *ordo_time_text(char out[ORDO_UNITS_SIZE], double seconds);
/* `0 B`, `1.5 MiB`, `1023 KiB`; returns out. bytes >= 0. */
char *ordo_bytes_text(char out[ORDO_UNITS_SIZE], double bytes);
/* `56.7 GB/s`, `850 MB/s` (powers of ten); returns out. bytes_per_second >= 0. */
char *ordo_rate_text(char out[ORDO_UNITS_SIZE], double bytes_per_second);

#ifdef __cplusplus
}
#endif

#endif
