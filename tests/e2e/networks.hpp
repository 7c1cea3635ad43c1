// Answers: which small networks go through every test of whole exports?
#pragma once

#include <string>
#include <vector>

namespace n2d2::e2e {

struct NamedIni {
  const char* name;
  const char* text;
};

inline constexpr const char* kHead = R"(
DefaultModel=Frame
[database]
Type=Glyphs_Database
Learn=24
Validation=0
Test=6
Width=16
Height=16
[he]
WeightsFiller=HeFiller
BiasFiller=NormalFiller
BiasFiller.StdDev=0.1
)";

/// LeNet in small: connection table, max pooling, Fc after a map, Dropout, terminal Softmax.
inline constexpr NamedIni kLenet{"lenet", R"(
[sp]
SizeX=16
SizeY=16
BatchSize=8
[conv1] he
Input=sp
Type=Conv
KernelDims=5 5
NbOutputs=4
ActivationFunction=Rectifier
[pool1]
Input=conv1
Type=Pool
PoolDims=2 2
Stride=2
NbOutputs=4
Pooling=Max
Mapping.Size=1
[conv2] he
Input=pool1
Type=Conv
KernelDims=3 3
NbOutputs=6
Padding=1
ActivationFunction=Rectifier
Mapping(pool1)=1 1 0 0 1 1 \
 0 1 1 0 1 1 \
 0 0 1 1 1 0 \
 1 0 0 1 0 1
[fc1] he
Input=conv2
Type=Fc
NbOutputs=20
ActivationFunction=Rectifier
[drop]
Input=fc1
Type=Dropout
NbOutputs=20
[fc2] he
Input=drop
Type=Fc
NbOutputs=10
[softmax]
Input=fc2
Type=Softmax
NbOutputs=10
WithLoss=1
[softmax.Target]
)"};

/// Residual: signed branch plus unsigned skip, strided projection, average pool.
inline constexpr NamedIni kResidual{"residual", R"(
[sp]
SizeX=16
SizeY=16
BatchSize=8
[stem] he
Input=sp
Type=Conv
KernelDims=3 3
Padding=1
NbOutputs=8
ActivationFunction=Rectifier
[a1] he
Input=stem
Type=Conv
KernelDims=3 3
Padding=1
NbOutputs=8
ActivationFunction=Rectifier
[a2] he
Input=a1
Type=Conv
KernelDims=3 3
Padding=1
NbOutputs=8
[sum1]
Input=stem,a2
Type=ElemWise
Operation=Sum
NbOutputs=8
ActivationFunction=Rectifier
[b1] he
Input=sum1
Type=Conv
KernelDims=3 3
Stride=2
Padding=1
NbOutputs=12
[proj] he
Input=sum1
Type=Conv
KernelDims=1 1
Stride=2
NbOutputs=12
[sum2]
Input=b1,proj
Type=ElemWise
Operation=Sum
NbOutputs=12
ActivationFunction=Saturation
ActivationFunction.Threshold=2
[avg]
Input=sum2
Type=Pool
PoolDims=3 3
Stride=2
Padding=1
NbOutputs=12
Pooling=Average
Mapping.Size=1
[fc] he
Input=avg
Type=Fc
NbOutputs=10
[fc.Target]
)"};

/// Branches: dilation, groups, asymmetric Padding, max pool with its own padding, a leaky rectifier, signed
/// concatenation.
inline constexpr NamedIni kBranches{"branches", R"(
[sp]
SizeX=16
SizeY=16
BatchSize=8
[stem] he
Input=sp
Type=Conv
KernelDims=3 3
Stride=2
NbOutputs=8
ActivationFunction=Rectifier
[one] he
Input=stem
Type=Conv
KernelDims=1 1
NbOutputs=5
ActivationFunction=Rectifier
[pad]
Input=stem
Type=Padding
NbOutputs=8
TopPadding=1
BottomPadding=1
LeftPadding=0
RightPadding=1
[wide] he
Input=pad
Type=Conv
KernelDims=2 3
Dilation=1 1
NbOutputs=6
Mapping.NbGroups=2
ActivationFunction=Rectifier
ActivationFunction.LeakSlope=0.3
[wide2] he
Input=wide
Type=Conv
KernelDims=3 3
Padding=2 1
Dilation=2 1
NbOutputs=7
[pooled]
Input=stem
Type=Pool
PoolDims=3 3
Padding=1
NbOutputs=8
Pooling=Max
Mapping.Size=1
[merge] he
Input=one,wide2,pooled
Type=Conv
KernelDims=3 3
NbOutputs=9
ActivationFunction=Rectifier
ActivationFunction.Clipping=1.5
[fc] he
Input=merge
Type=Fc
NbOutputs=10
[fc.Target]
)"};

