/**
 * A game as Python writes it when the site is built (`yatzy.site.tables`), and what follows from these tables alone.
 *
 * No rule is known here: what a roll may be scored as, what that does to a state, which boxes are open and which states
 * can occur is read off. A mask has a bit for each filled box and, after these, one for each flag; a set is a mask
 * without saved throws.
 */

export interface Category {
  category: string;
  label: string;
  upper: boolean;
  most: number;
}

export interface GameTables {
  rules: string;
  title: string;
  switches: string[];
  fingerprint: string;
  dice: number;
  faces: number;
  rerolls: number;
  bonus_threshold: number;
  bonus: number;
  saves_throws: boolean;
  categories: Category[];
  flagged: string[];
  /** By category: bits that have to be set before it may be filled. */
  needs: number[];
  /** Faces of every keep, those of all dice (the rolls) first. */
  keeps: string[];
  /** Of every keep that is no roll: the keep with one die more, by its face. */
  added: number[][];
  /** In how many ways each roll can be thrown. */
  ways: number[];
  /** Ways to end a turn, column by column. */
  outcomes: { category: number[]; points: number[]; extra: number[]; bits: number[]; lift: number[] };
  /** Outcomes by category, -1 where it may not be scored; those of the rolls first. */
  readings: number[][];
  /** Which reading a special roll has: questions [bit, next if clear, next if set]; below zero, -1 - next. */
  special: { roll: number; questions: number[][] }[];
  /** By filled upper boxes: totals that can occur (bits, hexadecimal), the largest, and that of a lost bonus. */
  uppers: { low: number; high: number; totals: string }[];
  /** By the number of filled boxes: how many numbers of saved throws there may be. */
  saved: number[];
  states: number;
  values: number;
}

/** The lattice of a game: neighbours of every keep, and which keeps are inside a roll. */
export interface Lattice {
  nRolls: number;
  nKeeps: number;
  /** One die more; nothing for rolls. */
  added: number[][];
  /** One die fewer, each once. */
  removed: number[][];
  /** Probability of each roll. */
  prob: Float64Array;
  idOf: Map<string, number>;
}

const lattices = new WeakMap<GameTables, Lattice>();

export function latticeOf(game: GameTables): Lattice {
  const known = lattices.get(game);
  if (known) return known;
  const [nRolls, nKeeps] = [game.ways.length, game.keeps.length];
  const added = game.keeps.map((_, keep) => (keep < nRolls ? [] : (game.added[keep - nRolls] ?? [])));
  const removed = game.keeps.map((): number[] => []);
  added.forEach((larger, keep) => larger.forEach((one) => removed[one]?.push(keep)));
  const all = game.ways.reduce((sum, ways) => sum + ways, 0);
  const made: Lattice = {
    nRolls,
    nKeeps,
    added,
    removed: removed.map((smaller) => smaller.sort((a, b) => a - b)),
    prob: Float64Array.from(game.ways, (ways) => ways / all),
    idOf: new Map(game.keeps.map((faces, id) => [faces, id])),
  };
  lattices.set(game, made);
  return made;
}

/** The id of dice in any order. */
export const keepId = (game: GameTables, dice: readonly number[]): number =>
  latticeOf(game).idOf.get([...dice].sort((a, b) => a - b).join("")) ?? -1;

export const facesOf = (game: GameTables, keep: number): number[] => [...(game.keeps[keep] ?? "")].map(Number);

export const isFilled = (mask: number, category: number): boolean => ((mask >> category) & 1) === 1;

/** Is this box among those that may be filled in this turn, whatever the dice? */
export function isOpen(game: GameTables, mask: number, category: number): boolean {
  const needs = game.needs[category] ?? 0;
  return !isFilled(mask, category) && (mask & needs) === needs;
}

/** Which reading a roll has: its own, or for special rolls the answer to questions about the mask. */
export function readingOf(game: GameTables, mask: number, roll: number): number {
  const special = game.special.find((one) => one.roll === roll);
  if (!special) return roll;
  let at = 0;
  while (at >= 0) {
    const [bit = 0, clear = -1, set = -1] = special.questions[at] ?? [];
    at = (mask >> bit) & 1 ? set : clear;
  }
  return -1 - at;
}

/** Outcomes that a roll may be scored as, in the order of the boxes. */
export const allowed = (game: GameTables, mask: number, roll: number): number[] =>
  (game.readings[readingOf(game, mask, roll)] ?? []).filter(
    (end, category) => end >= 0 && isOpen(game, mask, category),
  );

export const nSets = (game: GameTables): number => 1 << (game.categories.length + game.flagged.length);
const allFilled = (game: GameTables): number => (1 << game.categories.length) - 1;

function bitCount(mask: number): number {
  let n = 0;
  for (let left = mask; left; left &= left - 1) n++;
  return n;
}

export const nFilled = (game: GameTables, mask: number): number => bitCount(mask & allFilled(game));

/** The filled upper boxes as a number with a bit for each, in their order. */
export function upperSet(game: GameTables, mask: number): number {
  let [found, bit] = [0, 0];
  game.categories.forEach(({ upper }, i) => {
    if (upper) found |= ((mask >> i) & 1) << bit++;
  });
  return found;
}

/** Points of an outcome, in the box and beside it. */
export const pointsOf = (game: GameTables, end: number): number =>
  (game.outcomes.points[end] ?? 0) + (game.outcomes.extra[end] ?? 0);

/** Different bits that outcomes set, and by outcome which of them. */
export interface Successors {
  bits: number[];
  of: number[];
  category: number[];
}

export function successorsOf(game: GameTables): Successors {
  const bits = [...new Set(game.outcomes.bits)];
  const of = game.outcomes.bits.map((one) => bits.indexOf(one));
  const category = bits.map((_, i) => game.outcomes.category[of.indexOf(i)] ?? 0);
  return { bits, of, category };
}

/** Every set that can occur, by the number of filled boxes: what outcomes lead to from an empty card. */
export function layersOf(game: GameTables): Int32Array[] {
  const { bits, category } = successorsOf(game);
  const seen = new Uint8Array(nSets(game));
  seen[0] = 1;
  const layers: number[][] = game.saved.map(() => []);
  // What a set leads to is a larger number, except where a flag is set: flags come after the boxes, so larger too.
  for (let mask = 0; mask < seen.length; mask++) {
    if (!seen[mask]) continue;
    layers[nFilled(game, mask)]?.push(mask);
    bits.forEach((one, i) => {
      if (isOpen(game, mask, category[i] ?? 0)) seen[mask | one] = 1;
    });
  }
  return layers.map((sets) => Int32Array.from(sets));
}
