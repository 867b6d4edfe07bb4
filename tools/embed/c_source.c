/* c_source.c - schedules as C source. */
#include "c_source.h"
#include <ctype.h>
#include <inttypes.h>
#include <ordo/detail/schedules.h>
#include <string.h>

/* Words that are no names in C11 or C++20, and macros that standard headers make of names. */
static const char *const words[] = {"alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand",
	"bitor", "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t",
	"class", "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast",
	"consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do",
	"double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float",
	"for", "friend", "goto", "if", "inline", "int", "linux", "long", "main", "mutable",
	"namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq",
	"private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict",
	"return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct",
	"switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid",
	"typename", "typeof", "union", "unix", "unsigned", "using", "virtual", "void", "volatile",
	"wchar_t", "while", "xor", "xor_eq"};

bool is_c_name(const char *name)
{
	if (!(isalpha((unsigned char)name[0]) && (unsigned char)name[0] < 0x80) ||
		!strncmp(name, "ordo_", 5) || !strncmp(name, "ORDO_", 5))
		return false;
	for (const char *at = name; *at; at++)
		if ((unsigned char)*at >= 0x80 || !(isalnum((unsigned char)*at) || *at == '_'))
			return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(name, words[i]))
			return false;
	return true;
}

void c_name_of_path(char *out, size_t size, const char *path)
{
	size_t length = strlen(path);
	while (length && path[length - 1] == '/')
		length--;
	size_t begin = length;
	while (begin && path[begin - 1] != '/')
		begin--;
	const char *dot = memchr(path + begin, '.', length - begin);
	const size_t end = dot && dot > path + begin ? (size_t)(dot - path) : length;
	size_t at = 0;
	for (; begin < end && at + 1 < size; begin++) {
		const unsigned char c = (unsigned char)path[begin];
		out[at++] = c < 0x80 && isalnum(c) ? (char)c : '_';
	}
	out[at] = 0;
}

/* The inside of a string, which may stand in a comment as well: it ends neither, and is no
 * trigraph. */
static void print_inside(FILE *out, const char *text)
{
	for (const char *at = text; *at; at++) {
		const unsigned char c = (unsigned char)*at;
		if (c == '"' || c == '\\' || c == '?')
			fprintf(out, "\\%c", c);
		else if (c < ' ' || c >= 0x7f ||
			 (c == '/' && (at[1] == '*' || (at > text && at[-1] == '*'))))
			fprintf(out, "\\%03o", c);
		else
			fputc(c, out);
	}
}

static void print_string(FILE *out, const char *text)
{
	if (!text) {
		fputs("NULL", out);
		return;
	}
	fputc('"', out);
	print_inside(out, text);
	fputc('"', out);
}

/* A line of text in a comment, where quotation marks and the like are themselves. */
static void print_title(FILE *out, const char *title)
{
	for (const char *at = title; *at && *at != '\n'; at++) {
		if ((*at == '/' && at > title && at[-1] == '*') ||
			(*at == '*' && at > title && at[-1] == '/'))
			fputc(' ', out);
		fputc(*at, out);
	}
}

static void print_declarations(const struct c_source *source)
{
	fputs("#ifdef __cplusplus\nextern \"C\" {\n#endif\n", source->out);
	if (source->set)
		fprintf(source->out,
			"extern const struct ordo_plan_set %s;\n"
			"extern const struct ordo_schedule *const %s_schedules[%" PRIu32
			"]; /* of its ranges */\n",
			source->name, source->name, source->set->nrange);
	else
		fprintf(source->out, "extern const struct ordo_schedule %s;\n", source->name);
	fputs("#ifdef __cplusplus\n}\n#endif\n", source->out);
}

static const char *header_of(const struct c_source *source)
{
	return source->set ? "ordo/plan_set.h" : "ordo/schedule.h";
}

void print_c_header(const struct c_source *source, const char *title)
{
	fprintf(source->out, "/* %s: ", source->name);
	print_title(source->out, title);
	fprintf(source->out,
		" */\n#ifndef EMBEDDED_%s_H\n#define EMBEDDED_%s_H\n\n#include <%s>\n\n",
		source->name, source->name, header_of(source));
	print_declarations(source);
	fputs("\n#endif\n", source->out);
}

