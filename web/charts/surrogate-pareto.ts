/** Size against exact strength: every model, the optimum as a line, the forerunner's numbers as hollow marks. */
import { scaleLinear, scaleLog } from "d3-scale";
import {
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
  type SymbolType,
} from "d3-shape";
import type { Strength, Who } from "../look/results";
import {
  add,
  axis,
  axisBottom,
  axisLeft,
  choice,
  fixed,
  frame,
  label,
  onResize,
  percent,
  segment,
  slider,
  svgIn,
  thousands,
  type Data,
  nearest,
  curve,
  sign,
} from "../look/figure";
import { capital, familyName, playerName } from "../look/names";

interface Player {
  name: string;
  who: Who;
  family: string;
  parameters: number;
  /** What its name counts: the numbers of a model, the rules of a list. */
  size: number;
  mean: number;
  agreement?: number;
  claimed?: number | undefined;
}
interface Kind {
  colour: string;
  style: string;
  shape: SymbolType;
}

const KINDS: Record<string, Kind> = {
  "value models": { colour: "var(--felt)", style: "felt", shape: symbolCircle },
  "imitation trees": { colour: "var(--sea)", style: "sea", shape: symbolSquare },
  "regret trees": { colour: "var(--sea)", style: "sea", shape: symbolDiamond },
  networks: { colour: "var(--muted)", style: "muted", shape: symbolTriangle },
  rules: { colour: "var(--gold)", style: "gold", shape: symbolStar },
  "by hand": { colour: "var(--ink)", style: "", shape: symbolCross },
  lookup: { colour: "var(--ink)", style: "", shape: symbolWye },
};
type Range = "all" | "top";
const RANGES: Record<Range, [number, number]> = { all: [130, 253], top: [236, 249] };
type Anchor = "start" | "middle" | "end";
type Beside = [family: string, below: number, dx: number, dy: number, anchor: Anchor, dyNarrow?: number];
/** The label of a family goes beside its largest model below a size, where there is room for it. */
const ROOM: Record<Range, Beside[]> = {
  all: [
    ["value models", 20, 10, -15, "start"],
    ["imitation trees", 7000, 12, 6, "start"],
    ["networks", 3000, -11, 5, "end"],
    ["regret trees", 7000, -10, 12, "end", 34],
    ["rules", 150, -10, 5, "end"],
  ],
  top: [
    ["value models", 20, 12, 16, "start"],
    ["imitation trees", 100000, -12, 5, "end"],
    ["networks", 6000, 13, 8, "start"],
    ["regret trees", 7000, -12, 5, "end"],
    ["rules", 150, 11, 5, "start"],
  ],
};

/** Every player by size; the solved table last. Of the rule lists, those of the card: the next chapter has the others. */
function players(data: Data): Player[] {
  const found = data["compression"];
  const claims = new Map(found.claims.map((claim) => [claim.what.replace("mean of ", ""), claim.forerunner]));
  const of = (one: Strength, size = one.parameters): Player => ({
    name: one.name,
    who: one.who,
    family: one.family,
    parameters: one.parameters,
    size,
    mean: one.mean,
    agreement: one.agreement_by_decision.reduce((sum, share) => sum + share, 0) / one.agreement_by_decision.length,
    claimed: claims.get(one.name),
  });
  const cards = data["rosetta"].lists
    .filter((one) => one.path === "card")
    .map((one) => of(one.strength, one.n_rules));
  const made = [...found.models.map((one) => of(one)), ...cards];
  const whole = found.lookup_parameters;
  return [
    ...made.sort((a, b) => a.parameters - b.parameters || a.mean - b.mean),
    {
      name: "table",
      who: { kind: "the table" },
      family: "lookup",
      parameters: whole,
      size: whole,
      mean: found.optimal_mean,
    },
  ];
}

