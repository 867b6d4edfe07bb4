/* kit.c - writes the constants of probe.py. */
#include "kit.h"
#include "probe/answered.h"
#include <inttypes.h>
#include <math.h>
#include <ordo/detail/fail.h>
#include <string.h>

/* probe.py, which the build embeds. */
extern const char kit_program[];

/* The smallest number of f16 that every GPU keeps. */
static const double LEAST_F16 = 0x1p-14;

/* The lines of constants, the first of which is the comment. */
static void print_constants(const struct kit *kit, double one, double large, FILE *out)
{
	fprintf(out, "# What to ask.\nOPERATOR = \"%s\"\nRANKS = %" PRIu32 "\nROOT = %" PRIu32 "\n",
		ordo_operator_facts(kit->problem.op)->name, kit->problem.nrank, kit->problem.root);
	fprintf(out,
		"TYPE = \"%s\"\nONE = float.fromhex(\"%a\")\nLARGE = float.fromhex(\"%a\")\nCOUNTS "
		"= [",
		ordo_type_name(kit->type), one, large);
	for (uint32_t i = 0; i < kit->ncount; i++)
		fprintf(out, "%s%" PRIu64, i ? ", " : "", kit->counts[i]);
	fprintf(out,
		"]  # elements of a block, which is what one rank has of the result\n"
		"PLACES = %" PRIu32 "  # elements of it that are looked at\nREPETITIONS = %" PRIu32
		"\nCOLOURS = %d\n",
		kit->nplace, kit->nrepetition, ANSWERED_COLOURS);
}

bool print_kit(const struct kit *kit, FILE *out, struct ordo_error *error)
{
	double one, large;
	if (kit->type > ORDO_F64)
		return ordo_fail(error, ORDO_USAGE, 0,
			"a kit does not ask about %s; wanted f16, bf16, f32 or f64",
			ordo_type_name(kit->type));
	if (!choose_mask_numbers(ordo_type_facts(kit->type), answered_accumulator(kit->type),
		    kit->problem.nrank, &one, &large, error))
		return false;
	if (kit->type == ORDO_F16 && one < LEAST_F16)
		return ordo_fail(error, ORDO_USAGE, 0,
			"f16 does not carry sums of %" PRIu32
			" ranks, which may be made in f32; wanted bf16, f32 or f64",
			kit->problem.nrank);
	const char *constants = strstr(kit_program, "# What to ask"),
		   *rest = strstr(constants, "\n\n");
	fwrite(kit_program, 1, (size_t)(constants - kit_program), out);
	print_constants(kit, one, large, out);
	fputs(rest + 1, out);
	return true;
}
