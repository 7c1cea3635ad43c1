#!/usr/bin/env python3
"""Does commands_test.py find a page that is false? Pages of a few lines, and a program that prints its arguments."""
import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path

import commands_test
import prepare

PROGRAM = '#!/bin/sh\n[ "$1" = fail ] && exit 2\necho "n2d2 says $*"\n'


def judged(text, name="page.md"):
    """Problems that the test finds in a page of this text."""
    with tempfile.TemporaryDirectory() as temporary, contextlib.redirect_stdout(io.StringIO()):
        root = Path(temporary)
        (root / "n2d2").write_text(PROGRAM)
        os.chmod(root / "n2d2", 0o755)
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
        (root / "ready").mkdir()
        ready = prepare.Ready(root / "n2d2", root, root / "ready")
        page = commands_test.Page(root, name)
        commands_test.check(page, ready, ready.environment)
        return [problem.splitlines()[0] for problem in page.problems]


class Commands(unittest.TestCase):
    def test_of_a_page_that_is_true_pass(self):
        self.assertEqual(judged("# A\n```ini a b.ini\nX=1\n```\n".replace("a b", "dir/b") +
                                "```sh\ntest -e dir/b.ini\ncd dir   # stays\n```\n\n```sh\nn2d2 in 12.5 s\n```\n"
                                "It prints\n\n```text\n...\nn2d2 says   in 3 s\n```\n"), [])

    def test_that_fail_are_named(self):
        self.assertEqual(judged("# A\n\n```sh\nn2d2 fail\n```\n"), ["page.md:3: the commands fail"])
        self.assertEqual(judged("```sh\nn2d2 a\n```\n\n```sh\nfalse | cat\n```\n"), ["page.md:5: the commands fail"])

    def test_do_not_print_what_the_page_quotes(self):
        self.assertEqual(judged("```sh\nn2d2 a\n```\n\n```text\nn2d2 says b\n```\n"),
                         ["page.md:5: the commands before do not print"])

    def test_of_another_section_did_not_print_it(self):
        self.assertEqual(judged("```sh\nn2d2 a\n```\n\n## B\n\n```text\nany\n```\n"), [])

    def test_with_a_reason_are_left_out(self):
        self.assertEqual(judged("<!-- not run: needs a board -->\n```sh\nn2d2 fail\n```\n"), [])

    def test_need_a_language(self):
        fault = "a block without a language: ```sh, ```text, ```ini ..."
        self.assertEqual(judged("# A\n\n    n2d2 a\n"), [f"page.md:3: {fault}"])
        self.assertEqual(judged("# A\n\n```\nn2d2 a\n```\n"), [f"page.md:3: {fault}"])

    def test_find_what_the_page_needs(self):
        needs = "<!-- needs: net.ini my/labels=labels.txt -->\n```sh\ntest -f net.ini\ntest -f my/labels\n```\n"
        self.assertEqual(judged(needs), [])
        with self.assertRaises(SystemExit):
            judged("<!-- needs: nothing -->\n```sh\ntrue\n```\n")

    def test_of_the_first_steps_are_few(self):
        text = "```sh\n" + "true   # yes\n" * 5 + "# a comment\n```\n"
        self.assertEqual(judged(text, commands_test.FIRST_STEPS), [])
        more = text + "\n<!-- not run: counts, too -->\n```sh\ntrue\n```\n"
        self.assertEqual(judged(more, commands_test.FIRST_STEPS), ["docs/use/start.md: 6 commands, at most 5"])


class Options(unittest.TestCase):
    def test_of_the_text_are_those_of_the_program(self):
        with tempfile.TemporaryDirectory() as temporary:
            (Path(temporary) / "page.md").write_text("`-calib 3`, `n2d2 a.ini -tset -calib-...`, `make -C a`, `-isa x`\n\n```sh\nn2d2 -any\n```\n")
            page = commands_test.Page(Path(temporary), "page.md")
        self.assertEqual(list(commands_test.unknown_options(page, {"calib", "calib-dir"})), ["page.md: n2d2 has no option '-tset'"])


class Parts(unittest.TestCase):
    def test_have_each_page_once(self):
        class Page:
            def __init__(self, name, count):
                self.name, self.count = name, lambda: count

        pages = [Page(name, count) for count, name in enumerate("abcdefg")]
        shared = [[page.name for page in commands_test.shared_out(pages, f"{i}/3")] for i in (1, 2, 3)]
        self.assertEqual(sorted(sum(shared, [])), list("abcdefg"))
        self.assertTrue(all(shared))


if __name__ == "__main__":
    unittest.main()
