/* Answers: what is a function told that is called while a network runs?
 * Part of an exported project; may be used without condition.
 *
 * The same for all networks: what includes this and nothing of a network compiles once for all of them. */
#pragma once

#include <stdint.h>

/* Rows of the output of a cell: element (x, y, channel) is at y * row + x * pixel + channel, less `turn` for each time that
 * y + first passes a multiple of `ring` (0: it is straight). A map of one row comes as a column: width 1, height its pixels.
 * The rows [from, from + rows) are there: all of them, or, where layers run in turns, those of one turn, the last ones when
 * from + rows is the height. `index` counts the outputs of cells in the order of execution from the input (0) on. */
struct N2D2_Export_rows_t {
  const char* cell;
  int index;
  const void* data;
  int type; /* an ElementType */
  int width, height, channels, pixel, row, ring, first, turn;
  int from, rows;
};

namespace N2D2_Export {

typedef N2D2_Export_rows_t MapRows;

/* Called after each cell with its output; where layers run in turns, after each turn with the rows that it made. */
typedef void (*DumpFn)(const MapRows* map, void* user);

/* Called with a null pointer when the first cell is about to run, then after each cell with its name. */
typedef void (*TimeFn)(const char* cell, void* user);

/* Element type of a tensor handed to a DumpFn. */
enum ElementType { kElementU8, kElementI8, kElementU16, kElementI16, kElementI32, kElementFloat };

template <class T>
struct ElementTypeOf;
template <>
struct ElementTypeOf<uint8_t> {
  static constexpr ElementType value = kElementU8;
};
template <>
struct ElementTypeOf<int8_t> {
  static constexpr ElementType value = kElementI8;
};
template <>
struct ElementTypeOf<uint16_t> {
  static constexpr ElementType value = kElementU16;
};
template <>
struct ElementTypeOf<int16_t> {
  static constexpr ElementType value = kElementI16;
};
template <>
struct ElementTypeOf<int32_t> {
  static constexpr ElementType value = kElementI32;
};
template <>
struct ElementTypeOf<float> {
  static constexpr ElementType value = kElementFloat;
};

}  // namespace N2D2_Export
