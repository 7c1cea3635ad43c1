#include "n2d2/data/batch_loader.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

namespace n2d2::data {

/// One batch is ready or being made; the thread waits until it is taken.
struct BatchLoader::State {
  const StimuliProvider& provider;
  const Partition partition;
  const std::vector<int64_t> order;
  const int64_t batch_size;
  const uint64_t epoch;

  std::mutex mutex;
  std::condition_variable changed;
  Batch ready;
  std::exception_ptr failure;
  bool full = false, stop = false;
  int64_t taken = 0;  // positions handed out
  std::thread thread;

  int64_t count() const { return static_cast<int64_t>(order.size()); }

  void run() {
    for (int64_t first = 0; first < count(); first += batch_size) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return !full || stop; });
      if (stop) return;
      lock.unlock();
      make(first);
      lock.lock();
      full = true;
      changed.notify_all();
      if (failure) return;
    }
  }

  void make(int64_t first) {
    try {
      const int64_t last = std::min(first + batch_size, count());
      ready.indices.assign(order.begin() + first, order.begin() + last);
      provider.read(partition, ready.indices, epoch, ready.data, ready.labels);
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

BatchLoader::BatchLoader(const StimuliProvider& provider, Partition partition, std::vector<int64_t> order,
                         int64_t batch_size, uint64_t epoch)
    : state_(new State{
          provider, partition, std::move(order), batch_size, epoch, {}, {}, {}, {}, false, false, 0, {}}) {
  N2D2_CHECK(batch_size >= 1, "batches of {}", batch_size);
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

BatchLoader::~BatchLoader() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->changed.notify_all();
  state_->thread.join();
}

bool BatchLoader::next(Batch& batch) {
  State& s = *state_;
  if (s.taken >= s.count()) return false;
  std::unique_lock lock(s.mutex);
  s.changed.wait(lock, [&] { return s.full; });
  if (s.failure) std::rethrow_exception(s.failure);
  std::swap(batch, s.ready);
  s.full = false;
  s.taken += static_cast<int64_t>(batch.indices.size());
  s.changed.notify_all();
  return true;
}

std::vector<int64_t> in_order(int64_t count) {
  std::vector<int64_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), int64_t{0});
  return out;
}

std::vector<int64_t> shuffled_order(int64_t count, uint64_t seed, uint64_t epoch) {
  Rng rng(seed, "order of samples", epoch);
  return shuffled(count, rng);
}

}  // namespace n2d2::data
