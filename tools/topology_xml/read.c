/* read.c - a machine from XML, by expat. A document type, which could define entities, is
 * refused. */
#include "machine.h"
#include "rates.h"
#include "xml/xml_file.h"
#include <ctype.h>
#include <errno.h>
#include <expat.h>
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64, CPU_BRIDGE = 0x068001, MOST_DEVICES = 4096 };

struct reading {
	struct machine *machine;
	struct ordo_error *error;
	XML_Parser parser;
	uint32_t open[MOST_DEPTH]; /* devices; ORDO_NONE: an element that is none */
	uint32_t depth, skipped;
	bool failed, has_system;
	char said[512]; /* names of attributes that were named, with blanks around */
};

bool machine_warn(struct machine *machine, struct ordo_place place, const char *format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	const char *copy = ordo_arena_format(&machine->arena, "%s", text);
	if (!copy || !ordo_array_reserve(&machine->warnings, &machine->warning_room,
			     (size_t)machine->nwarning + 1, sizeof *machine->warnings))
		return false;
	machine->warnings[machine->nwarning++] = (struct machine_warning){place, copy};
	return true;
}

bool machine_fail(const struct machine *machine, struct ordo_place place, struct ordo_error *error,
	const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	ordo_fail(error, ORDO_BAD_INPUT, 1, "%s", text);
	if (error) {
		snprintf(error->file, sizeof error->file, "%s", machine->file);
		error->line = place.line;
		error->column = place.column;
	}
	return false;
}

static struct ordo_place place_of(const struct reading *r)
{
	return (struct ordo_place){(uint32_t)XML_GetCurrentLineNumber(r->parser),
		(uint32_t)XML_GetCurrentColumnNumber(r->parser) + 1};
}

/* Always false. */
static bool stop(struct reading *r)
{
	r->failed = true;
	XML_StopParser(r->parser, XML_FALSE);
	return false;
}

#define FAIL(r, ...) (machine_fail((r)->machine, place_of(r), (r)->error, __VA_ARGS__), stop(r))
#define WARN(r, ...)                                                                               \
	(machine_warn((r)->machine, place_of(r), __VA_ARGS__) || ordo_fail_memory((r)->error) ||   \
		stop(r))

/* A number of an attribute; `usual` if there is none. base 0: 0x begins a hexadecimal one. */
static bool read_number(struct reading *r, const char *const *attributes, const char *name,
	uint32_t usual, int base, uint32_t *number)
{
	const char *text = xml_attribute(attributes, name);
	char *end;
	*number = usual;
	if (!text || !*text)
		return true;
	errno = 0;
	const unsigned long long wide = strtoull(text, &end, base);
	if (!isdigit((unsigned char)*text) || *end || errno || wide > ORDO_LIMIT)
		return FAIL(
			r, "%s: found \"%.40s\", wanted a number of 0..%u", name, text, ORDO_LIMIT);
	*number = (uint32_t)wide;
	return true;
}

