/**
 * A game in progress. A `Game` never changes: throwing, holding, entering and scoring give the next one.
 *
 * Dice keep their places on the table. A die of 0 is one that was thrown on a real table and not entered yet. The log
 * is the format that simulate, play and review share; in it, held dice come first and then the thrown ones, so that a
 * replay of the same dice knows which was thrown first. By die (`engine/dice`), each stays in its place.
 */
import { moveOf, moveText } from "../../engine/advise";
import { heldBy, seededThrow } from "../../engine/dice";
import type { Start } from "../../engine/shared";
import { boxesAt, cardAt, nBefore, rerollsAt, wrongField } from "../../engine/start";
import type { Situation } from "../../engine/types";
import { type Card, type GameLog, type Move, type Throw, type Turn } from "../../engine/types";
import { t } from "../language";
import { boxOf, isJoker, scoresOf, possibleScoresIn, type Rules, type Scored } from "./rules";

/** Are the dice of every turn known, since the game was taken over? */
export const hasDice = ({ turns }: Pick<Game, "turns">): boolean => turns.every(({ rolls }) => rolls.length > 0);

export interface Game {
  rules: Rules;
  /** All of the log but its turns. */
  about: Pick<GameLog, "player" | "date" | "seed" | "game" | "scheme" | "policy" | "hints">;
  /** What stood on the card before the first turn. */
  start?: Start;
  turns: Turn[];
  /** The turn under way. */
  throws: Throw[];
  /** The throws of the turn before, for undo. */
  previous: Throw[];
}

/** What the turns so far have led to; `boxes` are points by box, `extra` those beside the boxes. */
interface CardSoFar extends Card {
  boxes: Map<number, number>;
  extra: number;
}

/** A new game: with random dice, those of a seed, or those of a seed by die. */
export function newGame(rules: Rules, seed: number | null, byDie = false): Game {
  const scheme = byDie ? { scheme: "by-die" as const } : {};
  const about = { date: localTime(new Date()), ...(seed === null ? {} : { seed, game: 0, ...scheme }) };
  return { rules, about, turns: [], throws: [], previous: [] };
}

