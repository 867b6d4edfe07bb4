/* device.h - memory of accelerators. Private to tools/mpi/. */
#ifndef ORDO_MPI_DEVICE_H
#define ORDO_MPI_DEVICE_H

#include <stdbool.h>

/* Whether one of two addresses is in memory of an accelerator, which a processor cannot read: what
 * the program's CUDA or HIP reports. Managed memory is not. NULL: none. Any thread; 35 ns without
 * CUDA and HIP. */
bool ordo_mpi_is_on_device(const void *first, const void *second);
/* Whether the program has loaded CUDA or HIP, so that it may have such memory. */
bool ordo_mpi_has_devices(void);

#endif
