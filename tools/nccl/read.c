/* read.c - the lines of a log. What is not known is text of others, and is skipped. */
#include "log.h"
#include <ctype.h>
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer lines are none of NCCL's. */
enum { MOST_LINE = 1 << 16 };
static const char info[] = " NCCL INFO ";

struct reader {
	struct nccl_log *log;
	struct ordo_error *error;
	struct nccl_place place;
	const char *line; /* NUL at its end */
};

bool nccl_fail(struct nccl_place place, struct ordo_error *error, const char *format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	ordo_fail(error, ORDO_BAD_INPUT, 0, "%s", text);
	if (error && place.file) {
		snprintf(error->file, sizeof error->file, "%s", place.file);
		error->line = place.line;
		error->column = 1;
	}
	return false;
}

/* Reads digits; false: there are none, or the number is too large. */
static bool take_number(const char **at, uint64_t most, uint64_t *number)
{
	*number = 0;
	if (!isdigit((unsigned char)**at))
		return false;
	for (; isdigit((unsigned char)**at); ++*at) {
		*number = *number * 10 + (uint64_t)(**at - '0');
		if (*number > most)
			return false;
	}
	return true;
}

static bool take_word(const char **at, const char *word)
{
	const size_t length = strlen(word);
	if (strncmp(*at, word, length) != 0)
		return false;
	*at += length;
	return true;
}

static bool take_rank(const char **at, uint32_t *rank)
{
	uint64_t number;
	if (!take_number(at, ORDO_LIMIT, &number))
		return false;
	*rank = (uint32_t)number;
	return true;
}

/* A rank, or -1 for none. */
static bool take_link(const char **at, uint32_t *rank)
{
	*rank = ORDO_NONE;
	return take_word(at, "-1") || take_rank(at, rank);
}

static bool fail_cut(const struct reader *reader, const char *what)
{
	return nccl_fail(reader->place, reader->error,
		"a cut or mixed line: found the beginning of %s, wanted all of it", what);
}

/* Keeps the text up to the next blank. NULL: no memory. */
static const char *keep_token(struct nccl_log *log, const char *at)
{
	return ordo_arena_text(&log->arena, at, strcspn(at, " \t"));
}

/* `NCCL version 2.21.5+cuda12.4`; RCCL has its own. */
static bool read_version(struct reader *reader, const char *at, bool rccl)
{
	struct nccl_version *known = &reader->log->version;
	struct nccl_version found = {.place = reader->place, .rccl = rccl};
	at += strspn(at, " :");
	if (!take_rank(&at, &found.major) || !take_word(&at, ".") ||
		!take_rank(&at, &found.minor) || !take_word(&at, ".") ||
		!take_rank(&at, &found.patch))
		return fail_cut(reader, "the version");
	if (known->major && (known->major != found.major || known->minor != found.minor ||
				    known->patch != found.patch || known->rccl != rccl))
		return nccl_fail(reader->place, reader->error,
			"two versions: found %u.%u.%u, and %u.%u.%u at %s:%u", found.major,
			found.minor, found.patch, known->major, known->minor, known->patch,
			known->place.file, known->place.line);
	if (!known->major)
		*known = found;
	return true;
}

/* The `host:pid` of the prefix; NULL: no memory. */
static const char *find_process(struct reader *reader, const char *end)
{
	while (end > reader->line && end[-1] != ']')
		end--;
	while (end > reader->line && *end != '[')
		end--;
	while (end > reader->line && end[-1] == ' ')
		end--;
	const char *begin = end;
	while (begin > reader->line && begin[-1] != ' ')
		begin--;
	const char *last = end;
	while (last > begin && last[-1] != ':')
		last--;
	return ordo_arena_text(
		&reader->log->arena, begin, (size_t)((last > begin ? last - 1 : end) - begin));
}

/* `... comm 0x5581 rank 0 nranks 8 ... commId 0x9f1 - Init COMPLETE` */
static bool read_member(struct reader *reader, const char *at, const char *prefix)
{
	struct nccl_log *log = reader->log;
	const char *rank = strstr(at, " rank "), *nrank = strstr(at, " nranks "),
		   *id = strstr(at, " commId ");
	struct nccl_member member = {.place = reader->place};
	if (!strstr(at, " Init"))
		return true;
	if (!rank || !nrank)
		return fail_cut(reader, "the line of a communicator");
	rank += 6;
	nrank += 8;
	if (!take_rank(&rank, &member.rank) || !take_rank(&nrank, &member.nrank) ||
		member.rank >= member.nrank)
		return fail_cut(reader, "the line of a communicator");
	member.pointer = keep_token(log, at + strlen("comm "));
	member.process = find_process(reader, prefix);
	member.id = id ? keep_token(log, id + strlen(" commId ")) : NULL;
	if (!member.pointer || !member.process || (id && !member.id))
		return ordo_fail_memory(reader->error);
	if (!ordo_array_reserve(&log->members, &log->member_room, (size_t)log->nmember + 1,
		    sizeof *log->members))
		return ordo_fail_memory(reader->error);
	log->members[log->nmember++] = member;
	return true;
}

