/* read.c - programs of MSCCL from XML, by expat.
 *
 * The runtimes' own parser is not one of XML: what it would refuse, or read otherwise, is warned
 * about. A document type, which could define entities, is refused.
 */
#include "program.h"
#include "xml/xml_file.h"
#include <errno.h>
#include <expat.h>
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>

enum { ALGO = 1, GPU, TB, STEP };
static const char *const element_names[] = {"", "algo", "gpu", "tb", "step"};

struct reading {
	struct msccl_program *program;
	struct ordo_error *error;
	XML_Parser parser;
	const char *text;
	int depth;	      /* open elements that are read */
	uint32_t skipped;     /* open elements inside one that is not */
	uint64_t ngpu;	      /* as the file says */
	uint32_t block_steps; /* of the block so far */
	bool failed, is_over;
	/* said once */
	bool said_quote, said_space, said_equals, said_entity, said_text, said_skipped;
};

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

#define FAIL(r, rule, ...)                                                                         \
	(msccl_fail((r)->program, place_of(r), rule, (r)->error, __VA_ARGS__), stop(r))

static void warn_once(struct reading *r, bool *said, const char *what)
{
	if (*said)
		return;
	*said = true;
	if (!msccl_warn(r->program, place_of(r), "%s", what)) {
		ordo_fail_memory(r->error);
		stop(r);
	}
}

/* The tag as it is written: white space, quotes and equals signs that the runtimes' parser does not
 * take. */
static void look_at_tag(struct reading *r)
{
	const char *tag = r->text + XML_GetCurrentByteIndex(r->parser);
	const int size = XML_GetCurrentByteCount(r->parser);
	char quote = 0;
	for (int i = 0; i < size; i++) {
		const char c = tag[i];
		if (c == '&')
			warn_once(r, &r->said_entity,
				"an entity (&...;): runtimes do not resolve it");
		if (quote) {
			quote = c == quote ? 0 : quote;
			continue;
		}
		quote = c == '"' || c == '\'' ? c : 0;
		if (c == '\'')
			warn_once(r, &r->said_quote,
				"a value in single quotes: runtimes refuse the file");
		else if (c == '\t' || c == '\n' || c == '\r')
			warn_once(r, &r->said_space,
				"a tab or line end between attributes: runtimes refuse the file");
		else if (c == '=' && i + 1 < size && (tag[i - 1] == ' ' || tag[i + 1] == ' '))
			warn_once(r, &r->said_equals,
				"a blank beside an equals sign: runtimes refuse the file");
	}
}

static bool read_number(struct reading *r, const char *const *attributes, const char *name,
	int64_t least, int64_t most, int64_t *number)
{
	const char *text = xml_attribute(attributes, name);
	if (!text)
		return FAIL(r, 1, "<%s>: found no %s", element_names[r->depth + 1], name);
	const char *digits = text + (*text == '-');
	const size_t length = strlen(digits);
	const bool is_number = length && strspn(digits, "0123456789") == length;
	errno = 0;
	*number = is_number ? strtoll(text, NULL, 10) : 0;
	if (!is_number || errno || *number < least || *number > most)
		return FAIL(r, 1, "%s: found \"%.40s\", wanted a number of %" PRId64 "..%" PRId64,
			name, text, least, most);
	return true;
}

static bool read_count(
	struct reading *r, const char *const *attributes, const char *name, uint32_t *number)
{
	int64_t wide;
	if (!read_number(r, attributes, name, 0, ORDO_LIMIT, &wide))
		return false;
	*number = (uint32_t)wide;
	return true;
}

/* -1: none */
static bool read_index(
	struct reading *r, const char *const *attributes, const char *name, int32_t *number)
{
	int64_t wide;
	if (!read_number(r, attributes, name, -1, ORDO_LIMIT, &wide))
		return false;
	*number = (int32_t)wide;
	return true;
}

static bool read_truth(
	struct reading *r, const char *const *attributes, const char *name, bool *truth)
{
	int64_t wide;
	if (!read_number(r, attributes, name, 0, 1, &wide))
		return false;
	*truth = wide;
	return true;
}

static const char *read_text(struct reading *r, const char *const *attributes, const char *name)
{
	const char *text = xml_attribute(attributes, name);
	if (!text) {
		FAIL(r, 1, "<%s>: found no %s", element_names[r->depth + 1], name);
		return NULL;
	}
	text = ordo_arena_text(&r->program->arena, text, strlen(text));
	if (!text) {
		ordo_fail_memory(r->error);
		stop(r);
	}
	return text;
}

