/* version.c - the version of the library. */
#include <ordo/version.h>

const char *ordo_version(void)
{
	return ORDO_VERSION;
}