/* `Channel 00/08 :    0   1   2   3`. Lines of connections have arrows. */
static bool read_channel(struct reader *reader, const char *at)
{
	struct nccl_log *log = reader->log;
	struct nccl_channel channel = {.place = reader->place};
	if (strstr(at, "->"))
		return true;
	if (!take_rank(&at, &channel.channel) || !take_word(&at, "/") ||
		!take_rank(&at, &channel.nchannel) || !take_word(&at, " :") ||
		channel.channel >= channel.nchannel)
		return fail_cut(reader, "a channel");
	channel.ranks = ordo_arena_alloc(&log->arena, (strlen(at) + 1) * sizeof *channel.ranks);
	if (!channel.ranks || !ordo_array_reserve(&log->channels, &log->channel_room,
				      (size_t)log->nchannel + 1, sizeof *log->channels))
		return ordo_fail_memory(reader->error);
	for (;;) {
		at += strspn(at, " \t");
		if (!*at || take_word(&at, "..."))
			break;
		if (!take_rank(&at, &channel.ranks[channel.nrank++]) || (*at && *at != ' '))
			return fail_cut(reader, "the ranks of a channel");
	}
	log->channels[log->nchannel++] = channel;
	return true;
}

static bool read_ring(struct reader *reader, const char *at)
{
	struct nccl_log *log = reader->log;
	struct nccl_ring ring = {.place = reader->place};
	if (!take_rank(&at, &ring.channel) || !take_word(&at, " : ") ||
		!take_rank(&at, &ring.before) || !take_word(&at, " -> ") ||
		!take_rank(&at, &ring.rank) || !take_word(&at, " -> ") ||
		!take_rank(&at, &ring.after))
		return fail_cut(reader, "a ring");
	if (!ordo_array_reserve(
		    &log->rings, &log->ring_room, (size_t)log->nring + 1, sizeof *log->rings))
		return ordo_fail_memory(reader->error);
	log->rings[log->nring++] = ring;
	return true;
}

/* `[0] 1/-1/-1->0->-1 [1] ...`, and in RCCL other text after it */
static bool read_trees(struct reader *reader, const char *at)
{
	struct nccl_log *log = reader->log;
	uint32_t nfound = 0;
	for (;; nfound++) {
		struct nccl_node node = {.place = reader->place};
		at += strspn(at, " \t");
		if (*at != '[')
			break;
		bool whole = take_word(&at, "[") && take_rank(&at, &node.channel) &&
			     take_word(&at, "] ");
		for (int i = 0; whole && i < NCCL_MOST_CHILDREN; i++)
			whole = (!i || take_word(&at, "/")) && take_link(&at, &node.children[i]);
		if (!whole || !take_word(&at, "->") || !take_rank(&at, &node.rank) ||
			!take_word(&at, "->") || !take_link(&at, &node.parent) ||
			(*at && *at != ' '))
			return fail_cut(reader, "a tree");
		if (!ordo_array_reserve(&log->nodes, &log->node_room, (size_t)log->nnode + 1,
			    sizeof *log->nodes))
			return ordo_fail_memory(reader->error);
		log->nodes[log->nnode++] = node;
	}
	return nfound || fail_cut(reader, "the trees");
}

/* A name, or in older versions a number. */
static const char *keep_name(
	struct nccl_log *log, const char *at, const char *const *names, uint32_t nname)
{
	uint64_t number;
	const char *end = at;
	if (take_number(&end, 99, &number) && (!*end || *end == ' ') && number < nname)
		return names[number];
	return keep_token(log, at);
}

/* `AllReduce: 4096 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}`, or before 2.24 `4096 Bytes
 * -> Algo 1 proto 0 time 12.3` */