static bool read_sizes(struct reading *r, const char *const *attributes)
{
	int64_t least = 0, most = 128 << 20;
	r->program->is_complete = xml_attribute(attributes, "outofplace") &&
				  xml_attribute(attributes, "minBytes") &&
				  xml_attribute(attributes, "maxBytes");
	if (xml_attribute(attributes, "minBytes") &&
		!read_number(r, attributes, "minBytes", 0, INT64_MAX, &least))
		return false;
	if (xml_attribute(attributes, "maxBytes") &&
		!read_number(r, attributes, "maxBytes", 0, INT64_MAX, &most))
		return false;
	r->program->least_bytes = (uint64_t)least;
	r->program->most_bytes = (uint64_t)most;
	return true;
}

static bool read_protocol(struct reading *r, const char *const *attributes)
{
	static const char *const names[] = {"Simple", "LL", "LL128"};
	const char *found = xml_attribute(attributes, "proto");
	for (int i = 0; found && i < 3; i++)
		if (!strcmp(found, names[i])) {
			r->program->protocol = (enum msccl_protocol)i;
			return true;
		}
	return FAIL(
		r, 1, "proto: found %.40s, wanted Simple, LL or LL128", found ? found : "nothing");
}

/* Microsoft's files have inplace alone: the other is its opposite. */
static bool read_modes(struct reading *r, const char *const *attributes)
{
	struct msccl_program *program = r->program;
	if (!read_truth(r, attributes, "inplace", &program->in_place))
		return false;
	program->out_of_place = !program->in_place;
	if (xml_attribute(attributes, "outofplace") &&
		!read_truth(r, attributes, "outofplace", &program->out_of_place))
		return false;
	return program->in_place || program->out_of_place ||
	       FAIL(r, 1, "inplace and outofplace are both 0: no call uses the file");
}

static bool begin_algo(struct reading *r, const char *const *attributes)
{
	struct msccl_program *program = r->program;
	int64_t ngpu = 0, nchunk = 0;
	program->place = place_of(r);
	program->name = read_text(r, attributes, "name");
	program->collective = program->name ? read_text(r, attributes, "coll") : NULL;
	if (!program->collective || !read_protocol(r, attributes) ||
		!read_count(r, attributes, "nchannels", &program->nchannel) ||
		!read_number(r, attributes, "nchunksperloop", 1, ORDO_LIMIT, &nchunk) ||
		!read_number(r, attributes, "ngpus", 1, 1 << 22, &ngpu))
		return false;
	r->ngpu = (uint64_t)ngpu;
	program->nchunk = (uint32_t)nchunk;
	return read_modes(r, attributes) && read_sizes(r, attributes);
}

static bool begin_gpu(struct reading *r, const char *const *attributes)
{
	struct msccl_program *program = r->program;
	struct msccl_gpu gpu = {.place = place_of(r), .first = program->nblock};
	if (!read_count(r, attributes, "id", &gpu.id) ||
		!read_count(r, attributes, "i_chunks", &gpu.input_chunks) ||
		!read_count(r, attributes, "o_chunks", &gpu.output_chunks) ||
		!read_count(r, attributes, "s_chunks", &gpu.scratch_chunks))
		return false;
	if (gpu.id >= r->ngpu)
		return FAIL(r, 2, "gpu %" PRIu32 ": found in a file of ngpus=\"%" PRIu64 "\"",
			gpu.id, r->ngpu);
	if (!ordo_array_reserve(
		    &program->gpus, &program->gpu_room, (size_t)program->ngpu + 1, sizeof gpu))
		return ordo_fail_memory(r->error), stop(r);
	program->gpus[program->ngpu++] = gpu;
	return true;
}

static bool begin_block(struct reading *r, const char *const *attributes)
{
	struct msccl_program *program = r->program;
	struct msccl_block block = {.place = place_of(r),
		.gpu = program->gpus[program->ngpu - 1].id,
		.first = program->nstep};
	if (!read_count(r, attributes, "id", &block.id) ||
		!read_index(r, attributes, "send", &block.send) ||
		!read_index(r, attributes, "recv", &block.receive) ||
		!read_count(r, attributes, "chan", &block.channel))
		return false;
	if (!ordo_array_reserve(&program->blocks, &program->block_room, (size_t)program->nblock + 1,
		    sizeof block))
		return ordo_fail_memory(r->error), stop(r);
	program->blocks[program->nblock++] = block;
	r->block_steps = 0;
	return true;
}

static bool read_type(struct reading *r, const char *const *attributes, enum msccl_type *type)
{
	const char *found = xml_attribute(attributes, "type");
	for (int i = 0; found && i < MSCCL_NTYPE; i++)
		if (!strcmp(found, msccl_types[i].name)) {
			*type = (enum msccl_type)i;
			return true;
		}
	return FAIL(r, 1, "type: found %.40s, wanted s, r, rcs, rrc, rrs, rrcs, cpy, re or nop",
		found ? found : "nothing");
}

