"""Small random networks with layers of odd shapes, for what counts instructions of single layers."""
import random

HEAD = """DefaultModel=Frame

[database]
Type=Glyphs_Database
Learn=10
Validation=2
Test=2
Width={side}
Height={side}
NbChannels={channels}

[sp]
SizeX={side}
SizeY={side}
NbChannels={channels}
BatchSize=2

[weighted]
WeightsFiller=HeFiller
BiasFiller=NormalFiller
BiasFiller.StdDev=0.05
"""
LAYERS = 12
MOST_PRODUCTS = 1_500_000


class Network:
    """A chain of layers, some of which two others read."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.side = self.draw.choice([12, 15, 16, 20, 24, 28])
        channels = self.draw.choice([1, 1, 3, 3, 2])
        self.text = HEAD.format(side=self.side, channels=channels)
        self.shape, self.last, self.count = (channels, self.side, self.side), "sp", 0

    def add(self, kind, shape, sort="", inputs=None, **keys):
        self.count += 1
        name = f"{kind}{self.count}"
        self.text += f"\n[{name}]{sort}\nInput={inputs or self.last}\n" + "".join(f"{k.replace('__', '.')}={v}\n" for k, v in keys.items())
        self.last, self.shape = name, shape
        return name

    def activation(self):
        return {"ActivationFunction": "Rectifier"} if self.draw.random() < 0.7 else {}

    def conv(self):
        channels, height, width = self.shape
        kernel = self.draw.choice([(1, 1), (1, 1), (3, 3), (3, 3), (3, 3), (5, 5), (3, 1), (4, 10), (2, 2), (7, 3)])
        kernel = min(kernel[0], width), min(kernel[1], height)
        stride = self.draw.choice([1, 1, 1, 2]) if min(height, width) > 5 else 1
        padding = kernel[0] // 2 if self.draw.random() < 0.7 else 0, kernel[1] // 2 if self.draw.random() < 0.7 else 0
        outputs = self.draw.choice([3, 5, 8, 8, 12, 16, 16, 17, 24, 32, 33])
        groups = 1
        if channels % 4 == 0 and channels > 4 and outputs % 4 == 0 and self.draw.random() < 0.08:
            groups = 4
        out_w = (width + 2 * padding[0] - kernel[0]) // stride + 1
        out_h = (height + 2 * padding[1] - kernel[1]) // stride + 1
        if out_w < 1 or out_h < 1 or out_w * out_h * outputs * kernel[0] * kernel[1] * channels / groups > MOST_PRODUCTS:
            return
        keys = {"Mapping__NbGroups": groups} if groups > 1 else {}
        self.add("conv", (outputs, out_h, out_w), " weighted", Type="Conv", KernelDims=f"{kernel[0]} {kernel[1]}", Stride=stride,
                 Padding=f"{padding[0]} {padding[1]}", NbOutputs=outputs, **keys, **self.activation())

    def depthwise(self):
        channels, height, width = self.shape
        if channels < 3 or min(height, width) < 3:
            return
        kernel = self.draw.choice([3, 3, 3, 3, 3, 5]) if min(height, width) >= 5 else 3
        stride = self.draw.choice([1, 1, 1, 2]) if min(height, width) > 5 else 1
        padding = kernel // 2 if self.draw.random() < 0.8 else 0
        shape = (channels, (height + 2 * padding - kernel) // stride + 1, (width + 2 * padding - kernel) // stride + 1)
        self.add("dw", shape, " weighted", Type="Conv", KernelDims=f"{kernel} {kernel}", Stride=stride, Padding=padding,
                 NbOutputs=channels, Mapping__ChannelsPerGroup=1, **self.activation())

    def pool(self):
        channels, height, width = self.shape
        size = self.draw.choice([2, 2, 3])
        if min(height, width) < 6:
            return
        shape = (channels, (height - size) // 2 + 1, (width - size) // 2 + 1)
        self.add("pool", shape, Type="Pool", Pooling=self.draw.choice(["Max", "Average"]), PoolDims=f"{size} {size}", Stride=2,
                 NbOutputs=channels, Mapping__ChannelsPerGroup=1)

    def residual(self):
        channels, height, width = self.shape
        if min(height, width) < 3 or channels < 3 or self.last == "sp":
            return
        side = self.last
        self.add("conv", self.shape, " weighted", Type="Conv", KernelDims="3 3", Padding=1, NbOutputs=channels, **self.activation())
        self.add("sum", self.shape, inputs=f"{self.last},{side}", Type="ElemWise", Operation="Sum", NbOutputs=channels, **self.activation())

    def concatenation(self):
        channels, height, width = self.shape
        if channels < 3 or self.last == "sp":
            return
        root, outputs = self.last, self.draw.choice([4, 8, 12])
        keys = {"Type": "Conv", "KernelDims": "1 1", "NbOutputs": outputs}
        first = self.add("conv", (outputs, height, width), " weighted", **keys, **self.activation())
        second = self.add("conv", (outputs, height, width), " weighted", inputs=root, **keys, **self.activation())
        self.add("conv", (8, height, width), " weighted", inputs=f"{first},{second}", Type="Conv", KernelDims="1 1", NbOutputs=8,
                 **self.activation())

    def end(self):
        channels, height, width = self.shape
        if self.draw.random() < 0.6 and min(height, width) > 1:
            self.add("mean", (channels, 1, 1), Type="Pool", Pooling="Average", PoolDims=f"{width} {height}", NbOutputs=channels,
                     Mapping__ChannelsPerGroup=1)
        for outputs in [self.draw.choice([10, 24, 65])] * self.draw.choice([0, 1, 2]):
            self.add("fc", (outputs, 1, 1), " weighted", Type="Fc", NbOutputs=outputs, **self.activation())
        self.add("fc", (10, 1, 1), " weighted", Type="Fc", NbOutputs=10)
        self.text += f"\n[{self.last}.Target]\n"


def network(seed):
    """The text of an INI file; the same for the same seed."""
    net = Network(seed)
    net.conv()
    while net.count < LAYERS:
        net.draw.choice([net.conv, net.conv, net.conv, net.depthwise, net.depthwise, net.pool, net.residual, net.concatenation])()
        if min(net.shape[1:]) <= 3 and net.count > 6:
            break
    net.end()
    return net.text
