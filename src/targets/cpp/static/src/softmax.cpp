// Part of an exported project; may be used without condition.
#include <math.h>

#include "../include/Network.hpp"

namespace N2D2_Export {

void softmax(const float* scores, int n, float* probabilities) {
  float largest = n > 0 ? scores[0] : 0.0f;
  for (int i = 1; i < n; ++i)
    if (scores[i] > largest) largest = scores[i];
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += probabilities[i] = expf(scores[i] - largest);
  for (int i = 0; i < n; ++i) probabilities[i] /= sum;
}

}  // namespace N2D2_Export
