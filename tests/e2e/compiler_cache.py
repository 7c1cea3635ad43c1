"""The environment in which tests compile exports: what was compiled before is not compiled again."""
import os

ENVIRONMENT = dict(os.environ, CCACHE_NOHASHDIR="1", PATH="/usr/lib/ccache:" + os.environ["PATH"])
