/* rates.c - what links carry. */
#include "rates.h"
#include <stdlib.h>
#include <string.h>

double pci_rate(const char *speed, uint32_t width)
{
	/* 0.1 Gb/s of a lane, for each gigatransfer per second. */
	static const struct {
		double transfers, tenths;
	} generations[] = {{2.5, 15}, {5, 30}, {8, 60}, {16, 120}, {32, 240}, {64, 480}};
	char *end;
	const double transfers = strtod(speed, &end);
	if (end == speed || strncmp(end, " GT/s", 5) != 0)
		return 0;
	for (unsigned i = 0; i < sizeof generations / sizeof *generations; i++)
		if (transfers >= generations[i].transfers && transfers <= generations[i].transfers)
			return width * generations[i].tenths / 80;
	return 0;
}

double links_rate(double one, uint32_t count)
{
	return (double)((uint64_t)(one * 10 + 0.5) * count) / 10;
}

double nvlink_rate(uint32_t sm)
{
	return sm >= 100 ? 40.1 : sm >= 90 ? 20.6 : sm == 86 ? 12 : sm >= 70 ? 20 : 18;
}

double xgmi_rate(const char *gcn, bool *known)
{
	static const struct {
		const char *name;
		double gbs;
	} gpus[] = {{"gfx94", 48}, {"940", 48}, {"941", 48}, {"942", 48}, {"gfx95", 48},
		{"910", 36}, {"gfx90a", 36}, {"908", 24}, {"906", 24}, {"gfx908", 24},
		{"gfx906", 24}};
	*known = true;
	for (unsigned i = 0; gcn && i < sizeof gpus / sizeof *gpus; i++)
		if (!strncmp(gcn, gpus[i].name, strlen(gpus[i].name)))
			return gpus[i].gbs;
	*known = false;
	return 24;
}

double smp_rate(const char *arch, const char *vendor, uint32_t model)
{
	enum { SKYLAKE = 0x55 };
	if (!strcmp(arch, "ppc64"))
		return 32;
	if (!strcmp(vendor, "AuthenticAMD"))
		return 16;
	return !strcmp(vendor, "GenuineIntel") && model >= SKYLAKE ? 10 : 6;
}
