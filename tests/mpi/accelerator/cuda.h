/* cuda.h - memory of CUDA by its driver, which is loaded at run time, so that no headers of CUDA
 * are needed. For the program of cuda.c. */
#ifndef MPI_CUDA_H
#define MPI_CUDA_H

#include <stdbool.h>
#include <stddef.h>

enum kind {
	PLAIN,
	DEVICE,
	POOL,	   /* of a device, by cuMemAllocAsync */
	MANAGED,   /* that both read */
	PINNED,	   /* of the host */
	REGISTERED /* memory of malloc, likewise */
};

/* Loads the driver and prepares the first device. false: `why` says what is missing. */
bool cuda_open(const char *driver, char *why, size_t size);
/* Memory of a kind; ends the program if there is none. */
void *cuda_allocate(enum kind kind, size_t bytes);
void cuda_free(enum kind kind, void *memory);
/* Whether memory was allocated as a device's, and the processor cannot read it. */
bool cuda_is_far(const void *memory);
/* Copies between two vectors of any kind. */
void cuda_copy(void *dst, const void *src, size_t bytes);
/* Has the calling thread no device, as one that never called CUDA. cuda_copy undoes that. */
void cuda_leave(void);

#endif
