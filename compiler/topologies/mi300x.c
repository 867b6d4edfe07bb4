/* mi300x.c - eight GPUs, a link between every two, a 400 Gb/s card for each: AMD Instinct
 * MI300X platform.
 *
 * links    Infinity Fabric, seven a GPU, 128 GB/s both ways together (896 GB/s a GPU), so 64
 *          GB/s each way to each other GPU
 * cards    eight of 400 Gb/s, one a GPU, as servers of this platform are sold: 50 GB/s each way
 * memory   5.3 TB/s
 * source   "AMD Instinct MI300X Platform" (data sheet, AMD 2023); "AMD CDNA 3 Architecture"
 *          (white paper, AMD 2023); cards: "ND MI300X v5-series" (Microsoft Azure documentation,
 *          2024)
 *
 * Peak rates; what programs see is less. Latencies are assumptions.
 */
#include "boxes.h"
#include "generator.h"

static const struct ordo_box box = {.name = "mi300x",
	.class_name = "xGMI",
	.switched = false,
	.link_gbs = 64,
	.card_gbs = 50,
	.memory_gbs = 5300};

const struct ordo_topology_generator ordo_topology_mi300x = {
	.facts = {.name = "mi300x",
		.summary = "AMD Instinct MI300X: 8 GPUs, 64 GB/s between every two, rails of 400 "
			   "Gb/s: mi300x:4",
		.ranks = "8 a server",
		.how = "Each server has eight GPUs, with 64 GB/s in each direction between every "
		       "two. Each GPU has a network card of 50 GB/s, connected to the rail of its "
		       "number.",
		.where = "AMD Instinct MI300X; peak rates as published, with their sources in "
			 "compiler/topologies/mi300x.c.",
		.sample = "mi300x:1"},
	.box = &box,
};
