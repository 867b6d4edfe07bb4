/* yielding.c - has MPICH over UCX yield the processor when it waits, which it never does by itself:
 * many ranks on few cores take seconds then, and many minutes without. To be loaded by
 * LD_PRELOAD. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
	typedef unsigned progress_function(void *worker);
	static union {
		void *object;
		progress_function *progress;
	} next;
	if (!next.object)
		next.object = dlsym(RTLD_NEXT, "ucp_worker_progress");
	const unsigned ncompleted = next.progress(worker);
	if (!ncompleted)
		sched_yield();
	return ncompleted;
}
