/* rates.h - what links carry each way, in GB/s, as NCCL and RCCL reckon: what programs see, which
 * is less than the peak. Source: the tables of NCCL's graph/topo.h and of RCCL's. */
#ifndef ORDO_TOOLS_TOPOLOGY_XML_RATES_H
#define ORDO_TOOLS_TOPOLOGY_XML_RATES_H

#include <stdbool.h>
#include <stdint.h>

/* "16.0 GT/s PCIe" and lanes. 0: not understood. */
double pci_rate(const char *speed, uint32_t width);
/* Assumed where a file says nothing: 8 GT/s and 16 lanes. */
#define USUAL_PCI_GBS 12.0
/* So many links together. Rates have one decimal: 18 of 40.1 are 721.8, and not the product of
 * doubles, 721.8000000000001. */
double links_rate(double one, uint32_t count);
/* One NVLink of a GPU of this compute capability (80). */
double nvlink_rate(uint32_t sm);
/* One xGMI of a GPU. *known: is the name in the table? */
double xgmi_rate(const char *gcn, bool *known);
/* Between two CPUs. */
double smp_rate(const char *arch, const char *vendor, uint32_t model);

#endif
