/* passes.c - passes over all Notify and Wait: their memory. */
#include "passes.h"
#include <stdlib.h>
#include <string.h>

bool ordo_passes_open(struct passes *passes, struct verifier *verifier)
{
	const size_t nsignal = verifier->findings.proof->nsignal;
	*passes = (struct passes){.verifier = verifier};
	if (!ordo_list_order(verifier))
		return false;
	passes->lines =
		ordo_array_make((size_t)verifier->schedule->nstream + 1, sizeof *passes->lines, 0);
	/* Signals are balanced, so half of the tasks are Notify. */
	passes->line_of = ordo_array_make(
		(size_t)verifier->queries.norder / 2 + 1, sizeof *passes->line_of, 0);
	passes->sent = ordo_array_make(nsignal + 1, sizeof *passes->sent, 0);
	passes->received = ordo_array_make(nsignal + 1, sizeof *passes->received, 0);
	return passes->lines && passes->line_of && passes->sent && passes->received;
}

void ordo_passes_close(struct passes *passes)
{
	free(passes->lines);
	free(passes->pool);
	free(passes->line_of);
	free(passes->sent);
	free(passes->received);
}

void ordo_passes_begin(struct passes *passes)
{
	const size_t nsignal = passes->verifier->findings.proof->nsignal;
	memset(passes->lines, 0, passes->verifier->schedule->nstream * sizeof *passes->lines);
	memset(passes->sent, 0, nsignal * sizeof *passes->sent);
	memset(passes->received, 0, nsignal * sizeof *passes->received);
	passes->npool = 0;
	passes->free_line = ORDO_NONE;
}
