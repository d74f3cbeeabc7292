"""Where a data file comes from, written into the file: rules, fingerprint, policy, seed, version and command.

A Parquet file has room for texts beside its columns; `polars.read_parquet_metadata(file)` reads them.
"""

from pathlib import Path

from yatzy.files import whole_file
from yatzy.policy.base import Named

ROWS_PER_GROUP = 1 << 18


def provenance(player: Named, seed: int | None, version: str, command: str = "", **more: object) -> dict[str, str]:
    """What a file of this player's games or decisions says about itself; what is not known is left out."""
    about: dict[str, object] = {
        "rules": player.rules.name,
        "fingerprint": player.rules.fingerprint,
        "policy": player.name,
        "seed": seed,
        "version": version,
        "command": command or None,
        **more,
    }
    return {key: str(value) for key, value in about.items() if value is not None}


def stamp(file: Path, about: dict[str, str]) -> None:
    """Add these texts to a finished Parquet file, which stays whole while that happens."""
    import polars as pl

    with whole_file(file) as half, half.open("wb") as out:
        rows = pl.scan_parquet(file)
        rows.sink_parquet(out, compression="lz4", row_group_size=ROWS_PER_GROUP, statistics=False, metadata=about)
