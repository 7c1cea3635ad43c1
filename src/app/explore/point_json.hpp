// How are the figures of an export written as JSON?
#pragma once

#include <nlohmann/json.hpp>

#include "figures.hpp"

namespace n2d2::app {

/// Without the number, which depends on what else is compared.
nlohmann::ordered_json json_of(const Explored& explored);
/// Json::exception where it is no such object.
Explored explored_of(const nlohmann::ordered_json& json);

/// The figures of statistics/score.json of an export.
Accuracy accuracy_of(const nlohmann::ordered_json& score);

}  // namespace n2d2::app
