"""Pictures for the terminal."""

from yatzy.evaluate.distribution import Distribution
from yatzy.evaluate.exact import Evaluation

# Populations always look the same: a colour, and a shape for those who cannot see it.
POPULATIONS = (
    (0, 0, "no bonus, no Yatzy", "░", "#9AA0A3"),
    (0, 1, "no bonus, Yatzy", "▒", "#E0B75A"),
    (1, 0, "bonus, no Yatzy", "█", "#4FB08C"),
    (1, 1, "bonus and Yatzy", "▓", "#B8A23A"),
)
BIN = 10
WIDTH = 60
# A bar with three numbers before it.
SHORT = 56


def histogram(found: Evaluation) -> None:
    """The score distribution in bins of ten points, made of its four populations."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    d = found.distribution
    first = d.quantile(0.001) // BIN
    last = d.quantile(0.9995) // BIN
    bins = range(first, last + 1)
    tallest = max(float(d.pmf[b * BIN : (b + 1) * BIN].sum()) for b in bins)
    for b in bins:
        line = Text(f"{b * BIN:4d}..{b * BIN + BIN - 1:<4d}")
        drawn, so_far = 0, 0.0
        for bonus, yatzy, _, shape, colour in POPULATIONS:
            so_far += float(found.distributions[bonus][yatzy].pmf[b * BIN : (b + 1) * BIN].sum())
            length = round(so_far / tallest * WIDTH) - drawn
            line.append(shape * length, style=colour)
            drawn += length
        line.append(f" {so_far:.1%}", style="dim")
        console.print(line)
    legend = Text("          ")
    for bonus, yatzy, label, shape, colour in POPULATIONS:
        legend.append(f"{shape} {label} {found.distributions[bonus][yatzy].weight:.1%}   ", style=colour)
    console.print(legend)


def bars(d: Distribution) -> None:
    """A score distribution in bins of ten points."""
    from rich.console import Console
    from rich.text import Text

    first, last = d.quantile(0.001) // BIN, d.quantile(0.9995) // BIN
    shares = {b: float(d.pmf[b * BIN : (b + 1) * BIN].sum()) for b in range(first, last + 1)}
    tallest, console = max(shares.values()), Console()
    for b, share in shares.items():
        line = Text(f"{b * BIN:4d}..{b * BIN + BIN - 1:<4d}")
        line.append("█" * round(share / tallest * WIDTH), style="#4FB08C").append(f" {share:.1%}", style="dim")
        console.print(line)


def curves(targets: list[int], chances: dict[str, list[float]]) -> None:
    """Chances by target, a bar for each: the first as long as its chance, the second marked in it."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    (best_name, best), (other_name, other) = chances.items()
    step = max(1, BIN * round(len(targets) / 300) or BIN)
    console.print(Text("target   mean  target", style="dim"))
    for target in [t for t in targets if t % step == 0]:
        length, mark = round(best[target] * SHORT), round(other[target] * SHORT)
        line = Text(f"{target:6d} ")
        line.append(f"{other[target]:6.1%}  {best[target]:6.1%} ", style="dim")
        line.append("█" * min(mark, length), style="#4FB08C")
        line.append("░" * max(length - mark, 0), style="#E0B75A")
        console.print(line)
    legend = Text(" " * 22)
    legend.append(f"█ {other_name}   ", style="#4FB08C").append(f"█░ {best_name}", style="#E0B75A")
    console.print(legend)


def scatter(points: list[tuple[float, float, str]], x_label: str, y_label: str) -> None:
    """Points (x, y, mark) on a grid of characters; the marks are letters or signs of one column."""
    from rich.console import Console

    height = 18
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    x_low, x_high, y_low, y_high = min(xs), max(xs), min(ys), max(ys)
    grid = [[" "] * WIDTH for _ in range(height)]
    for x, y, mark in points:
        column = round((x - x_low) / (x_high - x_low or 1) * (WIDTH - 1))
        row = round((y_high - y) / (y_high - y_low or 1) * (height - 1))
        grid[row][column] = mark
    console = Console(highlight=False)
    for i, row_of_marks in enumerate(grid):
        y = y_high - (y_high - y_low) * i / (height - 1)
        label = f"{y:8.1f}" if i % 4 == 0 or i == height - 1 else " " * 8
        console.print(f"{label} │{''.join(row_of_marks)}", markup=False)
    console.print(f"{' ' * 9}└{'─' * WIDTH}")
    console.print(f"{' ' * 10}{x_low:<{WIDTH // 2}.1f}{x_high:>{WIDTH // 2}.1f}")
    console.print(f"{' ' * 10}{x_label} (across), {y_label} (up)")
