/* failure_set.c - a schedule for each single link that is down. */
#include <inttypes.h>
#include <math.h>
#include <ordo/arena.h>
#include <ordo/atomic_file.h>
#include <ordo/failure_sets.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *keep(struct ordo_failure_set *set, const char *text)
{
	return text ? ordo_arena_text(&set->arena, text, strlen(text)) : NULL;
}

struct ordo_failure_set *ordo_failure_set_create(const struct ordo_problem *problem,
	const char *topology_name, const char *topology_digest, uint64_t bytes,
	struct ordo_error *error)
{
	struct ordo_problem checked = *problem;
	checked.chunks_per_block = 1;
	if (!ordo_problem_check(&checked, error))
		return NULL;
	struct ordo_failure_set *set = calloc(1, sizeof *set);
	if (set) {
		set->problem = checked;
		set->folder = -1;
		set->bytes = bytes;
		set->topology_name = keep(set, topology_name);
		set->topology_digest = keep(set, topology_digest);
	}
	if (set && set->topology_name && set->topology_digest)
		return set;
	ordo_failure_set_destroy(set);
	ordo_fail_memory(error);
	return NULL;
}

void ordo_failure_set_destroy(struct ordo_failure_set *set)
{
	if (!set)
		return;
	if (set->folder >= 0)
		close(set->folder);
	free(set->states);
	ordo_arena_free(&set->arena);
	free(set);
}

double ordo_failure_price(const struct ordo_failure_state *state, uint64_t bytes)
{
	const double bound = (double)bytes * (double)state->numerator / (double)state->denominator /
			     state->bandwidth_gbs;
	return bound > 0 ? state->time_ns / bound : 0;
}

bool ordo_failure_price_check(
	const struct ordo_failure_state *state, uint64_t bytes, struct ordo_error *error)
{
	const double wanted = state->schedule ? ordo_failure_price(state, bytes) : 0;
	return fabs(state->price - wanted) <= 1e-9 * wanted ||
	       ordo_fail(error, ORDO_BAD_INPUT, 1,
		       "price: found %.12g, wanted %.12g, which is time_ns over the bound",
		       state->price, wanted);
}

/* Messages begin with the key they concern. */
static bool check_link(const struct ordo_failure_set *set, const struct ordo_failure_state *state,
	struct ordo_error *error)
{
	const struct ordo_failure_state *last = set->nstate ? &set->states[set->nstate - 1] : NULL;
	if (state->a == ORDO_NONE) {
		if (!last)
			return true;
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"link: missing, but only the first state is that without a failure");
	}
	if (!last)
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"link: found [%" PRIu32 ", %" PRIu32
			"] in the first state, wanted none: it "
			"is the state without a failure",
			state->a, state->b);
	if (state->a >= state->b)
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"link: found [%" PRIu32 ", %" PRIu32
			"], wanted two vertices, the smaller one first",
			state->a, state->b);
	if (last->a == ORDO_NONE || last->a < state->a ||
		(last->a == state->a && last->b < state->b))
		return true;
	if (last->a == state->a && last->b == state->b)
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"link: found [%" PRIu32 ", %" PRIu32 "] twice", state->a, state->b);
	return ordo_fail(error, ORDO_BAD_INPUT, 1,
		"link: found [%" PRIu32 ", %" PRIu32 "] after [%" PRIu32 ", %" PRIu32
		"], wanted ascending order",
		state->a, state->b, last->a, last->b);
}

static bool is_digest(const char *text)
{
	return strlen(text) == 32 && strspn(text, "0123456789abcdef") == 32;
}

static bool check_table(const struct ordo_failure_set *set, const struct ordo_failure_state *state,
	struct ordo_error *error)
{
	if (!is_digest(state->order_digest))
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"order_digest: found \"%.64s\", wanted 32 hexadecimal digits",
			state->order_digest);
	if (!state->denominator || !(state->bandwidth_gbs > 0))
		return ordo_fail(error, ORDO_BAD_INPUT, 1, "bound: found %s of 0, wanted more",
			state->denominator ? "a bandwidth_gbs" : "a denominator");
	if (!isfinite(state->time_ns) || !(state->time_ns >= 0))
		return ordo_fail(error, ORDO_BAD_INPUT, 1, "time_ns: found %g, wanted 0 or more",
			state->time_ns);
	return set->bytes == UINT64_MAX || ordo_failure_price_check(state, set->bytes, error);
}

static bool check_state(const struct ordo_failure_set *set, const struct ordo_failure_state *state,
	struct ordo_error *error)
{
	if (!check_link(set, state, error))
		return false;
	if (state->schedule && !ordo_is_failure_name(state->schedule)) {
		ordo_fail(error, ORDO_BAD_INPUT, 1,
			"schedule: found \"%.64s\", wanted a name such as failure-0.json",
			state->schedule);
		return ordo_hint(error, "a set and its schedules are one folder");
	}
	if (state->schedule)
		return check_table(set, state, error);
	return state->a != ORDO_NONE ||
	       ordo_fail(error, ORDO_BAD_INPUT, 1,
		       "schedule: found null in the first state, wanted a schedule");
}

bool ordo_failure_set_add(struct ordo_failure_set *set, const struct ordo_failure_state *state,
	struct ordo_error *error)
{
	if (!check_state(set, state, error))
		return false;
	if (set->nstate == ORDO_LIMIT || !ordo_array_reserve(&set->states, &set->room,
						 (size_t)set->nstate + 1, sizeof *set->states))
		return ordo_fail_memory(error);
	struct ordo_failure_state *kept = &set->states[set->nstate];
	*kept = (struct ordo_failure_state){.a = state->a, .b = state->b, .place = state->place};
	if (state->schedule) {
		*kept = *state;
		kept->schedule = keep(set, state->schedule);
		kept->algorithm = keep(set, state->algorithm);
		kept->order_digest = keep(set, state->order_digest);
		if (!kept->schedule || !kept->algorithm || !kept->order_digest)
			return ordo_fail_memory(error);
	}
	set->nstate++;
	return true;
}

uint32_t ordo_failure_set_find(const struct ordo_failure_set *set, uint32_t a, uint32_t b)
{
	const uint32_t low = a < b ? a : b, high = a < b ? b : a;
	for (uint32_t i = 0; i < set->nstate; i++)
		if (set->states[i].a == low && set->states[i].b == high)
			return i;
	return ORDO_NONE;
}

uint32_t ordo_failure_set_first(const struct ordo_failure_set *set, uint32_t state)
{
	const char *name = set->states[state].schedule;
	uint32_t first = 0;
	while (first < state && (!name || !set->states[first].schedule ||
					strcmp(set->states[first].schedule, name) != 0))
		first++;
	return first;
}
