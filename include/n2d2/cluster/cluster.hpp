// How do the processes of one run share its work? Messages that all of them take part in.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "n2d2/base/error.hpp"
#include "n2d2/cluster/transport.hpp"

namespace n2d2::cluster {

using Bytes = std::vector<std::byte>;

/// How long a rank waits for another one: until it warns, and until it gives up, by a clock that never goes
/// back.
struct Patience {
  using Clock = std::chrono::steady_clock;
  std::chrono::milliseconds warns{60'000}, ends{600'000};
  std::function<Clock::time_point()> now = Clock::now;
};

/// Another rank does not answer.
class Unanswered : public Error {
 public:
  Unanswered(std::string message, std::string hint)
      : Error({Diagnostic{{}, std::move(message), std::move(hint)}}) {}
};

/// What the ranks must have in common: "version", "0.1.0", and what to do where it differs.
struct Fact {
  std::string name, value, hint = {};
};

/// The processes of a run, its ranks. Every rank calls the same functions in the same order, from one thread;
/// results do not depend on which rank comes first. One process alone has rank 0 of 1: every function returns
/// at once.
class Cluster {
 public:
  Cluster() = default;
  explicit Cluster(std::unique_ptr<Transport> transport, Patience patience = {});
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_alone() const { return size_ == 1; }
  /// Whether this is the rank that prints and writes files.
  bool is_first() const { return rank_ == 0; }
  /// "rank 3 (host)"
  std::string name(int rank) const;

  /// What every rank gives, in the order of ranks; lengths may differ.
  std::vector<Bytes> gather(std::span<const std::byte> bytes) const;
  /// Whether any rank says yes.
  bool any(bool word) const;
  /// What rank `from` has, on every rank.
  void broadcast(std::span<std::byte> bytes, int from) const;
  bool broadcast(bool word, int from) const;

  /// From one rank to another. The bytes are copied; receive() waits.
  void send(int to, std::span<const std::byte> bytes) const;
  void receive(int from, std::span<std::byte> bytes) const;

  /// Adds what a rank has to elements [begin, begin + sum.size()) of the sum; `begins`: writes them instead.
  using AddOwn = std::function<void(int64_t begin, std::span<float> sum, bool begins)>;
  /// Sums in the order of ranks 0 to `last`, element by element, as one process would that has the terms of
  /// all of them one after the other: a rank adds its own to what the rank before has sent, in tiles of
  /// 64 KiB. The sum is on rank `last` afterwards, parts of it on the ranks before, where it stays unchanged
  /// until settle().
  void fold(std::span<float> sum, int last, const AddOwn& add) const;
  /// Waits until all that was sent has gone.
  void settle() const;
  /// Sums of integers, exact in any order; on every rank.
  void add(std::span<uint64_t> counts) const;

  /// ConfigError on every rank, with each rank whose facts differ from those of rank 0.
  void check(std::span<const Fact> facts) const;

  /// At the end of a run that every rank has come through; waits for all.
  void leave() const;
  /// Ends all processes, with an exit code.
  void abort(int code) const;

 private:
  void wait(const std::function<bool()>& is_done, const std::function<std::string()>& what) const;
  void begin_send(int to, std::span<const std::byte> bytes) const;

  std::unique_ptr<Transport> transport_;
  Patience patience_;
  int rank_ = 0, size_ = 1;
  std::vector<std::string> hosts_;
  mutable std::deque<Bytes> in_flight_;  // copies of what is being sent
};

/// One process alone: what functions take that are given no other cluster.
const Cluster& alone();

}  // namespace n2d2::cluster