static bool read_slot(struct reading *r, const char *const *attributes, const char *buffer,
	const char *offset, struct msccl_slot *slot)
{
	const char *found = xml_attribute(attributes, buffer);
	const char *at = found && found[0] && !found[1] ? strchr("ios", found[0]) : NULL;
	int32_t signed_offset;
	if (!at)
		return FAIL(r, 1, "%s: found %.40s, wanted i, o or s", buffer,
			found ? found : "nothing");
	slot->buffer = found[0] == 'i' ? ORDO_INPUT : found[0] == 'o' ? ORDO_OUTPUT : ORDO_SCRATCH;
	/* Files have -1 where nothing is meant. */
	if (!read_index(r, attributes, offset, &signed_offset))
		return false;
	slot->offset = signed_offset < 0 ? ORDO_NONE : (uint32_t)signed_offset;
	return true;
}

static bool begin_step(struct reading *r, const char *const *attributes)
{
	struct msccl_program *program = r->program;
	struct msccl_step step = {.place = place_of(r)};
	uint32_t position;
	if (!read_count(r, attributes, "s", &position) || !read_type(r, attributes, &step.type) ||
		!read_slot(r, attributes, "srcbuf", "srcoff", &step.src) ||
		!read_slot(r, attributes, "dstbuf", "dstoff", &step.dst) ||
		!read_count(r, attributes, "cnt", &step.count) ||
		!read_index(r, attributes, "depid", &step.depends_on_block) ||
		!read_index(r, attributes, "deps", &step.depends_on_step) ||
		!read_truth(r, attributes, "hasdep", &step.is_waited_for))
		return false;
	if (position != r->block_steps)
		return FAIL(r, 1,
			"s: found %" PRIu32 ", wanted %" PRIu32 ", the step's position: "
			"runtimes run steps in the order of s",
			position, r->block_steps);
	if (!ordo_array_reserve(
		    &program->steps, &program->step_room, (size_t)program->nstep + 1, sizeof step))
		return ordo_fail_memory(r->error), stop(r);
	program->steps[program->nstep++] = step;
	r->block_steps++;
	return true;
}

static bool begin_element(struct reading *r, const char *const *attributes)
{
	switch (r->depth + 1) {
	case ALGO:
		return begin_algo(r, attributes);
	case GPU:
		return begin_gpu(r, attributes);
	case TB:
		return begin_block(r, attributes);
	default:
		return begin_step(r, attributes);
	}
}

static void XMLCALL on_start(void *closure, const char *name, const char **attributes)
{
	struct reading *r = closure;
	if (r->failed)
		return;
	look_at_tag(r);
	const bool known =
		!r->skipped && r->depth < STEP && !strcmp(name, element_names[r->depth + 1]);
	if (known) {
		if (begin_element(r, (const char *const *)attributes))
			r->depth++;
		return;
	}
	if (!r->depth) {
		FAIL(r, 1, "found <%.40s>, wanted <algo>%s", name,
			strcmp(name, "system") ? ""
					       : "; this is a topology: --topology FILE takes it");
		return;
	}
	char text[256];
	snprintf(text, sizeof text,
		"<%.40s> in <%s>: runtimes skip it in silence, and so does ordo", name,
		r->skipped ? "an element that is skipped" : element_names[r->depth]);
	warn_once(r, &r->said_skipped, text);
	r->skipped++;
}

static void XMLCALL on_end(void *closure, const char *name)
{
	struct reading *r = closure;
	(void)name;
	if (r->failed)
		return;
	if (r->skipped) {
		r->skipped--;
		return;
	}
	if (r->depth == TB)
		r->program->blocks[r->program->nblock - 1].end = r->program->nstep;
	else if (r->depth == GPU)
		r->program->gpus[r->program->ngpu - 1].end = r->program->nblock;
	/* Runtimes read no further than the end of <algo>. */
	if (!--r->depth) {
		r->is_over = true;
		XML_StopParser(r->parser, XML_FALSE);
	}
}

static void XMLCALL on_text(void *closure, const char *text, int length)
{
	struct reading *r = closure;
	for (int i = 0; !r->failed && i < length; i++)
		if (!strchr(" \t\r\n", text[i])) {
			warn_once(r, &r->said_text,
				"text between elements: runtimes refuse the file");
			return;
		}
}

static void XMLCALL on_declaration(
	void *closure, const char *version, const char *encoding, int standalone)
{
	struct reading *r = closure;
	bool said = false;
	(void)version;
	(void)encoding;
	(void)standalone;
	warn_once(r, &said, "an XML declaration (<?xml ...?>): runtimes refuse the file");
}

static void XMLCALL on_document_type(
	void *closure, const char *name, const char *system, const char *public, int internal)
{
	struct reading *r = closure;
	(void)system;
	(void)public;
	(void)internal;
	FAIL(r, 1, "found a document type (<!DOCTYPE %.40s>), wanted none: runtimes refuse it",
		name);
}

