// What do integer forms of several operators share?
#pragma once

#include "n2d2/graph/integer_form.hpp"

namespace n2d2::ops {

/// Of what a pass takes away before there are integers.
inline graph::IntegerForm not_removed() {
  return graph::no_integers("it has no integer form and was not removed before quantization",
                            "the float pipeline of an export removes it");
}

}  // namespace n2d2::ops
