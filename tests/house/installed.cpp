// installed.cpp - a C++ program of somebody else: reads a schedule from memory and sums the vectors
// of its ranks, a std::thread a rank.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <ordo/compiler.h>
#include <ordo/ordo.h>
#include <string>
#include <thread>
#include <vector>

struct destroyer {
	void operator()(ordo_schedule *schedule) const
	{
		ordo_schedule_destroy(schedule);
	}
	void operator()(ordo_communicator *communicator) const
	{
		ordo_communicator_destroy(communicator);
	}
};

int main(int argc, char **argv)
{
	std::ifstream file(argc == 2 ? argv[1] : "");
	const std::string text(
		(std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
	ordo_error error = {};
	const std::unique_ptr<struct ordo_schedule, destroyer> schedule(
		ordo_schedule_read_text(text.data(), text.size(), "memory", nullptr, &error));
	ordo_communicator_options wanted = {};
	wanted.nrank = schedule ? schedule->problem.nrank : 0;
	const std::unique_ptr<struct ordo_communicator, destroyer> communicator(
		schedule ? ordo_communicator_create(&wanted, &error) : nullptr);
	if (!communicator || !ordo_communicator_bind(communicator.get(), schedule.get(), &error)) {
		ordo_error_write(&error, stderr);
		return 1;
	}
	std::vector<std::vector<float>> input, output(wanted.nrank, std::vector<float>(1000));
	std::vector<std::thread> ranks;
	for (uint32_t rank = 0; rank < wanted.nrank; rank++)
		input.emplace_back(1000, float(rank + 1));
	for (uint32_t rank = 0; rank < wanted.nrank; rank++)
		ranks.emplace_back([&, rank] {
			ordo_allreduce(communicator.get(), rank, input[rank].data(),
				output[rank].data(), 1000, ORDO_F32, ORDO_SUM, nullptr);
		});
	for (std::thread &rank : ranks)
		rank.join();
	uint32_t nalgorithm;
	ordo_algorithms(&nalgorithm);
	std::printf("%g by one of %s algorithms\n", double(output.back()[999]),
		nalgorithm > 1 ? "many" : "no");
	return 0;
}
