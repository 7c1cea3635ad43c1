"""What mkdocs does to a page before it reads it (mkdocs.yml)."""
import re

NAMED_FENCE = re.compile(r"^```(\w+) \S+$", re.M)


def on_page_markdown(markdown, **_):
    """Fences of our pages can name a file behind their language, which the Markdown of mkdocs cannot read."""
    return NAMED_FENCE.sub(r"```\1", markdown)
