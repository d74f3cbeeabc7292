/**
 * Why: the clauses of a reason, from what each part brings after two actions. As `yatzy.coach.why`, where the choice of
 * clauses is explained.
 */
import constants from "./constants.json";
import { latticeOf, type GameTables } from "./tables";
import type { Action, AdvisedAction, Clause, ExplainedAdvice, Reason, Situation } from "./types";

// What they are is said where they are chosen, in `yatzy.coach.why`.
const { max_boxes: MAX_BOXES, box_share: BOX_SHARE, second_share: SECOND_SHARE } = constants.why;
const { asked_share: ASKED_SHARE, least: LEAST, tempting: TEMPTING, close: CLOSE } = constants.why;
const { seldom: SELDOM, slight: SLIGHT } = constants.why;

const pointsOf = (action: Action): number => (action.keep ? 0 : action.points + (action.extra ?? 0));

/** Do most throws of all dice score nothing in a box? */
function isRare(game: GameTables, box: number): boolean {
  let scores = 0;
  latticeOf(game).prob.forEach((prob, roll) => {
    if (game.outcomes.points[game.readings[roll]?.[box] ?? -1]) scores += prob;
  });
  return scores < 0.5;
}

/** By how much the best action leads, in points or percent of the chance; 0 for a tie. */
function leadOf({ advice }: ExplainedAdvice, place: number): number {
  const [best, one] = [advice.actions[0], advice.actions[place]];
  if (!best || !one) return 0;
  if (!advice.goal) return one.regret;
  const lost = (best.chance ?? 0) - (one.chance ?? 0);
  return lost <= constants.chance_tie ? 0 : 100 * lost;
}

/** What a player asks about: a full box instead of throwing on, the most points now, or else the second. */
function naturalRival(game: GameTables, asked: Situation, found: ExplainedAdvice): number | null {
  const [best, ...others] = found.advice.actions;
  if (!best || !others.length) return null;
  const scores = others.flatMap((one, i) => (one.action.keep ? [] : [{ action: one.action, place: i + 1 }]));
  if (best.action.keep) {
    const tempts = scores.find(({ action }) => {
      const average = found.parts[0]?.[action.score] ?? 0;
      const points = pointsOf(action);
      return isRare(game, action.score) && points > 0 && points >= TEMPTING * average;
    });
    return tempts?.place ?? 1;
  }
  if (asked.rerolls || leadOf(found, 1) < CLOSE) return 1;
  const most = scores.reduce((a, b) => (pointsOf(b.action) > pointsOf(a.action) ? b : a));
  return pointsOf(most.action) > pointsOf(best.action) ? most.place : 1;
}

/** The place of the action that one is compared with: the best, or for the best what a player asks about. */
export const rivalOf = (
  game: GameTables,
  asked: Situation,
  found: ExplainedAdvice,
  place: number,
): number | null => (place > 0 ? place : naturalRival(game, asked, found));

/** Why the best action is better than the one at a place; without one there is nothing else to do. */
export function reasonOf(
  game: GameTables,
  asked: Situation,
  found: ExplainedAdvice,
  place: number | null,
): Reason {
  const [best] = found.advice.actions as [AdvisedAction];
  const rival = place === null ? undefined : found.advice.actions[place];
  if (place === null || !rival) return { action: best.action, rival: null, lead: 0, clauses: [] };
  const lead = leadOf(found, place);
  const compared = { action: best.action, rival: rival.action, lead };
  if (!lead) return { ...compared, clauses: [] };
  const [mine = [], other = []] = [found.parts[0], found.parts[place]];
  const [soon = [], then = []] = [found.now[0], found.now[place]];
  const now = soon.map((one, part) => one - (then[part] ?? 0));
  const little = [found.little[0] ?? [], found.little[place] ?? []] as const;
  const clauses = chosen(clausesOf(game, asked.set, best, rival, { mine, other, now, little }), best.action, lead);
  const goal = goalOf(asked, best, rival, lead, clauses, mine, other);
  return { ...compared, clauses: [...goal, ...clauses] };
}

/** What the goal is about, if it is not the mean; a risk only if it gives up points, or nothing else speaks. */
function goalOf(
  { theta }: Situation,
  best: AdvisedAction,
  rival: AdvisedAction,
  lead: number,
  clauses: readonly Clause[],
  mine: readonly number[],
  other: readonly number[],
): Clause[] {
  if (best.chance !== undefined)
    return [{ kind: "chance", part: lead, boxes: [], chance: best.chance, rival_chance: rival.chance ?? 0 }];
  const lost = mine.reduce((sum, one, part) => sum + one - (other[part] ?? 0), 0);
  const isSaid = theta && (lost < -LEAST || !clauses.some(({ part }) => part > 0));
  return isSaid ? [{ kind: theta > 0 ? "daring" : "safe", part: lost, boxes: [] }] : [];
}

/** What each part brings after both actions, by how much more in this turn, and how often this takes little in it. */
interface Compared {
  mine: readonly number[];
  other: readonly number[];
  now: readonly number[];
  little: readonly [readonly number[], readonly number[]];
}

