// Answers: which of the instruction sets that a program holds computes the network?
// Part of an exported project; may be used without condition.
//
// Of programs that `make DISPATCH=1` built: N2D2_DISPATCH is defined. The first run takes the best instruction set that the
// processor and its system have. All give the same bytes.
#pragma once

namespace N2D2_Export {

// The one that runs: amx, avx512vnni, avxvnni, avx2 or sse2.
const char* instruction_set();

// Takes another one from the next run on. False, and nothing is changed: the program does not hold it, or the processor lacks it.
// Where parts of other code compute (delegates/), Network::release() comes first. What input() said is void: each has an arena
// of its own.
bool use_instruction_set(const char* name);

}  // namespace N2D2_Export
