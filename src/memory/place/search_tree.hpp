// Do these blocks fit below a cap? A search tree over the lowest places still free.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "placement.hpp"

namespace n2d2::memory {

/// Which placement a search tries first. Every guide leads to the same answer, after more nodes or fewer.
struct Guide {
  enum class Rule {
    LowestBlock,      ///< the lowest place; of equal places, the block that failed most often in this run
    TightestSection,  ///< what can lie on the ground of the section with the least room to waste
    LowestSection     ///< the same for the section with the lowest ground
  };
  Rule rule = Rule::LowestBlock;
  std::vector<int> rank;  ///< of each block, all different; the lower one wins where the rule leaves a choice
};

/// The search tree of one set of blocks, walked as often as asked.
///
/// Time is cut into sections: the largest sets of blocks alive at once, in order of time. Offsets are counted
/// in units, the greatest length that divides the rounded sizes.
///
///     offset                        base_[b]   top of what lies below b: where b would come to rest
///       |      +-----+  b           least_[b]  no solution has b lower; above base_ if b was refuted there,
///       |  - - | - - | least_[b]               so that b has to rest on a block that is not placed yet
///       |      | . . | base_[b]
///       |   +--+--+--+--+
///       |   | placed    |
///       +---+-----------+-----> sections
///
/// A node takes a block that rests at base_ and that no open (not placed) block can get below. It either lies
/// there or higher than there. Only solutions matter in which no block can be moved down, therefore
///  - the open blocks of a section must fit above their least_, for each least_ those that start there or
///  higher;
///  - a block above its base_ rests on an open block, and another one is in the way of its lying at base_;
///  - a block that fits below all open ones it meets is placed without an alternative.
/// Runs of sections that no open block connects are independent. States that were refuted are remembered.
/// Source: canonical placements, sections and their decomposition in time are those of Moffitt, MiniMalloc,
/// ASPLOS 2023, section 5; the bound of a section is that of a machine with release dates (Jackson 1955).
class Tree {
 public:
  enum class Result { Fits, FitsNot, GaveUp };

  Tree(std::span<const Block> blocks, Bytes alignment);

  /// The peaks a solution can have: the nearest one that is `value` at least, at most.
  Bytes peak_from(Bytes value) const;
  Bytes peak_to(Bytes value) const;

  /// Blocks must end at `cap` or lower. Forgets what was refuted under another cap.
  void set_cap(Bytes cap);
  /// Searches from the start, placing at most `nodes` blocks; what was refuted since set_cap stays refuted.
  Result run(const Guide& guide, int64_t nodes);
  /// Placements tried by the last run.
  int64_t nodes() const { return nodes_; }
  /// In bytes, after Fits.
  std::vector<Bytes> offsets() const;

  /// Most units of blocks alive at once during the block's life.
  Bytes load(size_t block) const;

 private:
  struct Item {
    Bytes units;      // length of the rounded size
    Bytes lost;       // bytes that rounding adds
    int first, end;   // sections
    int kind;         // the same for blocks of equal size and sections
    bool sticks_out;  // of due_, with the bytes that rounding adds
  };
  /// What a section knows about its open blocks.
  struct Section {
    Bytes ground, ground_but_lowest;  // lowest least_, the same without `lowest`
    Bytes top, top_but_first;         // lowest end of a block, the same without `first_done`
    Bytes room;                       // units that may stay empty
    int lowest, first_done;
    int on_ground;  // blocks whose least_ is the ground
  };
  struct Mark {
    size_t bounds, sections, placed;
  };
  struct OldBounds {
    int block;
    Bytes base, least;
  };
  using Group = std::vector<int>;
  using Key = std::pair<uint64_t, uint64_t>;
  struct KeyHash {
    size_t operator()(const Key& key) const { return static_cast<size_t>(key.first); }
  };

  void cut_sections(std::span<const Block> blocks);
  const Item& item(int block) const { return items_[static_cast<size_t>(block)]; }
  Bytes& base(int block) { return base_[static_cast<size_t>(block)]; }
  Bytes& least(int block) { return least_[static_cast<size_t>(block)]; }
  bool open(int block) const { return open_[static_cast<size_t>(block)] != 0; }
  bool rests(int block) { return open(block) && least(block) == base(block); }

  Mark mark() const { return {old_bounds_.size(), old_sections_.size(), placed_.size()}; }
  void undo(const Mark& mark);
  void set_bounds(int block, Bytes base, Bytes least);
  void touch(int block);
  void place(int block);
  void blame(int block) { ++failures_[static_cast<size_t>(block)]; }

  bool propagate();
  bool scan(int section);
  bool supported(int block);
  Bytes ground_without(int block) const;
  Bytes top_without(int block) const;

  int choose(int first, int end, const Group& group);
  int choose_in_section(int first, int end, const Group& group);
  bool goes_before(int a, int b);
  bool loses_nothing(int block) { return ground_without(block) >= base(block) + item(block).units; }
  bool nothing_gets_below(int block) { return top_without(block) > base(block); }

  bool fit(int first, int end, const Group& group);
  bool fit_connected(int first, int end, const Group& group);
  bool branch(int first, int end, const Group& group);
  bool refute(int block, const Group& group);
  Key key(const Group& group);

  Bytes unit_ = 1;
  Bytes due_ = 0;  // units below the cap
  std::vector<Item> items_;
  std::vector<std::vector<int>> meets_;    // per block: those alive with it
  std::vector<std::vector<int>> members_;  // per section, by least_ when it was scanned: closed ones first
  std::vector<Bytes> load_;                // per section
  std::vector<int> bridges_;               // per section: open blocks that go on to the next one

  std::vector<Bytes> base_, least_;
  std::vector<char> open_;
  std::vector<int> placed_;
  std::vector<Section> sections_;
  std::vector<char> touched_;
  std::vector<int> queue_;
  std::vector<OldBounds> old_bounds_;
  std::vector<std::pair<int, Section>> old_sections_;
  std::vector<int> part_of_section_, resting_;

  const Guide* guide_ = nullptr;
  std::vector<int64_t> failures_;
  std::unordered_set<Key, KeyHash> refuted_;
  int64_t nodes_ = 0, limit_ = 0;
  bool gave_up_ = false;
};

}  // namespace n2d2::memory
