// A network that learns in a second.
#pragma once

#include <string>

namespace n2d2::app {

inline const std::string kSmallNet =
    "DefaultModel=Frame\n"
    "[database]\nType=Glyphs_Database\nLearn=200\nValidation=50\nTest=60\nWidth=12\nHeight=12\n"
    "[sp]\nSize=12 12\nBatchSize=20\n"
    "[conv]\nInput=sp\nType=Conv\nKernelSize=3\nStride=2\nNbOutputs=4\nActivationFunction=Rectifier\n"
    "WeightsFiller=HeFiller\nConfigSection=learn\n"
    "[fc]\nInput=conv\nType=Fc\nNbOutputs=10\nWeightsFiller=XavierFiller\nConfigSection=learn\n"
    "[softmax]\nInput=fc\nType=Softmax\nNbOutputs=10\nWithLoss=1\n"
    "[softmax.Target]\n"
    "[learn]\nSolvers.LearningRate=0.1\nSolvers.Momentum=0.9\n";

}  // namespace n2d2::app
