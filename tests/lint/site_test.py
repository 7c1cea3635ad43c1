#!/usr/bin/env python3
"""Is the site that mkdocs makes of docs/ complete, and readable from files?

Builds it (a warning of mkdocs is an error), and follows every link of every page to a file and, where it names one,
to the place in that page. Nothing that a page loads may come from another host.

    tests/lint/site_test.py
"""
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]


class Page(HTMLParser):
    """Targets of a page's links, addresses of what it loads, and the places that others can name."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.places = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.places.add(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if "src" in values:
            self.loaded.append(values["src"])
        if tag == "link" and "stylesheet" in values.get("rel", ""):
            self.loaded.append(values["href"])


def faults_of(site):
    pages = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    if not pages:
        yield "no page"
    for path, page in pages.items():
        name = path.relative_to(site)
        for address in page.loaded:
            if urlsplit(address).netloc:
                yield f"{name}: loads {address}"
        for link in page.links:
            parts = urlsplit(link)
            if parts.netloc or parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{name}: {link} leads nowhere"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                yield f"{name}: {link} names no place of that page"


def main():
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder).resolve() / "site"
        built = subprocess.run(["mkdocs", "build", "--quiet", "--site-dir", site], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        faults = list(faults_of(site)) if built.returncode == 0 else [f"mkdocs: {built.stdout}"]
        pages = len(list(site.rglob("*.html")))
    for fault in faults:
        print(fault)
    print(f"site: {pages} pages, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
