/* fuzz_topology_xml.c - any text as a machine in XML: what is read can be drawn as a topology, of
 * one server or two, or the refusal says why. */
#include "topology_xml/machine.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void demand(bool truth, const char *sentence)
{
	if (truth)
		return;
	fprintf(stderr, "not true: %s\n", sentence);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct ordo_error error = {0};
	for (uint32_t servers = 1; servers <= 2; servers++) {
		struct machine *machine =
			machine_read_text((const char *)text, size, "fuzz", &error);
		if (!machine) {
			demand(error.line && error.column, "a refusal names its place");
			return 0;
		}
		const struct machine_options options = {.servers = servers};
		struct ordo_topology *topology = machine_topology(machine, &options, &error);
		demand(topology || error.text[0], "there is a topology, or a reason");
		demand(!topology || topology->nrank % servers == 0, "servers are alike");
		ordo_topology_destroy(topology);
		machine_destroy(machine);
	}
	return 0;
}
