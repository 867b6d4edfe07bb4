/* checker.h - does the certificate prove the schedule? It knows nothing of libordo. */
#ifndef ORDO_TOOLS_CHECKER_CHECKER_H
#define ORDO_TOOLS_CHECKER_CHECKER_H

#include <stdbool.h>
#include <stddef.h>

enum verdict { ACCEPTED = 0, REJECTED = 1, UNREADABLE = 3 };

/* A text and its bytes, and the descriptor of the folder it stands in; -1: it stands in none. */
struct document {
	const char *text;
	size_t size;
	int folder;
};

/* report says why not, or what was proved. */
enum verdict check_certificate(
	const struct document *schedule, const struct document *certificate, char report[256]);

/* The bytes of an ordinary file, malloc'd; NULL: there is none, it is a link that is not to be
 * followed, or it cannot be read. */
char *read_file(int folder, const char *name, bool follow, size_t *size);

#endif
