// Answers: which small networks does one test ask for, of forms, concatenations, rows and slices?
#pragma once

#include "networks.hpp"

namespace n2d2::e2e {

/// Channels enough for matrices, a depthwise layer of whole vectors, groups, a sum behind a convolution, an
/// Fc.
inline constexpr NamedIni kForms{"forms", R"(
[sp]
SizeX=16
SizeY=16
BatchSize=8
[stem] he
Input=sp
Type=Conv
KernelDims=3 3
Padding=1
Stride=2
NbOutputs=32
ActivationFunction=Rectifier
[deep] he
Input=stem
Type=Conv
KernelDims=3 3
Padding=1
NbOutputs=32
Mapping.ChannelsPerGroup=1
[whole] he
Input=deep
Type=Conv
KernelDims=3 3
Padding=1
NbOutputs=32
[sum]
Input=whole,deep
Type=ElemWise
Operation=Sum
NbOutputs=32
ActivationFunction=Rectifier
[pool]
Input=sum
Type=Pool
PoolDims=2 2
Stride=2
NbOutputs=32
Pooling=Max
Mapping.Size=1
[fc] he
Input=pool
Type=Fc
NbOutputs=10
[fc.Target]
)"};

/// Four concatenations, each with the parts of the one before and one more, each but the first read by two
/// layers. x0 has no sign, what is made of it has: it is brought to the scale of the block.
inline constexpr NamedIni kDense{"dense", R"(
[sp]
SizeX=16
SizeY=16
BatchSize=8
[bottleneck] he
Type=Conv
KernelDims=1 1
NbOutputs=6
ActivationFunction=Rectifier
[grow] he
Type=Conv
KernelDims=3 3
Padding=1
NbOutputs=4
[x0] grow
Input=sp
Stride=2
NbOutputs=8
ActivationFunction=Rectifier
[g1] bottleneck
Input=x0
[x1] grow
Input=g1
[g2] bottleneck
Input=x0,x1
[side2] bottleneck
Input=x0,x1
[x2] grow
Input=g2
[g3] bottleneck
Input=x0,x1,x2
[side3] bottleneck
Input=x0,x1,x2
[x3] grow
Input=g3
[end] bottleneck
Input=x0,x1,x2,x3
[last] bottleneck
Input=x0,x1,x2,x3
[merge] bottleneck
Input=end,last,side2,side3
[fc] he
Input=merge
Type=Fc
NbOutputs=10
[fc.Target]
)"};

/// A row of pixels: rows of it are pixels.
inline constexpr NamedIni kSignal{"signal", R"(
[sp]
SizeX=64
SizeY=1
BatchSize=8
[sp.Transformation]
Type=RescaleTransformation
Width=64
Height=1
[conv1] he
Input=sp
Type=Conv
KernelDims=5 1
Stride=2 1
NbOutputs=4
ActivationFunction=Rectifier
[conv2] he
Input=conv1
Type=Conv
KernelDims=3 1
NbOutputs=6
ActivationFunction=Rectifier
[fc] he
Input=conv2
Type=Fc
NbOutputs=10
[fc.Target]
)"};

/// An average over the map: its rows are added up as they come, scores and what is before another layer.
inline constexpr NamedIni kMean{"mean", R"(
[sp]
SizeX=20
SizeY=24
BatchSize=8
[sp.Transformation]
Type=RescaleTransformation
Width=20
Height=24
[conv1] he
Input=sp
Type=Conv
KernelDims=3 3
NbOutputs=70
ActivationFunction=Rectifier
[mean]
Input=conv1
Type=Pool
Pooling=Average
PoolDims=18 22
NbOutputs=70
Mapping.Size=1
[fc] he
Input=mean
Type=Fc
NbOutputs=10
[fc.Target]
)"};
inline constexpr NamedIni kMeanScores{"mean_scores", R"(
[sp]
SizeX=20
SizeY=24
BatchSize=8
[sp.Transformation]
Type=RescaleTransformation
Width=20
Height=24
[conv1] he
Input=sp
Type=Conv
KernelDims=3 3
NbOutputs=10
[mean]
Input=conv1
Type=Pool
Pooling=Average
PoolDims=18 22
NbOutputs=10
Mapping.Size=1
[mean.Target]
)"};

/// Two bottlenecks, the second with the sum of its input.
inline constexpr NamedIni kBottlenecks{"bottlenecks", R"(
[sp]
SizeX=20
SizeY=24
BatchSize=8
[sp.Transformation]
Type=RescaleTransformation
Width=20
Height=24
[of_one] he
Type=Conv
KernelDims=1 1
[of_channel] he
Type=Conv
KernelDims=3 3
Padding=1
Mapping.ChannelsPerGroup=1
ActivationFunction=Rectifier
[a1] of_one
Input=sp
NbOutputs=36
ActivationFunction=Rectifier
[a2] of_channel
Input=a1
NbOutputs=36
Stride=2
[a3] of_one
Input=a2
NbOutputs=6
[b1] of_one
Input=a3
NbOutputs=48
ActivationFunction=Rectifier
[b2] of_channel
Input=b1
NbOutputs=48
[b3] of_one
Input=b2
NbOutputs=6
[sum]
Input=b3,a3
Type=ElemWise
Operation=Sum
NbOutputs=6
[pool]
Input=sum
Type=Pool
Pooling=Max
PoolDims=2 2
Stride=2
NbOutputs=6
Mapping.ChannelsPerGroup=1
[fc] he
Input=pool
Type=Fc
NbOutputs=10
[fc.Target]
)"};

/// A long map between two Fc.
inline constexpr NamedIni kWide{"wide", R"(
[sp]
SizeX=16
SizeY=16
BatchSize=8
[fc1] he
Input=sp
Type=Fc
NbOutputs=600
ActivationFunction=Rectifier
[fc2] he
Input=fc1
Type=Fc
NbOutputs=10
[softmax]
Input=fc2
Type=Softmax
NbOutputs=10
WithLoss=1
[softmax.Target]
)"};

/// A depthwise layer behind one whose weights a test scales.
inline constexpr NamedIni kDeadChannels{"dead_channels", R"(
[sp]
SizeX=16
SizeY=16
BatchSize=8
[first] he
Input=sp
Type=Conv
KernelDims=3 3
NbOutputs=8
ActivationFunction=Rectifier
NoBias=1
[second] he
Input=first
Type=Conv
KernelDims=3 3
NbOutputs=8
Mapping.ChannelsPerGroup=1
ActivationFunction=Rectifier
NoBias=1
[fc] he
Input=second
Type=Fc
NbOutputs=10
[fc.Target]
)"};

/// Many convolutions, of which some are alike.
inline constexpr NamedIni kRepeated{"repeated", R"(
[sp]
SizeX=16
SizeY=16
BatchSize=8
[c1] he
Input=sp
Type=Conv
KernelDims=3 3
NbOutputs=8
Padding=1
ActivationFunction=Rectifier
[c2] he
Input=c1
Type=Conv
KernelDims=3 3
NbOutputs=20
Padding=1
ActivationFunction=Rectifier
[c3] he
Input=c2
Type=Conv
KernelDims=1 1
NbOutputs=20
ActivationFunction=Rectifier
[c4] he
Input=c3
Type=Conv
KernelDims=1 1
NbOutputs=20
ActivationFunction=Rectifier
[c5] he
Input=c4
Type=Conv
KernelDims=3 3
NbOutputs=36
Stride=2
Padding=1
ActivationFunction=Rectifier
[c6] he
Input=c5
Type=Conv
KernelDims=1 1
NbOutputs=36
ActivationFunction=Rectifier
[sum1]
Input=c5,c6
Type=ElemWise
Operation=Sum
NbOutputs=36
[sum2]
Input=sum1,c6
Type=ElemWise
Operation=Sum
NbOutputs=36
[pool]
Input=sum2
Type=Pool
PoolDims=2 2
Stride=2
Pooling=Max
NbOutputs=36
Mapping.Size=1
[fc] he
Input=pool
Type=Fc
NbOutputs=10
[fc.Target]
)"};

}  // namespace n2d2::e2e
