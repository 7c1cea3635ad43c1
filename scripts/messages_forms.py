"""The forms that messages without a hint have: meaning and remedy of each, for scripts/messages_page.py.

A message has the first form whose pattern it contains. Where a form covers hints, messages with a hint of their own are no rows of
the page: they say the same.
"""
from typing import NamedTuple


class Form(NamedTuple):
    pattern: str
    meaning: str
    remedy: str
    covers_hints: bool = False


HELP = "`n2d2 -help-layer TYPE`, `-help-database`, `-help-transformation`, `-help-export`"
FORMS = (
    # Command line.
    Form(r"cannot stand beside", "two options want opposite things", "leave one of them out, or make two runs"),
    Form(r"(has|have) no effect|without effect|means nothing to|has no meaning|have no meaning", "the option or key is read, and changes nothing here",
         "leave it out, or give what it belongs to"),
    Form(r"^Unknown option", "there is no such option", "`n2d2 -h` lists the options", True),
    Form(r"takes no value|: missing value <", "an option stands without its value, or with one that it does not take",
         "`n2d2 -h` says what each option takes"),
    Form(r"option that was deleted|key that was deleted|no longer means anything", "an earlier version read it",
         "leave it out; what stands for it is in the message"),
    Form(r"no Test sample has the id|there are \d+ Test samples|the folder is not empty", "the number or the folder is not there, or is taken",
         "another number, another folder"),
    # What is known and not there.
    Form(r"closed edition of N2D2|known to N2D2|(is|are) not supported|not supported yet|is not available in this release|has no form as a layer|"
         r"spikes, ignored",
         "the word is right, and this program does not do it", "the message names what there is; [from_n2d2.md](from_n2d2.md) lists what differs"),
    # Names.
    Form(r"unknown (global )?key|unknown parameter|unknown export parameter|unknown field|has no parameter",
         "nothing reads this key, or not at this place: often a letter is wrong", f"the key that the message proposes; {HELP}; [ini.md](ini.md)", True),
    Form(r"unknown (layer type|filler|solver|activation|database|transformation|operator|form|part|quantizer|clipping mode|format|memory)",
         "the value is none of the names that there are", f"the name that the message proposes; {HELP}", True),
    Form(r"unused section|not found; did you mean|layer '.*' does not exist|does not exist; did you mean",
         "a section that nothing names, or a name that no section has", "the names of sections are case-sensitive; a section of parameters is named by a `ConfigSection`"),
    Form(r"belongs in|ignored without|is called .* today|read as", "the key stands in the wrong section, or has an old name", "move it to the section that the message names"),
    Form(r"a (key|section) that only -export", "the file of `-export-parameters` is for another export", "leave the key out, or take that export"),
    Form(r"is ignored|: ignored|replaces '", "a value is overruled by another one", "leave one of the two out"),
    # Text of INI files.
    Form(r"binary or damaged|UTF-16", "the file is no text", "save it as UTF-8"),
    Form(r"expected a closing|cannot compute|undefined variable|has no property|the cycle|missing value, expected '",
         "a line or an expression of the INI file cannot be read", "[ini.md](ini.md#syntax) has the syntax; `-print-ini` prints the file as it is understood"),
    Form(r"expected each section once|earlier section to inherit from|cannot read the template|is declared at", "a section is there twice, too late, or not at all",
         "rename or move it: a section inherits from those above it"),
    Form(r"cycle of layers|no layer: no section|expected names of layers", "the layers do not form a chain from the input to the outputs", "look at the keys `Input`; `-analyze` prints the layers"),
    # Files.
    Form(r"[Nn]o such file|no folder '|no such folder|cannot be (opened|written|read)", "a file or folder is not where the program looks",
         "paths are relative to the working folder, those of templates to the INI file"),
    # Data.
    Form(r"there are no samples|no sample", "nothing can be learnt, tested or calibrated", "a `[database]` with `Type`, or `-calib-dir` beside an ONNX file ([samples.md](samples.md))"),
    Form(r"for \d+ classes: no sample|as many outputs as the input|gives \S+, the graph's input|pictures of .* expected|expected a picture",
         "samples, classes and layers have different sizes", "`-pre-samples` shows what comes out of each transformation"),
    # Sizes.
    Form(r"more than 2\^31|expected at most [\d,]+( values|$| weights)|, expected at most 16777216|leaves nothing of the output|[Ss]um of sizes",
         "a number is so large, or so small, that no such layer can exist", "a digit too many? `KernelDims` and `Stride` are width and height"),
    Form(r"the channels this layer produces|one output for each channel|channels are not divisible|reads one input, got|expected the PoolDims|one value around all|expected an order of",
         "layers do not fit each other", "`-analyze` prints what each layer reads and gives"),
    # Graph files and memory plans.
    Form(r"graph text:|graph file|the graph has|no line '---'|output '.*' of the graph has no target|'\\\\xNN'",
         "a file of `-dump graph` was cut off or edited", "dump it again; [graph_files.md](graph_files.md#what-is-in-a-file) has the format"),
    Form(r"no rescale|rescale:|rescales|expected the layout|zero point|which integers are not computed with|expected (one scale|8 or 16 bits|i8)|expected a constant of|: table of|a table of "
         r"integers|integers of '|rows of biases|bits, got 32|whose scale is another|is float32, the input|is i8, the input|sums reach",
         "a graph of integers does not hold together", "it was edited by hand: dump it again; of a graph that n2d2 wrote, it is a fault of n2d2"),
    Form(r"^space \d|^step \d|^expected alignment", "the memory plan of `-check-memory` is not valid: two buffers overlap, or one is not where it must be",
         "of a plan that was edited, correct the line; one that an export wrote is a fault of n2d2"),
    # Exports.
    Form(r"has no kernel|no integer form|has no NHWC form|cannot be exported|no form in", "the export has no code for this layer",
         "[new_layers.md](new_layers.md); `-nbbits -32` exports floats, `-test` alone always computes it"),
    Form(r"known: |Order=CRD|'Quantile' is for activations", "the value is none of those that there are", "one of those that the message lists"),
    Form(r"same name in capitals|to be a C identifier", "names of the file become names in C", "letters, digits and underscores; each name once"),
    # Everything that says what was expected.
    Form(r"missing(,|$|; )", "a key that must be there is not", "write it; the message says what it holds"),
    Form(r"expected", "a value is outside of what its key or option takes", f"the message says what is expected and what was found; {HELP}"),
)
