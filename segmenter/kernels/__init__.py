"""The modules that bind the kernels to Python.

Those of the engine are in one file, ``_engine``, because all of them call the same kernels.  Python
finds an extension module by the name of its file, so they are loaded here, each after those that it
uses (PEP 489, "Multiple modules in one library").
"""

import sys

# importlib.machinery has these too, but importing it would take another millisecond
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import ExtensionFileLoader


def _load(module: str, file: str) -> None:
    name = f"{__name__}.{module}"
    loader = ExtensionFileLoader(name, file)
    spec = ModuleSpec(name, loader, origin=file)
    loaded = globals()[module] = sys.modules[name] = loader.create_module(spec)
    loaded.__spec__ = spec
    loader.exec_module(loaded)


_specs = (finder.find_spec(f"{__name__}._engine", __path__) for finder in sys.meta_path)
_found = next(filter(None, _specs), None)
if _found is not None and _found.origin is not None:
    for _module in ("_lexicon", "_models", "_opening", "_engine", "_tokens"):
        _load(_module, _found.origin)
