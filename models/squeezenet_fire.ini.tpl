# A fire module: SQUEEZED maps of 1x1, from which as many maps of 1x1 as of 3x3 are made, EXPANDED each, at WIDTH=1. INPUT is
# what it reads; it ends at the layers "<name>.e1,<name>.e3", side by side.
[{{SECTION_NAME}}.squeeze] conv1x1
Input={{INPUT}}
NbOutputs=$(int({{SQUEEZED}} * ${WIDTH}))

[{{SECTION_NAME}}.e1] conv1x1
Input={{SECTION_NAME}}.squeeze
NbOutputs=$(int({{EXPANDED}} * ${WIDTH}))

[{{SECTION_NAME}}.e3] conv3x3
Input={{SECTION_NAME}}.squeeze
NbOutputs=$(int({{EXPANDED}} * ${WIDTH}))
