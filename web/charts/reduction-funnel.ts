/** Counts written out digit by digit, then the last three to scale. */
import { scaleSqrt } from "d3-scale";
import { frame, label, rect, segment, thousands, plot, type Data } from "../look/figure";

export function draw(root: HTMLElement, data: Data): void {
  const size = data["statespace"];
  const { picture } = frame(root, 0);
  const counts = [
    { name: "different games", text: size.histories.games, style: "muted" },
    { name: "boxes filled × upper total", text: thousands(size.slots), style: "sea" },
    { name: "can occur", text: thousands(size.reachable), style: "gold" },
    { name: "told apart", text: thousands(size.classes), style: "felt" },
  ];
  plot(picture, "How the number of situations shrinks, step by step", (svg, width, height, small) => {
    const digit = small ? 11 : 14;
    const perLine = Math.floor(width / (digit * 0.66));
    let y = 14;
    label(svg, counts[0]?.name ?? "", 0, y, "small muted");
    const games = counts[0]?.text ?? "";
    for (let at = 0; at < games.length; at += perLine) {
      y += digit + 6;
      label(svg, games.slice(at, at + perLine), 0, y, "mark")
        .attr("font-size", digit)
        .attr("textLength", at + perLine <= games.length ? width : null);
    }
    const top = y + (small ? 34 : 44);
    counts.slice(1).forEach((count, i) => {
      const at = top + i * (small ? 58 : 74);
      label(svg, count.name, 0, at, "small muted");
      label(svg, count.text, 0, at + 24, `mark big ${count.style}`);
    });
    const squares = [size.slots, size.reachable, size.classes] as number[];
    const left = small ? 1 : 300;
    const ceiling = small ? top + 3 * 58 : top - 12;
    const side = scaleSqrt([0, squares[0] ?? 1], [0, Math.min(height - ceiling - 6, width - left - 130)]);
    const base = ceiling + side(squares[0] ?? 1);
    squares.forEach((value, i) => {
      const edge = side(value);
      const colour = `var(--${counts[i + 1]?.style ?? "ink"})`;
      rect(svg, left, base - edge, edge, edge, {
        class: "mark",
        fill: colour,
        "fill-opacity": [0.2, 0.4, 0.9][i] ?? 1,
        stroke: colour,
      });
      const lift = base - edge + 14;
      const from = left + side(squares[0] ?? 1) + 12;
      segment(svg, left + edge, lift - 4, from - 3, lift - 4, { stroke: colour });
      const share = Math.round((100 * value) / (squares[0] ?? 1));
      label(svg, i ? `${counts[i + 1]?.name}: ${share}%` : "all", from, lift, "strong");
    });
  });
}
