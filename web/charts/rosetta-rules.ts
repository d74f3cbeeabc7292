/** Rules against exact mean: lists of ours, the earlier way computed again, the earlier claims; a rule at a time below. */
import { scaleBand, scaleLinear, scalePow } from "d3-scale";
import { symbolCircle, symbolDiamond, symbolSquare, type SymbolType } from "d3-shape";
import type { ListStrength, Rosetta } from "../engine/shared";
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
  segment,
  slider,
  plot,
  type Data,
  nearest,
  curve,
  sign,
} from "../look/figure";
import { capital, playerName } from "../look/names";

interface Series {
  words: string;
  short: string;
  shape: SymbolType;
  dash: string | null;
  /** Named where it ends, not where it begins. */
  last: boolean;
  points: [number, number][];
}

/** The lowest average that is drawn, and the averages that are labelled. */
const LOWEST = 160;
const MEANS = [248, 247, 245, 240, 230, 220, 200, 180, 160];

/** Why a list is there: the lists of one series have been found the same way, for the same task. */
const seriesOf = (list: ListStrength): string => `${list.method} ${list.path} ${list.every_decision}`;

function describe(list: ListStrength): Omit<Series, "points"> {
  const task = list.every_decision ? "every decision" : "scoring only";
  if (list.method === "covering")
    return {
      words: `the earlier way, ${task}`,
      short: `earlier way`,
      shape: symbolSquare,
      dash: "5 4",
      last: true,
    };
  const shape = list.every_decision ? symbolDiamond : symbolCircle;
  if (list.path === "card")
    return { words: "the card, every decision", short: "the card", shape, dash: null, last: true };
  const path = list.path.replace("rules-", "");
  const name = path === "par" ? "with par" : path === "rich" ? "in words" : "plain";
  const last = path === "par";
  return { words: `${name}, ${task}`, short: name, shape, dash: last ? "4 2" : "1 3", last };
}

/** Claims of the forerunner as (rules, mean): the number of rules is what the claim begins with. */
function claimed(found: Rosetta): [number, number][] {
  return found.claims
    .filter((claim) => /^(\d+ covering rules|scoring without rules)/.test(claim.what))
    .map((claim) => [Number.parseInt(claim.what, 10) || 0, claim.forerunner]);
}

