#!/usr/bin/env python3
"""Does scripts/results_pages.py write what the data says, and find each kind of fault?

The tables themselves, and what a bench program keeps of its run, are tests/bench/figures.py's.
"""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "bench")]
import figures  # noqa: E402
import results_pages  # noqa: E402

ZEN = {"name": "AMD EPYC", "family": 25, "model": 17, "flags": ["avx2", "avx512_vnni"], "cores": 2}
XEON = {"name": "Intel Xeon", "family": 6, "model": 207, "flags": ["amx_int8"], "cores": 8}
LSCPU = """CPU(s):           2
Model name:       AMD EPYC
CPU family:       25
Model:            17
Flags:            fpu avx512_vnni avx2 avx512vbmi
"""
SPEED = "# Speed\n\n<!-- table: speed -->\n<!-- end -->\n\nRemarks.\n"


def table(*rows):
    columns = [{"title": "network"}, {"title": "ms", "format": "{:.2f}"}]
    return {"columns": columns, "rows": [list(row) for row in rows]}


def run(machine=ZEN, command="tests/bench/export_speed --reps 2", **tables):
    tables = tables or {"networks": table(["lenet", 0.5])}
    return {"machine": machine, "date": "2026-11-26", "commit": "7301bbf", "command": [command],
            "tables": tables}


def run_by_hand():
    """A run of which nothing but the figures was recorded."""
    return {"machine": None, "date": None, "commit": None, "command": [], "tables": {"t": table(["a", 1])}}


def written(page=SPEED, **data):
    new, findings = results_pages.results({"page.md": page}, data or {"speed": run()})
    return new.get("page.md"), findings


