/* options.c - options of callers compiled for an older or a newer library. */
#include <ordo/options.h>
#include <ordo/version.h>
#include <string.h>

bool ordo_options_take(
	void *options, size_t known, const void *given, size_t size, struct ordo_error *error)
{
	const size_t shared = !given ? 0 : size < known ? size : known;
	if (shared)
		memcpy(options, given, shared);
	memset((unsigned char *)options + shared, 0, known - shared);
	for (size_t i = known; given && i < size; i++)
		if (((const unsigned char *)given)[i]) {
			ordo_fail(error, ORDO_USAGE, 0,
				"options: byte %zu is set, but libordo %s has only %zu bytes of "
				"options",
				i, ORDO_VERSION, known);
			return ordo_hint(error, "the program was compiled for a newer libordo than "
						"the one that runs");
		}
	return true;
}
