// Several ranks in one process: a thread for each, and a post that keeps their messages.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "n2d2/base/parallel.hpp"
#include "n2d2/cluster/cluster.hpp"

namespace n2d2::cluster {

struct OtherRankFailed {};

/// Messages on their way, and how many there were.
class Post {
 public:
  void put(int from, int to, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    waiting_[{from, to}].emplace_back(bytes.begin(), bytes.end());
    ++messages_;
    bytes_ += bytes.size();
  }
  bool take(int from, int to, std::span<std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    if (has_failed_) throw OtherRankFailed();
    std::deque<Bytes>& queue = waiting_[{from, to}];
    if (queue.empty()) return false;
    if (queue.front().size() != bytes.size()) throw std::logic_error("a message of another length");
    std::copy(queue.front().begin(), queue.front().end(), bytes.begin());
    queue.pop_front();
    return true;
  }
  void fail() {
    const std::lock_guard lock(mutex_);
    has_failed_ = true;
  }
  /// Whether every message was received.
  bool is_empty() const {
    for (const auto& [ranks, queue] : waiting_)
      if (!queue.empty()) return false;
    return true;
  }
  size_t messages() const { return messages_; }
  size_t bytes() const { return bytes_; }

 private:
  std::mutex mutex_;
  std::map<std::pair<int, int>, std::deque<Bytes>> waiting_;
  bool has_failed_ = false;
  size_t messages_ = 0, bytes_ = 0;
};

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(Post& post, int rank, int size) : post_(post), rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string host() const override { return std::string(1, static_cast<char>('a' + rank_)); }
  void send(int to, std::span<const std::byte> bytes) override { post_.put(rank_, to, bytes); }
  bool sent() override { return true; }
  bool receive(int from, std::span<std::byte> bytes) override { return post_.take(from, rank_, bytes); }
  bool leave() override { return true; }
  void abort(int) override {}

 private:
  Post& post_;
  int rank_, size_;
};

/// Runs body(cluster) on each rank; then all messages have been received. Rethrows what the lowest rank threw
/// that failed by itself.
inline void on_ranks(int size, const std::function<void(const Cluster&)>& body, Post& post) {
  std::vector<std::exception_ptr> failures(static_cast<size_t>(size));
  std::vector<std::thread> threads;
  const int threads_before = max_threads();
  set_max_threads(1);  // of each rank
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      try {
        const Cluster cluster(std::make_unique<ThreadTransport>(post, rank, size));
        body(cluster);
      } catch (const OtherRankFailed&) {
      } catch (...) {
        failures[static_cast<size_t>(rank)] = std::current_exception();
        post.fail();
      }
    });
  for (std::thread& thread : threads) thread.join();
  set_max_threads(threads_before);
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  if (!post.is_empty()) throw std::logic_error("messages were not received");
}
inline void on_ranks(int size, const std::function<void(const Cluster&)>& body) {
  Post post;
  on_ranks(size, body, post);
}

}  // namespace n2d2::cluster
