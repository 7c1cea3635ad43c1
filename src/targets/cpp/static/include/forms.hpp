// Answers: which form of its kernel computes each layer?
// Part of an exported project; may be used without condition.
#pragma once

// A call of the network. `form`: the file of include/kernels that computes it, without ending, as it was compiled and as this
// machine runs it; null of a kernel that has one form.
struct N2D2_Export_form_t {
  const char *cell, *kernel, *form;  // cell: whose time counts it
};

namespace N2D2_Export {

// All calls in order of execution, then one without names.
const N2D2_Export_form_t* forms();

// Of the instruction set that runs: the same but in a program with several (dispatch.hpp).
const N2D2_Export_form_t* forms_that_run();

}  // namespace N2D2_Export
