/* Answers: which C++ types do the elements of this network have?
 * Part of an exported project; may be used without condition.
 *
 * NB_BITS (params.h): 2..8 -> 8-bit elements, 9..16 -> 16-bit elements, -16 and -32 -> float. */
#pragma once

#include <stdint.h>

#include "map_rows.h"
#include "params.h"

namespace N2D2_Export {

static_assert((NB_BITS >= 1 && NB_BITS <= 16) || NB_BITS == -16 || NB_BITS == -32,
              "NB_BITS must be 1..16, -16 or -32");

/* The type of elements of n bits, which take `bytes` bytes; 0: float. */
template <int n, bool is_unsigned, int bytes = (n > 0) + (n > 8)>
struct Elements {
  typedef float type;
};
template <int n>
struct Elements<n, false, 1> {
  typedef int8_t type;
};
template <int n>
struct Elements<n, true, 1> {
  typedef uint8_t type;
};
template <int n>
struct Elements<n, false, 2> {
  typedef int16_t type;
};
template <int n>
struct Elements<n, true, 2> {
  typedef uint16_t type;
};
typedef Elements<NB_BITS, false>::type DATA_T;
typedef Elements<NB_BITS, true>::type UDATA_T;

}  // namespace N2D2_Export

/* Linker sections of the arena, the weights and the biases; an empty macro keeps them in default sections.
 * All exports of a program share these macros.
 *
 * .nn_memory takes no bytes of files (NOBITS, as .bss): the arena holds nothing before the first run, and
 * needs no zeroing. g++ makes a named section one of file data and has no attribute for the other kind. So
 * the name below contains the type, and what g++ appends ("aw" again) becomes a comment of the assembler.
 * clang++ has a pragma, which precedes and follows the arena. */
#if defined(__GNUC__) && defined(__ELF__)
#define N2D2_IN_SECTION(name) __attribute__((section(name)))
#else
#define N2D2_IN_SECTION(name)
#endif
#define N2D2_PRAGMA(text) _Pragma(#text)
#if defined(__clang__) && defined(__ELF__)
#define N2D2_NOBITS_SECTION(name)
#define N2D2_BEGIN_NOBITS(name) N2D2_PRAGMA(clang section bss = name)
#define N2D2_END_NOBITS N2D2_PRAGMA(clang section bss = "")
#else
#define N2D2_NOBITS_SECTION(name) N2D2_IN_SECTION(name ",\"aw\",%nobits\n#")
#define N2D2_BEGIN_NOBITS(name)
#define N2D2_END_NOBITS
#endif
#ifndef N2D2_SECTION_NN_MEMORY
#define N2D2_SECTION_NN_MEMORY N2D2_NOBITS_SECTION(".nn_memory")
#define N2D2_BEGIN_NN_MEMORY N2D2_BEGIN_NOBITS(".nn_memory")
#define N2D2_END_NN_MEMORY N2D2_END_NOBITS
#endif
#ifndef N2D2_BEGIN_NN_MEMORY
#define N2D2_BEGIN_NN_MEMORY
#define N2D2_END_NN_MEMORY
#endif
#ifndef N2D2_SECTION_NN_WEIGHTS
#define N2D2_SECTION_NN_WEIGHTS N2D2_IN_SECTION(".nn_weights")
#endif
#ifndef N2D2_SECTION_NN_BIASSES
#define N2D2_SECTION_NN_BIASSES N2D2_IN_SECTION(".nn_biasses")
#endif

/* In a program with several instruction sets (`make DISPATCH=1`), those that read weights in the same order
 * share the parameters of cells: N2D2_PARAMETERS and the name are their symbol in all namespaces. */
#ifdef N2D2_PARAMETERS
#define N2D2_TEXT_OF(token) #token
#define N2D2_TEXT(macro) N2D2_TEXT_OF(macro)
#define N2D2_PARAMETER(name) __asm__(N2D2_TEXT(N2D2_PARAMETERS) #name)
#else
#define N2D2_PARAMETER(name)
#endif

/* N2D2_NO_CALLBACKS leaves out calls after cells, names of cells and self_test(). N2D2_NO_NAMES leaves out
 * names alone, which are null. N2D2_NO_SELF_TEST leaves out the sample of self_test() and its checksums. */
#ifdef N2D2_NO_CALLBACKS
#ifndef N2D2_NO_NAMES
#define N2D2_NO_NAMES
#endif
#ifndef N2D2_NO_SELF_TEST
#define N2D2_NO_SELF_TEST
#endif
#endif
#ifdef N2D2_NO_NAMES
#define N2D2_NAME(text) 0
#else
#define N2D2_NAME(text) text
#endif
