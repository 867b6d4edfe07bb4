/* options.h - converts the options of a caller to those of this library.
 */
#ifndef ORDO_OPTIONS_H
#define ORDO_OPTIONS_H

#include <ordo/error.h>
#include <stddef.h>

/* Bytes up to and including a member: the size of the options in the version whose last member it
 * was. */
#define ORDO_UP_TO(type, member)                                                                   \
	(offsetof(struct type, member) + sizeof(((struct type *)NULL)->member))

/* Fills options[known] from given[size]: members that the caller lacks are 0, their default; all
 * are if `given` is NULL. false: ORDO_USAGE, the caller sets members that this library lacks. */
bool ordo_options_take(
	void *options, size_t known, const void *given, size_t size, struct ordo_error *error);

#endif