class ResultsPages(unittest.TestCase):
    def test_writes_command_table_and_origin(self):
        new, findings = written()
        self.assertEqual(findings, [])
        self.assertEqual(new, """# Speed

<!-- table: speed -->

    tests/bench/export_speed --reps 2

| network | ms |
|---|--:|
| lenet | 0.50 |

AMD EPYC, family 25, model 17: AVX2, AVX-512 VNNI; 2 cores; 2026-11-26; commit 7301bbf.

<!-- end -->

Remarks.
""")

    def test_leaves_a_written_page_as_it_is(self):
        self.assertEqual(written(written()[0]), written())

    def test_puts_figures_of_a_new_run_in_the_place_of_old_ones(self):
        new, _ = written(written()[0], speed=run(networks=table(["lenet", 0.25])))
        self.assertIn("| lenet | 0.25 |", new)

    def test_says_nothing_that_was_not_recorded(self):
        self.assertEqual(written(speed=run_by_hand())[0], SPEED.replace(
            "<!-- end", "\n| network | ms |\n|---|--:|\n| a | 1.00 |\n\n<!-- end"))

    def test_writes_the_command_once_for_two_tables_of_a_run(self):
        page = "# Speed\n\n<!-- table: speed one -->\n<!-- end -->\n"
        page += page.replace("one", "two").replace("# Speed\n", "")
        new, findings = written(page, speed=run(one=table(["a", 1]), two=table(["b", 2])))
        self.assertEqual((findings, new.count("--reps"), new.count("7301bbf")), ([], 1, 1))
        self.assertLess(new.index("| a | 1.00 |"), new.index("| b | 2.00 |"))

    def test_names_the_machine_of_the_page_of_a_processor_once(self):
        new, findings = written(SPEED.replace("# Speed\n", "# Speed\n\n<!-- machine -->\n<!-- end -->\n"))
        self.assertEqual((findings, new.count("AMD EPYC")), ([], 1))
        self.assertIn("-->\n\nAMD EPYC, family 25, model 17: AVX2, AVX-512 VNNI; 2 cores.\n\n<!--", new)
        self.assertIn("| lenet | 0.50 |\n\n2026-11-26; commit 7301bbf.\n", new)

    def test_begins_the_line_about_the_run_with_a_capital(self):
        self.assertIn("| 1.00 |\n\nCommit 7301bbf.\n", written(speed={**run_by_hand(), "commit": "7301bbf"})[0])

    def test_finds_a_second_machine_on_the_page_of_a_processor(self):
        page = "# Zen\n\n<!-- machine -->\n<!-- end -->\n\n" + "".join(
            f"<!-- table: {name} -->\n<!-- end -->\n" for name in ("speed", "other"))
        renamed = {**ZEN, "name": "AMD EPYC 9B14", "flags": ["avx2"]}
        self.assertEqual(written(page, speed=run(), other=run(renamed))[1], [])
        self.assertEqual(written(page, speed=run(), other=run(XEON))[1], [
            "page.md: the page of a processor has tables of one machine, found: AMD EPYC, family 25, "
            "model 17: AVX2, AVX-512 VNNI; 2 cores; Intel Xeon, family 6, model 207: AMX; 8 cores"])
        self.assertEqual(written(page, speed=run(None), other=run(None))[1], [
            "page.md: the page of a processor has tables of one machine, found: none"])

    def test_lists_processors_and_data(self):
        pages = {"README.md": "# Results\n\n<!-- index -->\n<!-- end -->\n",
                 "bytes.md": SPEED.replace("speed", "bytes"),
                 "zen.md": "# Zen\n\n<!-- machine -->\n<!-- end -->\n\n<!-- table: speed -->\n<!-- end -->\n"}
        speed = run(command="N2D2_DATA=<folder> tests/bench/x.py")
        new, findings = results_pages.results(pages, {"speed": speed, "bytes": run_by_hand()})
        self.assertEqual(findings, [])
        self.assertEqual(new["README.md"].splitlines()[3:-2], """
| processor | page |
|---|---|
| AMD EPYC, family 25, model 17: AVX2, AVX-512 VNNI; 2 cores | [Zen](zen.md) |

| data | page | processor | date | commit | program |
|---|---|---|---|---|---|
| [bytes](data/bytes.json) | [bytes.md](bytes.md) | - | - | - | - |
| [speed](data/speed.json) | [zen.md](zen.md) | AMD EPYC 25/17 | 2026-11-26 | 7301bbf | `x.py` |
""".splitlines())

    def test_finds_data_that_is_not_there(self):
        self.assertEqual(written(other=run())[1], ["page.md: there is no data/speed.json",
                                                   "data/other.json: no page shows its table 'networks'"])

    def test_finds_a_table_of_the_run_that_no_page_shows(self):
        page = SPEED.replace("speed", "speed one")
        self.assertEqual(written(page, speed=run(one=table(["a", 1]), two=table(["b", 2])))[1],
                         ["data/speed.json: no page shows its table 'two'"])

    def test_asks_which_table_of_several(self):
        found = written(speed=run(one=table(["a", 1]), two=table(["b", 2])))[1]
        self.assertEqual(found[0], "page.md: data/speed.json has the tables one, two: which one?")

    def test_finds_a_block_without_end(self):
        self.assertEqual(written(SPEED.replace("<!-- end -->\n", ""))[1], [
            "page.md: a block has no '<!-- end -->', or its first line is none that the script knows",
            "data/speed.json: no page shows its table 'networks'"])
        page = SPEED.replace("<!-- end", "\n<!-- table: speed -->\n<!-- end")
        self.assertEqual(written(page)[1], ["page.md: '<!-- table: speed -->' has no '<!-- end -->'"])

    def test_finds_a_first_line_that_is_misspelt(self):
        self.assertIn(
            "page.md: a block has no '<!-- end -->', or its first line is none that the script knows",
            written(SPEED.replace("speed -->", "speed one two -->"))[1])

    def test_finds_a_table_that_was_typed(self):
        typed = SPEED + "\n| network | ms |\n|---|--:|\n| a | 1 |\n"
        self.assertEqual(written(typed)[1], ["page.md: a table is outside of the blocks"])
        self.assertEqual(results_pages.results({"cases.md": typed}, {"speed": run()})[1], [])

    def test_finds_rows_and_keys_that_do_not_fit(self):
        self.assertEqual(written(speed=run(networks=table(["a", 1, 2])))[1],
                         ["data/speed.json: row 1 of 'networks' has 3 values, the table has 2 columns"])
        self.assertEqual(written(speed={"date": None})[1], [
            "data/speed.json: expected the keys machine, date, commit, command, tables, found date"])

    def test_check_fails_and_writes_nothing_where_a_page_is_out_of_date(self):
        with folder_of(written()[0].replace("0.50", "0.49")) as folder:
            said = self.check(1, "--check")
            self.assertIn("-| lenet | 0.49 |\n+| lenet | 0.50 |\npage.md is out of date: run scripts", said)
            self.assertIn("0.49", (folder / "page.md").read_text())
            self.check(0)
            self.assertEqual((folder / "page.md").read_text(), written()[0])
            self.assertEqual(self.check(0, "--check"), "results: 1 tables of 1 runs are what the data says\n")

    def check(self, status, *options):
        said = io.StringIO()
        with mock.patch.object(sys, "argv", ["results_pages.py", *options]), contextlib.redirect_stdout(said):
            self.assertEqual(results_pages.main(), status)
        return said.getvalue()


