// Answers: where is the window of a layer that a kernel without DSP instructions computes?
// Part of an exported project; may be used without condition.
//
// It has no config fields. Stack: none of note. Scratch: none.
#pragma once

#include "window.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Whether all fields of a config are constants; such a config has no members.
template <class C>
struct ScalarConstant {
  struct Behind : C {
    char last;
  };
  enum { kYes = sizeof(Behind) == sizeof(char) };
};

// In flash if all fields of the config are constants, else made at each call.
template <class C, bool constant = ScalarConstant<C>::kYes>
struct ScalarWindow {
  static N2D2_INLINE ConvWindow of(const C& c) { return window_of(c); }
};
template <class C>
struct ScalarWindow<C, true> {
  static N2D2_INLINE const ConvWindow& of(const C&) {
    static constexpr ConvWindow kWindow = window_of(C());
    return kWindow;
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