static const char *keep_text(struct reading *r, const char *text)
{
	char *copy = text ? ordo_arena_text(&r->machine->arena, text, strlen(text)) : NULL;
	for (char *c = copy; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (text && !copy) {
		ordo_fail_memory(r->error);
		stop(r);
	}
	return copy;
}

static bool add_device(struct reading *r, const struct machine_device *device)
{
	struct machine *machine = r->machine;
	if (machine->ndevice == MOST_DEVICES)
		return FAIL(r, "found more than %d devices", MOST_DEVICES);
	if (!ordo_array_reserve(&machine->devices, &machine->device_room,
		    (size_t)machine->ndevice + 1, sizeof *machine->devices))
		return ordo_fail_memory(r->error) || stop(r);
	r->open[r->depth] = machine->ndevice;
	machine->devices[machine->ndevice] = *device;
	machine->devices[machine->ndevice++].place = place_of(r);
	return true;
}

/* The device around the element at hand; ORDO_NONE. */
static uint32_t around(const struct reading *r)
{
	return r->depth ? r->open[r->depth - 1] : ORDO_NONE;
}

static bool read_cpu(struct reading *r, const char *const *attributes)
{
	const char *arch = xml_attribute(attributes, "arch"),
		   *vendor = xml_attribute(attributes, "vendor");
	uint32_t model;
	if (!read_number(r, attributes, "modelid", 0, 10, &model))
		return false;
	const struct machine_device cpu = {.kind = MACHINE_CPU,
		.parent = ORDO_NONE,
		.rank = -1,
		.smp_gbs = smp_rate(arch ? arch : "", vendor ? vendor : "", model)};
	return add_device(r, &cpu);
}

static bool is_gpu_class(uint32_t class)
{
	return class == 0x0302 || class == 0x0380 || class == 0x1200 || class == 0x0300;
}

static bool read_pci(struct reading *r, const char *const *attributes)
{
	const char *speed = xml_attribute(attributes, "link_speed"),
		   *busid = xml_attribute(attributes, "busid");
	uint32_t class, width;
	if (!busid)
		return FAIL(r, "<pci>: found no busid");
	if (around(r) == ORDO_NONE)
		return FAIL(r, "<pci>: found outside of a <cpu>");
	if (!read_number(r, attributes, "class", 0, 16, &class) ||
		!read_number(r, attributes, "link_width", 0, 10, &width))
		return false;
	class >>= 8;
	const struct machine_device pci = {.kind = is_gpu_class(class) ? MACHINE_GPU : MACHINE_PCI,
		.parent = around(r),
		.busid = keep_text(r, busid),
		.gbs = pci_rate(speed ? speed : "", width),
		.pci_class = class,
		.rank = -1};
	for (uint32_t d = 0; d < r->machine->ndevice; d++)
		if (r->machine->devices[d].kind != MACHINE_CARD && r->machine->devices[d].busid &&
			!strcmp(r->machine->devices[d].busid, pci.busid ? pci.busid : ""))
			return FAIL(r, "busid: found %.40s twice", busid);
	if (!pci.busid || !add_device(r, &pci))
		return false;
	if (pci.gbs > 0)
		return true;
	return WARN(r, "%.40s: link_speed \"%.20s\" and link_width \"%u\": %g GB/s assumed", busid,
		speed ? speed : "", width, USUAL_PCI_GBS);
}

static bool is_rank_free(struct reading *r, uint32_t rank)
{
	for (uint32_t d = 0; rank != ORDO_NONE && d < r->machine->ndevice; d++)
		if (r->machine->devices[d].rank == (int32_t)rank)
			return FAIL(r, "rank: found %u twice", rank);
	return true;
}

static bool read_gpu(struct reading *r, const char *const *attributes)
{
	const uint32_t at = around(r);
	uint32_t rank, sm;
	if (at == ORDO_NONE || r->machine->devices[at].kind == MACHINE_CPU)
		return FAIL(r, "<gpu>: found outside of a <pci>");
	if (r->machine->devices[at].has_gpu)
		return FAIL(r, "<gpu>: found a second one in %.40s", r->machine->devices[at].busid);
	if (!read_number(r, attributes, "rank", ORDO_NONE, 10, &rank) ||
		!read_number(r, attributes, "sm", 0, 10, &sm) || !is_rank_free(r, rank))
		return false;
	struct machine_device *gpu = &r->machine->devices[at];
	gpu->kind = MACHINE_GPU;
	gpu->has_gpu = true;
	gpu->rank = rank == ORDO_NONE ? -1 : (int32_t)rank;
	gpu->gcn = keep_text(r, xml_attribute(attributes, "gcn"));
	gpu->sm = gpu->gcn ? 0 : sm; /* AMD: the number of compute units */
	r->open[r->depth] = at;
	return true;
}

static bool read_link(struct reading *r, const char *const *attributes, bool is_xgmi)
{
	struct machine *machine = r->machine;
	const char *target = xml_attribute(attributes, "target");
	const uint32_t at = around(r);
	uint32_t count, class;
	if (at == ORDO_NONE || machine->devices[at].kind != MACHINE_GPU)
		return FAIL(r, "<%s>: found outside of a <gpu>", is_xgmi ? "xgmi" : "nvlink");
	if (!target)
		return FAIL(r, "<%s>: found no target", is_xgmi ? "xgmi" : "nvlink");
	if (!read_number(r, attributes, "count", 1, 10, &count) ||
		!read_number(r, attributes, "tclass", 0, 16, &class))
		return false;
	if (!count || count > 64)
		return FAIL(r, "count: found %u, wanted 1..64", count);
	const char *name = keep_text(r, target);
	if (!name)
		return false;
	for (uint32_t l = machine->nlink; l-- > 0 && machine->links[l].gpu == at;)
		if (!strcmp(machine->links[l].target, name)) {
			machine->links[l].count += count;
			return true;
		}
	if (!ordo_array_reserve(&machine->links, &machine->link_room, (size_t)machine->nlink + 1,
		    sizeof *machine->links))
		return ordo_fail_memory(r->error) || stop(r);
	machine->links[machine->nlink++] = (struct machine_link){
		place_of(r), at, name, count, class == CPU_BRIDGE ? 0 : class >> 8, is_xgmi};
	return true;
}

static bool read_net(struct reading *r, const char *const *attributes)
{
	const char *name = xml_attribute(attributes, "name");
	uint32_t speed;
	if (around(r) == ORDO_NONE)
		return FAIL(r, "<net>: found outside of a <cpu> or <pci>");
	if (!read_number(r, attributes, "speed", 0, 10, &speed))
		return false;
	const struct machine_device net = {.kind = MACHINE_CARD,
		.parent = around(r),
		.busid = keep_text(r, name ? name : "net"),
		.gbs = speed / 8000.0,
		.rank = -1};
	if (!net.busid || !add_device(r, &net))
		return false;
	return speed || WARN(r, "%.40s: found no speed: that of its PCI link assumed", net.busid);
}

/* Each name once. */
static bool name_unknown(struct reading *r, const char *const *attributes)
{
	static const char known[] =
		" version numaid affinity arch vendor familyid modelid busid class device "
		"subsystem_vendor subsystem_device link_speed link_width dev sm gcn rank gdr "
		"target "
		"count tclass name speed port latency guid maxconn host_hash keep ";
	for (; *attributes; attributes += 2) {
		char name[64];
		if ((size_t)snprintf(name, sizeof name, " %s ", attributes[0]) >= sizeof name ||
			strstr(known, name) || strstr(r->said, name))
			continue;
		if (strlen(r->said) + strlen(name) < sizeof r->said)
			memcpy(r->said + strlen(r->said), name, strlen(name) + 1);
		if (!WARN(r, "attribute %.60s: not understood, left out", attributes[0]))
			return false;
	}
	return true;
}

static bool read_element(struct reading *r, const char *name, const char *const *attributes)
{
	if (!r->has_system && strcmp(name, "system") != 0)
		return FAIL(r, "found <%.40s>, wanted <system>%s", name,
			!strcmp(name, "graphs") ? ": this file has rings and trees, no machine"
						: "");
	if (!name_unknown(r, attributes))
		return false;
	if (!strcmp(name, "system")) {
		if (r->has_system)
			return FAIL(r, "found <system> inside <system>");
		r->has_system = true;
		return true;
	}
	if (!strcmp(name, "cpu"))
		return r->depth == 1 ? read_cpu(r, attributes)
				     : FAIL(r, "<cpu>: found inside another device");
	if (!strcmp(name, "pci"))
		return read_pci(r, attributes);
	if (!strcmp(name, "gpu"))
		return read_gpu(r, attributes);
	if (!strcmp(name, "nvlink") || !strcmp(name, "xgmi"))
		return read_link(r, attributes, *name == 'x');
	if (!strcmp(name, "net"))
		return read_net(r, attributes);
	r->open[r->depth] = around(r);
	if (!strcmp(name, "nic"))
		return true;
	r->skipped = 1;
	return WARN(r, "<%.40s>: not understood, left out", name);
}

static void on_start(void *closure, const XML_Char *name, const XML_Char **attributes)
{
	struct reading *r = closure;
	if (r->skipped) {
		r->skipped++;
		return;
	}
	if (r->depth == MOST_DEPTH) {
		FAIL(r, "found more than %d elements inside each other", MOST_DEPTH);
		return;
	}
	r->open[r->depth] = ORDO_NONE;
	if (read_element(r, name, attributes) && !r->skipped)
		r->depth++;
}

static void on_end(void *closure, const XML_Char *name)
{
	struct reading *r = closure;
	(void)name;
	if (r->skipped)
		r->skipped--;
	else
		r->depth--;
}

static void on_document_type(void *closure, const XML_Char *name, const XML_Char *system_id,
	const XML_Char *public_id, int has_subset)
{
	(void)name;
	(void)system_id;
	(void)public_id;
	(void)has_subset;
	FAIL((struct reading *)closure, "found a document type, wanted none");
}

static bool parse(struct reading *r, const char *text, size_t size)
{
	const struct ordo_place begin = {1, 1};
	if (size > INT32_MAX)
		return machine_fail(r->machine, begin, r->error, "found 2 GiB or more");
	if (is_utf16(text, size))
		return machine_fail(r->machine, begin, r->error, "found UTF-16, wanted UTF-8");
	XML_SetUserData(r->parser, r);
	XML_SetElementHandler(r->parser, on_start, on_end);
	XML_SetStartDoctypeDeclHandler(r->parser, on_document_type);
	if (XML_Parse(r->parser, text, (int)size, XML_TRUE) == XML_STATUS_OK)
		return true;
	return r->failed ? false
			 : machine_fail(r->machine, place_of(r), r->error, "%s",
				   XML_ErrorString(XML_GetErrorCode(r->parser)));
}

struct machine *machine_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error)
{
	struct machine *machine = calloc(1, sizeof *machine);
	struct reading r = {
		.machine = machine, .error = error, .parser = XML_ParserCreate("UTF-8")};
	bool worked = machine && r.parser;
	if (worked)
		machine->file = ordo_arena_format(&machine->arena, "%s", name);
	worked = worked && machine->file;
	if (!worked)
		ordo_fail_memory(error);
	worked = worked && parse(&r, text, size);
	if (r.parser)
		XML_ParserFree(r.parser);
	if (worked)
		return machine;
	machine_destroy(machine);
	return NULL;
}

struct machine *machine_read(const char *path, struct ordo_error *error)
{
	size_t size;
	char *text = read_whole_file(path, &size, error);
	struct machine *machine =
		text ? machine_read_text(text, size, strcmp(path, "-") ? path : "stdin", error)
		     : NULL;
	free(text);
	return machine;
}

void machine_destroy(struct machine *machine)
{
	if (!machine)
		return;
	free(machine->devices);
	free(machine->links);
	free(machine->warnings);
	ordo_arena_free(&machine->arena);
	free(machine);
}
