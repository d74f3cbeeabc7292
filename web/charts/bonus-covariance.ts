/** The gap between games with and without the bonus, taken apart: the way up, and the rest box by box. */
import { scaleBand, scaleLinear } from "d3-scale";
import {
  add,
  axis,
  axisBottom,
  fixed,
  frame,
  label,
  rect,
  segment,
  type Data,
  type Svg,
  plot,
} from "../look/figure";

const signed = (value: number): string => `${value < 0 ? "−" : "+"}${fixed(Math.abs(value))}`;

export function draw(root: HTMLElement, data: Data): void {
  const bonus = data["bonus"];
  const claim = (what: string): number => bonus.claims.find((one) => one.what === what)?.forerunner ?? NaN;
  const claims = [claim("upper-section part of the gap"), claim("lower-section part of the gap")];
  const { picture, readout } = frame(root);
  const rest = "Choose a box for its averages.";
  readout.textContent = rest;

  plot(picture, "The bonus gap taken apart", (svg, width, height, small) => {
    if (small) {
      steps(svg, 0, 0, width, 310);
      boxes(svg, 0, 330, width, height - 330);
    } else {
      steps(svg, 0, 0, width * 0.46, height);
      boxes(svg, width * 0.5, 0, width * 0.5, height);
    }
  });

  function steps(svg: Svg, left: number, top: number, width: number, height: number): void {
    const start = bonus.mean_without_bonus;
    const parts = [
      { name: ["the bonus", "itself"], size: bonus.bonus, colour: "var(--felt)", claimed: NaN },
      {
        name: ["upper", "boxes"],
        size: bonus.upper_part,
        colour: "var(--sea)",
        claimed: claims[0] ?? NaN,
      },
      {
        name: ["lower", "boxes"],
        size: bonus.lower_part,
        colour: "var(--gold)",
        claimed: claims[1] ?? NaN,
      },
    ];
    const x = scaleBand(["without", "0", "1", "2", "with"], [left, left + width]).padding(0.18);
    const y = scaleLinear([170, 262], [top + height - 40, top + 26]);
    const bar = (at: string, from: number, to: number, colour: string): void => {
      rect(svg, x(at) ?? 0, y(to), x.bandwidth(), Math.max(0, y(from) - y(to)), { class: "mark", fill: colour });
    };
    const middle = (at: string): number => (x(at) ?? 0) + x.bandwidth() / 2;
    const under = (at: string, lines: string[]): void =>
      lines.forEach((text, i) =>
        label(svg, text, middle(at), top + height - 22 + 14 * i, "small muted", "middle"),
      );
    bar("without", 170, start, "var(--muted)");
    label(svg, fixed(start), middle("without"), y(start) - 7, "strong", "middle");
    under("without", ["without", "bonus"]);
    let reached = start;
    parts.forEach((part, i) => {
      bar(`${i}`, reached, reached + part.size, part.colour);
      segment(svg, middle(i ? `${i - 1}` : "without"), y(reached), middle(`${i}`), y(reached), {
        stroke: "var(--muted)",
        "stroke-dasharray": "2 3",
      });
      if (part.claimed === part.claimed)
        rect(
          svg,
          (x(`${i}`) ?? 0) - 4,
          y(reached + part.claimed),
          x.bandwidth() + 8,
          y(reached) - y(reached + part.claimed),
          { fill: "none", stroke: "var(--ink)", "stroke-dasharray": "4 3" },
        );
      reached += part.size;
      const above = Math.min(
        y(reached),
        part.claimed === part.claimed ? y(reached - part.size + part.claimed) : Infinity,
      );
      label(svg, `+${fixed(part.size)}`, middle(`${i}`), above - 7, "strong", "middle");
      if (part.claimed === part.claimed)
        label(
          svg,
          `earlier: ${part.claimed}`,
          middle(`${i}`),
          y(reached - part.size) + 15,
          "small muted",
          "middle",
        );
      under(`${i}`, part.name);
    });
    bar("with", 170, reached, "var(--felt)");
    label(svg, fixed(reached), middle("with"), y(reached) - 7, "strong", "middle");
    under("with", ["with", "bonus"]);
    label(svg, "average final score (the bars begin at 170)", left, top + 12, "small muted");
  }

  function boxes(svg: Svg, left: number, top: number, width: number, height: number): void {
    const parts = bonus.categories;
    const y = scaleBand(
      parts.map((part) => part.category),
      [top + 26, top + height - 26],
    ).padding(0.28);
    const extent = [Math.min(...parts.map((p) => p.difference)), Math.max(...parts.map((p) => p.difference))];
    const x = scaleLinear([extent[0] ?? 0, extent[1] ?? 1], [left + 150, left + width - 40]);
    label(svg, "points more in games with the bonus", left, top + 12, "small muted");
    axis(svg, axisBottom(x).ticks(5), 0, top + height - 24, height - 50);
    parts.forEach((part) => {
      const row = add(svg, "g", { class: "row", tabindex: 0, role: "img" });
      const said = `${part.category}: ${fixed(part.with_bonus)} with the bonus, ${fixed(part.without_bonus)} without`;
      row.attr("aria-label", said);
      const from = Math.min(x(0), x(part.difference));
      rect(row, left, y(part.category) ?? 0, width, y.step(), { fill: "transparent" });
      rect(row, from, y(part.category) ?? 0, Math.abs(x(part.difference) - x(0)), y.bandwidth(), {
        class: "mark",
        fill: part.difference < 0 ? "var(--loss)" : part.upper ? "var(--sea)" : "var(--gold)",
      });
      const middle = (y(part.category) ?? 0) + y.bandwidth() / 2 + 4;
      label(row, part.category[0]?.toUpperCase() + part.category.slice(1), left, middle, "");
      label(row, signed(part.difference), Math.max(x(0), x(part.difference)) + 5, middle, "small");
      row.on(
        "pointerenter focus pointerdown",
        () => (readout.textContent = `${said[0]?.toUpperCase()}${said.slice(1)}.`),
      );
      row.on("pointerleave blur", () => (readout.textContent = rest));
    });
  }
}