static bool fail_syntax(struct reading *r)
{
	const enum XML_Error code = XML_GetErrorCode(r->parser);
	if (code == XML_ERROR_NO_MEMORY)
		return ordo_fail_memory(r->error);
	return msccl_fail(r->program, place_of(r), 1, r->error, "%s", XML_ErrorString(code));
}

static int by_id(const void *a, const void *b)
{
	const struct msccl_gpu *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

/* Every gpu once. */
static bool sort_gpus(struct reading *r)
{
	struct msccl_program *program = r->program;
	if (program->ngpu)
		qsort(program->gpus, program->ngpu, sizeof *program->gpus, by_id);
	for (uint32_t i = 0; i < program->ngpu; i++)
		if (program->gpus[i].id != i) {
			const bool twice = i && program->gpus[i].id == i - 1;
			return msccl_fail(program, program->gpus[i].place, 2, r->error,
				twice ? "gpu %" PRIu32 " is there twice"
				      : "gpu %" PRIu32 " is missing",
				twice ? i - 1 : i);
		}
	if (program->ngpu != r->ngpu)
		return msccl_fail(program, program->place, 2, r->error,
			"found %" PRIu32 " gpus, wanted ngpus=\"%" PRIu64 "\"", program->ngpu,
			r->ngpu);
	return true;
}

static int by_gpu_and_id(const void *a, const void *b)
{
	const struct msccl_block *x = a, *y = b;
	if (x->gpu != y->gpu)
		return x->gpu < y->gpu ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* The ids of a gpu's blocks count from 0. */
static bool sort_blocks(struct reading *r)
{
	struct msccl_program *program = r->program;
	uint32_t at = 0;
	if (program->nblock)
		qsort(program->blocks, program->nblock, sizeof *program->blocks, by_gpu_and_id);
	for (uint32_t g = 0; g < program->ngpu; g++) {
		struct msccl_gpu *gpu = &program->gpus[g];
		gpu->first = at;
		for (; at < program->nblock && program->blocks[at].gpu == g; at++)
			if (program->blocks[at].id != at - gpu->first)
				return msccl_fail(program, program->blocks[at].place, 1, r->error,
					"gpu %" PRIu32 ": found tb %" PRIu32 ", wanted tb %" PRIu32
					": their ids count from 0, each once",
					g, program->blocks[at].id, at - gpu->first);
		gpu->end = at;
	}
	return true;
}

static bool parse(struct reading *r, size_t size)
{
	XML_SetUserData(r->parser, r);
	XML_SetElementHandler(r->parser, on_start, on_end);
	XML_SetCharacterDataHandler(r->parser, on_text);
	XML_SetXmlDeclHandler(r->parser, on_declaration);
	XML_SetStartDoctypeDeclHandler(r->parser, on_document_type);
	const bool parsed = XML_Parse(r->parser, r->text, (int)size, XML_TRUE) == XML_STATUS_OK;
	if (r->failed)
		return false;
	if (!parsed && !r->is_over)
		return fail_syntax(r);
	return sort_gpus(r) && sort_blocks(r);
}

/* Expat would read UTF-16; the runtimes read bytes. */
static bool check_encoding(struct reading *r, size_t size)
{
	const struct ordo_place begin = {1, 1};
	if (size > INT32_MAX)
		return msccl_fail(r->program, begin, 1, r->error,
			"found %zu bytes, wanted fewer than 2 GiB", size);
	if (is_utf16(r->text, size))
		return msccl_fail(r->program, begin, 1, r->error,
			"found UTF-16, wanted UTF-8: runtimes read bytes");
	if (size >= 3 && !memcmp(r->text, "\xef\xbb\xbf", 3) &&
		!msccl_warn(r->program, begin, "a byte order mark: runtimes refuse the file"))
		return ordo_fail_memory(r->error);
	return true;
}

struct msccl_program *msccl_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error)
{
	struct msccl_program *program = calloc(1, sizeof *program);
	struct reading r = {.program = program,
		.error = error,
		.parser = XML_ParserCreate("UTF-8"),
		.text = text};
	bool worked = program && r.parser;
	if (worked)
		program->file = ordo_arena_format(&program->arena, "%s", name);
	worked = worked && program->file;
	if (!worked)
		ordo_fail_memory(error);
	worked = worked && check_encoding(&r, size) && parse(&r, size);
	if (r.parser)
		XML_ParserFree(r.parser);
	if (worked)
		return program;
	msccl_destroy(program);
	return NULL;
}

struct msccl_program *msccl_read(const char *path, struct ordo_error *error)
{
	size_t size;
	const char *name = strcmp(path, "-") ? path : "stdin";
	char *text = read_whole_file(path, &size, error);
	if (!text)
		return NULL;
	struct msccl_program *program = msccl_read_text(text, size, name, error);
	free(text);
	return program;
}
