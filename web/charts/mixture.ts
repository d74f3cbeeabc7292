/** Four populations add up to one distribution: stacked, each by itself, or the largest by how many boxes were made. */
import { scaleLinear } from "d3-scale";
import type { Population } from "../engine/shared";
import {
  add,
  axis,
  axisBottom,
  axisLeft,
  choice,
  fixed,
  frame,
  hatch,
  label,
  onResize,
  percent,
  slider,
  svgIn,
  type Data,
  type Group,
  type Svg,
  between,
  curve,
  segment,
  axisInside,
} from "../look/figure";
import { POPULATIONS } from "../look/populations";

type View = "stacked" | "apart" | "ripple";

const SHOWN = [90, 360] as const;

export function draw(root: HTMLElement, data: Data): void {
  const parts = data["populations"].populations;
  const scores = Array.from({ length: SHOWN[1] - SHOWN[0] + 1 }, (_, i) => SHOWN[0] + i);
  const share = (part: Population, score: number): number => part.density[score] ?? 0;
  const { controls, picture, readout } = frame(root);
  const ripple = data["populations"].ripple;
  const largest = parts.reduce((one, other) => (other.weight > one.weight ? other : one));
  let view: View = "stacked";
  let score = 250;
  let redraw: () => void = () => undefined;
  let point: () => void = () => undefined;

  choice(
    controls,
    "How the populations are shown",
    [
      ["stacked", "Added up"],
      ["apart", "Apart"],
      ["ripple", "The ripple"],
    ] as const,
    (name) => {
      view = name;
      redraw();
    },
  );
  const pick = slider(controls, {
    label: "Score",
    min: SHOWN[0],
    max: SHOWN[1],
    value: score,
    text: (s) => `${s} points`,
    change: (s) => {
      score = s;
      point();
    },
  });

  onResize(picture, (width, height, small) => {
    const box = { left: 8, right: 16, top: small ? 92 : 62, bottom: 44 };
    const x = scaleLinear(SHOWN, [box.left, width - box.right]);
    const totals = scores.map((s) => parts.reduce((sum, part) => sum + share(part, s), 0));
    const y = scaleLinear([0, Math.max(...totals) * 1.04], [height - box.bottom, box.top]);
    redraw = () => {
      const stacked = view === "stacked";
      const svg = svgIn(picture, width, height, "Score distributions of the four populations");
      axisInside(svg, axisLeft(y).ticks(4, "%"), box.left, width - box.left - box.right);
      axis(svg, axisBottom(x).ticks(small ? 5 : 9), 0, height - box.bottom);
      label(svg, "final score, points", width / 2, height - 4, "muted small", "middle");
      const both = hatch(svg, "mixture-both");
      const below = scores.map(() => 0);
      if (view === "ripple") drawRipple(svg);
      else
        parts.forEach((part, k) => {
          const who = POPULATIONS[k];
          if (!who) return;
          const base = stacked ? below.slice() : scores.map(() => 0);
          const high = (s: number, i: number): number => y((base[i] ?? 0) + share(part, s));
          between(
            svg,
            scores,
            (s) => x(s),
            (_, i) => y(base[i] ?? 0),
            high,
            {
              class: "mark",
              fill: k === 3 ? both : `var(${who.fill})`,
              "fill-opacity": stacked ? 0.8 : 0.35,
              stroke: `var(${who.edge})`,
              "stroke-width": k === 3 ? 2.2 : stacked ? 0 : 1.6,
            },
          );
          if (stacked) scores.forEach((s, i) => (below[i] = (below[i] ?? 0) + share(part, s)));
          const rows = small ? [74, 47, 20, 74] : [46, 46, 20, 46];
          const row = rows[k] ?? 20;
          const at = Math.max(small ? 52 : 60, Math.min(width - (small ? 58 : 66), x(part.mean)));
          const middle = Math.round(part.mean);
          const top = y(stacked ? (below[middle - SHOWN[0]] ?? 0) : share(part, middle));
          const look = { stroke: `var(${who.edge})`, "stroke-dasharray": "2 3" };
          segment(svg, x(part.mean), row + 4, x(part.mean), top, look);
          // Beside the line of the population above it.
          const [beside, anchor] = small && k === 1 ? ([at + 8, "end"] as const) : ([at, "middle"] as const);
          label(svg, who.name, beside, row - 12, `small ${who.text}`, anchor);
          label(svg, `${percent(part.weight)}, mean ${fixed(part.mean)}`, beside, row + 1, "small", anchor);
        });
      curve(
        svg,
        scores,
        (s) => x(s),
        (_, i) => y(totals[i] ?? 0),
        { stroke: "var(--ink)" },
      );
      const pointer = add(svg, "line", { stroke: "var(--ink)", y1: box.top, y2: y(0) }) as unknown as Group;
      point = () => {
        pointer.attr("x1", x(score)).attr("x2", x(score));
        if (view === "ripple") {
          const all = ripple.parts.map((part) => (part.density[score] ?? 0) * largest.weight);
          const sum = all.reduce((a, b) => a + b, 0);
          const told = ripple.parts.map(
            (part, k) => `${part.made} made ${percent(sum ? (all[k] ?? 0) / sum : 0, 0)}`,
          );
          readout.textContent = `Of the games with bonus and without Yatzy that end with ${score} points: ${told.join("; ")}.`;
          return;
        }
        const whole = totals[score - SHOWN[0]] ?? 0;
        const said = parts.map(
          (part, k) => `${POPULATIONS[k]?.name ?? ""} ${percent(whole ? share(part, score) / whole : 0, 0)}`,
        );
        readout.textContent = `Of the games that end with ${score} points: ${said.join("; ")}.`;
      };
      add(svg, "rect", { width: width, height: height, fill: "transparent" }).on(
        "pointermove pointerdown",
        (event: PointerEvent) => pick.set(x.invert(event.offsetX)),
      );
      point();
    };
    /** The largest population, and in it the games by how many of the all-or-nothing boxes were made. */
    function drawRipple(svg: Svg): void {
      const shape = (density: number[], more: Record<string, string | number>): void => {
        const [at, ground] = [(_: number, i: number): number => x(scores[i] ?? 0), (): number => y(0)];
        between(svg, density, at, ground, (v) => y(v), { class: "mark", ...more });
      };
      const whole = scores.map((s) => share(largest, s));
      shape(whole, { fill: "var(--felt)", "fill-opacity": 0.18, stroke: "var(--felt)" });
      ripple.parts.forEach((part, k) => {
        const density = scores.map((s) => (part.density[s] ?? 0) * largest.weight);
        const look = { fill: "var(--gold)", stroke: "var(--gold)", "stroke-width": 1.2 };
        shape(density, { ...look, "fill-opacity": 0.12 + 0.16 * (k % 2) });
        const top = Math.max(...density);
        if (part.share > 0.05) label(svg, `${part.made}`, x(part.mean), y(top) - 6, "strong gold", "middle");
      });
      label(svg, "games with bonus, without Yatzy (green),", 0, 16, "small felt");
      label(
        svg,
        `by how many of these were made: ${ripple.boxes.join(", ")}`,
        0,
        32,
        small ? "small gold tiny" : "small gold",
      );
    }
    redraw();
  });
}
