/* graph.c - a machine, or copies of it, as a topology.
 *
 * GPUs are ranks. CPUs, PCI bridges with several devices and network cards are switches; a bridge
 * with one device is part of that one's link. CPUs are joined with each other, cards with one
 * network.
 */
#include "machine.h"
#include "rates.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <ordo/suggest.h>
#include <stdlib.h>
#include <string.h>

/* No file has latencies: assumed, as in the topologies that are built in. */
#define PCI_NS 500.0
#define LINK_NS 1000.0
#define NETWORK_NS 2500.0
enum { NVSWITCH = 0x0680, CARD_CLASS = 0x02, SLOWER = 10 };

struct drawing {
	struct machine *machine;
	const struct machine_options *options;
	struct ordo_topology *topology;
	struct ordo_error *error;
	uint32_t *vertex;	 /* [ndevice] of the first server; ORDO_NONE: none of its own */
	uint32_t *nchild;	 /* [ndevice] that lead to a GPU or card in use */
	uint32_t nrank, nswitch; /* of a server */
	uint32_t nvswitch;	 /* vertex, ORDO_NONE: there is none */
	bool has_net;
	double fastest_card;
	double nvswitch_gbs; /* of the preset */
};

/* Its own speed, or that of its PCI link. */
static double card_rate(const struct drawing *d, uint32_t device)
{
	const struct machine_device *card = &d->machine->devices[device];
	const double pci = card->parent == ORDO_NONE ? 0 : d->machine->devices[card->parent].gbs;
	return card->gbs > 0 ? card->gbs : pci > 0 ? pci : USUAL_PCI_GBS;
}

static double pci_of(const struct machine_device *device)
{
	return device->gbs > 0 ? device->gbs : USUAL_PCI_GBS;
}

/* Files that list PCI devices alone have no <net>. */
static bool is_card(const struct drawing *d, uint32_t device)
{
	const struct machine_device *one = &d->machine->devices[device];
	return d->has_net ? one->kind == MACHINE_CARD
			  : one->kind == MACHINE_PCI && one->pci_class >> 8 == CARD_CLASS;
}

static void find_cards(struct drawing *d)
{
	for (uint32_t i = 0; i < d->machine->ndevice; i++)
		d->has_net |= d->machine->devices[i].kind == MACHINE_CARD;
	for (uint32_t i = 0; i < d->machine->ndevice; i++)
		if (is_card(d, i) && card_rate(d, i) > d->fastest_card)
			d->fastest_card = card_rate(d, i);
}

/* Cards that are much slower than the fastest are for management. */
static bool is_used_card(const struct drawing *d, uint32_t device)
{
	return d->options->servers > 1 && is_card(d, device) &&
	       card_rate(d, device) * SLOWER >= d->fastest_card;
}

static bool warn_device(struct drawing *d, uint32_t device, const char *text)
{
	const struct machine_device *of = &d->machine->devices[device];
	return machine_warn(d->machine, of->place, "%.40s: %s", of->busid, text) ||
	       ordo_fail_memory(d->error);
}

/* Marks the way from a device up to its CPU. */
static void mark(struct drawing *d, uint32_t device)
{
	for (uint32_t up = d->machine->devices[device].parent; up != ORDO_NONE;
		up = d->machine->devices[up].parent)
		if (d->nchild[up]++)
			return;
}

static int compare_gpus(
	const struct machine_device *a, uint32_t i, const struct machine_device *b, uint32_t j)
{
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return i < j ? -1 : 1;
}

/* By their ranks, else as the file lists them. */
static bool number_ranks(struct drawing *d)
{
	const struct machine *machine = d->machine;
	for (uint32_t i = 0; i < machine->ndevice; i++) {
		if (machine->devices[i].kind != MACHINE_GPU)
			continue;
		uint32_t before = 0;
		for (uint32_t j = 0; j < machine->ndevice; j++)
			before +=
				j != i && machine->devices[j].kind == MACHINE_GPU &&
				compare_gpus(&machine->devices[j], j, &machine->devices[i], i) < 0;
		d->vertex[i] = before;
		d->nrank++;
		mark(d, i);
	}
	if (d->nrank)
		return true;
	const struct ordo_place begin = {1, 1};
	return machine_fail(machine, begin, d->error,
		"found no GPU: no <gpu>, and no PCI device of class 0x0302, 0x0380 or 0x1200");
}

static bool number_cards(struct drawing *d)
{
	uint32_t ncard = 0;
	for (uint32_t i = 0; i < d->machine->ndevice; i++) {
		if (is_used_card(d, i)) {
			mark(d, i);
			ncard++;
		} else if (d->options->servers > 1 && is_card(d, i) &&
			   !warn_device(d, i, "much slower than the fastest card: left out")) {
			return false;
		}
	}
	const struct ordo_place begin = {1, 1};
	return ncard || d->options->servers < 2 ||
	       machine_fail(
		       d->machine, begin, d->error, "found no network card to join servers by");
}

