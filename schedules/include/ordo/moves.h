/* moves.h - programs of moves as documents: `ordo/moves/1`.
 *
 * The document says what moves from where to where, in the order in which one would do it on one
 * machine; it means what running it from top to bottom means. ordo_compile_moves (builder.h) places
 * streams, Notify and Wait, and makes a proved schedule of it. FORMAT.md has the keys.
 */
#ifndef ORDO_MOVES_H
#define ORDO_MOVES_H

#include <ordo/schedule.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One move, 32 bytes: dst = src or dst = dst op src, done by the rank that has src. */
struct ordo_moves_item {
	uint32_t reduces : 1;
	uint32_t src_buffer : 2; /* enum ordo_buffer */
	uint32_t dst_buffer : 2;
	uint32_t phase : 25; /* index into phases, or ORDO_NO_PHASE */
	uint32_t stream;     /* index into streams */
	uint32_t src_rank, src, dst_rank, dst;
	uint32_t count; /* consecutive slots, 1 or more */
	uint32_t line;	/* of the author's source; 0: the document names none */
};

/* The way that a stream of a rank takes over switches. */
struct ordo_moves_way {
	uint32_t rank, stream; /* stream: index into streams */
	const struct ordo_via *via;
};

/* Plain data: read it from any number of threads, change it from one. */
struct ordo_moves {
	struct ordo_problem problem;
	const char *algorithm;
	uint32_t scratch_slots; /* on every rank */

	const char *topology_name;   /* NULL if the document names none */
	const char *topology_digest; /* 32 hex digits; NULL likewise */
	const char *source;	     /* the author's file; NULL: not named */
	const char *extra;	     /* the text of the "x" object; NULL */

	const char **phases; /* [nphase] */
	uint32_t nphase;
	const char **streams; /* [nstream] at least one */
	uint32_t nstream;
	struct ordo_moves_way *ways; /* [nway] */
	uint32_t nway;
	struct ordo_moves_item *items; /* [nitem] in the order of the program */
	uint32_t nitem;

	/* Only if it was read from text; NULL otherwise. */
	const char *file;	   /* the document's name */
	struct ordo_place *places; /* [nitem] */

	/* Private: growth and ownership. */
	size_t item_room, place_room, way_room;
	struct ordo_arena arena;
};

/* Reads a program of moves from a document.
 *
 *   path    a file, or "-" for the standard input
 *   error   filled if the result is NULL, with file, line and column; may be NULL
 *
 * Returns what the caller destroys: it has the form of a program (R1), and its ranks exist (R2).
 * NULL: ORDO_BAD_INPUT, with the rule; or ORDO_ENVIRONMENT, no memory or no such file. */
ORDO_API struct ordo_moves *ordo_moves_read(const char *path, struct ordo_error *error);

/* The same from memory.
 *
 *   text    [size] the document; needs no NUL at the end; not used afterwards
 *   size    bytes of text
 *   name    what messages call the document; copied
 *   error   filled if the result is NULL; may be NULL */
ORDO_API struct ordo_moves *ordo_moves_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error);

/* Writes a program of moves as a document. All of it appears, or nothing.
 *
 *   moves   what to write
 *   path    of the file
 *   error   filled if the result is false; may be NULL
 *
 * The same program gives the same bytes everywhere. false: ORDO_ENVIRONMENT; what was there before
 * is then as it was. */
ORDO_API bool ordo_moves_write(
	const struct ordo_moves *moves, const char *path, struct ordo_error *error);

/* Prints it to a stream.
 *
 *   moves   what to print
 *   out     open for writing
 *   error   filled if the result is false, ORDO_ENVIRONMENT: the stream failed; may be NULL */
ORDO_API bool ordo_moves_print(const struct ordo_moves *moves, FILE *out, struct ordo_error *error);

/* Frees a program that was read.
 *
 *   moves   not used by any thread. NULL: nothing is done */
ORDO_API void ordo_moves_destroy(struct ordo_moves *moves);

/* Is the file a document of this kind? A program that is given the path of a schedule or of moves
 * finds here which of ordo_schedule_read and ordo_moves_read to call. Only the first bytes are
 * read.
 *
 *   path   any. false for "-", folders, devices, pipes, and what cannot be read */
ORDO_API bool ordo_is_moves(const char *path);

#ifdef __cplusplus
}
#endif
#endif