void begin_c_source(const struct c_source *source, const char *title)
{
	fprintf(source->out, "/* %s: ", source->name);
	print_title(source->out, title);
	fprintf(source->out,
		"\n *\n * Proved, and then written by `ordo embed`; nothing in it is ever changed. "
		"Programs that link it need libordo-runtime and no JSON. */\n"
		"#include <%s>\n\n",
		header_of(source));
	print_declarations(source);
	fputs("\n"
	      "#define ORDO_MOVE(KIND, PEER, CHUNK, COUNT, FROM, SRC, TO, DST, PHASE) \\\n"
	      "\t{.kind = ORDO_##KIND, .src_buffer = ORDO_##FROM, .dst_buffer = ORDO_##TO, .phase "
	      "= (PHASE), .peer = (PEER), \\\n"
	      "\t .chunk = (CHUNK), .count = (COUNT), .src = (SRC), .dst = (DST)}\n"
	      "#define ORDO_TOKEN(KIND, PEER, SIGNAL, PHASE) \\\n"
	      "\t{.kind = ORDO_##KIND, .src_buffer = 0, .dst_buffer = 0, .phase = (PHASE), .peer = "
	      "(PEER), \\\n"
	      "\t .signal = (SIGNAL), .count = 0, .src = 0, .dst = 0}\n"
	      /* A schedule that is const is only read, but its pointers do not say so. */
	      "#ifdef __GNUC__\n"
	      "#pragma GCC diagnostic push\n"
	      "#pragma GCC diagnostic ignored \"-Wcast-qual\"\n"
	      "#endif\n",
		source->out);
}

static void print_phase(FILE *out, uint32_t phase)
{
	if (phase == ORDO_NO_PHASE)
		fputs("ORDO_NO_PHASE),\n", out);
	else
		fprintf(out, "%" PRIu32 "),\n", phase);
}

static void print_task(FILE *out, const struct ordo_task *task)
{
	static const char *const kinds[] = {
		"LOCAL_COPY", "LOCAL_REDUCE", "SEND", "SEND_REDUCE", "NOTIFY", "WAIT"};
	static const char *const buffers[] = {"INPUT", "OUTPUT", "SCRATCH"};
	if (ordo_task_moves(task))
		fprintf(out,
			"\tORDO_MOVE(%s, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %s, %" PRIu32
			", %s, %" PRIu32 ", ",
			kinds[task->kind], task->peer, task->chunk, task->count,
			buffers[task->src_buffer], task->src, buffers[task->dst_buffer], task->dst);
	else
		fprintf(out, "\tORDO_TOKEN(%s, %" PRIu32 ", %" PRIu32 ", ", kinds[task->kind],
			task->peer, task->signal);
	print_phase(out, task->phase);
}

/* The name of what belongs to a schedule. */
struct part {
	const struct c_source *source;
	uint32_t range;
};

static void print_part(struct part part, const char *what)
{
	fputs(part.source->name, part.source->out);
	if (part.source->set)
		fprintf(part.source->out, "_%" PRIu32, part.range);
	fprintf(part.source->out, "_%s", what);
}

/* Begins a table; C has none without entries, and then there is only NULL to point to. */
static bool begin_table(struct part part, const char *type, const char *what, uint32_t count)
{
	if (!count)
		return false;
	fprintf(part.source->out, "\nstatic const %s", type);
	print_part(part, what);
	fprintf(part.source->out, "[%" PRIu32 "] = {\n", count);
	return true;
}

static void end_table(struct part part)
{
	fputs("};\n", part.source->out);
}

static void print_tasks(struct part part, const struct ordo_schedule *schedule)
{
	if (!begin_table(part, "struct ordo_task ", "tasks", schedule->ntask))
		return;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		fprintf(part.source->out, "\t/* rank %" PRIu32 ", ", stream->rank);
		print_title(part.source->out, stream->name);
		fputs(" */\n", part.source->out);
		for (uint32_t t = stream->first; t < stream->end; t++)
			print_task(part.source->out, &schedule->tasks[t]);
	}
	end_table(part);
}

static void print_streams(struct part part, const struct ordo_schedule *schedule)
{
	if (!begin_table(part, "struct ordo_stream ", "streams", schedule->nstream))
		return;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		fprintf(part.source->out,
			"\t{.rank = %" PRIu32 ", .first = %" PRIu32 ", .end = %" PRIu32
			", .name = ",
			stream->rank, stream->first, stream->end);
		print_string(part.source->out, stream->name);
		fputs("},\n", part.source->out);
	}
	end_table(part);
}

/* The switches of all ways, one after another. */
static void print_switches(struct part part, const struct ordo_schedule *schedule)
{
	uint32_t count = 0;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		count += ordo_via_of(schedule, s) ? ordo_via_of(schedule, s)->nswitch : 0;
	if (!begin_table(part, "uint32_t ", "switches", count))
		return;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_via *via = ordo_via_of(schedule, s);
		for (uint32_t i = 0; via && i < via->nswitch; i++)
			fprintf(part.source->out, "\t%" PRIu32 ",\n", via->switches[i]);
	}
	end_table(part);
}

