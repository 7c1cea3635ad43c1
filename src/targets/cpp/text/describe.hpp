// What does an export say of itself in a report?
#pragma once

#include "n2d2/report/report.hpp"

#include "planned_network.hpp"

namespace n2d2::targets::cpp {

/// Build::describe().
void describe(const PlannedNetwork& network, report::Report& report);

}  // namespace n2d2::targets::cpp
