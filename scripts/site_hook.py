"""What mkdocs does to our pages before it reads them (mkdocs.yml)."""
import re
from pathlib import Path

NAMED_FENCE = re.compile(r"^```(\w+) \S+$", re.M)
SECTION = re.compile(r"^## (.+)$|\[[^\]\n]*\]\(([\w/]+\.md)(?:#[\w-]*)?\)", re.M)


def on_page_markdown(markdown, **_):
    """Fences of our pages can name a file behind their language, which the Markdown of mkdocs cannot read."""
    return NAMED_FENCE.sub(r"```\1", markdown)


def navigation(text):
    """The pages of docs/README.md below its headings, each where it comes first."""
    out, seen = ["README.md"], {"README.md"}
    for heading, page in SECTION.findall(text):
        if heading:
            out.append({heading: []})
        elif page not in seen:
            seen.add(page)
            (next(iter(out[-1].values())) if isinstance(out[-1], dict) else out).append(page)
    return out


def on_config(config, **_):
    """The map of the pages is the menu of the site."""
    config["nav"] = navigation((Path(config["docs_dir"]) / "README.md").read_text())
    return config