/* Numbers the switches of a server behind its ranks, counted from 0. */
static void number_switches(struct drawing *d)
{
	for (uint32_t i = 0; i < d->machine->ndevice; i++) {
		const enum machine_kind kind = d->machine->devices[i].kind;
		const bool joins = (kind == MACHINE_CPU && d->nchild[i]) ||
				   (kind == MACHINE_PCI && d->nchild[i] > 1) || is_used_card(d, i);
		if (kind != MACHINE_GPU)
			d->vertex[i] = joins ? d->nswitch++ : ORDO_NONE;
	}
}

/* The vertex of a device of a server. */
static uint32_t vertex_of(const struct drawing *d, uint32_t server, uint32_t device)
{
	const uint32_t servers = d->options->servers;
	return d->machine->devices[device].kind == MACHINE_GPU
		       ? server * d->nrank + d->vertex[device]
		       : servers * d->nrank + server * d->nswitch + d->vertex[device];
}

static bool join(
	struct drawing *d, uint32_t a, uint32_t b, const char *class, double ns, double gbs)
{
	return ordo_topology_add(d->topology, a, b, class, ns, gbs, d->error) &&
	       ordo_topology_add(d->topology, b, a, class, ns, gbs, d->error);
}

/* A device with the first one above that has a vertex: as fast as the slowest link between. */
static bool join_up(struct drawing *d, uint32_t server, uint32_t device)
{
	const struct machine *machine = d->machine;
	const bool is_net = machine->devices[device].kind == MACHINE_CARD;
	uint32_t up = machine->devices[device].parent;
	double gbs = is_net ? card_rate(d, device) : pci_of(&machine->devices[device]);
	if (up == ORDO_NONE)
		return true;
	for (; d->vertex[up] == ORDO_NONE; up = machine->devices[up].parent)
		if (pci_of(&machine->devices[up]) < gbs)
			gbs = pci_of(&machine->devices[up]);
	return join(d, vertex_of(d, server, device), vertex_of(d, server, up), "PCI", PCI_NS, gbs);
}

static bool join_cpus(struct drawing *d, uint32_t server)
{
	const struct machine_device *devices = d->machine->devices;
	double least = 0;
	for (uint32_t a = 0; a < d->machine->ndevice; a++)
		for (uint32_t b = 0; b < a; b++) {
			if (devices[a].kind != MACHINE_CPU || devices[b].kind != MACHINE_CPU ||
				d->vertex[a] == ORDO_NONE || d->vertex[b] == ORDO_NONE)
				continue;
			const double gbs = devices[a].smp_gbs < devices[b].smp_gbs
						   ? devices[a].smp_gbs
						   : devices[b].smp_gbs;
			if (!join(d, vertex_of(d, server, a), vertex_of(d, server, b), "SMP",
				    PCI_NS, gbs))
				return false;
			least = gbs;
		}
	return server || least <= 0 ||
	       machine_warn(d->machine, devices[0].place,
		       "between every two CPUs %g GB/s are assumed: the file does not say it",
		       least) ||
	       ordo_fail_memory(d->error);
}

static uint32_t find_gpu(const struct machine *machine, const char *busid)
{
	for (uint32_t i = 0; i < machine->ndevice; i++)
		if (machine->devices[i].kind == MACHINE_GPU &&
			!strcmp(machine->devices[i].busid, busid))
			return i;
	return ORDO_NONE;
}

/* Why a link is left out; NULL: it is not. */
static const char *refuse_link(const struct drawing *d, const struct machine_link *link)
{
	const uint32_t target = find_gpu(d->machine, link->target);
	if (target == link->gpu)
		return "leads to its own GPU: left out";
	return target == ORDO_NONE && link->target_class != NVSWITCH
		       ? "leads to no GPU of this file: left out"
		       : NULL;
}

static bool is_to_nvswitch(const struct drawing *d, const struct machine_link *link)
{
	return link->target_class == NVSWITCH && find_gpu(d->machine, link->target) == ORDO_NONE;
}

/* Of all links of this GPU to the same place, at the first of them; 0: it is not the first. Files
 * name each NVSwitch. */
static uint32_t count_links(const struct drawing *d, const struct machine_link *link)
{
	const bool to_nvswitch = is_to_nvswitch(d, link);
	uint32_t count = 0;
	for (uint32_t i = 0; i < d->machine->nlink; i++) {
		const struct machine_link *other = &d->machine->links[i];
		if (other->gpu != link->gpu || other->is_xgmi != link->is_xgmi ||
			(to_nvswitch ? !is_to_nvswitch(d, other)
				     : strcmp(other->target, link->target) != 0))
			continue;
		if (other < link)
			return 0;
		count += other->count;
	}
	return count;
}

