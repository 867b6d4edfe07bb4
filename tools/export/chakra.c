/* chakra.c - Chakra execution traces, as ASTRA-sim's custom collectives read them.
 *
 * `schedule.R.et` of rank R has a GlobalMetadata and then Nodes, each behind its length. The
 * numbers of fields and types are those of et_def.proto of Chakra (MLCommons); comm_size has 64
 * bits and comm_src, comm_dst and comm_tag have 32, as its reader in C++ takes them. */
#include "formats.h"
#include "wire.h"
#include <inttypes.h>
#include <math.h>

enum { METADATA_VERSION = 1 };
enum {
	NODE_ID = 1,
	NODE_NAME,
	NODE_TYPE,
	NODE_DATA_DEPS = 5,
	NODE_DURATION_MICROS = 7,
	NODE_ATTR = 10
};
enum {
	ATTR_NAME = 1,
	ATTR_INT32_VAL = 7,
	ATTR_INT64_VAL = 9,
	ATTR_UINT64_VAL = 13,
	ATTR_BOOL_VAL = 27
};
enum { COMP_NODE = 4, COMM_SEND_NODE, COMM_RECV_NODE };

struct traces {
	const struct graph *graph;
	uint64_t element_bytes;
	struct message node, attribute, dependences; /* their memory is used again */
	uint64_t rounded;			     /* calculations that last no microsecond */
};

static void put_attribute(struct traces *traces, const char *name, uint32_t field, uint64_t value)
{
	struct message *attribute = &traces->attribute;
	attribute->size = 0;
	put_text(attribute, ATTR_NAME, name);
	put_number(attribute, field, value);
	put_message(&traces->node, NODE_ATTR, attribute);
}

static void put_communication(struct traces *traces, const struct operation *operation)
{
	const bool sends = operation->kind == OPERATION_SEND;
	put_attribute(traces, "comm_size", ATTR_INT64_VAL, operation->bytes);
	put_attribute(
		traces, "comm_src", ATTR_INT32_VAL, sends ? operation->rank : operation->peer);
	put_attribute(
		traces, "comm_dst", ATTR_INT32_VAL, sends ? operation->peer : operation->rank);
	put_attribute(traces, "comm_tag", ATTR_INT32_VAL, operation->tag);
}

static void put_calculation(struct traces *traces, const struct operation *operation)
{
	put_attribute(traces, "num_ops", ATTR_INT64_VAL,
		operation->kind == OPERATION_ADD ? operation->bytes / traces->element_bytes : 0);
	put_attribute(traces, "tensor_size", ATTR_UINT64_VAL, operation->bytes);
}

/* Identifiers begin with 1; dependences are on the same rank. */
static void put_node(struct traces *traces, const struct operation *operation)
{
	const struct graph *graph = traces->graph;
	const bool calculates =
		operation->kind == OPERATION_ADD || operation->kind == OPERATION_COPY;
	char label[LABEL_SIZE];
	put_number(&traces->node, NODE_ID, operation->place + UINT64_C(1));
	put_text(&traces->node, NODE_NAME, operation_label(graph, operation, label));
	put_number(&traces->node, NODE_TYPE,
		calculates			    ? COMP_NODE
		: operation->kind == OPERATION_SEND ? COMM_SEND_NODE
						    : COMM_RECV_NODE);
	traces->dependences.size = 0;
	for (uint32_t i = 0; i < operation->ndependence; i++)
		put_item(&traces->dependences,
			graph->operations[graph->dependences[operation->first_dependence + i]]
					.place +
				UINT64_C(1));
	if (operation->ndependence)
		put_message(&traces->node, NODE_DATA_DEPS, &traces->dependences);
	const double micros = floor(operation->seconds * 1e6 + 0.5);
	if (micros > 0)
		put_number(&traces->node, NODE_DURATION_MICROS, (uint64_t)micros);
	traces->rounded += operation->seconds > 0 && !(micros > 0);
	put_attribute(traces, "is_cpu_op", ATTR_BOOL_VAL, false);
	if (calculates)
		put_calculation(traces, operation);
	else
		put_communication(traces, operation);
}

/* A reader in which nothing happens would never end: then one calculation of nothing. */
static void put_nothing(struct traces *traces)
{
	put_number(&traces->node, NODE_ID, 1);
	put_text(&traces->node, NODE_NAME, "nothing");
	put_number(&traces->node, NODE_TYPE, COMP_NODE);
	put_attribute(traces, "is_cpu_op", ATTR_BOOL_VAL, false);
}

static void write_rank(struct traces *traces, uint32_t rank, FILE *out)
{
	const struct graph *graph = traces->graph;
	const uint32_t first = graph->first_of_rank[rank], end = graph->first_of_rank[rank + 1];
	put_text(&traces->node, METADATA_VERSION, "0.0.4");
	write_message(&traces->node, out);
	for (uint32_t i = first; i < end; i++) {
		put_node(traces, &graph->operations[graph->of_rank[i]]);
		write_message(&traces->node, out);
	}
	if (first == end) {
		put_nothing(traces);
		write_message(&traces->node, out);
	}
}

static bool write_ranks(
	struct traces *traces, struct ordo_atomic_file *folder, struct ordo_error *error)
{
	const uint32_t nrank = traces->graph->schedule->problem.nrank;
	for (uint32_t rank = 0; rank < nrank; rank++) {
		char name[32];
		snprintf(name, sizeof name, "schedule.%" PRIu32 ".et", rank);
		if (!ordo_atomic_open(folder, name, error))
			return false;
		write_rank(traces, rank, folder->out);
		if (traces->node.failed)
			return ordo_fail_memory(error);
		if (!ordo_atomic_close(folder, error))
			return false;
	}
	return true;
}

bool export_chakra(
	struct call *call, const struct exported *exported, struct ordo_atomic_file *folder)
{
	struct graph graph;
	struct traces traces = {.graph = &graph, .element_bytes = ordo_type_size(exported->type)};
	struct ordo_error error;
	const bool worked =
		make_export_graph(&graph, exported, &error) && write_ranks(&traces, folder, &error);
	if (worked)
		report_graph(call, exported, &graph);
	if (worked && traces.rounded)
		note(call,
			"durations are whole microseconds: %" PRIu64
			" calculations of less are 0, for which ASTRA-sim takes 1 ns",
			traces.rounded);
	free_message(&traces.node);
	free_message(&traces.attribute);
	free_message(&traces.dependences);
	free_graph(&graph);
	return worked || refuse_error(call, &error);
}
