"""What bytes is an ONNX file? Protobuf, written field by field; extents and values as the caller gives them."""
import struct


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def attribute(name, values):
    """AttributeProto of one integer, a text, or integers."""
    if isinstance(values, int):
        return block(5, block(1, name) + number(3, values) + number(20, 2))
    if isinstance(values, str):
        return block(5, block(1, name) + block(4, values) + number(20, 3))
    return block(5, block(1, name) + b"".join(number(8, v) for v in values) + number(20, 7))


def node(operator, inputs, outputs, **attributes):
    """`outputs`: a name, or names; "" where one is left out."""
    outputs = [outputs] if isinstance(outputs, str) else outputs
    return block(1, b"".join(block(1, name) for name in inputs) + b"".join(block(2, name) for name in outputs) + block(4, operator) +
                 b"".join(attribute(name, values) for name, values in attributes.items()))


def tensor(name, dims, values):
    return block(5, b"".join(number(1, d) for d in dims) + number(2, 1) + block(8, name) +
                 block(9, struct.pack(f"<{len(values)}f", *values)))


def integers(name, values):
    """An initializer of int64."""
    return block(5, number(1, len(values)) + number(2, 7) + block(8, name) + block(9, struct.pack(f"<{len(values)}q", *values)))


def value_info(field, name, dims):
    shape = b"".join(block(1, number(1, d)) for d in dims)
    return block(field, block(1, name) + block(2, block(1, number(1, 1) + block(2, shape))))


def model(graph):
    return number(1, 7) + block(7, graph + block(2, "net")) + block(8, number(2, 13))