static bool has_link_back(const struct drawing *d, const struct machine_link *link, uint32_t target)
{
	for (uint32_t i = 0; i < d->machine->nlink; i++) {
		const struct machine_link *other = &d->machine->links[i];
		if (other->gpu == target && other->is_xgmi == link->is_xgmi &&
			find_gpu(d->machine, other->target) == link->gpu)
			return true;
	}
	return false;
}

static bool join_gpus(struct drawing *d, uint32_t server, const struct machine_link *link,
	uint32_t target, double gbs)
{
	const uint32_t from = vertex_of(d, server, link->gpu), to = vertex_of(d, server, target);
	const char *class = link->is_xgmi ? "xGMI" : "NVLink";
	if (has_link_back(d, link, target))
		return ordo_topology_add(d->topology, from, to, class, LINK_NS, gbs, d->error);
	if (!server && !machine_warn(d->machine, link->place,
			       "%s: the file has no link back: the same is assumed", class))
		return ordo_fail_memory(d->error);
	return join(d, from, to, class, LINK_NS, gbs);
}

/* false: no memory. */
static bool warn_rate(struct drawing *d, const struct machine_link *link, bool known, double gbs)
{
	enum { PASCAL = 60 };
	const struct machine_device *gpu = &d->machine->devices[link->gpu];
	if (!known)
		return machine_warn(d->machine, link->place,
			"gcn \"%s\" is not known: %g GB/s assumed", gpu->gcn ? gpu->gcn : "", gbs);
	return link->is_xgmi || gpu->sm >= PASCAL ||
	       machine_warn(d->machine, link->place,
		       "sm \"%" PRIu32 "\" has no known NVLink: %g GB/s assumed", gpu->sm, gbs);
}

static bool add_link(struct drawing *d, uint32_t server, const struct machine_link *link)
{
	const struct machine *machine = d->machine;
	const struct machine_device *gpu = &machine->devices[link->gpu];
	bool known = true;
	const double one = link->is_xgmi ? xgmi_rate(gpu->gcn, &known) : nvlink_rate(gpu->sm);
	const char *class = link->is_xgmi ? "xGMI" : "NVLink", *refusal = refuse_link(d, link);
	const uint32_t count = count_links(d, link);
	if (!server && refusal)
		return machine_warn(d->machine, link->place, "%s: %s", class, refusal) ||
		       ordo_fail_memory(d->error);
	if (!server && !refusal && count && !warn_rate(d, link, known, one))
		return ordo_fail_memory(d->error);
	if (refusal || !count)
		return true;
	if (!is_to_nvswitch(d, link))
		return join_gpus(
			d, server, link, find_gpu(machine, link->target), links_rate(one, count));
	const uint32_t to = d->options->servers * d->nrank + server * d->nswitch + d->nvswitch;
	return join(
		d, vertex_of(d, server, link->gpu), to, class, LINK_NS / 2, links_rate(one, count));
}

