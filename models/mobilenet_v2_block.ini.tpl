# An inverted residual: INPUT with CHANNELS maps goes to EXPANDED maps, through a depthwise convolution, and back to OUTPUTS,
# all at WIDTH=1. With SUM the result is added to the input. The block ends at the layer "<name>.out".
{% if EXPANDED exists %}
[{{SECTION_NAME}}.up] conv1x1
Input={{INPUT}}
NbOutputs=$(int({{EXPANDED}} * ${WIDTH}))

[{{SECTION_NAME}}.up.bn] bn_relu6
Input={{SECTION_NAME}}.up
NbOutputs=$(int({{EXPANDED}} * ${WIDTH}))
{% endif %}

[{{SECTION_NAME}}.dw] conv3x3
{% if EXPANDED exists %}
Input={{SECTION_NAME}}.up.bn
NbOutputs=$(int({{EXPANDED}} * ${WIDTH}))
{% else %}
Input={{INPUT}}
NbOutputs=$(int({{CHANNELS}} * ${WIDTH}))
{% endif %}
Mapping.ChannelsPerGroup=1
{% if STRIDE exists %}
Stride={{STRIDE}}
{% endif %}

[{{SECTION_NAME}}.dw.bn] bn_relu6
Input={{SECTION_NAME}}.dw
NbOutputs=[{{SECTION_NAME}}.dw]NbOutputs

[{{SECTION_NAME}}.down] conv1x1
Input={{SECTION_NAME}}.dw.bn
NbOutputs=$(int({{OUTPUTS}} * ${WIDTH}))

{% if SUM exists %}
[{{SECTION_NAME}}.down.bn] bn
Input={{SECTION_NAME}}.down
NbOutputs=$(int({{OUTPUTS}} * ${WIDTH}))

[{{SECTION_NAME}}.out]
Input={{SECTION_NAME}}.down.bn,{{INPUT}}
Type=ElemWise
Operation=Sum
NbOutputs=$(int({{OUTPUTS}} * ${WIDTH}))
{% else %}
[{{SECTION_NAME}}.out] bn
Input={{SECTION_NAME}}.down
NbOutputs=$(int({{OUTPUTS}} * ${WIDTH}))
{% endif %}
