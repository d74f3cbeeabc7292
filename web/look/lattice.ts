/** Rolls, keeps and the die lattice, with the same ids as `yatzy.turn`: most dice first, lexicographic within a size. */

const DICE = 5;
const FACES = [1, 2, 3, 4, 5, 6] as const;

function multisets(size: number, from = 1): number[][] {
  if (size === 0) return [[]];
  return FACES.filter((face) => face >= from).flatMap((face) =>
    multisets(size - 1, face).map((rest) => [face, ...rest]),
  );
}

export const keeps: readonly (readonly number[])[] = [5, 4, 3, 2, 1, 0].flatMap((size) => multisets(size));
export const nRolls = keeps.filter((keep) => keep.length === DICE).length;
const ids = new Map(keeps.map((keep, id) => [keep.join(""), id]));

export const idOf = (dice: readonly number[]): number => ids.get([...dice].sort((a, b) => a - b).join("")) ?? -1;

/** The six keeps with one die more; none for a roll. */
export const added = (id: number): number[] => {
  const keep = keeps[id] ?? [];
  return keep.length === DICE ? [] : FACES.map((face) => idOf([...keep, face]));
};

/** The keeps with one die fewer, each once. */
export const removed = (id: number): number[] => {
  const keep = keeps[id] ?? [];
  return [...new Set(keep)].map((face) => idOf(keep.toSpliced(keep.indexOf(face), 1)));
};

/** Every keep inside a roll, all dice included. */
export function inside(roll: number): number[] {
  const found = new Set([roll]);
  for (const id of found) removed(id).forEach((smaller) => found.add(smaller));
  return [...found].sort((a, b) => a - b);
}

/** The rolls that a keep can become, each with its probability. */
export function outcomes(keep: number): Map<number, number> {
  let now = new Map([[keep, 1]]);
  for (let thrown = DICE - (keeps[keep]?.length ?? 0); thrown > 0; thrown--) {
    const next = new Map<number, number>();
    for (const [id, chance] of now)
      for (const more of added(id)) next.set(more, (next.get(more) ?? 0) + chance / FACES.length);
    now = next;
  }
  return now;
}

/** A roll drawn from what a keep can become. */
export function throwDice(keep: number): number {
  let left = Math.random();
  let last = keep;
  for (const [roll, chance] of outcomes(keep)) {
    last = roll;
    left -= chance;
    if (left < 0) break;
  }
  return last;
}
