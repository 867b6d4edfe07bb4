/* options.h - options as the library knows them, out of options as the caller's headers had them.
 * */
#ifndef ORDO_OPTIONS_H
#define ORDO_OPTIONS_H

#include <ordo/error.h>
#include <stddef.h>

/* Bytes up to and with a member: what options were in the version whose last member it was. */
#define ORDO_UP_TO(type, member)                                                                   \
	(offsetof(struct type, member) + sizeof(((struct type *)NULL)->member))

/* Fills options[known] from given[size]: members that the caller has not are 0, their default; all
 * are if `given` is NULL. false: ORDO_USAGE, for the caller has members that this library has not,
 * and they are not 0. */
bool ordo_options_take(
	void *options, size_t known, const void *given, size_t size, struct ordo_error *error);

#endif