/** ISO 8601 to the second, with the offset. */
function localTime(now: Date): string {
  const minutes = -now.getTimezoneOffset();
  const two = (n: number): string => `${Math.floor(Math.abs(n))}`.padStart(2, "0");
  const local = new Date(now.getTime() + minutes * 60_000).toISOString().slice(0, 19);
  return `${local}${minutes < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** Has nothing happened in it yet? */
export const isNew = ({ start, turns, throws }: Game): boolean => !start && !turns.length && !throws.length;
/** How many boxes are filled. */
export const nFilled = (game: Game): number => nBefore(game) + game.turns.length;
/** The turn of this number, from 1; none of those before the game was taken over. */
export const turnOf = (game: Game, number: number): Turn | undefined => game.turns[number - 1 - nBefore(game)];
export const isFinished = (game: Game): boolean => nFilled(game) === game.rules.categories.length;
/** How many throws the turn has. */
const throwsInTurn = (game: Game): number =>
  rerollsAt(game.rules, game.start, game.turns.length, cardSoFar(game).saved) + 1;
export const rerollsLeft = (game: Game): number => throwsInTurn(game) - game.throws.length;
export const savedThrows = (game: Game): number => cardSoFar(game).saved;
export const lastThrow = (game: Game): Throw | null => game.throws.at(-1) ?? null;
export const isEntering = (game: Game): boolean => lastThrow(game)?.dice.includes(0) ?? false;

/** The dice to decide about: none before the first throw of a turn or while they are entered. */
export function diceOnTable(game: Game): number[] | null {
  const last = lastThrow(game);
  return last && !isEntering(game) ? last.dice : null;
}

export const heldDice = (one: Throw): number[] => one.dice.filter((_, i) => one.held[i]);

/** The card before the first turn. */
const firstCard = (rules: Rules, start: Start | undefined): CardSoFar => ({
  ...cardAt(rules, start),
  boxes: start ? boxesAt(rules, start) : new Map(),
  extra: start?.extra ?? 0,
});

/** What a turn leads to that begins with so many rerolls. */
function afterTurn(rules: Rules, before: CardSoFar, turn: Turn, scored: Scored, rerolls: number): CardSoFar {
  const box = boxOf(rules, turn.category);
  const upper = before.upper + (rules.categories[box]?.upper ? scored.points : 0);
  // Without dice nobody knows how many throws were left.
  const left = turn.rolls.length ? rerolls + 1 - turn.rolls.length : 0;
  return {
    set: before.set | scored.bits,
    upper: Math.min(upper, rules.bonus_threshold),
    saved: rules.saves_throws ? left : 0,
    points: before.points + scored.points + scored.extra,
    boxes: new Map([...before.boxes, [box, scored.points]]),
    extra: before.extra + scored.extra,
  };
}

function scoredIn(rules: Rules, before: CardSoFar, turn: Turn): Scored | undefined {
  const last = turn.rolls.at(-1);
  const box = boxOf(rules, turn.category);
  if (last) return scoresOf(rules, before.set, last).get(box);
  const { points, extra = 0 } = turn;
  return possibleScoresIn(rules, before.set, box).find((one) => one.points === points && one.extra === extra);
}

const known = new WeakMap<Turn[], { rules: Rules; start: Start | undefined; played: CardSoFar }>();

function cardSoFar({ rules, start, turns }: Pick<Game, "rules" | "start" | "turns">): CardSoFar {
  const found = known.get(turns);
  if (found?.rules === rules && found.start === start) return found.played;
  const nothing: Scored = { points: 0, extra: 0, bits: 0 };
  const played = turns.reduce(
    (before, turn, i) => {
      const rerolls = rerollsAt(rules, start, i, before.saved);
      return afterTurn(rules, before, turn, scoredIn(rules, before, turn) ?? nothing, rerolls);
    },
    firstCard(rules, start),
  );
  known.set(turns, { rules, start, played });
  return played;
}

/** Points by box, of those that are filled. */
export const boxesOf = (game: Game): Map<number, number> => cardSoFar(game).boxes;

/** Points beside the boxes, other than the bonus. */
export const extraOf = (game: Game): number => cardSoFar(game).extra;

/** What the dice on the table may be scored as, by box. */
export function openBoxes(game: Game): Map<number, Scored> {
  const dice = diceOnTable(game);
  return dice ? scoresOf(game.rules, cardSoFar(game).set, dice) : new Map<number, Scored>();
}

/** Are the dice on the table a joker? */
export function hasJoker(game: Game): boolean {
  const dice = diceOnTable(game);
  return dice !== null && isJoker(game.rules, cardSoFar(game).set, dice);
}

/** What the card says. */
export function cardOf(game: Game): Card {
  const { set, upper, saved, points } = cardSoFar(game);
  return { set, upper, saved, points };
}

/** What the coach is asked about. */
export function situationOf(game: Game, target?: number): Situation {
  const dice = diceOnTable(game) ?? [];
  const aim = target === undefined ? {} : { target };
  return { dice, rerolls: rerollsLeft(game), ...cardOf(game), theta: 0, ...aim };
}

/** Points on the card; the bonus counts as soon as it is reached. */
export function scoreOf(game: Game): number {
  const { upper, points } = cardSoFar(game);
  return points + (upper >= game.rules.bonus_threshold ? game.rules.bonus : 0);
}

export function canThrow(game: Game): boolean {
  if (isFinished(game) || isEntering(game) || rerollsLeft(game) <= 0) return false;
  return !lastThrow(game)?.held.every(Boolean);
}

/** How many dice the next throw is of. */
export const diceToThrow = (game: Game): number =>
  lastThrow(game)?.held.filter((held) => !held).length ?? game.rules.dice;

/** The game when its dice come from elsewhere. */
export function withoutSeed(game: Game): Game {
  const { seed: _seed, game: _game, scheme: _scheme, ...about } = game.about;
  return { ...game, about };
}

/** What the seed throws next; null where dice come from elsewhere. */
export function nextSeeded(game: Game): number[] | null {
  const { rules, about, throws } = game;
  const { seed, scheme } = about;
  if (seed === undefined || about.game !== 0) return null;
  const held = throws.at(-1)?.held ?? new Array<boolean>(rules.dice).fill(false);
  const from = { seed, game: 0, scheme, dice: rules.dice, faces: rules.faces, throws: (): number => 0 };
  return seededThrow(from, [nFilled(game), throws.length], held);
}

/** The dice that are not held show `thrown`, place by place; zeros are to be entered. */
export function throwDice(game: Game, thrown: readonly number[]): Game {
  const last = lastThrow(game);
  const rest = [...thrown];
  const dice = Array.from({ length: game.rules.dice }, (_, i) =>
    last?.held[i] ? (last.dice[i] ?? 0) : (rest.shift() ?? 0),
  );
  const held = dice.map((_, i) => last?.held[i] ?? false);
  return { ...game, throws: [...game.throws, { dice, held }] };
}

/** Hold a die or let it go. */
export function toggle(game: Game, place: number): Game {
  const last = lastThrow(game);
  if (!last || isEntering(game) || rerollsLeft(game) <= 0) return game;
  return withLast(game, { ...last, held: last.held.map((held, i) => (i === place ? !held : held)) });
}

/** Which dice make up a keep, place by place: those that are held already come first. */
export function placesOf(game: Game, keep: readonly number[]): boolean[] {
  const last = lastThrow(game);
  const left = [...keep];
  const chosen = new Array<boolean>(game.rules.dice).fill(false);
  if (!last) return chosen;
  const places = [...last.dice.keys()].sort((a, b) => Number(last.held[b]) - Number(last.held[a]) || a - b);
  for (const i of places) {
    const at = left.indexOf(last.dice[i] ?? 0);
    if (at < 0) continue;
    left.splice(at, 1);
    chosen[i] = true;
  }
  return chosen;
}

/** Hold these dice and no others. */
export function hold(game: Game, keep: readonly number[]): Game {
  const last = lastThrow(game);
  return last ? withLast(game, { ...last, held: placesOf(game, keep) }) : game;
}

/** The game in which a hint was shown: it says less about the player. */
export const withHints = (game: Game): Game =>
  game.about.hints ? game : { ...game, about: { ...game.about, hints: true } };

/** The game in which the coach warned about this; of several warnings in one decision the first counts. */
export function warned(game: Game, move: Move): Game {
  const last = lastThrow(game);
  return last ? withLast(game, { ...last, wanted: last.wanted ?? moveText(game.rules, move) }) : game;
}

/** Was this die held in the throw before, so that it was not thrown? */
const isCarried = (game: Game, place: number): boolean => game.throws.at(-2)?.held[place] ?? false;

/** A die that was thrown on a real table shows this face (0: take it back). */
export function enterFace(game: Game, place: number, face: number): Game {
  const last = lastThrow(game);
  if (!last || last.held[place] || isCarried(game, place)) return game;
  return withLast(game, { ...last, dice: last.dice.map((die, i) => (i === place ? face : die)) });
}

/** Take back the die that was entered last; a throw of which nothing is left has not happened. */
export function takeBackFace(game: Game): Game {
  const last = lastThrow(game);
  if (!last) return game;
  const carried = last.dice.map((_, i) => isCarried(game, i));
  const place = last.dice.findLastIndex((face, i) => face > 0 && !carried[i]);
  const dice = last.dice.map((face, i) => (i === place ? 0 : face));
  if (dice.every((face, i) => carried[i] || !face)) return { ...game, throws: game.throws.slice(0, -1) };
  return withLast(game, { dice, held: carried });
}

const withLast = (game: Game, last: Throw): Game => ({ ...game, throws: [...game.throws.slice(0, -1), last] });

const nameOf = ({ rules }: Game, box: number): string => rules.categories[box]?.category ?? "";

/** Write the dice into an open box. */
export function score(game: Game, box: number): Game {
  if (!openBoxes(game).has(box)) return game;
  const keeps = game.throws.slice(0, -1).map(heldDice);
  const rolls = game.throws.map((one, i) => {
    const before = game.throws[i - 1];
    if (!before || game.about.scheme) return one.dice;
    return [...heldDice(before), ...one.dice.filter((_, place) => !before.held[place])];
  });
  const wanted = game.throws.map((one) => one.wanted ?? null);
  const turn = { rolls, keeps, category: nameOf(game, box), ...(wanted.some(Boolean) ? { wanted } : {}) };
  return { ...game, turns: [...game.turns, turn], throws: [], previous: game.throws };
}

/** Hold or score. */
export const applyMove = (game: Game, { keep, score: box }: Move): Game =>
  keep ? hold(game, keep) : score(game, box);

/** What may be written into a box without telling the dice: everything it can score from here. */
export const possibleScores = (game: Game, box: number): Scored[] =>
  isFinished(game) ? [] : possibleScoresIn(game.rules, cardSoFar(game).set, box);

/** Write points into an open box; the dice lie on a real table. */
export function scorePoints(game: Game, box: number, { points, extra }: Pick<Scored, "points" | "extra">): Game {
  if (!possibleScores(game, box).some((one) => one.points === points && one.extra === extra)) return game;
  const turn: Turn = { rolls: [], keeps: [], category: nameOf(game, box), points, ...(extra ? { extra } : {}) };
  return { ...game, turns: [...game.turns, turn], throws: [], previous: [] };
}

/** Take back the last score; a throw of real dice is taken back face by face. */
export function undo(game: Game): Game {
  const turn = game.turns.at(-1);
  if (!turn) return game;
  const throws = game.previous.length ? game.previous : throwsOf(turn);
  return { ...game, turns: game.turns.slice(0, -1), throws, previous: [] };
}

/** The throws of a turn that is only known from a log: what was held lies where it lay, if it can. */
export function throwsOf(turn: Turn): Throw[] {
  return turn.rolls.map((dice, i) => {
    const [wanted, keep, next] = [turn.wanted?.[i], turn.keeps[i] ?? [], turn.rolls[i + 1]];
    const stayed = heldBy(next ? dice.map((face, place) => (face === next[place] ? face : 0)) : dice, keep);
    const held = stayed.filter(Boolean).length === keep.length ? stayed : heldBy(dice, keep);
    return { dice, held, ...(wanted ? { wanted } : {}) };
  });
}

export function toLog({ rules, about, start, turns }: Game): GameLog {
  return { format: "yatzy-game", version: 1, rules: rules.rules, ...about, ...(start ? { start } : {}), turns };
}

/**
 * A game from a log; checks every field that the page relies on, and throws an `Error` that names a bad one. With
 * `pad`, turns may have points in place of rolls: tables are kept so.
 */
export function fromLog(found: unknown, rules: Rules, pad = false): Game {
  const log = found as Partial<GameLog> | null;
  const fail = (said: string): never => {
    throw new Error(said);
  };
  if (log?.format !== "yatzy-game") return fail(t.files.notALog);
  if (log.version !== 1) return fail(t.files.version(String(log.version)));
  if (log.rules !== rules.rules) return fail(t.files.otherRules(String(log.rules)));
  const start = log.start ?? undefined;
  const wrong = start && wrongField(rules, start);
  if (wrong) return fail(t.files.field(["start", wrong].join(".")));
  const open = rules.categories.length - nBefore(start ? { start } : {});
  if (!Array.isArray(log.turns) || log.turns.length > open) return fail(t.files.turns);
  const areDice = (dice: unknown, n: number | null): dice is number[] =>
    Array.isArray(dice) &&
    (n === null ? dice.length <= rules.dice : dice.length === n) &&
    dice.every((face) => Number.isInteger(face) && face >= 1 && face <= rules.faces);
  let played = firstCard(rules, start);
  const turns = log.turns.map((turn: Turn, i) => {
    const where = `turns[${i}]`;
    const { rolls, keeps, category } = turn ?? {};
    const box = boxOf(rules, String(category));
    const left = rerollsAt(rules, start, i, played.saved);
    if (box < 0 || played.boxes.has(box)) fail(t.files.notOpen(`${where}.category`, String(category)));
    if (pad && Array.isArray(rolls) && !rolls.length) {
      const written = {
        rolls: [],
        keeps: [],
        category,
        points: turn.points ?? -1,
        ...(turn.extra ? { extra: turn.extra } : {}),
      };
      const scored = scoredIn(rules, played, written);
      if (!scored) return fail(t.files.notAllowed(`${where}.points`, String(turn.points)));
      played = afterTurn(rules, played, written, scored, left);
      return written;
    }
    if (!Array.isArray(rolls) || rolls.length < 1 || rolls.length > left + 1)
      fail(t.files.rolls(`${where}.rolls`));
    if (!rolls.every((roll) => areDice(roll, rules.dice))) fail(t.files.notDice(`${where}.rolls`));
    if (!Array.isArray(keeps) || keeps.length !== rolls.length - 1) fail(t.files.keeps(`${where}.keeps`));
    keeps.forEach((keep, j) => {
      if (!areDice(keep, null) || !contains(rolls[j] ?? [], keep) || !contains(rolls[j + 1] ?? [], keep))
        fail(t.files.notPart(`${where}.keeps[${j}]`));
    });
    const scored = scoredIn(rules, played, turn);
    if (!scored) return fail(t.files.notAllowed(`${where}.category`, String(category)));
    const wanted = turn.wanted ?? [];
    const { set } = played;
    const fits = (text: string | null, j: number): boolean =>
      text === null || isPossible(rules, set, rolls[j] ?? [], left - j, text);
    if (!Array.isArray(wanted) || (wanted.length && wanted.length !== rolls.length) || !wanted.every(fits))
      fail(t.files.field(`${where}.wanted`));
    played = afterTurn(rules, played, turn, scored, left);
    return { rolls, keeps, category, ...(wanted.some(Boolean) ? { wanted } : {}) };
  });
  const isNumber = (one: unknown): boolean => Number.isSafeInteger(one) && (one as number) >= 0;
  const isText = (one: unknown): one is string => typeof one === "string" && one.length > 0 && one.length <= 80;
  const allowed = {
    player: isText,
    date: (one: unknown): boolean => isText(one) && /^\d{4}-\d\d-\d\d/.test(one) && !Number.isNaN(Date.parse(one)),
    seed: isNumber,
    game: isNumber,
    scheme: (one: unknown): boolean => one === "by-die" && log.seed !== undefined,
    policy: isText,
    hints: (one: unknown): boolean => one === true,
  };
  const about = Object.fromEntries(
    (["player", "date", "seed", "game", "scheme", "policy", "hints"] as const)
      .filter((key) => log[key] !== undefined && log[key] !== null)
      .map((key) => [key, allowed[key](log[key]) ? log[key] : fail(t.files.field(key))]),
  );
  return { rules, about, ...(start ? { start } : {}), turns, throws: [], previous: [] };
}

/** Can the action of this name be wanted with these dice? Holding all of them cannot. */
function isPossible(rules: Rules, set: number, dice: readonly number[], rerolls: number, text: unknown): boolean {
  const move = typeof text === "string" ? moveOf(rules, text) : null;
  if (!move || dice.includes(0)) return false;
  if (!move.keep) return scoresOf(rules, set, dice).has(move.score);
  return rerolls > 0 && move.keep.length < rules.dice && contains(dice, move.keep);
}

const contains = (roll: readonly number[], keep: readonly number[]): boolean =>
  keep.every((face) => count(roll, face) >= count(keep, face));

const count = (dice: readonly number[], face: number): number => dice.filter((one) => one === face).length;

/** Throws of one turn: dice that were held are still there, and only the last ones may still be entered. */
export function parseThrows(found: unknown, game: Game): Throw[] {
  const { rules } = game;
  const fail = (): never => {
    throw new Error(t.files.field("throws"));
  };
  if (!Array.isArray(found) || found.length > throwsInTurn(game)) return fail();
  return found.map((one: Partial<Throw> | null, n) => {
    const before = found[n - 1] as Throw | undefined;
    const least = n === found.length - 1 ? 0 : 1;
    const { dice, held, wanted } = one ?? {};
    const fits =
      Array.isArray(dice) &&
      Array.isArray(held) &&
      dice.length === rules.dice &&
      held.length === rules.dice &&
      dice.every((face) => Number.isInteger(face) && face >= least && face <= rules.faces) &&
      held.every((flag) => typeof flag === "boolean") &&
      (!before || heldDice(before).every((face, _, all) => count(dice, face) >= count(all, face)));
    if (!fits) return fail();
    const { set } = cardOf(game);
    if (wanted !== undefined && !isPossible(rules, set, dice, rerollsLeft(game) - 1 - n, wanted)) return fail();
    return { dice: [...dice], held: [...held], ...(wanted ? { wanted } : {}) };
  });
}
