/* topology.c - topologies as canonical JSON. */
#include "members.h"
#include <ordo/atomic_file.h>
#include <ordo/document.h>
#include <string.h>

/* An optional cost, omitted if it is 0. */
static void print_cost(struct ordo_printer *printer, const char *key, double cost)
{
	if (!(cost > 0))
		return;
	ordo_print_key(printer, ", ", key);
	ordo_printer_real(printer, cost);
}

static void print_link(struct ordo_printer *printer, const struct ordo_topology *topology,
	const struct ordo_link *link)
{
	ordo_print_number(printer, "\n  {", "from", link->from);
	ordo_print_number(printer, ", ", "to", link->to);
	const char *class_name = topology->class_names[link->class_name];
	if (strcmp(class_name, "link") != 0)
		ordo_print_string(printer, ", ", "class", class_name);
	ordo_print_key(printer, ", ", "latency_ns");
	ordo_printer_real(printer, link->latency_ns);
	ordo_print_key(printer, ", ", "bandwidth_gbs");
	ordo_printer_real(printer, link->bandwidth_gbs);
	print_cost(printer, "reduce_gbs", link->reduce_gbs);
	ordo_printer_text(printer, link->down ? ", \"down\": true}" : "}");
}

static bool print_topology(
	const struct ordo_topology *topology, FILE *out, const char *name, struct ordo_error *error)
{
	struct ordo_printer printer;
	ordo_printer_begin(&printer, out);
	ordo_print_string(&printer, "{", "schema", "ordo/topology/1");
	ordo_print_string(&printer, ",\n ", "name", topology->name);
	ordo_print_number(&printer, ", ", "ranks", topology->nrank);
	if (topology->nswitch)
		ordo_print_number(&printer, ", ", "switches", topology->nswitch);
	if (topology->ports)
		ordo_print_number(&printer, ", ", "ports", topology->ports);
	if (topology->cores)
		ordo_print_number(&printer, ", ", "cores", topology->cores);
	print_cost(&printer, "task_ns", topology->task_ns);
	print_cost(&printer, "reduce_gbs", topology->reduce_gbs);
	print_cost(&printer, "copy_gbs", topology->copy_gbs);
	print_cost(&printer, "exact_gbs", topology->sum_gbs[ORDO_ACCUMULATE_EXACT]);
	print_cost(&printer, "binned2_gbs", topology->sum_gbs[ORDO_ACCUMULATE_BINNED2]);
	print_cost(&printer, "binned3_gbs", topology->sum_gbs[ORDO_ACCUMULATE_BINNED3]);
	ordo_print_extra(&printer, topology->extra);
	ordo_printer_text(&printer, ",\n \"links\": [");
	for (uint32_t i = 0; i < topology->nlink && !printer.failure; i++) {
		if (i)
			ordo_printer_put(&printer, ",", 1);
		print_link(&printer, topology, &topology->links[i]);
	}
	ordo_printer_text(&printer, topology->nlink ? "\n ]}\n" : "]}\n");
	return ordo_print_end(&printer, name, error);
}

bool ordo_topology_print(const struct ordo_topology *topology, FILE *out, struct ordo_error *error)
{
	return print_topology(topology, out, "", error);
}

bool ordo_topology_write(
	const struct ordo_topology *topology, const char *path, struct ordo_error *error)
{
	struct ordo_atomic_file file;
	if (!ordo_atomic_begin_file(&file, path, error))
		return false;
	bool worked = print_topology(topology, file.out, path, error);
	return ordo_atomic_end(&file, worked, error);
}
