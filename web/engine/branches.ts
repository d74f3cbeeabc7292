/** Outcomes of a game by where they lead, for the walk of the outlook: many outcomes of a box differ in points alone. */
import * as tables from "./tables";
import type { GameTables } from "./tables";

/** Outcomes by where they lead: those of a branch set the same bits and lift the upper total alike, in order of points. */
export interface Branches {
  bits: Int32Array;
  lift: Int32Array;
  category: Int32Array;
  /** Branch b has the outcomes `ends[first[b]]` to `ends[first[b + 1] - 1]`. */
  first: Int32Array;
  ends: Int32Array;
  points: Int32Array;
}

export function branchesOf(game: GameTables): Branches {
  const { bits, lift, category } = game.outcomes;
  const pointsOf = (end: number): number => tables.pointsOf(game, end);
  const by = [(end: number) => bits[end] ?? 0, (end: number) => lift[end] ?? 0];
  const ends = bits.map((_, end) => end);
  ends.sort((a, b) => [...by, pointsOf].reduce((order, of) => order || of(a) - of(b), 0));
  const heads = ends.flatMap((end, i) => (by.every((of) => i && of(end) === of(ends[i - 1] ?? 0)) ? [] : [i]));
  const ofHeads = (of: (end: number) => number): Int32Array => Int32Array.from(heads, (i) => of(ends[i] ?? 0));
  return {
    bits: ofHeads((end) => bits[end] ?? 0),
    lift: ofHeads((end) => lift[end] ?? 0),
    category: ofHeads((end) => category[end] ?? 0),
    first: Int32Array.from([...heads, ends.length]),
    ends: Int32Array.from(ends),
    points: Int32Array.from(ends, pointsOf),
  };
}
