"""Memory whose size is not known before it is filled."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

# At most this much is set aside and not yet used, in bytes.
MOST_SPARE = 1 << 25
# A large block of memory begins 16 bytes after a page: this many float64 later a lane begins.
LEAD = 6


class Growing:
    """An array that grows at its end. A large one is not copied but mapped anew, where the system can do that: it
    never exists twice.
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self.numbers: NDArray[Any] = np.empty(0, dtype)
        self.used = LEAD

    def append(self, part: NDArray[Any]) -> int:
        """Copy numbers to the end; returns where they begin. One thread at a time."""
        begin, self.used = self.used, self.used + len(part)
        if self.used > len(self.numbers):
            spare = min(self.used // 2, MOST_SPARE // self.numbers.itemsize)
            self.numbers.resize(self.used + spare, refcheck=False)
        self.numbers[begin : self.used] = part
        return begin

    def finish(self) -> NDArray[Any]:
        """All of it; nothing can be appended any more."""
        self.numbers.resize(self.used, refcheck=False)
        return self.numbers
