/**
 * Where dice come from: the browser's own source of randomness, or a seed.
 *
 * Seeded dice are those of `yatzy simulate` and `yatzy play --seed`: they depend on (seed, game, turn, throw) and
 * nothing else. They are drawn as NumPy draws them: Philox 4x64 with ten rounds, key (seed, 0) and counter
 * (0, 0, turn, game // 65,536), whose 64-bit numbers are read as two of 32 bits, the lower first; of these, Lemire's method makes
 * an unbiased number below faces^dice, whose digits are the dice.
 *
 * Who throws m of all dice sees the first m; in games of the scheme `by-die`, the digits of those that are thrown.
 */

export const MAX_SEED = Number.MAX_SAFE_INTEGER;

/** A seed from the browser's source of randomness. */
export function randomSeed(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 21) * 2 ** 32 + low;
}

/** n fair dice: bytes that would favour low faces are drawn again. */
export function randomDice(n: number, faces: number): number[] {
  const fair = 256 - (256 % faces);
  const dice: number[] = [];
  while (dice.length < n)
    for (const byte of crypto.getRandomValues(new Uint8Array(n)))
      if (byte < fair && dice.length < n) dice.push(1 + (byte % faces));
  return dice;
}

/** Which of the dice make up a keep: the first that fit. */
export function heldBy(dice: readonly number[], keep: readonly number[]): boolean[] {
  const left = [...keep];
  return dice.map((face) => {
    const at = left.indexOf(face);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** The dice of this many games come from one stream. */
const GAMES_PER_STREAM = 65_536;

/** A throw of seeded dice: the first n of throw number `thrown` (0: the first) of a turn (from 0). */
export interface SeededGame {
  seed: number | bigint;
  game: number;
  dice: number;
  faces: number;
  /** How many throws a turn of this number may have: each game of a stream draws as many, used or not. */
  throws: (turn: number) => number;
}

/** The dice of a throw: the first n, or by die those that are not held. */
export function seededThrow(
  from: SeededGame & { scheme?: string | undefined },
  [turn, thrown]: readonly [turn: number, thrown: number],
  held: readonly boolean[],
): number[] {
  if (!from.scheme) return seededDice(from, turn, thrown, held.filter((stays) => !stays).length);
  return seededDice(from, turn, thrown, from.dice).filter((_, i) => !held[i]);
}

export function seededDice(from: SeededGame, turn: number, thrown: number, n: number): number[] {
  const { seed, game, dice, faces } = from;
  const [stream, before] = [Math.floor(game / GAMES_PER_STREAM), game % GAMES_PER_STREAM];
  const next = numbers(BigInt(seed), BigInt(turn), BigInt(stream));
  let draw = 0;
  for (let i = 0; i <= before * from.throws(turn) + thrown; i++) draw = below(faces ** dice, next);
  const all = Array.from({ length: dice }, (_, i) => (Math.floor(draw / faces ** (dice - 1 - i)) % faces) + 1);
  return all.slice(0, n);
}

const MASK = (1n << 64n) - 1n;
const ROUNDS = 10;
const MULTIPLIERS = [0xd2e7470ee14c6c93n, 0xca5a826395121157n] as const;
const STEPS = [0x9e3779b97f4a7c15n, 0xbb67ae8584caa73bn] as const;

/** Philox: a block of four 64-bit numbers for a counter. */
function block(counter: [bigint, bigint, bigint, bigint], key: [bigint, bigint]): bigint[] {
  let [a, b, c, d] = counter;
  let [k, l] = key;
  for (let round = 0; round < ROUNDS; round++) {
    const left = MULTIPLIERS[0] * a;
    const right = MULTIPLIERS[1] * c;
    [a, b, c, d] = [(right >> 64n) ^ b ^ k, right & MASK, (left >> 64n) ^ d ^ l, left & MASK];
    k = (k + STEPS[0]) & MASK;
    l = (l + STEPS[1]) & MASK;
  }
  return [a, b, c, d];
}

/** The 32-bit numbers of a turn, one after the other. */
function numbers(seed: bigint, turn: bigint, stream: bigint): () => number {
  const halves: number[] = [];
  let counted = 0n;
  return () => {
    if (!halves.length) {
      counted += 1n;
      for (const one of block([counted, 0n, turn, stream], [seed, 0n]))
        halves.push(Number(one & 0xffffffffn), Number(one >> 32n));
    }
    return halves.shift() ?? 0;
  };
}

/** Lemire: a number below `end`, each equally likely. */
function below(end: number, next: () => number): number {
  const range = BigInt(end);
  const refused = (0x100000000n - range) % range;
  let product = BigInt(next()) * range;
  while ((product & 0xffffffffn) < refused) product = BigInt(next()) * range;
  return Number(product >> 32n);
}
