// How fast does a network learn? Prints images/s of the whole loop (data, forward, backward, solver), the
// part of its processor time that is spent inside library primitives, and the part of the threads' time that
// is not waited.
//   train_speed_loop <network.ini> <seconds>      threads: OMP_NUM_THREADS
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <time.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/parallel.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/training/trainer.hpp"

namespace {

using namespace n2d2;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns the processor time of all threads of the process.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

training::Trainer make_trainer(loader::Network& net) {
  std::vector<training::LearntConstant> learnt;
  for (const loader::Parameter& parameter : net.parameters)
    if (parameter.solver) learnt.push_back({parameter.constant, parameter.solver->clone()});
  std::vector<training::TrainingTarget> targets;
  for (size_t i = 0; i < net.targets.size(); ++i)
    targets.push_back(training::training_target(net.graph, net.graph.outputs().at(i), net.targets[i].target));
  training::TrainerOptions options;
  options.seed = net.seed;
  options.batch_size = net.batch_size;
  options.time_primitives = true;
  return {net.graph, std::move(learnt), std::move(targets), options};
}

/// Shuffled epochs, batch after batch as Trainer::learn_epochs takes them, for a time.
class Loop {
 public:
  Loop(loader::Network& net, training::Trainer& trainer) : net_(net), trainer_(trainer), source_(*net.data) {}

  /// Images learnt.
  int64_t run(double seconds) {
    int64_t images = 0;
    for (const auto start = Clock::now(); seconds_since(start) < seconds;) {
      data::Batch batch;
      while (!stream_ || !stream_->next(batch)) open();
      trainer_.step(batch.data, batch.labels, step_++);
      images += batch.data.shape().n();
    }
    return images;
  }

 private:
  void open() {
    const int64_t size = source_.size(data::Partition::Learn);
    stream_ = source_.open(data::Partition::Learn, data::shuffled_order(size, net_.seed, epoch_),
                           net_.batch_size, epoch_);
    ++epoch_;
  }

  loader::Network& net_;
  training::Trainer& trainer_;
  training::ProviderSource source_;
  std::unique_ptr<training::BatchStream> stream_;
  uint64_t epoch_ = 0, step_ = 0;
};

void measure(const char* path, double seconds) {
  config::IniDocument ini = config::read_ini(path);
  loader::Network net = loader::network(ini, {1, false, {}});
  loader::fill(net);
  training::Trainer trainer = make_trainer(net);
  Loop loop(net, trainer);
  loop.run(seconds / 5);  // primitives are made, buffers grow
  const double before = trainer.seconds_in_primitives();
  const double processor_before = processor_seconds();
  const auto start = Clock::now();
  const int64_t images = loop.run(seconds);
  const double elapsed = seconds_since(start), processor = processor_seconds() - processor_before;
  fmt::print(
      "{{\"images_per_second\": {:.1f}, \"share_in_primitives\": {:.4f}, \"busy\": {:.4f}, \"threads\": "
      "{}}}\n",
      static_cast<double>(images) / elapsed, (trainer.seconds_in_primitives() - before) / processor,
      processor / (elapsed * max_threads()), max_threads());
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc == 3 ? std::atof(argv[2]) : 0;
  if (seconds <= 0) {
    std::fprintf(stderr, "usage: train_speed_loop <network.ini> <seconds>\n");
    return 2;
  }
  try {
    measure(argv[1], seconds);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
