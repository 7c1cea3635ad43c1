// Answers: which form of the tiles of dot_portable.hpp do layers use?
// Part of an exported project; may be used without condition.
//
// It has no config fields. It picks plain loops, the compiler's vectors, or a form for the instruction set.
// Stack, Scratch: as dot_portable.hpp.
#pragma once

#include "dot_portable.hpp"

// Each export has its own text of this file, because compilers take equal files for one.
namespace N2D2_EXPORT_NAMESPACE {}

#if N2D2_VECTOR > 0
#include "dot_vector.hpp"
#endif

#include "dot_variants.hpp"
