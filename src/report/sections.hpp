// What do the parts of the page say that some runs have? Each is empty where there is nothing.
#pragma once

#include <string>
#include <vector>

#include "n2d2/report/report.hpp"

namespace n2d2::report {

std::string histograms_section(const Report& report);
std::string blame_section(const std::vector<Blame>& blame);
std::string confusion_section(const std::vector<Confusion>& confusions);
std::string curves_section(const std::vector<Curve>& curves);
std::string points_section(const std::vector<Point>& points);
std::string flash_section(const std::vector<NamedBytes>& kinds);
std::string feed_section(const Feed& feed);
/// A table of two columns.
std::string facts(const std::vector<Fact>& facts);

}  // namespace n2d2::report
