/* machine.h - a machine as the XML of NCCL and RCCL describes it. */
#ifndef ORDO_TOOLS_TOPOLOGY_XML_MACHINE_H
#define ORDO_TOOLS_TOPOLOGY_XML_MACHINE_H

#include <ordo/owned.h>
#include <ordo/schedule.h>
#include <ordo/topology.h>

enum machine_kind { MACHINE_CPU, MACHINE_PCI, MACHINE_GPU, MACHINE_CARD };

struct machine_device {
	struct ordo_place place;
	enum machine_kind kind;
	uint32_t parent;    /* ORDO_NONE: a CPU */
	const char *busid;  /* in lower case; a card: its name; NULL: a CPU */
	uint32_t pci_class; /* the first four digits: 0x0302 */
	double gbs;	    /* of PCI, or of a card: each way; 0: not said */
	int32_t rank;	    /* of a GPU; -1: not said */
	uint32_t sm;	    /* of an NVIDIA GPU: its compute capability, 80; 0: not said */
	const char *gcn;    /* of an AMD GPU: "910", "gfx942"; NULL: none */
	double smp_gbs;	    /* of a CPU: to another one */
	bool has_gpu;	    /* a <gpu>, beside its class */
};

/* An NVLink or xGMI of a GPU, in one direction. */
struct machine_link {
	struct ordo_place place;
	uint32_t gpu;	    /* device */
	const char *target; /* its busid */
	uint32_t count, target_class;
	bool is_xgmi;
};

struct machine_warning {
	struct ordo_place place;
	const char *text;
};

struct machine {
	const char *file;
	struct machine_device *devices; /* parents before their children */
	struct machine_link *links;
	struct machine_warning *warnings;
	uint32_t ndevice, nlink, nwarning;
	size_t device_room, link_room, warning_room;
	struct ordo_arena arena;
};

/* NULL: an error with line and column. The caller destroys it. */
struct machine *machine_read(const char *path, struct ordo_error *error);
struct machine *machine_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error);
void machine_destroy(struct machine *machine);

/* false: no memory. */
bool machine_warn(struct machine *machine, struct ordo_place place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Fills an error that has the place. Always false. */
bool machine_fail(const struct machine *machine, struct ordo_place place, struct ordo_error *error,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

struct machine_options {
	uint32_t servers;   /* copies; from 1 */
	const char *nvlink; /* "dgx-1v", "dgx-a100", "dgx-h100": links that are missing; NULL */
};

/* GPUs are ranks, server after server. Adds warnings to the machine. The caller destroys the
 * result. NULL: no GPU, no such preset, no card to join servers; or no memory. */
struct ordo_topology *machine_topology(
	struct machine *machine, const struct machine_options *options, struct ordo_error *error);

#endif
