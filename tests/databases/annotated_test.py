"""Labels of pixels and auto-encoders through the whole program: learnt, scored, exported."""
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

N2D2 = sys.argv.pop(1)
SIDE = 8

SEGMENTATION = """
[database]
Type=DIR_Database
DataPath=data
Learn=0.8
LabelDepth=-1
ValidExtensions=pgm
ROIFile=rois.txt
DefaultLabel=ground
[sp]
Size=8 8
BatchSize=4
CompositeStimuli=1
[sp.OnTheFlyTransformation]
Type=FlipTransformation
RandomHorizontalFlip=1
ApplyTo=LearnOnly
[conv]
Input=sp
Type=Conv
KernelDims=1
NbOutputs=2
ActivationFunction=Linear
ConfigSection=solver
[softmax]
Input=conv
Type=Softmax
NbOutputs=2
WithLoss=1
[softmax.Target]
LabelsHueOffset=90
[solver]
WeightsSolver.LearningRate=0.1
BiasSolver.LearningRate=0.1
"""

AUTOENCODER = """
[database]
Type=Glyphs_Database
Learn=40
Validation=0
Test=20
[sp]
Size=28 28
BatchSize=4
[code]
Input=sp
Type=Fc
NbOutputs=16
ActivationFunction=Linear
[copy]
Input=code
Type=Fc
NbOutputs=784
ActivationFunction=Linear
[copy.Target]
DataAsTarget=1
ConfusionQuantSteps=4
"""


class AnnotatedTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_program(self, ini, *options):
        (self.folder / "net.ini").write_text(ini)
        done = subprocess.run([N2D2, "net.ini", "-seed", "1", *options], cwd=self.folder, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def write_boxes(self, count=20):
        """Dark pictures with a bright rectangle each; returns its corners by the name of the picture."""
        draw = random.Random(1)
        boxes, lines = {}, []
        (self.folder / "data").mkdir()
        for i in range(count):
            x, y = draw.randrange(5), draw.randrange(5)
            box = (x, y, x + draw.randrange(2, 4), y + draw.randrange(2, 4))
            pixels = bytes(200 if self.is_inside(box, px, py) else 20 for py in range(SIDE) for px in range(SIDE))
            name = f"{i:02}.pgm"
            (self.folder / "data" / name).write_bytes(b"P5\n8 8\n255\n" + pixels)
            lines.append(f"{name} {box[0]} {box[1]} {box[2]} {box[3]} box\n")
            boxes[name] = box
        (self.folder / "rois.txt").write_text("".join(lines))
        return boxes

    @staticmethod
    def is_inside(box, x, y):
        return box[0] <= x < box[2] and box[1] <= y < box[3]

    def test_pixels_are_learnt_and_exported_with_their_labels(self):
        boxes = self.write_boxes()
        text = self.run_program(SEGMENTATION, "-learn", "320", "-test")
        self.assertIn("[softmax.Target] LabelsHueOffset: no pictures of outputs are drawn", text)
        rate = float(re.search(r"Final recognition rate: ([\d.]+)%", text)[1])
        self.assertGreater(rate, 99)
        self.run_program(SEGMENTATION, "-export", "CPP", "-calib", "-1")
        folder = self.folder / "export_CPP_int8"
        links = (folder / "stimuli.link").read_text().splitlines()
        self.assertEqual(len(links), 4)
        for line in links:
            file, name = line.split()[:2]
            stored = (folder / file).read_bytes()
            expected = struct.unpack(f"<{SIDE * SIDE}i", stored[-4 * SIDE * SIDE:])
            box = boxes[pathlib.PurePath(name).name]
            self.assertEqual(list(expected),
                             [0 if self.is_inside(box, i % SIDE, i // SIDE) else 1 for i in range(SIDE * SIDE)])

    def test_one_rectangle_of_a_labelled_sample_is_the_sample(self):
        self.write_boxes()
        text = self.run_program(SEGMENTATION.replace("LabelDepth=-1", "LabelDepth=0").replace("CompositeStimuli=1", "")
                                .replace("[sp.OnThe", "[sp.Transformation]\nType=RescaleTransformation\nWidth=8\nHeight=8\n"
                                         "[sp.OnThe")
                                .replace("KernelDims=1", "KernelDims=8").replace("NbOutputs=2", "NbOutputs=3"), "-learn", "8", "-test")
        self.assertNotIn("that nothing reads", text)

    def test_idle_rectangles_are_said(self):
        self.write_boxes()
        text = self.run_program(SEGMENTATION.replace("CompositeStimuli=1", ""), "-learn", "4")
        self.assertIn("20 samples have annotated rectangles that nothing reads", text)

    def test_an_autoencoder_is_compared_with_its_input(self):
        text = self.run_program(AUTOENCODER, "-learn", "400", "-test")
        error = float(re.search(r"Mean squared error: ([\d.e-]+)", text)[1])
        self.assertLess(error, 0.1)
        text = self.run_program(AUTOENCODER, "-export", "CPP", "-calib", "20", "-test")
        self.assertLess(abs(float(re.search(r"Mean squared error: ([\d.e-]+)", text)[1]) - error), 0.01)
        stored = (self.folder / "export_CPP_int8" / "stimuli" / "env00.pgm").read_bytes()
        self.assertEqual(stored[-784:], stored[-2 * 784:-784])
        self.run_program(AUTOENCODER, "-export", "ONNX", "-nbbits", "-32", "-db-export", "1")
        self.assertRegex((self.folder / "export_ONNX_float32" / "stimuli.list").read_text(), r"^stimuli/env0.npy input \S+\n$")


if __name__ == "__main__":
    unittest.main()
