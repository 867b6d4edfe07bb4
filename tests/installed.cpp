// installed.cpp - a C++ program of somebody else: reads a schedule from memory and sums the vectors of its ranks, a std::thread a rank.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <ordo/communicator.h>
#include <ordo/compiler.h>
#include <ordo/document.h>
#include <string>
#include <thread>
#include <vector>

struct destroyer {
	void operator()(ordo_schedule *schedule) const { ordo_schedule_destroy(schedule); }
	void operator()(ordo_collective *collective) const { ordo_collective_destroy(collective); }
	void operator()(ordo_communicator *communicator) const { ordo_communicator_destroy(communicator); }
};

int main(int argc, char **argv)
{
	std::ifstream file(argc == 2 ? argv[1] : "");
	const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
	ordo_error error = {};
	const std::unique_ptr<struct ordo_schedule, destroyer> schedule(
		ordo_schedule_read_text(text.data(), text.size(), "memory", nullptr, &error));
	ordo_plan_options options = {};
	options.type = ORDO_F32;
	options.reduction = ORDO_SUM;
	options.count = 1000;
	const std::unique_ptr<struct ordo_collective, destroyer> collective(
		schedule ? ordo_collective_create(schedule.get(), &options, &error) : nullptr);
	ordo_communicator_options wanted = {};
	wanted.nrank = schedule ? schedule->problem.nrank : 0;
	const std::unique_ptr<struct ordo_communicator, destroyer> communicator(
		collective ? ordo_communicator_create(&wanted, &error) : nullptr);
	if (!communicator) {
		std::fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	std::vector<std::vector<float>> input, output(wanted.nrank, std::vector<float>(1000));
	std::vector<std::thread> ranks;
	for (uint32_t rank = 0; rank < wanted.nrank; rank++)
		input.emplace_back(1000, float(rank + 1));
	for (uint32_t rank = 0; rank < wanted.nrank; rank++)
		ranks.emplace_back([&, rank] {
			ordo_part part = {};
			part.collective = collective.get();
			part.input = input[rank].data();
			part.output = output[rank].data();
			ordo_communicator_run(communicator.get(), rank, &part, nullptr);
		});
	for (std::thread &rank : ranks)
		rank.join();
	uint32_t nalgorithm;
	ordo_algorithms(&nalgorithm);
	std::printf("%g by one of %s algorithms\n", double(output.back()[999]), nalgorithm > 1 ? "many" : "no");
	return 0;
}
