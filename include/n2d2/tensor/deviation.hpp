// How far are some numbers from those that they stand for?
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace n2d2 {

/// Sums over pairs of a wanted number and the one that is there.
struct Deviation {
  int64_t count = 0;
  double wanted_squares = 0, found_squares = 0, products = 0, error_squares = 0;

  void add(double wanted, double found) {
    ++count;
    wanted_squares += wanted * wanted;
    found_squares += found * found;
    products += wanted * found;
    error_squares += (wanted - found) * (wanted - found);
  }
  Deviation& operator+=(const Deviation& other) {
    count += other.count;
    wanted_squares += other.wanted_squares;
    found_squares += other.found_squares;
    products += other.products;
    error_squares += other.error_squares;
    return *this;
  }

  /// Signal to quantization noise in dB: 10 log10(sum x^2 / sum (x - y)^2). Infinite without any noise, minus
  /// infinite where there is nothing but noise.
  double sqnr() const {
    if (error_squares <= 0) return std::numeric_limits<double>::infinity();
    return wanted_squares > 0 ? 10 * std::log10(wanted_squares / error_squares)
                              : -std::numeric_limits<double>::infinity();
  }
  /// Cosine of the angle between both, as vectors; 1 where both are zero, 0 where one is.
  double cosine() const {
    if (wanted_squares <= 0 && found_squares <= 0) return 1;
    const double lengths = std::sqrt(wanted_squares) * std::sqrt(found_squares);
    return lengths > 0 ? products / lengths : 0;
  }
  double mean_squared_error() const { return count > 0 ? error_squares / static_cast<double>(count) : 0; }
};

}  // namespace n2d2
