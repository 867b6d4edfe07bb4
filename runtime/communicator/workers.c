/* workers.c - the helper threads of a communicator: they run items of any call, and sleep when
 * there are none. */
#include "workers.h"
#include "call.h"
#include "kernels/fetch.h"
#include "wake.h"
#include <stdlib.h>

/* A helper polls for work about as long as waking it would take. */
#define NSPIN 20000
#define NHELPER_YIELD 20

struct helper {
	pthread_t thread;
	struct ordo_communicator *communicator;
	uint32_t number;
};

/* Visits the ranks of a thread, a contiguous range; the caller is thread 0. */
static void visit_own(struct ordo_communicator *communicator, uint32_t thread)
{
	const uint64_t nrank = communicator->nrank, nthread = communicator->helpers.count + 1;
	for (uint64_t r = thread * nrank / nthread; r < (thread + 1) * nrank / nthread; r++)
		communicator->helpers.visit.visit(communicator->helpers.visit.closure, (uint32_t)r);
}

/* Prefetches what a thread reads of a call that another one has just launched. */
static void fetch_slot(const struct call_slot *slot)
{
	fetch_for_writing(&slot->claims);
	__builtin_prefetch(&slot->folds);
	__builtin_prefetch(slot->ends);
}

static void work_on_all(struct ordo_communicator *communicator, bool from_end)
{
	const uint32_t last =
		atomic_load_explicit(&communicator->helpers.launched, memory_order_relaxed);
	fetch_slot(&communicator->slots[last]);
	for (uint32_t i = 0; i < communicator->depth; i++) {
		struct call_slot *slot =
			&communicator->slots[(last - i) & (communicator->depth - 1)];
		const uint32_t state = atomic_load(&slot->state);
		if (status_of(state) == LAUNCHED)
			ordo_call_work(communicator, slot, lap_of(state), from_end, UINT32_MAX);
	}
}

/* Waits until the bell differs from `heard`. */
static void wait_for_bell(struct ordo_communicator *communicator, uint32_t heard)
{
	const uint32_t nspin = communicator->helpers.count < communicator->ncore ? NSPIN : 0;
	for (uint32_t i = 0; i < nspin + NHELPER_YIELD; i += pass_time(i, nspin)) {
		if (atomic_load_explicit(&communicator->helpers.bell, memory_order_acquire) !=
			heard)
			return;
	}
	atomic_fetch_add(&communicator->helpers.nlistening, 1);
	if (atomic_load(&communicator->helpers.bell) == heard)
		ordo_sleep(&communicator->helpers.bell, heard, UINT32_MAX);
	atomic_fetch_sub(&communicator->helpers.nlistening, 1);
}

static void *helper_main(void *argument)
{
	const struct helper *helper = argument;
	struct ordo_communicator *communicator = helper->communicator;
	uint32_t nvisit = 0;
	for (uint32_t heard = 0;;) {
		const uint32_t bell = atomic_load(&communicator->helpers.bell);
		if (atomic_load(&communicator->helpers.quits))
			return NULL;
		if (bell == heard) {
			wait_for_bell(communicator, heard);
			continue;
		}
		heard = bell;
		if (atomic_load(&communicator->helpers.visit.number) != nvisit) {
			nvisit++;
			visit_own(communicator, helper->number);
			if (atomic_fetch_sub(&communicator->helpers.visit.nvisiting, 1) == 1 &&
				atomic_load(&communicator->helpers.visit.sleeps))
				ordo_wake(&communicator->helpers.visit.nvisiting);
		}
		work_on_all(communicator, 2 * helper->number > communicator->helpers.count);
	}
}

bool ordo_helpers_create(
	struct ordo_communicator *communicator, uint32_t nhelper, struct ordo_error *error)
{
	communicator->helpers.list =
		calloc((size_t)nhelper + 1, sizeof *communicator->helpers.list);
	if (!communicator->helpers.list)
		return ordo_fail_memory(error);
	communicator->helpers.count = nhelper;
	for (uint32_t i = 0; i < nhelper; i++, communicator->helpers.nstarted++) {
		struct helper *helper = &communicator->helpers.list[i];
		*helper = (struct helper){.communicator = communicator, .number = i + 1};
		if (pthread_create(&helper->thread, NULL, helper_main, helper))
			return ordo_fail(error, ORDO_ENVIRONMENT, 0,
				"could start only %u of %u helper threads", i, nhelper);
	}
	return true;
}

void ordo_helpers_destroy(struct ordo_communicator *communicator)
{
	atomic_store(&communicator->helpers.quits, 1);
	atomic_fetch_add(&communicator->helpers.bell, 1);
	ordo_wake(&communicator->helpers.bell);
	for (uint32_t i = 0; i < communicator->helpers.nstarted; i++)
		pthread_join(communicator->helpers.list[i].thread, NULL);
	free(communicator->helpers.list);
}

void ordo_communicator_visit(struct ordo_communicator *communicator,
	void (*visit)(void *closure, uint32_t rank), void *closure)
{
	communicator->helpers.visit.visit = visit;
	communicator->helpers.visit.closure = closure;
	atomic_store(&communicator->helpers.visit.nvisiting, communicator->helpers.count);
	atomic_fetch_add(&communicator->helpers.visit.number, 1);
	ordo_helpers_wake(communicator);
	visit_own(communicator, 0);
	for (uint32_t i = 0, left; (left = atomic_load(&communicator->helpers.visit.nvisiting));
		i++) {
		if (i < NSPIN && communicator->helpers.count < communicator->ncore)
			ordo_relax();
		else if (!atomic_exchange(&communicator->helpers.visit.sleeps, 1))
			continue; /* the last helper may have read `sleeps` before this */
		else
			ordo_sleep(&communicator->helpers.visit.nvisiting, left, UINT32_MAX);
	}
	atomic_store(&communicator->helpers.visit.sleeps, 0);
}
