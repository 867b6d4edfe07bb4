/* fuzz_topology_reader.c - any text as a topology: what is read can be asked, and what is written
 * reads back the same. */
#include <ordo/document.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void demand(bool truth, const char *sentence)
{
	if (truth)
		return;
	fprintf(stderr, "not true: %s\n", sentence);
	abort();
}

static char *print(const struct ordo_topology *topology, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	demand(out && ordo_topology_print(topology, out, NULL) && !fclose(out),
		"what is read can be written");
	return text;
}

/* A link that is up is a way; the last vertices are as good as the first. */
static void demand_links_reach(const struct ordo_topology *topology)
{
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (!link->down && link->from < topology->nrank && link->to < topology->nrank)
			demand(ordo_topology_reaches(topology, link->from, link->to),
				"a link that is up is a way");
	}
	(void)ordo_topology_reaches(topology, 0, topology->nrank - 1);
	(void)ordo_topology_reaches(topology, topology->nrank - 1, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct ordo_error error = {0};
	struct ordo_topology *topology =
		ordo_topology_read_text((const char *)text, size, "fuzz", &error);
	if (!topology) {
		demand(error.rule == 1 && error.line && error.column,
			"a refusal names R1 and its place");
		return 0;
	}
	char digest[33], again_digest[33];
	size_t once_size, twice_size;
	char *once = print(topology, &once_size);
	struct ordo_topology *again = ordo_topology_read_text(once, once_size, "again", NULL);
	demand(again, "what is written can be read");
	char *twice = print(again, &twice_size);
	demand(once_size == twice_size && !memcmp(once, twice, once_size),
		"writing what was written gives the same bytes");
	ordo_topology_digest(topology, digest);
	ordo_topology_digest(again, again_digest);
	demand(!strcmp(digest, again_digest), "the digest survives");
	demand_links_reach(topology);
	free(once);
	free(twice);
	ordo_topology_destroy(topology);
	ordo_topology_destroy(again);
	return 0;
}
