// Which steps need which?
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "problem/families.hpp"

namespace n2d2::memory {

/// A set of the numbers 0 .. n - 1.
class IndexSet {
 public:
  explicit IndexSet(size_t count = 0) : words_((count + 63) / 64) {}
  void insert(int i) { words_[word(i)] |= bit(i); }
  bool has(int i) const { return (words_[word(i)] & bit(i)) != 0; }
  void remove(int i) { words_[word(i)] &= ~bit(i); }
  void insert(const IndexSet& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }
  bool within(const IndexSet& other) const {
    for (size_t w = 0; w < words_.size(); ++w)
      if ((words_[w] & ~other.words_[w]) != 0) return false;
    return true;
  }
  /// Whether all elements of this set are in `other` or are `more`.
  bool within(const IndexSet& other, int more) const {
    for (size_t w = 0; w < words_.size(); ++w)
      if ((words_[w] & ~(other.words_[w] | (w == word(more) ? bit(more) : 0))) != 0) return false;
    return true;
  }
  int count() const;
  /// Calls visit(i) in ascending order.
  template <class Visit>
  void each(Visit visit) const {
    for (size_t w = 0; w < words_.size(); ++w)
      for (uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
        visit(static_cast<int>(w * 64) + std::countr_zero(rest));
  }
  friend auto operator<=>(const IndexSet&, const IndexSet&) = default;

 private:
  static size_t word(int i) { return static_cast<size_t>(i) / 64; }
  static uint64_t bit(int i) { return uint64_t{1} << (static_cast<unsigned>(i) % 64); }
  std::vector<uint64_t> words_;
};

/// What must have run before each step: whatever writes a buffer it reads, one inside that, or one that holds
/// it.
struct StepGraph {
  std::vector<IndexSet> before;  ///< directly
  std::vector<IndexSet> ever_before;
};
StepGraph step_graph(const Problem& problem, const Families& families);

}  // namespace n2d2::memory