export function draw(root: HTMLElement, data: Data): void {
  const found = data["rosetta"];
  const optimum = found.optimal_mean;
  const lists = [...found.lists].sort((a, b) => a.n_rules - b.n_rules);
  const claims = claimed(found);
  const series = new Map<string, Series>();
  lists.forEach((list) => {
    const key = seriesOf(list);
    const one = series.get(key) ?? { ...describe(list), points: [] };
    one.points.push([list.n_rules, list.strength.mean]);
    series.set(key, one);
  });
  const { controls, picture, readout } = frame(root, 2);
  readout.classList.add("words");
  const most = Math.max(1, ...lists.map((list) => list.rules.length));
  const pickList = slider(controls, {
    label: "List",
    min: 0,
    max: lists.length - 1,
    value: Math.max(
      0,
      lists.findIndex((list) => list.strength.name === "card-20"),
    ),
    text: (i) => playerName(lists[i]?.strength.who, lists[i]?.n_rules),
  });
  const inList = (i: number): number => Math.min(i, (lists[pickList.value]?.rules.length ?? 0) - 1);
  const pickRule = slider(controls, {
    label: "Rule",
    min: 0,
    max: most - 1,
    value: 0,
    text: (i) => (inList(i) < 0 ? "no rules" : `${inList(i) + 1} of ${lists[pickList.value]?.rules.length}`),
  });

  plot(picture, "Number of rules against the average that the list plays at", (svg, width, height, small) => {
    const left = small ? 34 : 44;
    const strip = { top: height - (small ? 96 : 106), bottom: height - 6 };
    const bottom = strip.top - 66;
    const last = Math.max(100, ...lists.map((list) => list.n_rules));
    const x = scalePow([0, last], [left + 12, width - (small ? 20 : 170)]).exponent(0.5);
    // The closer to perfect play, the wider the steps: the root of what is missing.
    const missing = scalePow([0, optimum - LOWEST], [22, bottom]).exponent(0.5);
    const y = (mean: number): number => missing(optimum - mean);
    axis(
      svg,
      axisLeft(missing)
        .tickValues(MEANS.map((mean) => optimum - mean))
        .tickFormat((gap) => fixed(optimum - +gap, 0)),
      left,
      0,
      width - left - 4,
    );
    axis(
      svg,
      axisBottom(x)
        .tickValues([0, 10, 20, 50, 100, 200, 300].filter((n) => n <= last && !(small && n === 20)))
        .tickFormat((n) => `${+n}`),
      0,
      bottom,
    );
    label(
      svg,
      small ? "average score" : "average score, points; wider steps near perfect play",
      0,
      11,
      "small muted",
    );
    label(svg, "number of rules", x(last), bottom + 34, "small muted", "end");
    segment(svg, left, y(optimum), width - 4, y(optimum), { stroke: "var(--ink)", "stroke-width": 1.5 });
    label(svg, `perfect play ${fixed(optimum)}`, width - 4, y(optimum) - 7, "strong", "end");
    const trace = (points: [number, number][], dash: string | null): void => {
      const look = { stroke: "var(--gold)", "stroke-width": 1.6, "stroke-opacity": 0.7, "stroke-dasharray": dash };
      curve(
        svg,
        points,
        ([n]) => x(n),
        ([, mean]) => y(mean),
        look,
      );
    };
    found.curves
      .filter((curve) => curve.method === "covering")
      .forEach((curve) =>
        trace(
          curve.points.filter(([, mean]) => mean >= LOWEST),
          "5 4",
        ),
      );
    claims.forEach(([n, mean]) =>
      sign(svg, symbolSquare, 120, x(n), y(mean), {
        class: "mark claimed",
        fill: "var(--paper)",
        stroke: "var(--gold)",
        "stroke-width": 1.6,
      }),
    );
    const texts: { text: string; x: number; y: number; before: boolean }[] = [];
    series.forEach((one) => {
      if (one.points.length > 1 && one.dash !== "5 4") trace(one.points, one.dash);
      one.points.forEach(([n, mean]) => sign(svg, one.shape, 76, x(n), y(mean), { fill: "var(--gold)" }));
      // Lines run together at their ends, so all but the strongest of each kind are named where they begin.
      const first = one.points[0] ?? [0, 0];
      const before = one.points.length > 1 && first[0] > 0 && !one.last;
      const [n, mean] = before ? first : (one.points.at(-1) ?? first);
      const text = small ? one.short : one.words;
      if (!texts.some((other) => other.text === text))
        // The card and its freer sister end in one place: the sister is named above it.
        texts.push({ text, x: x(n) + (before ? -11 : 11), y: y(mean) + (one.dash && one.last ? -10 : 4), before });
    });
    const high = claims.reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0]);
    if (high[0])
      texts.push({
        text: small ? "its claims" : "its claims (hollow)",
        x: x(high[0]) + 11,
        y: y(high[1]) + 22,
        before: false,
      });
    texts.sort((a, b) => a.y - b.y);
    const lowest = { true: y(optimum), false: y(optimum) };
    texts.forEach((one) => {
      const side = `${one.before}` as const;
      one.y = Math.max(one.y, lowest[side] + 14);
      lowest[side] = one.y;
      const made = label(svg, one.text, one.x, one.y, "strong gold", one.before ? "end" : undefined);
      // A label goes to the left of its mark where there is no room to the right.
      const over = one.x + (made.node()?.getComputedTextLength() ?? 0) - width;
      if (!one.before && over > 0) made.attr("x", one.x - 22).attr("text-anchor", "end");
    });
    const ring = add(svg, "circle", { r: 11, fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
    const below = svg.append("g");
    let bars = scaleBand<number>();
    svg.on("pointermove pointerdown", (event: PointerEvent) => {
      if (event.offsetY > strip.top - 20) {
        if (lists[pickList.value]?.rules.length) pickRule.set(Math.floor((event.offsetX - left) / bars.step()));
        return;
      }
      const places = lists.map((list) => [x(list.n_rules), y(list.strength.mean)] as const);
      const best = nearest(event, places, 40);
      if (best >= 0 && best !== pickList.value) {
        pickList.set(best);
        pickRule.set(0);
      }
    });
    return () => {
      const list = lists[pickList.value];
      if (!list) return;
      ring.attr("cx", x(list.n_rules)).attr("cy", y(list.strength.mean));
      below.selectAll("*").remove();
      const into = below as unknown as Parameters<typeof label>[0];
      const at = inList(pickRule.value);
      const worths = list.rules.map((rule) => Math.max(0, rule.worth ?? 0));
      const weighed = worths.some((worth) => worth > 0);
      const heading = !list.rules.length
        ? `${playerName(list.strength.who, list.n_rules)}: no rules, only the par table`
        : weighed
          ? `what “${playerName(list.strength.who, list.n_rules)}” loses without each of its rules, points`
          : `the rules of “${playerName(list.strength.who, list.n_rules)}”, in order`;
      label(into, heading, 0, strip.top - 10, "small muted");
      bars = scaleBand(
        list.rules.map((_, i) => i),
        [left, width - 4],
      ).padding(0.12);
      const h = scaleLinear([0, Math.max(...worths, 1e-9)], [strip.bottom, strip.top + 6]);
      if (weighed) axis(into, axisLeft(h).ticks(3), left, 0, width - left - 4);
      list.rules.forEach((_, i) =>
        rect(
          below,
          bars(i) ?? 0,
          weighed ? Math.min(h(worths[i] ?? 0), strip.bottom - 2) : strip.bottom - 24,
          bars.bandwidth(),
          weighed ? Math.max(2, strip.bottom - h(worths[i] ?? 0)) : 24,
          {
            class: "mark",
            fill: "var(--gold)",
            "fill-opacity": i === at ? 1 : 0.5,
            stroke: i === at ? "var(--ink)" : "none",
          },
        ),
      );
      const rule = list.rules[at];
      const task = list.every_decision ? "every decision" : "scoring, with dice kept perfectly";
      const worth = rule?.worth == null ? "" : ` Without it: −${fixed(rule.worth, 2)} points.`;
      readout.textContent =
        `${capital(playerName(list.strength.who, list.n_rules))} (${task}): ${fixed(list.strength.mean, 2)} points, ` +
        `${percent(list.gap_closed, 0)} of the way from no rules (${fixed(list.start_mean, 2)}) to perfect play.` +
        (rule ? ` ${rule.level ? "Keeping" : "Scoring"} rule ${rule.number}: “${rule.text}”${worth}` : "");
    };
  });
}
