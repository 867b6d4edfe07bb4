/* sleeping.c - has MPICH over UCX sleep where it waits, which otherwise polls without end: several
 * ranks on few cores take a fifth of the time then, and many ranks seconds instead of many minutes.
 * To be loaded by LD_PRELOAD. */
#include <dlfcn.h>
#include <stddef.h>
#include <time.h>
#pragma GCC visibility push(default) /* MPICH is to find what is defined here */

/* So often in vain, a thread sleeps: for the kernel's shortest time, some 50 us. */
enum { NPOLL = 20 };

unsigned ucp_worker_progress(void *worker);

/* UCX's own, which may have been loaded for MPICH alone. */
static void *find(void)
{
	void *ucx = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
	return ucx ? dlsym(ucx, "ucp_worker_progress") : NULL;
}

unsigned ucp_worker_progress(void *worker)
{
	typedef unsigned progress_function(void *worker);
	static union {
		void *object;
		progress_function *progress;
	} own;
	static _Thread_local int nvain;
	if (!own.object)
		own.object = find();
	const unsigned ncompleted = own.progress(worker);
	nvain = ncompleted ? 0 : nvain + 1;
	if (nvain == NPOLL) {
		nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
		nvain--;
	}
	return ncompleted;
}
