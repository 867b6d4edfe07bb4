/* write_kit.h - `ordo probe --kit`. */
#ifndef ORDO_TOOLS_PROBE_KIT_WRITE_KIT_H
#define ORDO_TOOLS_PROBE_KIT_WRITE_KIT_H

#include "cli/sizes.h"

struct kit_options {
	const char *folder;
	uint32_t ranks, root, places, repetitions;
	struct size_range sizes;
	enum ordo_type type;
};
#define USUAL_KIT                                                                                  \
	{                                                                                          \
		.places = 64, .repetitions = 3, .sizes = {                                         \
			UNSET_SIZE,                                                                \
			UNSET_SIZE,                                                                \
			UNSET_SIZE,                                                                \
			UNSET_SIZE                                                                 \
		}                                                                                  \
	}
#define KIT_OPTIONS(kit)                                                                           \
	{"kit", 0, WRITTEN, &(kit).folder, "FOLDER",                                               \
		"write a program for torch.distributed that probes another machine"},              \
		{"ranks", 'n', NUMBER, &(kit).ranks, "N", "kit: the number of ranks"},             \
		{"root", 'r', NUMBER, &(kit).root, "R", "kit, for Reduce: the root (0)"},          \
		{"size", 0, SIZE, &(kit).sizes.begin, "SIZE",                                      \
			"kit: bytes of a rank's larger buffer; with --end the first (1KiB)"},      \
		{"end", 'e', SIZE, &(kit).sizes.end, "SIZE", "the largest (4MiB)"},                \
		{"factor", 'f', COUNT, &(kit).sizes.factor, "N",                                   \
			"each size is N times the one before (16)"},                               \
		{"places", 0, POSITIVE, &(kit).places, "N",                                        \
			"kit: elements of a block to look at (64)"},                               \
	{                                                                                          \
		"repeat", 0, POSITIVE, &(kit).repetitions, "N",                                    \
			"kit: repeat every run N times (3)"                                        \
	}

/* The operand is the operator; without, AllReduce. Returns the exit code. */
int write_kit(struct call *call, const struct kit_options *options);

#endif
