"""databases/get.sh against a server of this machine that also serves broken files."""
import gzip
import hashlib
import http.server
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest
import zipfile

SCRIPT = pathlib.Path(sys.argv.pop(1))
IDX = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
       "t10k-labels-idx1-ubyte.gz"]


def tar_of(folder, names):
    """A .tar.gz that holds folder/name for each name, with the name as content."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name in names:
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size = len(name)
            tar.addfile(entry, io.BytesIO(name.encode()))
    return out.getvalue()


def zip_of(names):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, name)
    return out.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves server.files; knows ranges unless server.ranges is False; cuts the first answers to server.cut[path]."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        server, path = self.server, self.path.lstrip("/")
        start = self.headers.get("Range")
        server.asked.append((path, start))
        body = server.files.get(path)
        first = int(start[len("bytes="):-1]) if start and server.ranges else 0
        if body is None or (start and server.ranges and first >= len(body)):
            self.send_response(404 if body is None else 416)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if first else 200)
        if first:
            self.send_header("Content-Range", f"bytes {first}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(body) - first))
        self.end_headers()
        part = body[first:]
        if server.cut.get(path, 0) > 0:
            server.cut[path] -= 1
            part = part[:len(part) // 2]
            self.close_connection = True
        self.wfile.write(part)


class GetTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.root = self.folder / "data"
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.files, self.server.cut, self.server.asked, self.server.ranges = {}, {}, [], True
        thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.sums = []

    def serve(self, path, body, algorithm="sha256", published=None):
        self.server.files[path] = body
        self.sums.append(f"{algorithm} {hashlib.new(algorithm, published or body).hexdigest()} {path}")

    def serve_mnist(self, name="mnist"):
        for file in IDX:
            self.serve(f"{name}/{file}", gzip.compress(file.encode() * 100))

    def get(self, *names, **environment):
        (self.folder / "sums").write_text("\n".join(self.sums) + "\n")
        mirror = f"http://127.0.0.1:{self.server.server_port}"
        done = subprocess.run([SCRIPT, *names], text=True, capture_output=True, check=False,
                              env={**os.environ, "N2D2_DATA": str(self.root), "N2D2_MIRROR": mirror, "no_proxy": "*",
                                   "N2D2_CHECKSUMS": str(self.folder / "sums"), "N2D2_RETRY_SECONDS": "0",
                                   **environment})
        return done.returncode, done.stdout + done.stderr

    def test_digits_and_clothes_lie_where_the_drivers_look(self):
        self.serve_mnist()
        self.serve_mnist("fashion-mnist")
        code, text = self.get("mnist", "fashion-mnist")
        self.assertEqual(code, 0, text)
        for folder in ("mnist", "fashion-mnist/data/fashion"):
            self.assertEqual(sorted(p.name for p in (self.root / folder).iterdir()), sorted(IDX))
        self.assertEqual(gzip.decompress((self.root / "mnist" / IDX[0]).read_bytes()), IDX[0].encode() * 100)
        self.assertEqual(sorted(p.name for p in self.root.iterdir()), ["fashion-mnist", "mnist"])
        asked = len(self.server.asked)
        code, text = self.get("mnist")
        self.assertEqual((code, len(self.server.asked)), (0, asked))
        self.assertIn("is in", text)

    def test_what_was_cut_is_continued(self):
        self.serve_mnist()
        path = "mnist/" + IDX[0]
        self.server.cut[path] = 1
        code, text = self.get("mnist")
        self.assertEqual(code, 0, text)
        half = len(self.server.files[path]) // 2
        self.assertIn((path, f"bytes={half}-"), self.server.asked)

    def test_what_is_always_cut_fails_and_continues_in_the_next_run(self):
        self.serve_mnist()
        path = "mnist/" + IDX[0]
        self.server.cut[path] = 3
        code, text = self.get("mnist")
        self.assertEqual(code, 1)
        self.assertIn("run the script again to continue", text)
        self.assertFalse((self.root / "mnist").exists())
        code, text = self.get("mnist")
        self.assertEqual(code, 0, text)

    def test_a_server_without_ranges_starts_again(self):
        self.serve_mnist()
        self.server.ranges = False
        self.server.cut["mnist/" + IDX[0]] = 1
        code, text = self.get("mnist")
        self.assertEqual(code, 0, text)

    def test_a_wrong_file_is_thrown_away(self):
        self.serve_mnist()
        self.serve("mnist/" + IDX[1], b"a page that says sorry", published=b"the labels")
        self.sums = [line for line in self.sums if not line.endswith(IDX[1])] + self.sums[-1:]
        code, text = self.get("mnist")
        self.assertEqual(code, 1)
        self.assertIn("no place has the file of the published checksum", text)
        self.assertFalse((self.root / "mnist").exists())
        self.assertEqual([p.name for p in (self.root / ".get-mnist").iterdir() if IDX[1] in p.name], [])

    def test_a_file_that_is_not_there_is_said(self):
        code, text = self.get("cifar10")
        self.assertEqual(code, 1)
        self.assertIn("cifar10: cifar-10-binary.tar.gz could not be downloaded", text)

    def test_archives_are_unpacked(self):
        ten = [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin", "batches.meta.txt"]
        hundred = ["train.bin", "test.bin", "fine_label_names.txt", "coarse_label_names.txt"]
        self.serve("cifar10/cifar-10-binary.tar.gz", tar_of("cifar-10-batches-bin", ten))
        self.serve("cifar100/cifar-100-binary.tar.gz", tar_of("cifar-100-binary", hundred))
        code, text = self.get("cifar10", "cifar100")
        self.assertEqual(code, 0, text)
        self.assertEqual((self.root / "cifar-10-batches-bin/test_batch.bin").read_text(), "test_batch.bin")
        self.assertEqual(sorted(p.name for p in (self.root / "cifar-100-binary").iterdir()), sorted(hundred))

    def test_an_archive_of_other_files_changes_nothing(self):
        self.serve("cifar100/cifar-100-binary.tar.gz", tar_of("cifar-100-binary", ["train.bin"]))
        code, text = self.get("cifar100")
        self.assertEqual(code, 1)
        self.assertIn("do not hold all of: train.bin test.bin", text)
        self.assertFalse((self.root / "cifar-100-binary").exists())

    def test_traffic_signs_are_put_together(self):
        archives = {"GTSRB_Final_Training_Images.zip": ["GTSRB/Final_Training/Images/00000/GT-00000.csv"],
                    "GTSRB_Final_Test_Images.zip": ["GTSRB/Final_Test/Images/00000.ppm"],
                    "GTSRB_Final_Test_GT.zip": ["GT-final_test.csv"]}
        for file, names in archives.items():
            self.serve(f"gtsrb/{file}", zip_of(names), "md5")
        code, text = self.get("gtsrb")
        self.assertEqual(code, 0, text)
        self.assertIn("checked by MD5", text)
        for name in ("Final_Training/Images/00000/GT-00000.csv", "Final_Test/Images/00000.ppm", "GT-final_test.csv"):
            self.assertTrue((self.root / "GTSRB" / name).is_file(), name)

    def test_a_folder_of_the_user_is_left_alone(self):
        (self.root / "mnist").mkdir(parents=True)
        (self.root / "mnist" / "mine").write_text("mine")
        self.serve_mnist()
        code, text = self.get("mnist")
        self.assertEqual(code, 1)
        self.assertIn("not complete; move it away", text)
        self.assertEqual((self.root / "mnist" / "mine").read_text(), "mine")

    def test_names_and_lists_are_checked_before_anything_is_asked(self):
        self.assertEqual(self.get("mnist", "minst"),
                         (2, "get.sh: unknown data set 'minst'; known: mnist fashion-mnist cifar10 cifar100 gtsrb\n"))
        self.assertEqual(self.get("mnist", N2D2_CHECKSUMS="/none")[0], 2)
        self.assertEqual(self.server.asked, [])
        self.assertEqual(self.get()[0], 2)

    def test_a_file_without_published_checksum_is_said(self):
        self.serve_mnist()
        self.sums = self.sums[1:]
        code, text = self.get("mnist")
        self.assertEqual(code, 0, text)
        self.assertIn("the download is not checked", text)


class ListTest(unittest.TestCase):
    def test_every_archive_of_the_script_has_a_checksum(self):
        text = (SCRIPT.parent / "checksums.txt").read_text()
        listed = {line.split()[2]: line.split() for line in text.splitlines() if not line.startswith("#")}
        wanted = {f"{name}/{file}" for name in ("mnist", "fashion-mnist") for file in IDX}
        wanted |= {"cifar10/cifar-10-binary.tar.gz", "cifar100/cifar-100-binary.tar.gz"}
        wanted |= {f"gtsrb/GTSRB_Final_{part}.zip" for part in ("Training_Images", "Test_Images", "Test_GT")}
        self.assertEqual(set(listed), wanted)
        for algorithm, value, _ in listed.values():
            self.assertEqual(len(value), {"sha256": 64, "md5": 32}[algorithm])


if __name__ == "__main__":
    unittest.main()