/** Every clause there might be, in the order in which they are told. */
function clausesOf(
  game: GameTables,
  set: number,
  best: AdvisedAction,
  rival: AdvisedAction,
  { mine, other, now, little }: Compared,
): Clause[] {
  const found: Clause[] = [];
  const more = (part: number): number => (mine[part] ?? 0) - (other[part] ?? 0);
  const boxes = new Map(
    game.categories.flatMap((_, box) => ((set >> box) & 1 ? [] : [[box, more(box)] as const])),
  );
  const ofBox = (kind: "takes" | "leaves", box: number, points: number, average: number): void => {
    boxes.delete(box);
    found.push({ kind, part: more(box), boxes: [box], points: Math.round(points), average });
  };
  const [left, taken] = [rival.action.score, best.action.score];
  if (left !== undefined) ofBox("leaves", left, other[left] ?? 0, mine[left] ?? 0);
  if (taken !== undefined) ofBox("takes", taken, mine[taken] ?? 0, other[taken] ?? 0);
  for (const sign of [1, -1]) {
    const parts = [...boxes].filter(([, part]) => sign * part > 0);
    const kindOf = ([box, part]: readonly [number, number]): Together => {
      if (sign * (now[box] ?? 0) >= (sign * part) / 2) return "boxes";
      const spared = sign * ((little[1][box] ?? 0) - (little[0][box] ?? 0));
      return rival.action.keep && spared >= SELDOM ? "spared" : "later";
    };
    for (const kind of ["boxes", "spared", "later"] as const) {
      const some = parts.filter((one) => kindOf(one) === kind);
      found.push(...together(kind, some, little));
    }
  }
  let next = game.categories.length;
  if (game.bonus) {
    const [chance, rival_chance] = [(mine[next] ?? 0) / game.bonus, (other[next] ?? 0) / game.bonus];
    // The upper box that brings most more.
    const uppers = game.categories.flatMap(({ upper }, box) => (upper ? [box] : []));
    const most = uppers.reduce((a, b) => (more(b) > more(a) ? b : a), uppers[0] ?? 0);
    found.push({
      kind: "bonus",
      part: more(next),
      // Of two scores, if it is what the better one scores.
      boxes: more(most) >= LEAST && (left === undefined || [undefined, most].includes(taken)) ? [most] : [],
      chance,
      rival_chance,
    });
    next++;
  }
  if (next < mine.length) found.push({ kind: "extra", part: more(next), boxes: [] });
  return found;
}

/** The boxes that bring most (or least) as one clause, in the order of the card. */
function together(
  kind: Together,
  parts: readonly (readonly [box: number, part: number])[],
  little: Compared["little"],
): Clause[] {
  const ranked = [...parts].sort(([, a], [, b]) => Math.abs(b) - Math.abs(a)).slice(0, MAX_BOXES);
  const [first] = ranked;
  if (!first) return [];
  const named = parts.filter((one) => ranked.includes(one) && Math.abs(one[1]) >= BOX_SHARE * Math.abs(first[1]));
  const boxes = named.map(([box]) => box);
  const [chance = 0, rival_chance = 0] = little.map((one) => boxes.reduce((sum, box) => sum + (one[box] ?? 0), 0));
  const part = named.reduce((sum, [, one]) => sum + one, 0);
  return [{ kind, part, boxes, ...(kind === "spared" ? { chance, rival_chance } : {}) }];
}

type Together = "boxes" | "spared" | "later";

/** Is it a chance of the bonus that hardly moves? */
export const isSlight = ({ kind, chance = 0, rival_chance = 0 }: Clause): boolean =>
  kind === "bonus" && Math.abs(chance - rival_chance) < SLIGHT;

/** The one or two that gain most, the boxes that either action scores, and the largest loss if losses are heavy. */
function chosen(clauses: readonly Clause[], best: Action, lead: number): Clause[] {
  const all = clauses.filter(({ part }) => part > 0).sort((a, b) => b.part - a.part);
  const isVague = (one: Clause): boolean => isSlight(one) || (one.kind === "later" && best.keep !== undefined);
  const gains = all.filter((one, i) => i === 0 || !isVague(one));
  const losses = clauses.filter(({ part }) => part < -LEAST).sort((a, b) => a.part - b.part);
  const sum = (some: readonly Clause[]): number => some.reduce((all, { part }) => all + part, 0);
  const isHeavy = -sum(losses) > sum(all) / 2;
  const [most = 0, [first, next, ...others]] = [gains[0]?.part, gains];
  const rest = next ? [next, ...others] : [];
  // What the other one would score is what a reader asks about.
  const asked = rest.filter(({ kind, part }) => kind === "leaves" && part >= Math.max(ASKED_SHARE * most, LEAST));
  const share = first && isVague(first) ? ASKED_SHARE : SECOND_SHARE;
  const second = rest.slice(0, 1).filter(({ part }) => part >= Math.max(share * most, LEAST));
  const own = losses.filter(
    ({ kind, part }) => kind === "takes" || (kind === "leaves" && -part >= ASKED_SHARE * most),
  );
  own.push(...losses.slice(0, isHeavy ? 1 : 0).filter((one) => !own.includes(one)));
  const largest = first ? [first] : [];
  if (lead < CLOSE && !largest.some(isVague))
    return [...largest, ...own.sort((a, b) => a.part - b.part).slice(0, 1)];
  const said = [...largest, ...(asked.length ? asked : second)];
  return [...said.sort((a, b) => Number(isVague(a)) - Number(isVague(b))), ...own];
}
