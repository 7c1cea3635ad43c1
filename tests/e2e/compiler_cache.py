"""The environment in which tests compile exports: what was compiled before is not compiled again."""
import os

ENVIRONMENT = dict(os.environ, CCACHE_NOHASHDIR="1", PATH="/usr/lib/ccache:" + os.environ["PATH"])
# Of files that a compiler writes beside the object, like -fcallgraph-info's, the cache keeps none.
WITHOUT_CACHE = dict(ENVIRONMENT, CCACHE_DISABLE="1")
