/** What there is to play by: strength against how much of it is read at every decision. */
import { scaleLog } from "d3-scale";
import { symbolCircle, symbolDiamond, symbolSquare } from "d3-shape";
import type { ReadingAid } from "../look/results";
import {
  add,
  axis,
  axisBottom,
  axisLeft,
  curve,
  fixed,
  frame,
  label,
  slider,
  plot,
  type Data,
  nearest,
  sign,
} from "../look/figure";
import { capital, playerName } from "../look/names";

const SHAPES = { chart: symbolDiamond, card: symbolSquare, list: symbolCircle };
const COLOURS = { chart: "var(--gold)", card: "var(--felt)", list: "var(--muted)" };

/** One that only scores does not make every decision. */
const isWhole = ({ kind, oracle_keeps }: ReadingAid): boolean => kind in SHAPES && !oracle_keeps;

export function draw(root: HTMLElement, data: Data): void {
  const perfect = data["distribution"].mean;
  const all = data["charts"].carried.filter(isWhole).sort((a, b) => a.reads - b.reads);
  const charts = all.filter((one) => one.kind === "chart").sort((a, b) => a.n_lines - b.n_lines);
  const { controls, picture, readout } = frame(root, 2);
  const pick = slider(controls, {
    label: "Sheet",
    min: 0,
    max: all.length - 1,
    value: all.findIndex((one) => one.name === "chart-20"),
    text: (i) => nameOf(all[i]),
  });

  function nameOf(one: ReadingAid | undefined): string {
    if (!one) return "";
    return one.kind === "chart" ? `the chart, ${one.n_lines} lines` : playerName(one.who, one.n_lines);
  }

  plot(picture, "Average score against lines read per decision", (svg, width, height, small) => {
    const [left, right, bottom] = [44, width - 14, height - 44];
    const most = Math.max(...all.map((one) => one.reads));
    const x = scaleLog([3, most * 1.25], [left, right]);
    const short = (one: ReadingAid): number => perfect - one.mean;
    const y = scaleLog([Math.max(...all.map(short)) * 1.15, Math.min(...all.map(short)) / 1.3], [bottom, 30]);
    axis(
      svg,
      axisLeft(y)
        .tickValues([5, 10, 20, 40, 60])
        .tickFormat((value) => `−${+value}`),
      left,
      0,
      right - left,
    );
    axis(
      svg,
      axisBottom(x)
        .tickValues([3, 5, 10, 20, 40, 60])
        .tickFormat((value) => `${+value}`),
      0,
      bottom,
    );
    label(svg, `points short of perfect play (${fixed(perfect)})`, 0, 12, "small muted");
    label(svg, "lines or rules read at a decision, on average", right, height - 6, "small muted", "end");
    const look = { stroke: COLOURS.chart, "stroke-width": 1.6 };
    curve(
      svg,
      charts,
      (one) => x(one.reads),
      (one) => y(short(one)),
      look,
    );
    all.forEach((one) =>
      sign(svg, SHAPES[one.kind], one.kind === "list" ? 50 : 110, x(one.reads), y(short(one)), {
        fill: COLOURS[one.kind],
        "fill-opacity": one.kind === "list" ? 0.55 : 1,
      }),
    );
    charts.forEach((one) =>
      label(svg, `${one.n_lines} lines`, x(one.reads) + 13, y(short(one)) + 13, "small gold strong"),
    );
    all
      .filter((one) => one.kind === "card")
      .forEach((one) =>
        label(svg, `card, ${one.n_lines}`, x(one.reads), y(short(one)) - 10, "small felt", "middle"),
      );
    const worst = all.filter((one) => one.name.startsWith("covering")).sort((a, b) => b.mean - a.mean)[0];
    if (worst)
      label(
        svg,
        "found one by one",
        x(worst.reads),
        y(short(worst)) - 12,
        "small muted",
        small ? "end" : "middle",
      );
    const ring = add(svg, "circle", { r: 12, fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
    svg.on("pointermove pointerdown", (event: PointerEvent) => {
      const places = all.map((one) => [x(one.reads), y(short(one))] as const);
      const near = nearest(event, places);
      if (near !== pick.value) pick.set(near);
    });
    return () => {
      const one = all[pick.value];
      if (!one) return;
      ring.attr("cx", x(one.reads)).attr("cy", y(short(one)));
      const also = one.numbers ? `, and a table of ${one.numbers} numbers is looked up` : "";
      readout.textContent =
        `${capital(nameOf(one))}: ${fixed(one.mean)} points on average; ` +
        `${fixed(one.reads)} of ${one.n_lines} are read at a decision${also}.`;
    };
  });
}
