/** Mean against standard deviation of perfect play for every theta; the chosen one shows its distribution. */
import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import type { Point } from "../engine/shared";
import {
  add,
  axis,
  axisBottom,
  axisLeft,
  fixed,
  frame,
  label,
  percent,
  rect,
  slider,
  plot,
  type Data,
  nearest,
  curve,
} from "../look/figure";

const colourOf = (theta: number): string =>
  theta === 0 ? "var(--felt)" : theta > 0 ? "var(--loss)" : "var(--sea)";
const minus = (theta: number): string => `${theta}`.replace("-", "−");

export function draw(root: HTMLElement, data: Data): void {
  const points = data["sweep"].points;
  const neutral = points.findIndex((point) => point.theta === 0);
  const { controls, picture, readout } = frame(root);
  const pick = slider(controls, {
    label: "Risk θ",
    min: 0,
    max: points.length - 1,
    value: points.findIndex((point) => point.theta === 0.05),
    text: (i) => minus(points[i]?.theta ?? 0),
  });

  plot(picture, "Average and spread of perfect play for each risk preference", (svg, width, height, small) => {
    const bottom = small ? height - 215 : height - 44;
    const x = scaleLinear([34.4, 49.2], [small ? 34 : 44, width - 14]);
    const y = scaleLinear([182, 252], [bottom, 26]);
    const inset = small
      ? { left: 8, top: height - 142, width: width - 16, height: 112 }
      : { left: x(40.6), top: y(234), width: x(45.4) - x(40.6), height: y(204) - y(234) };
    axis(svg, axisLeft(y).ticks(small ? 5 : 7), x.range()[0] ?? 0, 0, width - 50);
    axis(svg, axisBottom(x).ticks(small ? 5 : 8), 0, bottom);
    label(svg, "average score, points", 0, 12, "small muted");
    label(svg, "standard deviation, points", width - 14, bottom + 34, "small muted", "end");
    const trace = (part: Point[], stroke: string): void => {
      const [at, high] = [(p: Point): number => x(p.sd), (p: Point): number => y(p.mean)];
      curve(svg, part, at, high, { stroke, "stroke-opacity": 0.5 });
    };
    trace(points.slice(0, neutral + 1), "var(--sea)");
    trace(points.slice(neutral), "var(--loss)");
    const nameTheta = (point: Point): void => {
      const above = point.theta > 0 && point.theta < 0.1;
      // On a phone the axis is beside the leftmost point, and the edge beside the rightmost.
      const left = small ? point.theta !== -0.07 : point.theta < 0 || point.theta >= 1;
      const shift = above ? 0 : left ? -9 : 9;
      const anchor = above ? "middle" : left ? "end" : "start";
      const style = `small ${point.theta < 0 ? "sea" : "loss"}`;
      label(svg, minus(point.theta), x(point.sd) + shift, y(point.mean) + (above ? -14 : 4), style, anchor);
    };
    points.forEach((point, i) => {
      const dot = svg.append(point.theta < 0 ? "rect" : "circle").attr("class", "mark");
      dot.attr("fill", colourOf(point.theta));
      if (point.theta < 0)
        dot
          .attr("x", x(point.sd) - 3.6)
          .attr("y", y(point.mean) - 3.6)
          .attr("width", 7.2)
          .attr("height", 7.2);
      else
        dot
          .attr("cx", x(point.sd))
          .attr("cy", y(point.mean))
          .attr("r", point.theta === 0 ? 7 : 4.2);
      const named = small
        ? [-3, -0.3, -0.07, 0, 0.05, 0.3, 3]
        : [-3, -1, -0.5, -0.3, -0.1, -0.07, 0, 0.02, 0.05, 0.1, 0.3, 1, 3];
      if (named.includes(point.theta) && i !== neutral) nameTheta(point);
    });
    const peak = points[neutral];
    if (peak) label(svg, `neutral: ${fixed(peak.mean)}`, x(peak.sd), y(peak.mean) - 13, "strong felt", "middle");
    label(svg, "■ cautious", x(35), y(208), "sea strong").attr("x", small ? x(34.6) : x(35));
    label(svg, "● bold", small ? x(44.5) : x(45.8), y(small ? 232 : 206), "loss strong");
    const ring = add(svg, "circle", { r: 10, fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
    const leader = add(svg, "line", { stroke: "var(--ink)", "stroke-dasharray": "2 3" });
    const view = svg.append("g").attr("transform", `translate(${inset.left},${inset.top})`);
    rect(view, -8, -22, inset.width + 16, inset.height + 42, {
      rx: 8,
      fill: "var(--paper)",
      stroke: "var(--rule)",
    });
    const sx = scaleLinear([80, 360], [0, inset.width]);
    const sy = scaleLinear([0, 0.0165], [inset.height, 6]);
    const shape = view.append("path").attr("fill-opacity", 0.4);
    const ghost = add(view, "path", {
      fill: "none",
      stroke: "var(--felt)",
      "stroke-width": 1.4,
      "stroke-dasharray": "4 3",
    });
    axis(view, axisBottom(sx).ticks(6), 0, inset.height);
    const title = label(view, "", 0, -6, "strong");
    const scores = Array.from({ length: 281 }, (_, i) => 80 + i);
    svg.on("pointermove pointerdown", (event: PointerEvent) => {
      const places = points.map((point) => [x(point.sd), y(point.mean)] as const);
      const found = nearest(event, places, 30);
      if (found >= 0) pick.set(found);
    });
    return () => {
      const point = points[pick.value];
      if (!point || !peak) return;
      ring.attr("cx", x(point.sd)).attr("cy", y(point.mean));
      leader
        .attr("x1", x(point.sd))
        .attr("y1", y(point.mean))
        .attr("x2", Math.max(inset.left - 8, Math.min(inset.left + inset.width + 8, x(point.sd))))
        .attr("y2", Math.max(inset.top - 22, Math.min(inset.top + inset.height + 20, y(point.mean))))
        .attr("display", small ? "none" : null);
      const outline = area<number>()
        .x((s) => sx(s))
        .y0(sy(0))
        .y1((s) => sy(point.pmf[s] ?? 0));
      shape.attr("d", outline(scores) ?? "").attr("fill", colourOf(point.theta));
      ghost.attr(
        "d",
        line<number>()
          .x((s) => sx(s))
          .y((s) => sy(peak.pmf[s] ?? 0))(scores) ?? "",
      );
      title.text(`θ = ${minus(point.theta)}: ${fixed(point.mean)} ± ${fixed(point.sd)}`);
      readout.textContent =
        `θ = ${minus(point.theta)}: average ${fixed(point.mean)}, one game in twenty below ${point.quantiles["0.05"]}, ` +
        `one above ${point.quantiles["0.95"]}; bonus ${percent(point.bonus_rate, 0)}, Yatzy ${percent(point.yatzy_rate, 0)}.`;
    };
  });
}