static bool read_call(struct reader *reader, const char *at, const char *words)
{
	static const char *const algorithms[] = {"TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN",
		"NVLS", "NVLS_TREE"},
				 *const protocols[] = {"LL", "LL128", "SIMPLE"};
	struct nccl_log *log = reader->log;
	struct nccl_call call = {.place = reader->place, .first = ORDO_NONE, .last = ORDO_NONE};
	const char *colon = strstr(at, ": "), *protocol = strstr(words, " proto "),
		   *channels = strstr(words, "channel{Lo..Hi}={");
	if (colon && colon < words) {
		call.collective = ordo_arena_text(&log->arena, at, (size_t)(colon - at));
		at = colon + 2;
		if (!call.collective)
			return ordo_fail_memory(reader->error);
	}
	if (!take_number(&at, INT64_MAX, &call.bytes) || at != words || !protocol)
		return fail_cut(reader, "the choice of an algorithm");
	call.algorithm = keep_name(log, words + strlen(" Bytes -> Algo "), algorithms, 6);
	call.protocol = keep_name(log, protocol + strlen(" proto "), protocols, 3);
	if (!call.algorithm || !call.protocol)
		return ordo_fail_memory(reader->error);
	if (channels) {
		channels += strlen("channel{Lo..Hi}={");
		if (!take_rank(&channels, &call.first) || !take_word(&channels, "..") ||
			!take_rank(&channels, &call.last) || *channels != '}' ||
			call.first > call.last)
			return fail_cut(reader, "the channels of a call");
	} else if (!strstr(words, " time ")) {
		return fail_cut(reader, "the choice of an algorithm");
	}
	if (!ordo_array_reserve(
		    &log->calls, &log->call_room, (size_t)log->ncall + 1, sizeof *log->calls))
		return ordo_fail_memory(reader->error);
	log->calls[log->ncall++] = call;
	return true;
}

static bool read_message(struct reader *reader, const char *at, const char *prefix)
{
	const char *comm = strstr(at, "comm 0x"), *words = strstr(at, " Bytes -> Algo ");
	if (words)
		return read_call(reader, at, words);
	if (take_word(&at, "Channel "))
		return read_channel(reader, at);
	if (take_word(&at, "Ring "))
		return read_ring(reader, at);
	if (take_word(&at, "Trees "))
		return read_trees(reader, at);
	return !comm || read_member(reader, comm, prefix);
}

static bool read_line(struct reader *reader)
{
	const char *found = strstr(reader->line, info), *version;
	if (found && strstr(found + 1, info))
		return nccl_fail(reader->place, reader->error,
			"two lines in one; NCCL_DEBUG_FILE=log.%%h.%%p gives each process a file");
	if ((version = strstr(reader->line, "RCCL version")))
		return read_version(reader, version + strlen("RCCL version"), true);
	if ((version = strstr(reader->line, "NCCL version ")))
		return read_version(reader, version + strlen("NCCL version "), false);
	return !found || read_message(reader, found + strlen(info), found);
}

bool nccl_read_text(struct nccl_log *log, const char *text, size_t size, const char *name,
	struct ordo_error *error)
{
	struct reader reader = {.log = log, .error = error};
	const char *const end = text + size;
	char *line = malloc(MOST_LINE + 1);
	reader.place.file = ordo_arena_text(&log->arena, name, strlen(name));
	bool worked = line && reader.place.file ? true : ordo_fail_memory(error);
	for (const char *at = text, *stop; worked && at < end; at = stop + 1) {
		stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		size_t length = (size_t)(stop - at);
		if (length && at[length - 1] == '\r')
			length--;
		reader.place.line++;
		if (length > MOST_LINE || memchr(at, 0, length))
			continue;
		memcpy(line, at, length);
		line[length] = 0;
		reader.line = line;
		worked = read_line(&reader);
	}
	free(line);
	return worked;
}

bool nccl_read(struct nccl_log *log, const char *path, struct ordo_error *error)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0, room = 0, got = 1;
	bool worked = file;
	if (!file)
		ordo_fail(error, ORDO_BAD_INPUT, 0, "%s: cannot be read", path);
	while (worked && got) {
		worked = ordo_array_reserve(&text, &room, size + (1 << 16), 1)
				 ? true
				 : ordo_fail_memory(error);
		got = worked ? fread(text + size, 1, room - size, file) : 0;
		size += got;
	}
	if (worked && ferror(file))
		worked = ordo_fail(error, ORDO_BAD_INPUT, 0, "%s: cannot be read", path);
	if (file)
		fclose(file);
	worked = worked && nccl_read_text(log, text, size, path, error);
	free(text);
	return worked;
}

void nccl_close(struct nccl_log *log)
{
	free(log->members);
	free(log->channels);
	free(log->rings);
	free(log->nodes);
	free(log->calls);
	ordo_arena_free(&log->arena);
	*log = (struct nccl_log){0};
}
