#include "n2d2/data/batch_loader.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

namespace n2d2::data {

namespace {

/// Batches that may be ready at once: several, so that a slow one is not waited for, unless they are large.
size_t batches_ahead(const StimuliProvider& provider, int64_t batch_size) {
  constexpr int64_t kMost = 4, kBytes = int64_t{64} << 20;
  const int64_t bytes = provider.sample_shape().elements() * batch_size * size_bytes(DataType::F32);
  return static_cast<size_t>(std::clamp<int64_t>(kBytes / std::max<int64_t>(bytes, 1), 1, kMost));
}

}  // namespace

/// A ring of batches: `full` of them from `first` on are ready, the thread makes the next one and waits while
/// there is none free.
struct BatchLoader::State {
  const StimuliProvider& provider;
  const Partition partition;
  const std::vector<int64_t> order;
  const int64_t batch_size;
  const uint64_t epoch;

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Batch> ring;
  size_t first = 0, full = 0;
  std::exception_ptr failure;
  bool stop = false;
  int64_t taken = 0;  // positions handed out
  std::thread thread;

  int64_t count() const { return static_cast<int64_t>(order.size()); }

  void run() {
    for (int64_t at = 0; at < count(); at += batch_size) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return full < ring.size() || stop; });
      if (stop) return;
      Batch& batch = ring[(first + full) % ring.size()];
      lock.unlock();
      const std::exception_ptr failed = make(at, batch);
      lock.lock();
      if (failed)
        failure = failed;
      else
        ++full;
      changed.notify_all();
      if (failed) return;
    }
  }

  std::exception_ptr make(int64_t at, Batch& batch) const {
    try {
      const int64_t last = std::min(at + batch_size, count());
      batch.indices.assign(order.begin() + at, order.begin() + last);
      provider.read(partition, batch.indices, epoch, batch.data, batch.labels);
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }
};

BatchLoader::BatchLoader(const StimuliProvider& provider, Partition partition, std::vector<int64_t> order,
                         int64_t batch_size, uint64_t epoch)
    : state_(new State{
          provider, partition, std::move(order), batch_size, epoch, {}, {}, {}, 0, 0, {}, false, 0, {}}) {
  N2D2_CHECK(batch_size >= 1, "batches of {}", batch_size);
  state_->ring.resize(batches_ahead(provider, batch_size));
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
  s.changed.wait(lock, [&] { return s.full > 0 || s.failure; });
  if (s.full == 0) std::rethrow_exception(s.failure);  // batches before the failure come first
  std::swap(batch, s.ring[s.first]);
  s.first = (s.first + 1) % s.ring.size();
  --s.full;
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