@contextlib.contextmanager
def folder_of(page):
    with tempfile.TemporaryDirectory() as name, mock.patch.object(results_pages, "FOLDER", Path(name)):
        (Path(name) / "data").mkdir()
        (Path(name) / "page.md").write_text(page)
        (Path(name) / "data" / "speed.json").write_text(figures.text_of(run()))
        yield Path(name)


class Figures(unittest.TestCase):
    def printed(self, *columns, rows):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            made = figures.Table(*columns)
            for row in rows:
                made.add(*row)
        return made, said.getvalue()

    def test_prints_what_the_page_shows_and_keeps_the_digits_that_are_printed(self):
        rows = [["lenet", 0.12345, 207811, 99.6, 3.44e-6], ["a|b", None, "few", 7, 0.0]]
        made, said = self.printed("network", ("ms", "{:.2f}"), ("bytes", "{:,}"), ("share", "{:.0f} %"),
                                  ("off", "{:.1e}"), rows=rows)
        self.assertEqual(made.rows, [["lenet", 0.12, 207811, 100, 3.4e-6], ["a|b", None, "few", 7, 0.0]])
        self.assertEqual(said, "| network | ms | bytes | share | off |\n|---|--:|--:|--:|--:|\n"
                               "| lenet | 0.12 | 207,811 | 100 % | 3.4e-06 |\n"
                               "| a\\|b | - | few | 7 % | 0.0e+00 |\n")
        self.assertEqual(figures.markdown({"columns": made.columns, "rows": made.rows}), said)

    def test_refuses_a_row_of_another_length(self):
        with self.assertRaisesRegex(ValueError, "1 values for 2 columns"):
            self.printed("network", "share", rows=[["lenet"]])

    def test_keeps_a_run_as_json(self):
        for one in (run(), run_by_hand(), run(one=table(), two=table(["é", None]))):
            self.assertEqual(json.loads(figures.text_of(one)), one)
        self.assertIn('\n        ["lenet", 0.5]\n', figures.text_of(run()))

    def test_reads_lscpu(self):
        self.assertEqual(figures.machine_of(LSCPU), ZEN)
        self.assertEqual(figures.machine_of("CPU(s): 4\nModel name: Cortex-A72\nModel: 3\nFlags: fp asimd\n"),
                         {"name": "Cortex-A72", "family": None, "model": 3, "flags": ["asimd"], "cores": 4})

    def test_keeps_commands_without_folders_of_a_machine(self):
        program = str(ROOT / "tests" / "bench" / "accuracy.py")
        with mock.patch.dict(os.environ, {"N2D2_DATA": "/home/me/data"}):
            self.assertEqual(
                figures.command_of([program, "--n2d2", str(ROOT / "build" / "n2d2"), "--peers=/home/me/peers",
                                    "--json", "x.json", "--only", "a b", "--reps=2"], ["N2D2_DATA"]),
                "N2D2_DATA=<folder> tests/bench/accuracy.py --n2d2 build/n2d2 --peers=<peers> --only 'a b' "
                "--reps=2")
        self.assertEqual(figures.command_of([program, "--json=x.json", "--work", "../" * 30 + "elsewhere/work"]),
                         "tests/bench/accuracy.py --work <work>")

    def test_writes_a_run_only_where_the_user_wants_one(self):
        made, _ = self.printed("network", ("ms", "{:.2f}"), rows=[["lenet", 0.5]])
        figures.write(None, networks=made)
        said = {"lscpu": LSCPU, "status": " M src/a.cpp\n", "rev-parse": "7301bbf\n"}
        path = mock.Mock()
        with mock.patch.object(figures, "output_of", lambda *command: said[command[:2][-1]]), \
                mock.patch.object(sys, "argv", [str(ROOT / "tests" / "bench" / "accuracy.py")]):
            figures.write(path, networks=made)
            figures.write(path, emulated=True, networks=made)
        first, second = [json.loads(call.args[0]) for call in path.write_text.call_args_list]
        self.assertRegex(first["date"], r"^\d{4}-\d\d-\d\d$")
        self.assertEqual({**first, "date": "2026-11-26"},
                         {**run(command="tests/bench/accuracy.py"), "commit": "7301bbf+"})
        self.assertIsNone(second["machine"])


if __name__ == "__main__":
    unittest.main()
