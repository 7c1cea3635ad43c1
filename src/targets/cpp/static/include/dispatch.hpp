// Answers: which of several instruction sets in a program computes the network?
// Part of an exported project; may be used without condition.
//
// It serves programs that `make DISPATCH=1` built: N2D2_DISPATCH is defined. The first run takes the best
// instruction set that the processor and its system have. All of them give the same bytes.
#pragma once

namespace N2D2_Export {

// Returns the instruction set that runs: amx, avx512vnni, avxvnni, avx2 or sse2.
const char* instruction_set();

// Selects another one from the next run on. Returns false, and changes nothing, if the program does not hold
// it or the processor lacks it. Where delegates compute (delegates/), call Network::release() first. Pointers
// from input() are invalid afterwards: each instruction set has an arena of its own.
bool use_instruction_set(const char* name);

}  // namespace N2D2_Export
