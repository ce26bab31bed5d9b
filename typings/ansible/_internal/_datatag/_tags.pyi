from typing import Any, Self

class Origin:
    path: str | None
    line_num: int | None
    @classmethod
    def get_tag(cls, value: Any, /) -> Self | None: ...
