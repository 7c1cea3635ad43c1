# A depthwise convolution of CHANNELS maps, then a pointwise one to OUTPUTS maps, both at WIDTH=1; INPUT is the layer below.
# The pair ends at the layer "<name>.pw.bn".
[{{SECTION_NAME}}.dw] conv3x3
Input={{INPUT}}
NbOutputs=$(int({{CHANNELS}} * ${WIDTH}))
Mapping.ChannelsPerGroup=1
{% if STRIDE exists %}
Stride={{STRIDE}}
{% endif %}

[{{SECTION_NAME}}.dw.bn] bn_relu
Input={{SECTION_NAME}}.dw
NbOutputs=$(int({{CHANNELS}} * ${WIDTH}))

[{{SECTION_NAME}}.pw] conv1x1
Input={{SECTION_NAME}}.dw.bn
NbOutputs=$(int({{OUTPUTS}} * ${WIDTH}))

[{{SECTION_NAME}}.pw.bn] bn_relu
Input={{SECTION_NAME}}.pw
NbOutputs=$(int({{OUTPUTS}} * ${WIDTH}))
