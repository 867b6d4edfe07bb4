/* checker.h - checks that a certificate proves a schedule, independently of libordo. */
#ifndef ORDO_TOOLS_CHECKER_CHECKER_H
#define ORDO_TOOLS_CHECKER_CHECKER_H

#include <stdbool.h>
#include <stddef.h>

enum verdict { ACCEPTED = 0, REJECTED = 1, UNREADABLE = 3 };

/* A text and its size, and the descriptor of its folder, or -1. */
struct document {
	const char *text;
	size_t size;
	int folder;
};

/* The report states what was proved, or why not. */
enum verdict check_certificate(
	const struct document *schedule, const struct document *certificate, char report[256]);

/* The bytes of an ordinary file, malloc'd; NULL: there is none, it is a link that is not to be
 * followed, or it cannot be read. */
char *read_file(int folder, const char *name, bool follow, size_t *size);

#endif
