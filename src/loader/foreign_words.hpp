// What is a word of Keras, PyTorch, Caffe, Darknet or ONNX called in an INI file of N2D2?
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace n2d2::loader {

enum class WordKind { LayerType, Activation, Solver, Filler, Key };

/// "'Type=Fc'" for the layer type Dense; "" for a word that no table has. Letter case, '_' and '-' do not
/// count.
std::string our_word_for(WordKind kind, std::string_view word);

/// "; here that is 'Type=Fc'", else "; did you mean 'X'?" of the candidates, else "".
std::string meant(WordKind kind, std::string_view word, std::span<const std::string> candidates);

}  // namespace n2d2::loader
