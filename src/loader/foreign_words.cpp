#include "foreign_words.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "n2d2/base/text.hpp"

namespace n2d2::loader {

namespace {

struct Words {
  /// Blank-separated, lower case, without '_' and '-'.
  std::string_view theirs, ours;
};

constexpr Words kLayers[] = {
    {"dense linear fullyconnected innerproduct gemm matmul connected", "'Type=Fc'"},
    {"conv1d", "'Type=Conv', of maps of one row"},
    {"conv2d convolution convolution2d convolutional convolutionallayer", "'Type=Conv'"},
    {"depthwiseconv2d depthwiseconv depthwiseconvolution convdw",
     "'Type=Conv' with 'Mapping.ChannelsPerGroup=1'"},
    {"separableconv2d separableconv",
     "two layers of 'Type=Conv', the first with 'Mapping.ChannelsPerGroup=1', the second with 'KernelDims=1 "
     "1'"},
    {"conv2dtranspose convtranspose convtranspose2d deconvolution deconvolutional transposedconv",
     "'Type=Deconv'"},
    {"maxpool maxpool1d maxpool2d maxpooling maxpooling1d maxpooling2d", "'Type=Pool' with 'Pooling=Max'"},
    {"avgpool avgpool1d avgpool2d averagepool averagepooling averagepooling1d averagepooling2d",
     "'Type=Pool' with 'Pooling=Average'"},
    {"globalavgpool globalaveragepool globalaveragepooling2d adaptiveavgpool2d gap",
     "'Type=Pool' with 'Pooling=Average' and 'PoolDims' of the whole map"},
    {"globalmaxpool globalmaxpooling2d adaptivemaxpool2d",
     "'Type=Pool' with 'Pooling=Max' and 'PoolDims' of the whole map"},
    {"pooling subsampling", "'Type=Pool'"},
    {"batchnormalization batchnorm1d batchnorm2d bn", "'Type=BatchNorm'"},
    {"relu", "'ActivationFunction=Rectifier' in the section of the layer before"},
    {"relu6",
     "'ActivationFunction=Rectifier' and 'ActivationFunction.Clipping=6' in the section of the layer before"},
    {"leakyrelu",
     "'ActivationFunction=Rectifier' and 'ActivationFunction.LeakSlope=0.1' in the section of the layer "
     "before"},
    {"sigmoid", "'ActivationFunction=Logistic' in the section of the layer before"},
    {"silu swish", "'ActivationFunction=Swish' in the section of the layer before"},
    {"tanh", "'ActivationFunction=Tanh' in the section of the layer before"},
    {"softmaxwithloss crossentropyloss crossentropy", "'Type=Softmax' with 'WithLoss=1'"},
    {"flatten", "no layer: an Fc reads a map as one row"},
    {"zeropadding2d zeropad2d pad", "'Type=Padding'"},
    {"add eltwise shortcut residual sum", "'Type=ElemWise' with 'Operation=Sum'"},
    {"mul multiply product", "'Type=ElemWise' with 'Operation=Prod'"},
    {"concat concatenate merge route", "no layer: 'Input=a,b' puts channels behind each other"},
    {"upsample upsampling2d interpolate", "'Type=Resize'"},
    {"localresponsenorm localresponsenormalization", "'Type=LRN'"},
    {"permute", "'Type=Transpose'"},
    {"input inputlayer data placeholder", "no layer but the section [sp]"},
};

constexpr Words kActivations[] = {
    {"relu", "'Rectifier'"},
    {"relu6", "'Rectifier' with 'ActivationFunction.Clipping=6'"},
    {"leakyrelu lrelu leaky", "'Rectifier' with 'ActivationFunction.LeakSlope=0.1'"},
    {"sigmoid", "'Logistic'"},
    {"none identity", "'Linear'"},
    {"silu", "'Swish'"},
    {"hardtanh", "'Saturation'"},
    {"softmax", "a layer of its own, 'Type=Softmax'"},
};

constexpr Words kSolvers[] = {
    {"momentum nesterov sgdm", "'SGD' with 'Solvers.Momentum'"},
    {"adamw adamax nadam amsgrad rmsprop adagrad adadelta", "'Adam', the nearest of those that there are"},
};

constexpr Words kFillers[] = {
    {"henormal heuniform kaiming kaimingnormal kaiminguniform msra", "'HeFiller'"},
    {"glorot glorotnormal glorotuniform xavier xaviernormal xavieruniform", "'XavierFiller'"},
    {"zeros zero", "'ConstantFiller' with '.Value=0'"},
    {"ones one", "'ConstantFiller' with '.Value=1'"},
    {"constant", "'ConstantFiller'"},
    {"normal gaussian randomnormal truncatednormal", "'NormalFiller'"},
    {"uniform randomuniform", "'UniformFiller'"},
};

constexpr Words kKeys[] = {
    {"filters outchannels numoutput units outfeatures nout nbfilters", "'NbOutputs'"},
    {"kernelsize ksize kernelshape kernelwidthheight", "'KernelDims'"},
    {"poolsize poolingsize", "'PoolDims'"},
    {"strides", "'Stride'"},
    {"pad pads paddings", "'Padding'"},
    {"dilations dilationrate", "'Dilation'"},
    {"group groups numgroups", "'Mapping.NbGroups'"},
    {"activation activationfn nonlinearity", "'ActivationFunction'"},
    {"negativeslope leakslope", "'ActivationFunction.LeakSlope'"},
    {"lr learningrate baselr", "'Solvers.LearningRate' in the ConfigSection of the layer"},
    {"weightdecay l2", "'Solvers.Decay' in the ConfigSection of the layer"},
    {"momentum", "'Solvers.Momentum' in the ConfigSection of the layer"},
    {"optimizer solver", "'Solvers'"},
    {"usebias bias biasterm", "'NoBias', its opposite, in the ConfigSection of the layer"},
    {"kernelinitializer weightfiller weightinit", "'WeightsFiller'"},
    {"biasinitializer", "'BiasFiller'"},
    {"rate dropoutrate dropoutratio", "'Dropout' in the ConfigSection of the layer"},
    {"eps", "'Epsilon' in the ConfigSection of the layer"},
    {"batchsize batch", "'BatchSize' in [sp]"},
    {"inputshape inputdim", "'SizeX', 'SizeY' and 'NbChannels' in [sp]"},
    {"inchannels infeatures", "known of the layer that Input names"},
    {"epochs numepochs maxepochs", "the option '-learn-epoch'"},
    {"bottom from inputs", "'Input'"},
    {"kind layertype", "'Type'"},
};

std::span<const Words> words_of(WordKind kind) {
  switch (kind) {
    case WordKind::LayerType:
      return kLayers;
    case WordKind::Activation:
      return kActivations;
    case WordKind::Solver:
      return kSolvers;
    case WordKind::Filler:
      return kFillers;
    case WordKind::Key:
      break;
  }
  return kKeys;
}

std::string plain(std::string_view word) {
  std::string out;
  for (const char c : word)
    if (c != '_' && c != '-' && c != ' ')
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::string our_word_for(WordKind kind, std::string_view word) {
  const std::string wanted = plain(word);
  for (const Words& words : words_of(kind)) {
    const std::vector<std::string> theirs = n2d2::words(words.theirs);
    if (std::find(theirs.begin(), theirs.end(), wanted) != theirs.end()) return std::string(words.ours);
  }
  return {};
}

std::string meant(WordKind kind, std::string_view word, std::span<const std::string> candidates) {
  const std::string wanted = plain(word);
  const bool is_one_of_them = std::any_of(candidates.begin(), candidates.end(),
                                          [&](const std::string& ours) { return plain(ours) == wanted; });
  const std::string ours = is_one_of_them ? "" : our_word_for(kind, word);
  return ours.empty() ? did_you_mean(word, candidates) : "; here that is " + ours;
}

}  // namespace n2d2::loader