/// Depthwise: BatchNorm, ReLU6, channel multiplier, global average pool.
inline constexpr NamedIni kDepthwise{"depthwise", R"(
[sp]
SizeX=16
SizeY=16
BatchSize=8
[c1] he
Input=sp
Type=Conv
KernelDims=3 3
Stride=2
Padding=1
NbOutputs=8
[bn1]
Input=c1
Type=BatchNorm
NbOutputs=8
ActivationFunction=Rectifier
ActivationFunction.Clipping=6
ConfigSection=bn
[dw1] he
Input=bn1
Type=Conv
KernelDims=3 3
Padding=1
NbOutputs=8
Mapping.ChannelsPerGroup=1
ActivationFunction=Rectifier
ActivationFunction.Clipping=6
[pw1] he
Input=dw1
Type=Conv
KernelDims=1 1
NbOutputs=6
[dw2] he
Input=pw1
Type=Conv
KernelDims=5 3
Padding=2 1
Stride=2 1
NbOutputs=12
Mapping.ChannelsPerGroup=1
ActivationFunction=Rectifier
[gap]
Input=dw2
Type=Pool
PoolDims=2 4
NbOutputs=12
Stride=2 4
Pooling=Average
Mapping.Size=1
[fc] he
Input=gap
Type=Fc
NbOutputs=10
[fc.Target]
[bn]
Epsilon=1e-3
)"};

/// Gates: functions, a threshold, products with one value a channel or a pixel, both kinds of Resize, an
/// average that counts no padding, a sum of ten with repeated values, a Softmax inside.
inline constexpr NamedIni kGates{"gates", R"(
[sp]
SizeX=16
SizeY=16
BatchSize=8
[stem] he
Input=sp
Type=Conv
KernelDims=3 3
Padding=1
NbOutputs=8
ActivationFunction=Swish
[squeeze]
Input=stem
Type=Pool
PoolDims=16 16
NbOutputs=8
Pooling=Average
Mapping.Size=1
[reduce] he
Input=squeeze
Type=Conv
KernelDims=1 1
NbOutputs=4
ActivationFunction=Softplus
[gate] he
Input=reduce
Type=Conv
KernelDims=1 1
NbOutputs=8
ActivationFunction=Logistic
[scaled]
Input=stem,gate
Type=ElemWise
Operation=Prod
NbOutputs=8
ActivationFunction=Saturation
ActivationFunction.Threshold=1
[down]
Input=scaled
Type=Pool
PoolDims=3 3
Stride=2
Padding=1
UncountedPadding=1
NbOutputs=8
Pooling=Average
Mapping.Size=1
[body] he
Input=down
Type=Conv
KernelDims=3 3
Padding=1
NbOutputs=8
ActivationFunction=Tanh
ActivationFunction.Alpha=0.7
[up]
Input=body
Type=Resize
NbOutputs=8
OutputWidth=16
OutputHeight=16
Mode=NearestNeighbor
[cut]
Input=body
Type=Threshold
Threshold=0.5
NbOutputs=8
ConfigSection=cut.config
[cut.config]
Operation=Truncate
[smooth]
Input=cut
Type=Resize
NbOutputs=8
OutputWidth=16
OutputHeight=16
Mode=BilinearTF
ActivationFunction=Rectifier
[many]
Input=scaled,up,smooth,stem,gate,stem,up,squeeze,scaled,smooth
Type=ElemWise
Operation=Sum
NbOutputs=8
[spot] he
Input=many
Type=Conv
KernelDims=1 1
NbOutputs=1
ActivationFunction=Logistic
[gated]
Input=spot,many
Type=ElemWise
Operation=Prod
NbOutputs=8
[shares]
Input=gated
Type=Softmax
NbOutputs=8
[weighed]
Input=shares,gated
Type=ElemWise
Operation=Prod
NbOutputs=8
[fc] he
Input=weighed
Type=Fc
NbOutputs=10
[fc.Target]
)"};

/// Pictures around 0: the zero point of the input is in the biases of all that reads it, windows of which
/// leave the picture on all sides, on some, and nowhere.
inline constexpr NamedIni kCentred{"centred", R"(
[sp]
SizeX=16
SizeY=16
BatchSize=8
[sp.Transformation]
Type=RangeAffineTransformation
FirstOperator=Minus
FirstValue=127.5
SecondOperator=Divides
SecondValue=127.5
[small] he
Input=sp
Type=Conv
KernelDims=3 3
Stride=2
Padding=1
NbOutputs=6
ActivationFunction=Rectifier
[large] he
Input=sp
Type=Conv
KernelDims=7 7
Stride=2
Padding=3
NbOutputs=6
[sum]
Input=small,large
Type=ElemWise
Operation=Sum
NbOutputs=6
ActivationFunction=Rectifier
[far] he
Input=sp
Type=Conv
KernelDims=3 2
Dilation=5 9
Stride=2
Padding=5 4
NbOutputs=6
[point] he
Input=sp
Type=Conv
KernelDims=1 1
Stride=2
NbOutputs=6
[all]
Input=sum,far,point
Type=ElemWise
Operation=Sum
NbOutputs=6
[fc] he
Input=all
Type=Fc
NbOutputs=10
[direct] he
Input=sp
Type=Fc
NbOutputs=10
[scores]
Input=fc,direct
Type=ElemWise
Operation=Sum
NbOutputs=10
[scores.Target]
)"};

inline const std::vector<NamedIni>& networks() {
  static const std::vector<NamedIni> all{kLenet, kResidual, kBranches, kDepthwise, kGates, kCentred};
  return all;
}

/// The networks that an ONNX file of integers can hold: it has no form for gates, and inputs have no zero
/// points there.
inline const std::vector<NamedIni>& networks_of_onnx() {
  static const std::vector<NamedIni> all{kLenet, kResidual, kBranches, kDepthwise};
  return all;
}

inline std::string ini_of(const NamedIni& net) {
  return std::string(kHead) + net.text;
}

}  // namespace n2d2::e2e
