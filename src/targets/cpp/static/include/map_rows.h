/* Answers: what does a function get that is called while a network runs?
 * Part of an exported project; may be used without condition.
 *
 * It is the same for all networks, so sources that include only this compile once for all of them. */
#pragma once

#include <stdint.h>

/* Rows of a cell's output: element (x, y, channel) is at y * row + x * pixel + channel, less `turn` for each
 * multiple of `ring` up to y + first (0: straight). A map of one row is a column: width 1, height its pixels.
 * Rows [from, from + rows) exist: all, or those of one turn where layers run in turns; the last end at the
 * height. `index` counts outputs of cells in the order of execution from the input (0) on. */
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

/* Is called after each cell with its output, or after each turn with its rows where layers run in turns. */
typedef void (*DumpFn)(const MapRows* map, void* user);

/* Is called with a null pointer before the first cell, then after each cell with its name. */
typedef void (*TimeFn)(const char* cell, void* user);

/* Element type of a tensor that a DumpFn gets. */
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
