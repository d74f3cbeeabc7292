/** The greatest chance of every target beside that of play for the average, and what playing for it costs. */
import { scaleLinear } from "d3-scale";
import {
  add,
  axis,
  axisBottom,
  axisLeft,
  fixed,
  frame,
  label,
  percent,
  segment,
  slider,
  plot,
  type Data,
  between,
  curve,
} from "../look/figure";

/** Chances closer to certainty than this are not drawn. */
const CERTAIN = 0.004;

export function draw(root: HTMLElement, data: Data): void {
  const { curve: chances, mean, widest } = data["reach"];
  const { best, for_mean: forMean, for_theta: forTheta } = chances;
  const cost = chances.mean_of_best.map((one) => mean - one);
  const first = best.findIndex((chance) => chance < 1 - CERTAIN);
  const last = best.findLastIndex((chance) => chance > CERTAIN / 10);
  const targets = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const { controls, picture, readout } = frame(root, 2);
  const pick = slider(controls, {
    label: "Target",
    min: first,
    max: last,
    value: widest,
    text: (value) => `${value} points`,
  });

  plot(picture, "Chance of each target, and what it costs to play for it", (svg, width, height, small) => {
    const [left, right] = [small ? 40 : 48, width - 12];
    const middle = height * 0.68;
    const x = scaleLinear([first, last], [left, right]);
    const y = scaleLinear([0, 1], [middle, 24]);
    const deepest = Math.max(...targets.map((one) => cost[one] ?? 0));
    const down = scaleLinear([0, deepest], [0, height - middle - 78]);
    axis(svg, axisLeft(y).ticks(5, "%"), left, 0, right - left);
    axis(svg, axisBottom(x).ticks(small ? 5 : 10), 0, middle);
    label(svg, "chance to reach the target or more", 0, 12, "small muted");
    label(svg, "target, points", right, middle + 32, "small muted", "end");
    const [across, reached, plain] = [
      (one: number): number => x(one),
      (one: number): number => y(best[one] ?? 0),
      (one: number): number => y(forMean[one] ?? 0),
    ];
    between(svg, targets, across, plain, reached, { class: "mark", fill: "var(--felt)", "fill-opacity": 0.2 });
    const stroke = (values: number[], colour: string, wide: number, dash: string): void => {
      const look = { class: "mark", stroke: colour, "stroke-width": wide, "stroke-dasharray": dash };
      curve(svg, targets, across, (one) => y(values[one] ?? 0), look);
    };
    stroke(forTheta, "var(--sea)", 1.2, "1 3");
    stroke(forMean, "var(--muted)", 1.6, "5 4");
    stroke(best, "var(--felt)", 2.6, "none");
    const high = targets.find((one) => (best[one] ?? 0) < 0.72) ?? first;
    const low = targets.find((one) => (forMean[one] ?? 0) < (small ? 0.62 : 0.5)) ?? first;
    label(svg, "playing for the target", x(high) + 10, y(best[high] ?? 0) - 4, "strong felt");
    label(
      svg,
      small ? "for the average" : "playing for the average",
      x(low) - 10,
      y(forMean[low] ?? 0) + 16,
      "muted",
      "end",
    );
    if (!small) {
      const thin = targets.find((one) => (forTheta[one] ?? 0) < 0.2) ?? last;
      label(svg, "dotted: the best steady risk", x(thin) + 34, y(forTheta[thin] ?? 0) - 24, "small sea");
    }
    const ground = middle + 50;
    const paying = (one: number): number => ground + down(cost[one] ?? 0);
    between(svg, targets, across, () => ground, paying, {
      class: "mark",
      fill: "var(--loss)",
      "fill-opacity": 0.45,
    });
    segment(svg, left, ground, right, ground, { stroke: "var(--loss)" });
    label(svg, "price: points of the average", left, ground - 6, "small loss");
    const rule = add(svg, "line", { stroke: "var(--ink)", "stroke-dasharray": "2 3" });
    const dots = [
      { values: forMean, colour: "var(--muted)" },
      { values: best, colour: "var(--felt)" },
    ].map(({ values, colour }) => ({
      values,
      dot: add(svg, "circle", { r: 6, fill: colour, stroke: "var(--paper)" }),
    }));
    const paid = add(svg, "circle", { r: 5, fill: "var(--loss)", stroke: "var(--paper)" });
    const price = label(svg, "", 0, 0, "strong loss", "middle");
    svg.on("pointermove pointerdown", (event: PointerEvent) => pick.set(x.invert(event.offsetX)));
    return () => {
      const target = pick.value;
      const here = x(target);
      rule
        .attr("x1", here)
        .attr("x2", here)
        .attr("y1", y(best[target] ?? 0))
        .attr("y2", paying(target));
      dots.forEach(({ values, dot }) => dot.attr("cx", here).attr("cy", y(values[target] ?? 0)));
      const end = paying(target);
      paid.attr("cx", here).attr("cy", end);
      price
        .attr("x", Math.max(left + 18, Math.min(right - 18, here)))
        .attr("y", end + 20)
        .text(fixed(cost[target] ?? 0));
      const theta = chances.theta[target];
      const steady = theta
        ? `; with the best steady risk (θ = ${`${theta}`.replace("-", "−")}), ${percent(forTheta[target] ?? 0)}`
        : "; no steady risk does better";
      readout.textContent =
        `Target ${target}: playing for it, ${percent(best[target] ?? 0)} of games get there; playing for the ` +
        `average, ${percent(forMean[target] ?? 0)}${steady}. It costs ${fixed(cost[target] ?? 0)} points of the average.`;
    };
  });
}