export function draw(root: HTMLElement, data: Data): void {
  const all = players(data);
  const optimum = data["compression"].optimal_mean;
  const { controls, picture, readout } = frame(root, 2);
  let range: Range = "all";
  let show: () => void = () => undefined;
  let paint: () => void = () => undefined;
  choice(
    controls,
    "Part of the scale",
    [
      ["all", "All models"],
      ["top", "The last points"],
    ],
    (name) => {
      range = name;
      paint();
    },
  );
  const pick = slider(controls, {
    label: "Model",
    min: 0,
    max: all.length - 1,
    value: all.findIndex((one) => one.name === "value-18"),
    text: (i) => playerName(all[i]?.who, all[i]?.size),
    change: () => show(),
  });

  onResize(picture, (width, height, small) => {
    const left = small ? 34 : 44;
    const gutter = small ? 30 : 56;
    paint = () => {
      const [low, high] = RANGES[range];
      const svg = svgIn(picture, width, height, "Numbers in a model against the average it plays at");
      const bottom = height - 46;
      const x = scaleLog([12, 2.2e6], [left + gutter, width - (small ? 12 : 24)]);
      const y = scaleLinear([low, high], [bottom, 20]);
      const at = (one: Player): [number, number] => [
        one.parameters ? x(one.parameters) : left + gutter / 2,
        y(one.mean),
      ];
      const seen = (mean: number): boolean => mean >= low;
      axis(svg, axisLeft(y).ticks(small ? 6 : 8), left, 0, width - left - 4);
      axis(
        svg,
        axisBottom(x)
          .tickValues([100, 1e4, 1e6, ...(small ? [] : [1e3, 1e5])])
          .tickFormat((value) => (small && +value >= 1e6 ? `${+value / 1e6} million` : thousands(+value))),
        0,
        bottom,
      );
      label(svg, "average score, points", 0, 11, "small muted");
      label(
        svg,
        small ? "numbers (log scale)" : "numbers in the model (log scale)",
        width - 4,
        height - 6,
        "small muted",
        "end",
      );
      if (range === "all") label(svg, "none", left + gutter / 2, bottom + 17, "small muted", "middle");
      segment(svg, left, y(optimum), width - 4, y(optimum), { stroke: "var(--ink)", "stroke-width": 1.5 });
      label(svg, `perfect play ${fixed(optimum, 2)}`, width - 4, y(optimum) - 8, "strong", "end");
      for (const [family, kind] of Object.entries(KINDS)) {
        const members = all.filter((one) => one.family === family && one.parameters && seen(one.mean));
        curve(
          svg,
          members,
          (one) => at(one)[0],
          (one) => at(one)[1],
          { stroke: kind.colour, "stroke-opacity": 0.45, "stroke-width": 1.5 },
        );
      }
      all.forEach((one) => {
        const kind = KINDS[one.family];
        if (!kind || !seen(one.mean)) return;
        const [px, py] = at(one);
        if (one.claimed !== undefined && seen(one.claimed)) {
          const py0 = y(one.claimed);
          segment(svg, px, py0, px, py, { stroke: kind.colour, "stroke-dasharray": "2 3" });
          sign(svg, kind.shape, 110, px, py0, {
            class: "mark claimed",
            fill: "var(--paper)",
            stroke: kind.colour,
            "stroke-width": 1.6,
          });
        }
        sign(svg, kind.shape, 64, px, py, { fill: kind.colour });
      });
      ROOM[range].forEach(([family, below, dx, dy, anchor, dyNarrow = dy]) => {
        const beside = all.filter((one) => one.family === family && one.parameters <= below).at(-1);
        if (!beside || !seen(beside.mean)) return;
        const [px, py] = at(beside);
        label(
          svg,
          familyName(family),
          px + dx,
          py + (small ? dyNarrow : dy),
          `strong ${KINDS[family]?.style}`,
          anchor,
        );
      });
      all
        .filter((one) => one.family === "by hand" && seen(one.mean))
        .forEach((one) => label(svg, playerName(one.who), at(one)[0] + 12, at(one)[1] + 4, "small"));
      const disputed = all.find((one) => one.family === "networks" && one.claimed !== undefined);
      if (disputed?.claimed !== undefined && seen(disputed.claimed))
        label(
          svg,
          small ? "earlier claim" : `earlier claim ${disputed.claimed}`,
          at(disputed)[0] + 12,
          y(disputed.claimed) + 4,
          "small muted",
        );
      const ring = add(svg, "circle", { r: 11, fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
      show = () => {
        const one = all[pick.value];
        if (!one) return;
        const [px, py] = at(one);
        ring
          .attr("cx", px)
          .attr("cy", py)
          .attr("display", seen(one.mean) ? null : "none");
        const name = playerName(one.who, one.size);
        const size = name.includes("numbers") || !one.parameters ? "" : `${thousands(one.parameters)} numbers, `;
        const off = optimum - one.mean;
        readout.textContent =
          `${capital(name)}: ${size}${fixed(one.mean, 2)} points` +
          (off > 0 ? `, ${fixed(off, 2)} short of perfect` : ", perfect by definition") +
          (one.agreement === undefined ? "." : `; ${percent(one.agreement)} of its decisions are best ones.`) +
          (one.claimed === undefined ? "" : ` The forerunner says ${one.claimed}.`);
      };
      svg.on("pointermove pointerdown", (event: PointerEvent) => {
        const places = all.map((one) => (seen(one.mean) ? at(one) : null));
        const found = nearest(event, places, 40);
        if (found >= 0) pick.set(found);
      });
      show();
    };
    paint();
  });
}
