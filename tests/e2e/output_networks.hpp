// Small networks that differ in what leaves them: scores of one class, or of one for each pixel.
#pragma once

#include "networks.hpp"

namespace n2d2::e2e {

/// Networks of two convolutions, by the layer that makes what leaves them.
#define N2D2_TWO_CONVOLUTIONS                                                                               \
  "[sp]\nSizeX=16\nSizeY=16\nBatchSize=8\n"                                                                 \
  "[conv1] he\nInput=sp\nType=Conv\nKernelDims=3 3\nStride=2\nNbOutputs=10\nActivationFunction=Rectifier\n" \
  "[conv2] he\nInput=conv1\nType=Conv\nKernelDims=3 3\nPadding=1\nNbOutputs=10\n"
#define N2D2_LAST_POOL(name, kind)                                                          \
  "[" name "]\nInput=conv2\nType=Pool\nPoolDims=7 7\nNbOutputs=10\nStride=7\nPooling=" kind \
  "\nMapping.Size=1\n[" name ".Target]\n"
inline constexpr NamedIni kLastPool{"last_pool", N2D2_TWO_CONVOLUTIONS N2D2_LAST_POOL("average", "Average")};
inline constexpr NamedIni kLastMax{"last_max", N2D2_TWO_CONVOLUTIONS N2D2_LAST_POOL("max", "Max")};
inline constexpr NamedIni kLastMap{"last_map", N2D2_TWO_CONVOLUTIONS "[conv2.Target]\n"};
inline constexpr NamedIni kLastSum{
    "last_sum", N2D2_TWO_CONVOLUTIONS
    "[fc1] he\nInput=conv1\nType=Fc\nNbOutputs=10\n[fc2] he\nInput=conv2\nType=Fc\nNbOutputs=10\n"
    "[sum]\nInput=fc1,fc2\nType=ElemWise\nOperation=Sum\nNbOutputs=10\n[sum.Target]\n"};
#undef N2D2_LAST_POOL
#undef N2D2_TWO_CONVOLUTIONS

/// Segmentation: down, a context of half the size, up beside what was there before, a class for each pixel.
/// What leaves it are the sums of a convolution, those moved by a Resize, or what an interpolation adds up.
#define N2D2_SEGMENTS                                                                                      \
  "[sp]\nSizeX=16\nSizeY=16\nBatchSize=8\n"                                                                \
  "[stem] he\nInput=sp\nType=Conv\nKernelDims=3 3\nPadding=1\nNbOutputs=6\nActivationFunction=Rectifier\n" \
  "[down] he\nInput=stem\nType=Conv\nKernelDims=3 3\nStride=2\nPadding=1\nNbOutputs=8\n"                   \
  "ActivationFunction=Rectifier\n"                                                                         \
  "[context] he\nInput=down\nType=Conv\nKernelDims=3 "                                                     \
  "3\nPadding=1\nNbOutputs=8\nActivationFunction=Rectifier\n"
#define N2D2_RESIZED(name, input, channels, mode)                 \
  "[" name "]\nInput=" input "\nType=Resize\nNbOutputs=" channels \
  "\nOutputWidth=16\n"                                            \
  "OutputHeight=16\nMode=" mode "\n"
inline constexpr NamedIni kSegments{
    "segments", N2D2_SEGMENTS N2D2_RESIZED("up", "context", "8", "BilinearTF")
    "[classes] he\nInput=stem,up\nType=Conv\nKernelDims=3 3\nPadding=1\nNbOutputs=10\n"
    "[softmax]\nInput=classes\nType=Softmax\nNbOutputs=10\nWithLoss=1\n[softmax.Target]\n"};
inline constexpr NamedIni kSegmentsMoved{
    "segments_moved",
    N2D2_SEGMENTS "[classes] he\nInput=context\nType=Conv\nKernelDims=1 1\nNbOutputs=10\n" N2D2_RESIZED(
        "up", "classes", "10", "NearestNeighbor") "[up.Target]\n"};
inline constexpr NamedIni kSegmentsBetween{
    "segments_between",
    N2D2_SEGMENTS "[classes] he\nInput=context\nType=Conv\nKernelDims=1 1\nNbOutputs=10\n" N2D2_RESIZED(
        "up", "classes", "10", "BilinearTF") "[up.Target]\n"};
inline constexpr NamedIni kSegmentsOfMaxima{
    "segments_of_maxima", N2D2_SEGMENTS
    "[classes] he\nInput=context\nType=Conv\nKernelDims=1 1\nNbOutputs=10\n"
    "[max]\nInput=classes\nType=Pool\nPoolDims=2 "
    "2\nNbOutputs=10\nStride=2\nPooling=Max\nMapping.Size=1\n[max.Target]\n"};
#undef N2D2_RESIZED
#undef N2D2_SEGMENTS

}  // namespace n2d2::e2e