static uint32_t count_hops(const struct ordo_via *via)
{
	return via && via->hop_classes ? via->nswitch + 1 : 0;
}

/* The classes of hops likewise. */
static void print_hop_classes(struct part part, const struct ordo_schedule *schedule)
{
	uint32_t count = 0;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		count += count_hops(ordo_via_of(schedule, s));
	if (!begin_table(part, "char *const ", "hop_classes", count))
		return;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_via *via = ordo_via_of(schedule, s);
		for (uint32_t i = 0; i < count_hops(via); i++) {
			fputs("\t", part.source->out);
			print_string(part.source->out, via->hop_classes[i]);
			fputs(",\n", part.source->out);
		}
	}
	end_table(part);
}

/* `name + first`, or NULL if there are none. */
static void print_slice(struct part part, const char *what, uint32_t first, uint32_t count)
{
	if (!count) {
		fputs("NULL", part.source->out);
		return;
	}
	print_part(part, what);
	fprintf(part.source->out, " + %" PRIu32, first);
}

static void print_ways(struct part part, const struct ordo_schedule *schedule)
{
	FILE *out = part.source->out;
	if (!begin_table(part, "struct ordo_via ", "ways", ordo_count_vias(schedule)))
		return;
	for (uint32_t s = 0, first = 0, hop = 0; s < schedule->nstream; s++) {
		const struct ordo_via *via = ordo_via_of(schedule, s);
		if (!via)
			continue;
		fputs("\t{", out);
		print_slice(part, "switches", first, via->nswitch);
		fprintf(out, ", %" PRIu32 ", ", via->nswitch);
		print_string(out, via->class_name);
		fputs(", ", out);
		print_slice(part, "hop_classes", hop, count_hops(via));
		fputs("},\n", out);
		first += via->nswitch;
		hop += count_hops(via);
	}
	end_table(part);
}

/* The way of every stream. */
static void print_vias(struct part part, const struct ordo_schedule *schedule)
{
	FILE *out = part.source->out;
	if (!schedule->vias)
		return;
	print_switches(part, schedule);
	print_hop_classes(part, schedule);
	print_ways(part, schedule);
	begin_table(part, "struct ordo_via *const ", "vias", schedule->nstream);
	for (uint32_t s = 0, number = 0; s < schedule->nstream; s++) {
		if (!ordo_via_of(schedule, s)) {
			fputs("\tNULL,\n", out);
			continue;
		}
		fputs("\t&", out);
		print_part(part, "ways");
		fprintf(out, "[%" PRIu32 "],\n", number++);
	}
	end_table(part);
}

static void print_programs(struct part part, const struct ordo_schedule *schedule)
{
	if (!begin_table(part, "struct ordo_program ", "programs", schedule->problem.nrank))
		return;
	for (uint32_t rank = 0; rank < schedule->problem.nrank; rank++)
		fprintf(part.source->out,
			"\t{.first_stream = %" PRIu32 ", .end_stream = %" PRIu32 "},\n",
			schedule->programs[rank].first_stream, schedule->programs[rank].end_stream);
	end_table(part);
}

static void print_phases(struct part part, const struct ordo_schedule *schedule)
{
	if (!begin_table(part, "char *const ", "phases", schedule->nphase))
		return;
	for (uint32_t i = 0; i < schedule->nphase; i++) {
		fputc('\t', part.source->out);
		print_string(part.source->out, schedule->phases[i]);
		fputs(",\n", part.source->out);
	}
	end_table(part);
}

static void print_problem(FILE *out, const struct ordo_problem *problem)
{
	static const char *const operators[] = {"ALLREDUCE", "REDUCE", "BROADCAST", "REDUCESCATTER",
		"ALLGATHER", "SCATTER", "GATHER", "ALLTOALL"};
	static const char *const forms[ORDO_NACCUMULATION] = {
		"NONE", "F32", "EXACT", "BINNED2", "BINNED3"};
	fprintf(out,
		"\t.problem = {.op = ORDO_%s, .nrank = %" PRIu32 ", .root = %" PRIu32
		", .chunks_per_block = %" PRIu32 ", .nshard = %" PRIu32
		", .in_place = %s, .accumulate = ORDO_ACCUMULATE_%s},\n",
		operators[problem->op], problem->nrank, problem->root, problem->chunks_per_block,
		problem->nshard, problem->in_place ? "true" : "false", forms[problem->accumulate]);
}

