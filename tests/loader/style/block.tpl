{% set HALF %}{{WIDTH}}{% endset %}
[{{SECTION_NAME}}.conv1] conv_def
Input=${PREV_SECTION_NAME}
NbOutputs={{HALF}}
KernelDims=3 3
Stride={{STRIDE}}
Padding=1

[{{SECTION_NAME}}.conv2] conv_def
Input={{SECTION_NAME}}.conv1
NbOutputs={{WIDTH}}
KernelDims=3 3
Padding=1
ActivationFunction=Linear
WeightsFiller.Scaling=${SCALE}

{% if PROJECT exists %}
[{{SECTION_NAME}}.proj] conv_def
Input={% if SECTION_NAME == blk2 %}blk1.sum{% else %}conv1{% endif %}
NbOutputs={{WIDTH}}
KernelDims=1 1
Stride={{STRIDE}}
ActivationFunction=Linear

[{{SECTION_NAME}}.sum]
Input={{SECTION_NAME}}.conv2,{{SECTION_NAME}}.proj
{% else %}
[{{SECTION_NAME}}.sum]
Input={{SECTION_NAME}}.conv2,conv1
{% endif %}
Type=ElemWise
Operation=Sum
NbOutputs={{WIDTH}}
ActivationFunction=Rectifier
