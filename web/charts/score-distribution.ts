/** The exact distribution of the final score, with its quantiles; any risk preference of the sweep can be chosen. */
import { scaleLinear } from "d3-scale";
import { area, curveBasis, line } from "d3-shape";
import {
  add,
  axis,
  axisBottom,
  axisLeft,
  fixed,
  frame,
  label,
  plot,
  percent,
  segment,
  slider,
  type Data,
  axisInside,
} from "../look/figure";

const SHOWN = [50, 375] as const;
const MARKS = ["0.05", "0.25", "0.5", "0.75", "0.95"];

/** P(score >= s) for every s. */
function tail(pmf: number[]): number[] {
  const above = pmf.slice();
  for (let s = above.length - 2; s >= 0; s--) above[s] = (above[s] ?? 0) + (above[s + 1] ?? 0);
  return above;
}

export function draw(root: HTMLElement, data: Data): void {
  const points = data["sweep"].points;
  const neutral = points.findIndex((point) => point.theta === 0);
  const { controls, picture, readout } = frame(root);

  const pick = slider(controls, {
    label: "Risk θ",
    min: 0,
    max: points.length - 1,
    value: neutral,
    text: (i) => (i === neutral ? "0, neutral" : `${points[i]?.theta ?? ""}`.replace("-", "−")),
  });
  const scoreSlider = slider(controls, {
    label: "Score",
    min: SHOWN[0],
    max: SHOWN[1] - 1,
    value: 300,
    text: (s) => `${s} or more`,
  });

  plot(picture, "Probability of every final score", (svg, width, height, small) => {
    const box = { left: 8, right: 8, top: 34, bottom: 44 };
    const x = scaleLinear(SHOWN, [box.left, width - box.right]);
    const most = Math.max(...points.slice(neutral - 8, neutral + 9).map((point) => Math.max(...point.pmf)));
    const y = scaleLinear([0, most * 1.04], [height - box.bottom, box.top]);
    axisInside(svg, axisLeft(y).ticks(4, "%"), box.left, width - box.left - box.right);
    axis(svg, axisBottom(x).ticks(small ? 5 : 9), 0, height - box.bottom);
    label(svg, "final score, points", (box.left + width - box.right) / 2, height - 4, "muted small", "middle");
    label(svg, "chance of exactly this score", box.left, 14, "muted small");
    const ghost = add(svg, "path", { fill: "none", stroke: "var(--ink)", "stroke-dasharray": "4 3" });
    const shape = add(svg, "path", { "fill-opacity": 0.25, class: "mark" });
    const above = add(svg, "path", { class: "mark", "fill-opacity": 0.55 });
    const outline = add(svg, "path", { class: "mark", fill: "none", "stroke-width": 1.8 });
    const marks = svg.append("g");
    // Lines end above the names of the quantiles.
    const named = y(0) - 32;
    const pointer = add(svg, "line", { stroke: "var(--ink)", y1: box.top, y2: named });
    const said = label(svg, "", 0, box.top + 10, "strong");
    const scores = (from: number): number[] => Array.from({ length: SHOWN[1] - from }, (_, i) => from + i);
    const curve = (pmf: number[], from: number): string =>
      area<number>()
        .x((s) => x(s))
        .y0(y(0))
        .y1((s) => y(pmf[s] ?? 0))(scores(from)) ?? "";
    const smooth = (pmf: number[]): string =>
      line<number>()
        .x((s) => x(s))
        .y((s) => y(pmf[s] ?? 0))
        .curve(curveBasis)(scores(SHOWN[0])) ?? "";

    add(svg, "rect", { width: width, height: height, fill: "transparent" }).on(
      "pointermove pointerdown",
      (event: PointerEvent) => scoreSlider.set(x.invert(event.offsetX)),
    );
    return () => {
      const [point, score] = [points[pick.value], scoreSlider.value];
      const middle = points[neutral];
      if (!point || !middle) return;
      const colour = point.theta === 0 ? "var(--felt)" : point.theta > 0 ? "var(--loss)" : "var(--sea)";
      shape.attr("d", curve(point.pmf, SHOWN[0])).attr("fill", colour);
      above.attr("d", curve(point.pmf, score)).attr("fill", colour);
      outline.attr("d", smooth(point.pmf)).attr("stroke", colour);
      ghost.attr("d", pick.value === neutral ? null : smooth(middle.pmf));
      marks.selectAll("*").remove();
      MARKS.forEach((q) => {
        const at = point.quantiles[q] ?? 0;
        segment(marks, x(at), named, x(at), Math.min(named, y(point.pmf[at] ?? 0)), {
          class: "mark",
          stroke: "var(--paper)",
          "stroke-width": 1.5,
        });
        const shown = small && (q === "0.25" || q === "0.75") ? "" : `${Math.round(+q * 100)}% below`;
        label(marks, q === "0.5" ? "median" : shown, x(at), y(0) - 18, "small", "middle");
        label(marks, shown || q === "0.5" ? `${at}` : "", x(at), y(0) - 5, "small strong", "middle");
      });
      const share = tail(point.pmf)[score] ?? 0;
      pointer.attr("x1", x(score)).attr("x2", x(score));
      const right = x(score) > width - 130;
      said
        .attr("x", x(score) + (right ? -7 : 7))
        .attr("text-anchor", right ? "end" : "start")
        .text(`${percent(share, share < 0.001 ? 4 : 1)} reach ${score}`);
      readout.textContent =
        `${score} or more: ${percent(share, share < 0.001 ? 4 : 1)} of games. Mean ${fixed(point.mean)}, standard deviation ${fixed(point.sd)}` +
        (pick.value === neutral ? "." : `; dashed: playing for the mean, ${fixed(middle.mean)}.`);
    };
  });
}
