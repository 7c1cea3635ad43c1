// Answers: what must a recurrent layer compute in integers, step by step? Shares no code with kernels and
// operators.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace n2d2::oracle {

/// One direction. Rows of weights stand gate after gate, a row for each unit in each gate; four words of
/// `table` for each row: two multipliers, two biases.
struct SequenceCell {
  enum class Kind { Lstm, Gru, Rnn } kind = Kind::Lstm;
  bool linear = false;  ///< of a GRU: the reset acts on the product
  int units = 1;
  int64_t shift = 1;
  std::vector<int64_t> weights, recurrent, table;
  std::function<int64_t(int64_t value, int unit)> round;  ///< from 2^-24 to an output
};

/// The outputs after each of these steps, in their order, from a state of 0.
std::vector<std::vector<int64_t>> run_steps(const SequenceCell& cell,
                                            const std::vector<std::vector<int64_t>>& steps);

}  // namespace n2d2::oracle
