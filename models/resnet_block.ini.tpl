# Two 3x3 convolutions and a shortcut around them; INPUT is the layer below, OUTPUTS the maps at WIDTH=1. With STRIDE the
# shortcut is a convolution, too. The block ends at the layer "<name>.sum".
[{{SECTION_NAME}}.a] conv3x3
Input={{INPUT}}
NbOutputs=$(int({{OUTPUTS}} * ${WIDTH}))
{% if STRIDE exists %}
Stride={{STRIDE}}
{% endif %}

[{{SECTION_NAME}}.a.bn] bn_relu
Input={{SECTION_NAME}}.a
NbOutputs=$(int({{OUTPUTS}} * ${WIDTH}))

[{{SECTION_NAME}}.b] conv3x3
Input={{SECTION_NAME}}.a.bn
NbOutputs=$(int({{OUTPUTS}} * ${WIDTH}))

[{{SECTION_NAME}}.b.bn] bn
Input={{SECTION_NAME}}.b
NbOutputs=$(int({{OUTPUTS}} * ${WIDTH}))

{% if STRIDE exists %}
[{{SECTION_NAME}}.shortcut] conv1x1
Input={{INPUT}}
NbOutputs=$(int({{OUTPUTS}} * ${WIDTH}))
Stride={{STRIDE}}

[{{SECTION_NAME}}.shortcut.bn] bn
Input={{SECTION_NAME}}.shortcut
NbOutputs=$(int({{OUTPUTS}} * ${WIDTH}))
{% endif %}

[{{SECTION_NAME}}.sum]
{% if STRIDE exists %}
Input={{SECTION_NAME}}.b.bn,{{SECTION_NAME}}.shortcut.bn
{% else %}
Input={{SECTION_NAME}}.b.bn,{{INPUT}}
{% endif %}
Type=ElemWise
Operation=Sum
NbOutputs=$(int({{OUTPUTS}} * ${WIDTH}))
ActivationFunction=Rectifier
