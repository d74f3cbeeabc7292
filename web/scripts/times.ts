/**
 * How long the engine takes in this browser, in seconds: `times(quick)` is for whoever drives the page (`tests/site/times.py`).
 *
 * The engine runs in the page itself, without its worker: what a message costs is not counted.
 */
import { seededDice } from "../engine/dice";
import { Engine } from "../engine/engine";
import { Solver } from "../engine/solve";
import type { GameTables } from "../engine/tables";
import type { GameLog, Situation } from "../engine/types";
import { ONE } from "../engine/wasm";
import scandinavian from "../play/data/scandinavian.json";
import * as play from "../play/game/game";
import { situationOf } from "../play/game/game";

const rules = scandinavian as GameTables;

async function timed<T>(act: () => Promise<T> | T): Promise<[number, T]> {
  const began = performance.now();
  const found = await act();
  return [(performance.now() - began) / 1000, found];
}

/** A game that is played perfectly: its decisions, its cards at the start of each turn, and its log. */
async function playGame(
  engine: Engine,
  seed: number,
): Promise<{ asked: Situation[]; cards: play.Game[]; log: GameLog }> {
  const { dice, faces } = rules;
  const [asked, cards]: [Situation[], play.Game[]] = [[], []];
  let game = play.newGame(rules, null);
  while (!play.isFinished(game)) {
    if (!game.throws.length) cards.push(game);
    const from = { seed, game: 0, dice, faces, throws: (): number => 0 };
    game = play.throwDice(game, seededDice(from, game.turns.length, game.throws.length, play.diceToThrow(game)));
    asked.push(situationOf(game));
    const [best] = (await engine.advise(rules, situationOf(game))).actions;
    game = play.applyMove(game, best?.action ?? { keep: [] });
  }
  return { asked, cards, log: play.toLog(game) };
}

const median = (all: readonly number[]): number => [...all].sort((a, b) => a - b)[all.length >> 1] ?? NaN;

async function times(): Promise<Record<string, number>> {
  const solves = [];
  for (let i = 0; i < 3; i++) solves.push((await timed(() => new Solver(rules, 0).solve()))[0]);
  const [plain] = await timed(() => new Solver(rules, 0, ONE).solve());
  const engine = new Engine();
  await engine.solve(rules);
  const { asked, cards, log } = await playGame(engine, 7);
  // Until the chances of the bonus are there, which follow in the background.
  while ((await engine.advise(rules, asked[0] as Situation)).actions[0]?.bonus_chance === undefined)
    await new Promise((done) => setTimeout(done, 50));
  const advices = [];
  for (const one of asked) advices.push((await timed(() => engine.advise(rules, one)))[0]);
  const outlook = async (game: play.Game): Promise<number> =>
    (await timed(() => engine.outlook(rules, play.cardOf(game))))[0];
  const start = [];
  for (let i = 0; i < 3; i++) start.push(await outlook(cards[0] as play.Game));
  const middle = [];
  for (const game of cards.slice(7)) middle.push(await outlook(game));
  const [review] = await timed(() => engine.review(rules, log));
  return {
    solve: Math.min(...solves),
    "solve, first": solves[0] ?? NaN,
    "solve without vectors": plain,
    "advice, median": median(advices),
    "advice, slowest": Math.max(...advices),
    "outlook from the start": Math.min(...start),
    "outlook with eight boxes open": middle[0] ?? NaN,
    review,
  };
}

(globalThis as unknown as { times: typeof times }).times = times;
