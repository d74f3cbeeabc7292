/** The end of a duel, solved in the page: the best move by who is ahead, beside the one that is best for points. */
import { scaleLinear } from "d3-scale";
import { actionOf, choicesOf, type Choice } from "../engine/advise";
import { heldBy, randomDice } from "../engine/dice";
import { DuelSolver } from "../engine/duel";
import { facesOf, keepId, type GameTables } from "../engine/tables";
import type { Turn } from "../engine/turn";
import type { State } from "../engine/types";
import { diceButtons, diceGroup, myDice } from "../look/dice";
import {
  add,
  axis,
  axisBottom,
  axisLeft,
  button,
  choice,
  circle,
  curve,
  fixed,
  frame,
  label,
  narrow,
  onResize,
  percent,
  rect,
  segment,
  slider,
  svgIn,
  type Data,
  between,
} from "../look/figure";
import { actionWords } from "../look/names";

/** Boxes that are open: mine, and the other's. */
const ENDINGS = [
  ["kinds", "Three and Four of a Kind", ["three of a kind", "four of a kind"], "one pair"],
  ["straight", "One Pair, Small Straight", ["one pair", "small straight"], "one pair"],
  ["house", "Full House, Yatzy", ["full house", "yatzy"], "one pair"],
] as const;
type Ending = (typeof ENDINGS)[number];
const REROLLS = 2;
/** Leads that are shown: further away, little can happen any more. */
const [BEHIND, AHEAD] = [-45, 15];
/** Chances that are nearer together are equal: the move for points is taken then. */
const SAME = 1e-9;
const STRIP = 34;
const KINDS = [
  ["as for points", "var(--felt)"],
  ["bolder", "var(--loss)"],
  ["safer", "var(--sea)"],
] as const;

interface Move extends Choice {
  words: string;
}
interface AtLead {
  lead: number;
  best: Move;
  chance: number;
  /** After the move for points. */
  plain: number;
  kind: 0 | 1 | 2;
}

/** One ending, solved for all leads. */
class Solved {
  readonly turns = new Map<number, Turn>();
  private readonly forPoints: Turn;

  constructor(
    private readonly game: GameTables,
    private readonly duels: DuelSolver,
    [, , mine, theirs]: Ending,
  ) {
    const without = (open: readonly string[]): State => ({
      set: game.categories.reduce(
        (set, { category }, box) => (open.includes(category) ? set : set | (1 << box)),
        0,
      ),
      upper: game.bonus_threshold,
      saved: 0,
    });
    const duel = { mine: without(mine), theirs: without([theirs]) };
    this.forPoints = duels.turnForMean(duel.mine, REROLLS);
    for (let lead = BEHIND; lead <= AHEAD; lead++)
      this.turns.set(lead, duels.turnToWin({ ...duel, lead }, REROLLS));
  }

  /** The move for points, and what is best at every lead. */
  read(faces: readonly number[]): { plain: Move; leads: AtLead[] } {
    const { game, duels, forPoints } = this;
    const roll = keepId(game, faces);
    const boxes = game.categories.map(({ label }) => label);
    const named = (one: Choice): Move => ({ ...one, words: actionWords(actionOf(game, one), boxes) });
    const byPoints = choicesOf(forPoints, roll);
    const plain = byPoints[0] as Choice;
    const is = (one: Choice, other: Choice): boolean => one.end === other.end && one.keep === other.keep;
    const leads = [...this.turns].map(([lead, turn]): AtLead => {
      const all = choicesOf(turn, roll);
      const most = Math.max(...all.map(({ value }) => value));
      const usual = all.find((one) => is(one, plain))?.value ?? 0;
      // In the order of points, so that equals cost as little as they can.
      const best =
        byPoints.find((one) => (all.find((other) => is(one, other))?.value ?? 0) > most - SAME) ?? plain;
      const kind = is(best, plain) ? 0 : duels.spread(forPoints, best) > duels.spread(forPoints, plain) ? 1 : 2;
      return { lead, best: named(best), chance: most, plain: usual, kind };
    });
    return { plain: named(plain), leads };
  }
}

const standing = (lead: number): string => (lead ? `${Math.abs(lead)} ${lead > 0 ? "ahead" : "behind"}` : "level");

