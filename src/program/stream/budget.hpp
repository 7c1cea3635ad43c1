// Which calls must run in turns so that a program fits a memory?
#pragma once

#include <memory>
#include <vector>

#include "n2d2/program/stream.hpp"

namespace n2d2::program {

/// A choice of regions, and what it costs.
struct Streaming {
  Bytes bound = 0;   ///< no plan of it has less (memory::lower_bound)
  int64_t runs = 0;  ///< calls of kernels in all turns together
  CallId worst = 0;  ///< the call, or the first one of the region, whose step sets the bound
  Program program;   ///< with its regions, not placed
};

/// All regions that calls of a program may make, which has neither places nor regions and must outlive them.
/// Every choice is made by counting, none by a clock.
class StreamChoices {
 public:
  /// `fixed`: regions of the program that every choice has.
  explicit StreamChoices(const Program& program, const std::vector<Stream>& fixed = {});
  ~StreamChoices();

  /// Whether there is one: calls that never run by themselves (a source, Contract::accumulates) may be in no
  /// region.
  bool any() const;
  /// The lowest bound of any choice; of those that fit in the memories where there are any, else of those
  /// nearest to it.
  Bytes least() const;
  Bytes most() const;                           ///< the bound where nothing streams but what is fixed
  const std::vector<Memory>& memories() const;  ///< of the program
  /// Returns one of the choices that least() considers. No step of it has a bound above `budget`, or above
  /// least() where least() is more. Among these choices it has the fewest bytes above `comfort` in all steps
  /// together, then the fewest calls of kernels. A planner reaches its bound more easily where steps stay
  /// below what the highest step must have.
  Streaming within(Bytes budget, Bytes comfort) const;
  Streaming within(Bytes budget) const { return within(budget, budget); }

 private:
  class Choices;
  std::unique_ptr<const Choices> choices_;
};

}  // namespace n2d2::program
