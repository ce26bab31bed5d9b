from collections.abc import Sequence
from typing import Any

def get_vars_from_inventory_sources(
    loader: Any, sources: Sequence[str], entities: Sequence[Any], stage: str
) -> dict[str, Any]: ...
def get_vars_from_path(
    loader: Any, path: str, entities: Sequence[Any], stage: str
) -> dict[str, Any]: ...
