/** Luck against skill: the spread of a game beside the worth of one decision, and how often a decision is worth what. */
import { scaleLinear, scaleLog } from "d3-scale";
import { curveMonotoneX, line } from "d3-shape";
import {
  add,
  axis,
  axisBottom,
  fixed,
  frame,
  label,
  percent,
  rect,
  segment,
  slider,
  thousands,
  plot,
  type Data,
  between,
} from "../look/figure";

const STYLES = ["gold", "sea", "felt"] as const;
const NAMES = ["which box to fill", "hold after the 2nd throw", "hold after the 1st throw"];
const DASHES = ["", "6 3", "2 3"];

export function draw(root: HTMLElement, data: Data): void {
  const found = data["decisions"];
  const exact = data["distribution"];
  const kinds = found.decisions;
  const edges = found.edges;
  const sd = found.sd;
  const games = (gap: number): number => 8 * (sd / gap) ** 2;
  // Two digits are all that such an estimate is good for.
  const round = (n: number): string => thousands(Number(n.toPrecision(2)));
  const { controls, picture, readout } = frame(root, 2);
  const gapOf = (i: number): number => edges[i] ?? 1;
  const pick = slider(controls, {
    label: "Worth of a decision",
    min: 0,
    max: edges.length - 1,
    value: 16,
    text: (i) => `${gapOf(i) < 1 ? gapOf(i).toPrecision(1) : gapOf(i).toPrecision(2)} points`,
  });

  plot(
    picture,
    "Spread of the final score, and how much single decisions are worth",
    (svg, width, height, small) => {
      const split = small ? height * 0.42 : height * 0.44;
      const x = scaleLinear([120, 360], [16, width - 16]);
      const top = 24;
      const y = scaleLinear([0, Math.max(...exact.pmf)], [split - 78, top]);
      const scores = Array.from({ length: 241 }, (_, i) => 120 + i);
      const high = (s: number): number => y(exact.pmf[s] ?? 0);
      const look = { class: "mark", fill: "var(--muted)", "fill-opacity": 0.3 };
      between(
        svg,
        scores,
        (s) => x(s),
        () => y(0),
        high,
        look,
      );
      axis(svg, axisBottom(x).ticks(small ? 5 : 9), 0, y(0));
      label(svg, "final score of a perfect game, points", 4, 12, "small muted");
      const span = (gap: number, row: number, colour: string, text: string, style: string): void => {
        const middle = x(exact.mean);
        const long = x(gap) - x(0);
        rect(svg, middle, row, Math.max(1, long), 9, { class: "mark", fill: colour });
        label(svg, text, middle - 8, row + 9, `strong ${style}`, "end");
      };
      span(sd, split - 46, "var(--muted)", `luck: ${fixed(sd)} points`, "");
      span(found.median, split - 26, "var(--loss)", `a typical decision: ${fixed(found.median)}`, "loss");

      const low = split + 34;
      const bottom = height - (small ? 62 : 58);
      const gx = scaleLog([0.01, 100], [4, width - 8]);
      const most = Math.max(...kinds.flatMap((kind) => kind.histogram));
      const gy = scaleLinear([0, most], [bottom, low + 8]);
      label(svg, "how often a decision is worth this much", 4, split + 14, "small muted");
      [0.01, 0.1, 1, 10, 100].forEach((gap) => {
        const anchor = gap === 0.01 ? "start" : gap === 100 ? "end" : "middle";
        segment(svg, gx(gap), low, gx(gap), bottom, { stroke: "var(--rule)" });
        label(svg, `${gap}`, gx(gap), bottom + 16, "small muted", anchor);
        const n = games(gap);
        const said = n < 10 ? "a few" : n >= 1e6 ? `${Math.round(n / 1e6)} million` : round(n);
        if (!small || (gap > 0.01 && gap < 100)) label(svg, said, gx(gap), bottom + 32, "small strong", anchor);
      });
      label(
        svg,
        small
          ? "points; below: games to notice"
          : "points by which the best choice leads; below, how many games it takes to notice",
        width / 2,
        bottom + 50,
        "small muted",
        "middle",
      );
      kinds.forEach((kind, k) => {
        const inside = kind.histogram
          .slice(1, -1)
          .map((share, i) => [Math.sqrt((edges[i] ?? 1) * (edges[i + 1] ?? 1)), share] as const);
        const path = line<readonly [number, number]>()
          .x((p) => gx(p[0]))
          .y((p) => gy(p[1]))
          .curve(curveMonotoneX);
        add(svg, "path", {
          d: path(inside) ?? "",
          class: "mark",
          fill: "none",
          stroke: `var(--${STYLES[k] ?? "ink"})`,
          "stroke-width": 2.4,
          "stroke-dasharray": DASHES[k] ?? "",
        });
        const row = low + 14 + 18 * k;
        segment(svg, 6, row - 4, 32, row - 4, {
          stroke: `var(--${STYLES[k] ?? "ink"})`,
          "stroke-width": 2.4,
          "stroke-dasharray": DASHES[k] ?? "",
        });
        label(svg, NAMES[k] ?? "", 38, row, `small ${STYLES[k] ?? ""}`);
      });
      const pointer = add(svg, "line", { stroke: "var(--ink)", y1: low, y2: bottom });
      add(svg, "rect", { y: split, width: width, height: height - split, fill: "transparent" }).on(
        "pointermove pointerdown",
        (event: PointerEvent) => {
          const gap = gx.invert(event.offsetX);
          pick.set(
            edges.reduce(
              (near, edge, i) =>
                Math.abs(Math.log(edge / gap)) < Math.abs(Math.log(gapOf(near) / gap)) ? i : near,
              0,
            ),
          );
        },
      );
      return () => {
        const gap = gapOf(pick.value);
        pointer.attr("x1", gx(gap)).attr("x2", gx(gap));
        const below = kinds.map((kind) => kind.histogram.slice(0, pick.value + 1).reduce((sum, n) => sum + n, 0));
        readout.textContent =
          `Worth ${gap < 1 ? gap.toPrecision(1) : gap.toPrecision(2)} points: about ${round(games(gap))} games with each choice to tell. ` +
          `Decisions worth less: ${percent(below[2] ?? 0, 0)} of first holds, ${percent(below[1] ?? 0, 0)} of second holds, ${percent(below[0] ?? 0, 0)} of boxes.`;
      };
    },
  );
}