export function draw(root: HTMLElement, data: Data): void {
  const game = data["scandinavian"];
  const duels = new DuelSolver(game);
  const solved = new Map<string, Solved>();
  let ending: Ending = ENDINGS[0];
  let dice = myDice();
  let lead: number | null = null;
  let redraw: () => void = () => undefined;
  const { controls, picture, readout } = frame(root, 2);
  const say = (face: number): string => `${face}; tap for another`;
  const buttons = diceButtons(controls, say, (i) =>
    change(dice.map((face, j) => (i === j ? (face % 6) + 1 : face))),
  );
  button(controls, "Throw", () => change(randomDice(dice.length, game.faces)));
  choice(
    controls,
    "Boxes that you have open",
    ENDINGS.map(([name, title]) => [name, title] as const),
    (name) => {
      ending = ENDINGS.find(([one]) => one === name) ?? ENDINGS[0];
      redraw();
    },
  );
  const pick = slider(controls, {
    label: "You are",
    min: BEHIND,
    max: AHEAD,
    value: 0,
    text: standing,
    change: (value) => {
      lead = value;
      redraw();
    },
  });

  function change(to: number[]): void {
    dice = to;
    redraw();
  }

  function read(): { plain: Move; leads: AtLead[] } {
    let found = solved.get(ending[0]);
    if (!found) solved.set(ending[0], (found = new Solved(game, duels, ending)));
    return found.read(dice);
  }

  onResize(picture, (width, height) => {
    redraw = () => {
      const { plain, leads } = read();
      // At first, where looking at the score helps most.
      if (lead === null) {
        const most = leads.reduce((one, other) =>
          other.chance - other.plain > one.chance - one.plain ? other : one,
        );
        lead = most.lead;
        pick.set(lead);
        return;
      }
      const here = leads.find((one) => one.lead === lead);
      if (here) show(plain, leads, here);
    };

    function show(plain: Move, leads: AtLead[], here: AtLead): void {
      const small = narrow(width);
      const svg = svgIn(picture, width, height, "Chance to win by lead, and the best hold at each lead");
      const [left, right, bottom] = [small ? 42 : 46, width - 12, height - STRIP - 96];
      const x = scaleLinear([BEHIND - 0.5, AHEAD + 0.5], [left, right]);
      const y = scaleLinear([0, 1], [bottom, 20]);
      axis(svg, axisLeft(y).ticks(5, "%"), left, 0, right - left);
      const ticks = axisBottom(x)
        .ticks(small ? 5 : 11)
        .tickFormat((value) => `${Number(value) > 0 ? "+" : ""}${fixed(Number(value), 0)}`);
      axis(svg, ticks, 0, bottom);
      label(svg, "your chance to win", 0, 10, "small muted");
      label(svg, "your lead before this turn, points", right, bottom + 34, "small muted", "end");
      between(
        svg,
        leads,
        (one) => x(one.lead),
        (one) => y(one.plain),
        (one) => y(one.chance),
        { fill: "var(--felt)", "fill-opacity": 0.25 },
      );
      const drawLine = (of: (one: AtLead) => number, colour: string, dash: string): void => {
        const look = { class: "mark", stroke: colour, "stroke-width": 2.2, "stroke-dasharray": dash };
        curve(
          svg,
          leads,
          (one) => x(one.lead),
          (one) => y(of(one)),
          look,
        );
      };
      drawLine((one) => one.plain, "var(--muted)", "5 4");
      drawLine((one) => one.chance, "var(--felt)", "none");
      label(svg, "best move", left + 12, 40, "strong felt");
      label(svg, `for points: ${plain.words}`, left + 12, 58, "muted");
      segment(svg, x(here.lead), y(here.chance), x(here.lead), height - 40, {
        stroke: "var(--ink)",
        "stroke-dasharray": "2 3",
      });
      const dots = [
        [here.plain, "var(--muted)"],
        [here.chance, "var(--felt)"],
      ] as const;
      for (const [chance, colour] of dots)
        circle(svg, x(here.lead), y(chance), 6, { class: "mark", fill: colour, stroke: "var(--paper)" });
      band(svg.append("g").attr("transform", `translate(0,${bottom + 46})`), leads, x, here);
      svg.on("pointermove pointerdown", (event: PointerEvent) => {
        const at = Math.max(BEHIND, Math.min(AHEAD, Math.round(x.invert(event.offsetX))));
        if (at !== lead) pick.set(at);
      });
      buttons.show(
        dice,
        here.best.end === null ? heldBy(dice, facesOf(game, here.best.keep)) : dice.map(() => true),
      );
      const [, , mine, theirs] = ending;
      const instead =
        here.kind === 0
          ? "That is also the move for points."
          : `For points you would ${plain.words}, and win ${percent(here.plain)}.`;
      readout.textContent =
        `Open: ${mine.join(" and ")}, the other has ${theirs}. You are ${standing(here.lead)}: ${here.best.words}, ` +
        `and you win ${percent(here.chance)}. ${instead}`;
    }

    function band(
      group: ReturnType<typeof axis>,
      leads: AtLead[],
      x: (lead: number) => number,
      here: AtLead,
    ): void {
      const parts: { first: AtLead; last: AtLead }[] = [];
      for (const one of leads) {
        const part = parts.at(-1);
        if (part && part.first.best.words === one.best.words) part.last = one;
        else parts.push({ first: one, last: one });
      }
      for (const { first, last } of parts) {
        const [start, end] = [x(first.lead - 0.5), x(last.lead + 0.5)];
        const chosen = first.lead <= here.lead && here.lead <= last.lead;
        add(group, "rect", {
          class: "mark",
          x: start + 0.5,
          width: Math.max(1, end - start - 1),
          height: STRIP,
          fill: KINDS[first.kind][1],
          "fill-opacity": chosen ? 0.75 : 0.4,
        });
        const faces = first.best.end === null ? facesOf(game, first.best.keep) : [];
        const size = 15;
        const wide = faces.length * size * 1.1;
        if (!faces.length || wide + 4 > end - start) continue;
        const drawn = diceGroup(faces, size);
        drawn.setAttribute("transform", `translate(${(start + end - wide) / 2 + 0.7},${(STRIP - size) / 2})`);
        group.node()?.append(drawn);
      }
      let at = x(leads[0]?.lead ?? 0);
      KINDS.forEach(([name, colour]) => {
        rect(group, at, STRIP + 8, 11, 11, { fill: colour, "fill-opacity": 0.55 });
        label(group, name, at + 16, STRIP + 18, "small muted");
        at += 26 + name.length * 6.6;
      });
    }
    redraw();
  });
}
