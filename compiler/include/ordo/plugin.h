/* plugin.h - an algorithm in a shared object, for `ordo compile --algorithm ./mine.so` and every
 * other command that takes the name of one.
 *
 * The object defines one symbol, `ordo_plugin`, by the macro ORDO_PLUGIN: the facts that the
 * algorithms of the library have too, and the function that writes the moves (builder.h). It calls
 * no other function of the library, and needs not be linked with it: the command has them.
 *
 *	cc -shared -fPIC $(pkg-config --cflags libordo) mine.c -o mine.so
 *
 * compiler/WRITING.md has an example. What is built is proved as any other schedule.
 */
#ifndef ORDO_PLUGIN_H
#define ORDO_PLUGIN_H

#include <ordo/builder.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the struct below and of all that it is passed; an object of another one is
 * refused. */
#define ORDO_PLUGIN_VERSION 2

/* A parameter, as given behind the path: ./mine.so(radix=4,fold=linear). */
struct ordo_plugin_parameter {
	const char *name;     /* lower-case letters, digits and hyphens; not `map`, not `via` */
	const char *meaning;  /* a line */
	const char *fallback; /* the value if it is left out, as text */
	const char *words;    /* "linear|folded", of which it is one; NULL: it is a number */
	uint32_t least, most; /* of a number */
};

/* Of one plugin, at most. */
#define ORDO_PLUGIN_PARAMETERS 16

/* All but `applicable`, `chunks` and `parameters` are needed. Texts are for people; all that is
 * pointed to lives as long as the process. */
struct ordo_plugin {
	uint32_t version; /* ORDO_PLUGIN_VERSION */
	uint32_t size;	  /* sizeof(struct ordo_plugin) */

	const char *name;	    /* lower-case letters, digits and hyphens; none that there is */
	const char *summary;	    /* a line */
	const char *how;	    /* how it works, a paragraph */
	const char *when;	    /* when to choose it, a paragraph */
	uint32_t operators;	    /* bit (1 << op) for every operator it has */
	const char *ranks;	    /* condition on the number of ranks: "any", "2^k" */
	const char *steps, *volume; /* formulas */
	const char *order;	    /* of the additions: "dyadic", "one a chunk" */
	const char *topologies;	    /* "any with links from rank to rank" */
	const char *source;	    /* of the idea */

	/* [nparameter]; NULL: it has none */
	const struct ordo_plugin_parameter *parameters;
	uint32_t nparameter;

	/* Of all functions: values is [nparameter], each a number, or the place of the word among
	 * those there are, from 0. */

	/* Whether it has a program for a problem, whose chunks_per_block is 0 if none were asked
	 * for. false: why says what is wanted, "ranks: found 6, wanted 2^k" */
	bool (*applicable)(
		const struct ordo_problem *problem, const uint32_t *values, char *why, size_t size);
	/* Chunks of a block where none are asked for. NULL: 1 */
	uint32_t (*chunks)(const struct ordo_problem *problem, const uint32_t *values);
	/* Writes the program; with virtual shards (V != N) as for ordo_compile_program. */
	void (*write)(
		struct ordo_builder *b, const struct ordo_problem *problem, const uint32_t *values);
	/* The longest chain of moves between ranks that each carry on what the one before
	 * brought, and how many chunks the busiest rank sends: costs in closed form use them. */
	uint64_t (*count_steps)(const struct ordo_problem *problem, const uint32_t *values);
	uint64_t (*count_volume)(const struct ordo_problem *problem, const uint32_t *values);
};

/* The name of the symbol, and its definition: ORDO_PLUGIN(.name = "mine", ...); */
#define ORDO_PLUGIN_SYMBOL "ordo_plugin"
#define ORDO_PLUGIN(...)                                                                           \
	extern const struct ordo_plugin ordo_plugin;                                               \
	__attribute__((visibility("default"))) const struct ordo_plugin ordo_plugin = {            \
		.version = ORDO_PLUGIN_VERSION, .size = sizeof(struct ordo_plugin), __VA_ARGS__}

/* Adds an algorithm to those that ordo_compile knows by name. Not while another thread compiles.
 *
 *   plugin   lives as long as the process
 *   error    filled if the result is false; may be NULL
 *
 * Adding the same one again does nothing. false: ORDO_USAGE, another version, something missing, a
 * name that is taken or none, or more than 16 were added. */
ORDO_API bool ordo_plugin_add(const struct ordo_plugin *plugin, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
