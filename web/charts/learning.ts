/** Learning by playing: the exact mean of four learners, from a thousand games of their own to ten million. */
import { scaleLinear, scaleLog } from "d3-scale";
import type { LearningCurve } from "../engine/shared";
import {
  add,
  axis,
  axisBottom,
  axisLeft,
  circle,
  curve,
  fixed,
  frame,
  label,
  plotAnew,
  segment,
  slider,
  thousands,
  type Data,
} from "../look/figure";

export function draw(root: HTMLElement, data: Data): void {
  const found = data["learning"];
  const learners = found.learners;
  const stops = (learners[0]?.points ?? []).map((one) => one.games).filter((games) => games > 0);
  const { controls, picture, readout } = frame(root, 2);
  const pick = slider(controls, {
    label: "Games played",
    min: 0,
    max: stops.length - 1,
    value: stops.length - 1,
    text: (i) => thousands(stops[i] ?? 0),
  });
  const style = (one: LearningCurve): { colour: string; dash: string; text: string } => ({
    colour: one.looks_ahead ? "var(--felt)" : "var(--sea)",
    dash: one.from_scores ? "7 4" : "none",
    text: one.looks_ahead ? "felt" : "sea",
  });
  plotAnew(picture, "Exact means of four learners by games played", (svg, width, height, small) => {
    const box = { left: 44, right: small ? 40 : 190, top: 16, bottom: 44 };
    const x = scaleLog([stops[0] ?? 1, stops.at(-1) ?? 10], [box.left, width - box.right]);
    const lowest = Math.min(
      ...learners.flatMap((one) => one.points.filter((p) => p.games > 0).map((p) => p.mean)),
    );
    const y = scaleLinear([Math.floor(lowest / 10) * 10, 252], [height - box.bottom, box.top]);
    axis(svg, axisLeft(y).ticks(6), box.left, 0, width - box.left - box.right);
    axis(svg, axisBottom(x).ticks(5, "~s"), 0, height - box.bottom);
    label(
      svg,
      "games of its own that it has learned from",
      (box.left + width - box.right) / 2,
      height - 6,
      "small muted",
      "middle",
    );
    const level = (value: number, text: string, colour: string): void => {
      segment(svg, box.left, y(value), width - box.right, y(value), {
        stroke: colour,
        "stroke-dasharray": "2 3",
      });
      label(svg, text, width - box.right - 4, y(value) - 5, "small", "end");
    };
    level(found.optimal_mean, `perfect play ${fixed(found.optimal_mean)}`, "var(--ink)");
    level(found.greedy_mean, `most points every turn ${fixed(found.greedy_mean)}`, "var(--muted)");
    const taken: number[] = [];
    learners.forEach((one) => {
      const look = style(one);
      const points = one.points.filter((p) => p.games > 0);
      curve(
        svg,
        points,
        (p) => x(p.games),
        (p) => y(p.mean),
        { stroke: look.colour, "stroke-width": 2.2, "stroke-dasharray": look.dash },
      );
      points.forEach((p, i) =>
        circle(svg, x(p.games), y(p.mean), i === pick.value ? 6 : 3.4, {
          class: "mark",
          fill: one.from_scores ? "var(--paper)" : look.colour,
          stroke: look.colour,
          "stroke-width": 2,
        }),
      );
      const last = points.at(-1);
      if (!last || small) return;
      let at = y(last.mean) + 4;
      while (taken.some((other) => Math.abs(other - at) < 17)) at += 17;
      taken.push(at);
      label(svg, one.name, width - box.right + 12, at, `strong ${look.text}`);
    });
    readout.textContent =
      `After ${thousands(stops[pick.value] ?? 0)} games: ` +
      learners
        .map((one) => `${one.name} ${fixed(one.points.find((p) => p.games === stops[pick.value])?.mean ?? 0)}`)
        .join("; ") +
      ".";
    add(svg, "rect", { width: width, height: height, fill: "transparent" }).on(
      "pointermove pointerdown",
      (event: PointerEvent) => {
        const games = x.invert(event.offsetX);
        const near = stops.reduce(
          (best, one, i) =>
            Math.abs(Math.log(one / games)) < Math.abs(Math.log((stops[best] ?? 1) / games)) ? i : best,
          0,
        );
        if (near !== pick.value) pick.set(near);
      },
    );
  });
}
