#!/usr/bin/env python3
"""Does scripts/messages_page.py read messages and hints as sources and tests have them?"""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import messages_page  # noqa: E402


class Sources(unittest.TestCase):
    def test_literals_are_joined_and_what_varies_is_left_out(self):
        for argument, text in (('"a, b"', "a, b"), ('fmt::format("{}: two {:.3g}" " parts", f("x"), 2)', "...: two ... parts"),
                               ('"so far " + name', "so far ..."), ('is_one ? "one" : "many"', "one"), ('"\\"q\\""', '"q"'), ("hint", ""),
                               ('fmt::format("{} {}, {} end", a, b, c)', "... end")):
            self.assertEqual(messages_page.literal(argument), text)

    def test_arguments_end_where_the_call_does(self):
        self.assertEqual(messages_page.arguments('"a, (b", {c, d}, e(f, g)) + h(i)', 0), ['"a, (b"', " {c, d}", " e(f, g)"])

    def test_hints_of_sources_are_found(self):
        found = {(name, hint) for name, _, hint in messages_page.written()}
        self.assertIn(("onnx/import/rules/resize.cpp", "give sizes instead of scales"), found)
        self.assertIn(("quantize/measure/calibrate.cpp", "give the database a Validation or Learn part"), found)

    def test_tables_of_names_are_found(self):
        found = dict((said, hint) for _, said, hint in messages_page.advice())
        self.assertIn("loops written out", found["node '...' (Scan): this operator is not imported"])
        self.assertIn("Softmax", found["[...] Type: layer type Distance (section [...]) is not supported"])


class Tests(unittest.TestCase):
    def test_messages_lose_place_and_file(self):
        rows = list(messages_page.tested())
        self.assertIn(["app", "", "no network file", "n2d2 <net>.ini [options]; n2d2 -h lists them"], rows)
        self.assertIn(["config", "", "[fc] NbOutputs: [sp] has no property 'Outputs'", ""], rows)
        self.assertFalse([row for row in rows if row[1] == "Notice"])


class Rows(unittest.TestCase):
    def test_a_message_without_hint_and_form_is_a_fault(self):
        rows, formless, unused = messages_page.form_rows([["app", "", "cannot stand beside", ""], ["app", "", "gone mad", ""], ["app", "", "mad", "rest"]])
        self.assertEqual(len(rows), 1)
        self.assertEqual(formless, ["gone mad"])
        self.assertIn("^Unknown option", unused)

    def test_cells_are_no_markup(self):
        self.assertEqual(messages_page.cell("'a|b' <c>_d*"), "`a/b` &lt;c>\\_d\\*")
        self.assertEqual(messages_page.cell("see 'x"), "see ...")


if __name__ == "__main__":
    unittest.main()