static void print_text_field(FILE *out, const char *field, const char *text)
{
	fprintf(out, "\t.%s = ", field);
	print_string(out, text);
	fputs(",\n", out);
}

static void print_table_field(struct part part, const char *field, const char *type, uint32_t count)
{
	FILE *out = part.source->out;
	if (count) {
		fprintf(out, "\t.%s = (%s)", field, type);
		print_part(part, field);
		fputs(",\n", out);
	} else {
		fprintf(out, "\t.%s = NULL,\n", field);
	}
}

void print_c_schedule(const struct c_source *source, uint32_t range,
	const struct ordo_schedule *schedule, const char *title, const char *digest)
{
	const struct part part = {source, range};
	FILE *out = source->out;
	print_tasks(part, schedule);
	print_streams(part, schedule);
	print_vias(part, schedule);
	print_programs(part, schedule);
	print_phases(part, schedule);
	fputs("\n/* ", out);
	print_title(out, title);
	fprintf(out, "%s%s */\n%sconst struct ordo_schedule ", digest[0] ? "; order digest " : "",
		digest, source->set ? "static " : "");
	if (source->set)
		print_part(part, "schedule");
	else
		fputs(source->name, out);
	fputs(" = {\n", out);
	print_problem(out, &schedule->problem);
	print_text_field(out, "algorithm", schedule->algorithm);
	fprintf(out, "\t.scratch_slots = %" PRIu32 ",\n", schedule->scratch_slots);
	if (schedule->staging)
		fputs("\t.staging = true,\n", out);
	print_table_field(part, "phases", "const char **", schedule->nphase);
	fprintf(out, "\t.nphase = %" PRIu32 ",\n", schedule->nphase);
	print_text_field(out, "topology_name", schedule->topology_name);
	print_text_field(out, "topology_digest", schedule->topology_digest);
	print_text_field(out, "extra", schedule->extra);
	print_table_field(part, "programs", "struct ordo_program *", schedule->problem.nrank);
	print_table_field(part, "streams", "struct ordo_stream *", schedule->nstream);
	fprintf(out, "\t.nstream = %" PRIu32 ",\n", schedule->nstream);
	if (schedule->vias)
		print_table_field(part, "vias", "const struct ordo_via **", schedule->nstream);
	print_table_field(part, "tasks", "struct ordo_task *", schedule->ntask);
	fprintf(out, "\t.ntask = %" PRIu32 ",\n};\n", schedule->ntask);
}

static void print_set(const struct c_source *source)
{
	const struct ordo_plan_set *set = source->set;
	const char *name = source->name;
	FILE *out = source->out;
	fprintf(out, "\nconst struct ordo_schedule *const %s_schedules[%" PRIu32 "] = {\n", name,
		set->nrange);
	for (uint32_t i = 0; i < set->nrange; i++)
		if (set->ranges[i].schedule)
			fprintf(out, "\t&%s_%" PRIu32 "_schedule,\n", name,
				ordo_plan_set_first(set, i));
		else
			fputs("\tNULL,\n", out);
	fprintf(out, "};\n\nstatic const struct ordo_plan_range %s_ranges[%" PRIu32 "] = {\n", name,
		set->nrange);
	for (uint32_t i = 0; i < set->nrange; i++) {
		const struct ordo_plan_range *range = &set->ranges[i];
		fprintf(out, "\t{.from_bytes = %" PRIu64 "u, .to_bytes = ", range->from_bytes);
		if (range->to_bytes == ORDO_ENDLESS)
			fputs("ORDO_ENDLESS", out);
		else
			fprintf(out, "%" PRIu64 "u", range->to_bytes);
		fputs(", .schedule = ", out);
		if (range->schedule)
			print_string(out, range->schedule);
		else
			fputs("NULL", out);
		fputs(", .place = {0, 0}},\n", out);
	}
	fprintf(out, "};\n\nconst struct ordo_plan_set %s = {\n", name);
	print_problem(out, &set->problem);
	fprintf(out, "\t.ranges = (struct ordo_plan_range *)%s_ranges,\n\t.nrange = %" PRIu32 ",\n",
		name, set->nrange);
	print_text_field(out, "extra", set->extra);
	fputs("\t.folder = -1,\n};\n", out);
}

void end_c_source(const struct c_source *source)
{
	if (source->set)
		print_set(source);
	fputs("\n#undef ORDO_MOVE\n#undef ORDO_TOKEN\n#ifdef __GNUC__\n#pragma GCC diagnostic "
	      "pop\n#endif\n",
		source->out);
}
