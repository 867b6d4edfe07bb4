/* hash_seed.c - the seed of this process. */
#include <ordo/hash_seed.h>
#include <ordo/mix.h>
#include <pthread.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static struct ordo_hash_seed drawn;

/* If the system has no entropy: values that differ from run to run, mixed. */
static uint64_t stir(uint64_t *state, uint64_t more)
{
	return ordo_mix(*state += more + UINT64_C(0x9e3779b97f4a7c15));
}

static void draw(void)
{
	if (getrandom(&drawn, sizeof drawn, GRND_NONBLOCK) == (ssize_t)sizeof drawn)
		return;
	struct timespec now = {0};
	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t state = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	drawn.a = stir(&state, (uint64_t)getpid());
	drawn.b = stir(&state, (uint64_t)(uintptr_t)&now);
	drawn.c = stir(&state, (uint64_t)(uintptr_t)&drawn);
}

struct ordo_hash_seed ordo_hash_seed(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, draw);
	return drawn;
}
