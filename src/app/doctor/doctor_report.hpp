// How is a diagnosis written for people and for programs?
#pragma once

#include <map>
#include <string>
#include <vector>

#include "n2d2/data/agreement.hpp"
#include "n2d2/quantize/diagnose.hpp"
#include "n2d2/tensor/widths.hpp"

namespace n2d2::app {

/// A diagnosis with what it rests on.
struct DoctorReport {
  quantize::Diagnosis diagnosis;
  std::map<std::string, LayerWidths, std::less<>> bits;  ///< of layers and inputs
  std::string samples;                                   ///< "100 Validation samples that did not calibrate"
  /// Outputs of the integers that ship against the floats, one for each target; none: the export does not run
  /// in process.
  std::vector<data::Agreement> shipped;
};

/// Bits of weights or values of a layer; 0: it has none.
int bits_of(const DoctorReport& report, const std::string& layer, bool is_weights);
/// "weights", "values".
const char* name_of(const quantize::RankedPart& part);

/// The ten parts that cost most, and what all figures rest on.
std::string console_text(const DoctorReport& report);
/// Content of statistics/doctor.json and statistics/doctor.csv (docs/use/quantization.md).
std::string doctor_json(const DoctorReport& report);
std::string doctor_csv(const DoctorReport& report);

}  // namespace n2d2::app
