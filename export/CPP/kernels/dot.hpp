// Answers: which form of the tiles of dot_portable.hpp do layers use?
// Part of an exported project; may be used without condition.
//
// No config fields. The plain loops, the compiler's vectors where it has them, or a form for its instruction set.
// Stack, Scratch: as dot_portable.hpp.
#pragma once

#include "dot_portable.hpp"

// The text of each export is its own: compilers take equal files for one.
namespace N2D2_EXPORT_NAMESPACE {}

#if N2D2_VECTOR > 0
#include "dot_vector.hpp"
#endif

#include "dot_variants.hpp"
