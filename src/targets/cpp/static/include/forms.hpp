// Answers: which form of its kernel computes each layer?
// Part of an exported project; may be used without condition.
#pragma once

// A call of the network. `form`: the file of include/kernels that computes it, without ending, as it was
// compiled and as this machine runs it; null for a kernel with one form.
struct N2D2_Export_form_t {
  const char *cell, *kernel, *form;  // cell: the one that its time is added to
};

namespace N2D2_Export {

// Returns all calls in the order of execution, then one without names.
const N2D2_Export_form_t* forms();

// Returns the calls of the current instruction set, where a program has several (dispatch.hpp).
const N2D2_Export_form_t* forms_that_run();

}  // namespace N2D2_Export
