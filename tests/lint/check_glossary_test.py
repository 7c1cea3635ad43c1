#!/usr/bin/env python3
"""Does scripts/check_glossary.py find each kind of fault, and only that?"""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import check_glossary  # noqa: E402

GLOSSARY = """# Glossary

## Memory

| word | meaning |
|---|---|
| arena | the one array |
| rolling buffer, window | a map of some rows |
| stripe | rows of a tile |

## Words to avoid

| avoid | write |
|---|---|
| dies, die | the lifetime ends |
| memory pool | arena |
"""
PAGE = "The arena has a rolling\nbuffer, windows and stripes.\n"


def found(glossary=GLOSSARY, **files):
    names = {"page": "docs/use/ini.md", "public": "include/n2d2/a.hpp", "shipped": "export/CPP/kernels/a.hpp",
             "private": "src/memory/a.hpp"}
    return list(check_glossary.findings(glossary, {"docs/README.md": PAGE, **{names[k]: v for k, v in files.items()}}))


class CheckGlossary(unittest.TestCase):
    def test_accepts_a_glossary_whose_words_are_used(self):
        self.assertEqual(found(), [])

    def test_finds_a_word_that_no_page_and_no_header_uses(self):
        glossary = GLOSSARY.replace("| stripe | rows", "| plinth | rows")
        self.assertEqual([f for f in found(glossary) if "uses" in f],
                         ["docs/glossary.md:9: no page and no header uses 'plinth'"])

    def test_looks_for_every_word_of_an_entry(self):
        glossary = GLOSSARY.replace("rolling buffer, window", "rolling buffer, plinth")
        self.assertEqual(found(glossary), ["docs/glossary.md:8: no page and no header uses 'plinth'"])

    def test_counts_the_words_of_shipped_headers_as_used(self):
        glossary = GLOSSARY.replace("| stripe |", "| sum |")
        self.assertEqual(found(glossary, shipped="// The sum of all products.\n"), [])

    def test_finds_no_word_within_another(self):
        glossary = GLOSSARY.replace("| stripe |", "| trip |")
        self.assertEqual(found(glossary), ["docs/glossary.md:9: no page and no header uses 'trip'"])

    def test_knows_the_endings_of_verbs(self):
        glossary = GLOSSARY.replace("| stripe |", "| saturate |")
        self.assertEqual(found(glossary, page="Saturation and saturated sums.\n"), [])

    def test_finds_a_word_out_of_order(self):
        lines = GLOSSARY.splitlines(keepends=True)
        lines[6], lines[7] = lines[7], lines[6]
        self.assertEqual(found("".join(lines)),
                         ["docs/glossary.md:8: 'arena' comes before 'rolling buffer, window' in the alphabet"])

    def test_finds_a_second_entry_in_any_table(self):
        self.assertEqual(found(GLOSSARY.replace("| stripe | rows", "| window | rows")),
                         ["docs/glossary.md:9: 'window' has an entry already, on line 8"])

    def test_finds_an_avoided_word_in_a_page(self):
        self.assertEqual(found(page="One line.\nThe input dies there.\n"),
                         ["docs/use/ini.md:2: 'dies': write 'the lifetime ends' (docs/glossary.md)"])

    def test_finds_an_avoided_phrase_across_lines(self):
        self.assertEqual(found(page="A memory\npool.\n", public="int a;  // a memory\n        // pool\n"),
                         ["docs/use/ini.md:1: 'memory pool': write 'arena' (docs/glossary.md)",
                          "include/n2d2/a.hpp:1: 'memory pool': write 'arena' (docs/glossary.md)"])

    def test_passes_over_code(self):
        self.assertEqual(found(page="`die`\n\n```sh\ndie\n```\n", public="void die();  // `die` ends the program\n"), [])

    def test_finds_an_avoided_word_in_a_shipped_header(self):
        self.assertEqual(found(shipped="// An input may die.\n"),
                         ["export/CPP/kernels/a.hpp:1: 'die': write 'the lifetime ends' (docs/glossary.md)"])

    def test_finds_a_phrase_in_a_block_comment(self):
        self.assertEqual(found(public="int a;\n/* Of a memory\n * pool. */\n"),
                         ["include/n2d2/a.hpp:2: 'memory pool': write 'arena' (docs/glossary.md)"])

    def test_passes_over_literals(self):
        self.assertEqual(found(public='const char* a = "/* die */ // die";\n'), [])

    def test_passes_over_headers_that_no_user_reads(self):
        self.assertEqual(found(private="// An input may die.\n"), [])

    def test_finds_that_the_table_of_avoided_words_is_gone(self):
        self.assertEqual(found(GLOSSARY.partition("## Words to avoid")[0]),
                         ["docs/glossary.md: no table below 'Words to avoid'"])


if __name__ == "__main__":
    unittest.main()