/* NVLinks that the file does not have: pairs of a DGX-1V, or a switch. */
static bool add_preset(struct drawing *d, uint32_t server)
{
	static const uint8_t dgx_1v[][3] = {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2},
		{1, 3, 1}, {1, 5, 2}, {2, 3, 2}, {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1},
		{4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
	const uint32_t first = server * d->nrank;
	for (uint32_t i = 0; d->nvswitch_gbs <= 0 && i < sizeof dgx_1v / sizeof *dgx_1v; i++)
		if (!join(d, first + dgx_1v[i][0], first + dgx_1v[i][1], "NVLink", LINK_NS,
			    links_rate(nvlink_rate(70), dgx_1v[i][2])))
			return false;
	const uint32_t to = d->options->servers * d->nrank + server * d->nswitch + d->nvswitch;
	for (uint32_t g = 0; d->nvswitch_gbs > 0 && g < d->nrank; g++)
		if (!join(d, first + g, to, "NVLink", LINK_NS / 2, d->nvswitch_gbs))
			return false;
	return true;
}

static bool choose_preset(struct drawing *d)
{
	static const char *const names[] = {"dgx-1v", "dgx-a100", "dgx-h100"};
	const char *name = d->options->nvlink;
	const double rates[] = {
		0, links_rate(nvlink_rate(80), 12), links_rate(nvlink_rate(90), 18)};
	if (!name)
		return true;
	for (int i = 0; i < 3; i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		if (d->nrank != 8)
			return ordo_fail(d->error, ORDO_USAGE, 0,
				"--nvlink %s: found %" PRIu32 " GPUs, wanted 8", name, d->nrank);
		if (d->machine->nlink)
			return ordo_fail(d->error, ORDO_USAGE, 0,
				"--nvlink %s: the file has %s of its own", name,
				d->machine->links[0].is_xgmi ? "xGMI" : "NVLink");
		d->nvswitch_gbs = rates[i];
		d->nvswitch = i ? d->nswitch++ : ORDO_NONE;
		return true;
	}
	return ordo_fail(d->error, ORDO_USAGE, 0,
		"--nvlink: found %s, wanted dgx-1v, dgx-a100 or dgx-h100", name);
}

static bool has_amd(const struct machine *machine)
{
	for (uint32_t i = 0; i < machine->ndevice; i++)
		if (machine->devices[i].kind == MACHINE_GPU &&
			(machine->devices[i].gcn || machine->devices[i].pci_class != 0x0302))
			return true;
	return false;
}

/* A vertex for the NVSwitches that GPUs name: traffic of any pair goes over all of them. */
static bool number_nvswitch(struct drawing *d)
{
	const struct ordo_place begin = {1, 1};
	for (uint32_t i = 0; i < d->machine->nlink && d->nvswitch == ORDO_NONE; i++)
		if (is_to_nvswitch(d, &d->machine->links[i]))
			d->nvswitch = d->nswitch++;
	if (d->machine->nlink || d->options->nvlink)
		return true;
	return machine_warn(d->machine, begin, "no NVLink and no xGMI: all data goes over PCI%s",
		       d->nrank == 8 && !has_amd(d->machine)
			       ? "; `ordo import topology --nvlink dgx-1v`, dgx-a100 or dgx-h100 "
				 "adds what such a machine has"
			       : "") ||
	       ordo_fail_memory(d->error);
}

static bool draw_server(struct drawing *d, uint32_t server)
{
	const uint32_t network = d->options->servers * (d->nrank + d->nswitch);
	for (uint32_t i = 0; i < d->machine->ndevice; i++) {
		if (d->vertex[i] != ORDO_NONE && !join_up(d, server, i))
			return false;
		if (is_used_card(d, i) && !join(d, vertex_of(d, server, i), network, "network",
						  NETWORK_NS, card_rate(d, i)))
			return false;
	}
	for (uint32_t i = 0; i < d->machine->nlink; i++)
		if (!add_link(d, server, &d->machine->links[i]))
			return false;
	return join_cpus(d, server) && (!d->options->nvlink || add_preset(d, server));
}

/* Of several servers with both sizes, from which `hierarchical` has its levels. */
static const char *name_of(struct drawing *d)
{
	const char *slash = strrchr(d->machine->file, '/'),
		   *base = slash ? slash + 1 : d->machine->file, *dot = strrchr(base, '.');
	const int length = dot ? (int)(dot - base) : (int)strlen(base);
	return d->options->servers > 1
		       ? ordo_arena_format(&d->machine->arena, "%.*s:%" PRIu32 "x%" PRIu32, length,
				 base, d->options->servers, d->nrank)
		       : ordo_arena_format(&d->machine->arena, "%.*s", length, base);
}

static bool draw(struct drawing *d)
{
	const uint32_t servers = d->options->servers;
	find_cards(d);
	if (!number_ranks(d) || !number_cards(d))
		return false;
	number_switches(d);
	if (!choose_preset(d) || !number_nvswitch(d))
		return false;
	if ((uint64_t)servers * (d->nrank + d->nswitch) >= 1 << 22)
		return ordo_fail(d->error, ORDO_USAGE, 0,
			"--servers: found %" PRIu32 ", wanted fewer than %u vertices in all",
			servers, 1 << 22);
	const char *name = name_of(d);
	if (!name)
		return ordo_fail_memory(d->error);
	d->topology = ordo_topology_create(
		name, servers * d->nrank, servers * d->nswitch + (servers > 1), 0, d->error);
	for (uint32_t server = 0; d->topology && server < servers; server++)
		if (!draw_server(d, server))
			return false;
	return d->topology && ordo_topology_finish(d->topology, d->error);
}

struct ordo_topology *machine_topology(
	struct machine *machine, const struct machine_options *options, struct ordo_error *error)
{
	struct drawing d = {.machine = machine,
		.options = options,
		.error = error,
		.vertex = ordo_array_make((size_t)machine->ndevice + 1, sizeof *d.vertex, 0xff),
		.nchild = ordo_array_make((size_t)machine->ndevice + 1, sizeof *d.nchild, 0),
		.nvswitch = ORDO_NONE};
	const bool worked = d.vertex && d.nchild ? draw(&d) : ordo_fail_memory(error);
	free(d.vertex);
	free(d.nchild);
	if (worked)
		return d.topology;
	ordo_topology_destroy(d.topology);
	return NULL;
}
