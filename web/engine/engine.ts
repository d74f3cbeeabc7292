/**
 * The coach in a page: games are solved here once, and then every question about them is answered.
 *
 * All of it is in this class, whatever it runs in: `worker` serves it to a page, tests call it directly.
 */
import { advise } from "./advise";
import {
  estimatedChance,
  adviseForTarget,
  chanceOf,
  exactChance,
  mixtureOfTargets,
  turnFor,
  type ChanceAfter,
} from "./chance";
import constants from "./constants.json";
import { worthOf, type Habits, type Worth } from "./habits";
import { Believers, leaksIn, trainingIn, type Answer, type Training } from "./leak";
import { outlookFrom } from "./outlook";
import { review, seedOf } from "./review";
import { Parts, partsOfActions } from "./parts";
import { PRIORITY, Scheduler } from "./scheduler";
import { bonusChances, spreads, type ByState } from "./derivatives";
import { Solver, rowLayout, valueOf, type Steps, type ValueTable } from "./solve";
import { NO_STORAGE, type Storages } from "./storage";
import { keepId, nFilled, type GameTables } from "./tables";
import { TargetSolver } from "./target";
import type {
  Advice,
  Card,
  Chance,
  ExplainedAdvice,
  GameLog,
  CardInTurn,
  LeakName,
  Leaks,
  Outlook,
  Review,
  Situation,
  Solved,
  State,
} from "./types";
import { Turn } from "./turn";
import { FOUR } from "./wasm";

/** Tables that are kept for other risks. */
const THETAS_KEPT = 3;

/** A piece of work that is already short. */
// oxlint-disable-next-line require-yield -- it never pauses
function* inOneStep<T>(answer: () => T): Steps<T> {
  return answer();
}

/** One game and what is known about it. */
class GameEntry {
  /** What is derived from a game hangs on the first object of it that came. */
  constructor(readonly game: GameTables) {}
  readonly tables = new Map<number, Promise<ValueTable>>();
  /** What each box brings, for the mean and for the risk that was asked about last. */
  readonly parts = new Map<number, Promise<Parts>>();
  /** Chances of the bonus, when they are there. */
  bonus: ByState | null = null;
  bonusComing: Promise<ByState> | null = null;
  spread: Promise<ByState> | null = null;
  reach: Promise<TargetSolver> | null = null;
  /** The chances to win that were solved last, and from where and against whom. */
  winning: { key: string; reach: Promise<TargetSolver> } | null = null;
  /** What habits believe, when somebody asked for leaks. */
  believers: Promise<Believers> | null = null;
  seconds: number | null = null;
}

export class Engine {
  private readonly work = new Scheduler();
  private readonly games = new Map<string, GameEntry>();

  constructor(private readonly storage: Storages = NO_STORAGE) {}

  private known(game: GameTables): GameEntry {
    let known = this.games.get(game.fingerprint);
    if (!known) this.games.set(game.fingerprint, (known = new GameEntry(game)));
    return known;
  }

  /** Solve a game, or find it where it was kept; the chances of its bonus follow in the background. */
  async solve(game: GameTables, theta = 0, progress?: (share: number) => void): Promise<Solved> {
    const known = this.known(game);
    const table = await this.table(known.game, theta, progress);
    return { states: game.states, seconds: known.seconds, value: valueOf(table, 0, 0) };
  }

  private table(game: GameTables, theta: number, progress?: (share: number) => void): Promise<ValueTable> {
    if (game.values > constants.most_values) return Promise.reject(new Error(`${game.rules}: too large`));
    const { tables } = this.known(game);
    let table = tables.get(theta);
    if (!table) {
      table = this.make(game, theta, progress);
      tables.set(theta, table);
      table.catch(() => tables.delete(theta));
      const others = [...tables.keys()].filter((one) => one);
      if (others.length > THETAS_KEPT) tables.delete(others[0] ?? 0);
    }
    return table;
  }

  private async make(game: GameTables, theta: number, progress?: (share: number) => void): Promise<ValueTable> {
    const known = this.known(game);
    const kept = theta ? null : await this.storage.tables.get(game.fingerprint);
    const { n, stride } = rowLayout(game, FOUR);
    let table: ValueTable;
    if (kept?.stride === stride && kept.refs.length === n && kept.rows.length === n * stride)
      table = { game, theta, ...kept };
    else {
      const began = performance.now();
      table = await this.work.run(PRIORITY.solve, () => new Solver(game, theta).steps(), progress);
      if (!theta) {
        known.seconds = (performance.now() - began) / 1000;
        const { rows, refs } = table;
        void this.storage.tables.put(game.fingerprint, { rows, refs, stride });
      }
    }
    if (!theta && game.bonus) {
      known.bonusComing ??= this.work.run(PRIORITY.background, () => bonusChances(game));
      void known.bonusComing.then((found) => (known.bonus = found));
    }
    if (!theta && !game.saves_throws) this.partsOf(table).catch(() => undefined);
    return table;
  }

  /** Every action in a situation, best first; with a target, by its chance. */
  async advise(given: GameTables, asked: Situation): Promise<Advice> {
    const { game } = this.known(given);
    const { target, wins } = asked;
    if (wins !== undefined) {
      const { after, exact, table } = await this.chances(game, asked, wins);
      const told = await this.work.run(PRIORITY.answer, () =>
        inOneStep(() => adviseForTarget(table, { ...asked, target: wins.length - 1 }, after, exact)),
      );
      return { ...told, ...(told.goal ? { goal: { ...told.goal, wins: true as const } } : {}) };
    }
    if (target !== undefined) {
      const { after, exact, table } = await this.chances(game, asked);
      return this.work.run(PRIORITY.answer, () =>
        inOneStep(() => adviseForTarget(table, { ...asked, target }, after, exact)),
      );
    }
    const table = await this.table(game, asked.theta);
    const bonus = asked.theta ? null : this.known(game).bonus;
    return this.work.run(PRIORITY.answer, () => inOneStep(() => advise(table, asked, bonus)));
  }

  /** Advice with what each box brings after every action; for a chance, later turns are played for the mean. */
  async explain(
    given: GameTables,
    asked: Situation,
    progress?: (share: number) => void,
  ): Promise<ExplainedAdvice> {
    const { game } = this.known(given);
    const advice = await this.advise(game, { ...asked, details: 0 });
    const parts = await this.partsOf(await this.table(game, asked.theta));
    if (!parts.knows(asked.set)) await this.work.run(PRIORITY.chance, () => parts.steps(asked.set), progress);
    const turn = await this.turnOf(game, asked);
    const actions = advice.actions.map(({ action }) => action);
    const found = await this.work.run(PRIORITY.answer, () =>
      inOneStep(() => partsOfActions(turn, asked.dice, actions, parts.of)),
    );
    return { advice, ...(found ?? { parts: [], now: [], little: [] }) };
  }

  /** The turn of a situation as its goal has it played. */
  private async turnOf(game: GameTables, asked: Situation): Promise<Turn> {
    const { wins, target = wins && wins.length - 1, rerolls, points } = asked;
    if (target === undefined) return new Turn(await this.table(game, asked.theta), asked, rerolls);
    const { after, table } = await this.chances(game, asked, wins);
    return turnFor(table, asked, rerolls, target - points, after);
  }

  /** The exact distribution of the final score, from the start of a turn or from its dice; null where it takes too long. */
  async outlook(given: GameTables, card: CardInTurn, theta = 0): Promise<Outlook | null> {
    const { game } = this.known(given);
    const table = await this.table(game, theta);
    const { dice, rerolls = 0, points } = card;
    return this.work.run(PRIORITY.outlook, () =>
      outlookFrom(table, card, points, dice && { roll: keepId(game, dice), rerolls }),
    );
  }

  /** Luck and skill of a game; its decisions are judged by the mean. */
  async review(given: GameTables, log: GameLog): Promise<Review> {
    const table = await this.table(this.known(given).game, 0);
    const seed = await seedOf(log);
    return this.work.run(PRIORITY.answer, () => inOneStep(() => review(table, log, seed)));
  }

  /** The greatest chance of a final score of `target` or more, before the dice are thrown. */
  async chance(given: GameTables, card: Card, target: number): Promise<Chance> {
    const { game } = this.known(given);
    const { after, exact, table } = await this.chances(game, card);
    return this.work.run(PRIORITY.answer, () => inOneStep(() => chanceOf(table, card, target, after, exact)));
  }

  /** The greatest chance to win against others, before the dice are thrown; `wins` as in a situation. */
  async winning(given: GameTables, card: Card, wins: number[]): Promise<Chance> {
    const { game } = this.known(given);
    const { after, exact, table } = await this.chances(game, card, wins);
    const found = await this.work.run(PRIORITY.answer, () =>
      inOneStep(() => chanceOf(table, card, wins.length - 1, after, exact)),
    );
    return { ...found, wins: true };
  }

  /** What a player with these habits makes on average, and what each of them costs. */
  async worth(given: GameTables, habits: Habits, progress?: (share: number) => void): Promise<Worth> {
    const table = await this.table(this.known(given).game, 0);
    return this.work.run(PRIORITY.background, () => worthOf(table, habits), progress);
  }

  /** Which habit costs whoever played these games most. */
  async leaks(
    given: GameTables,
    games: GameLog[],
    answers: Answer[],
    progress?: (share: number) => void,
  ): Promise<Leaks> {
    const believers = await this.believers(given);
    return this.work.run(PRIORITY.chance, () => leaksIn(believers, games, answers), progress);
  }

  /** Situations of the perfect game of a seed to train against a habit. */
  async training(given: GameTables, habit: LeakName, seed: number, limit: number): Promise<Training[]> {
    const believers = await this.believers(given);
    return this.work.run(PRIORITY.chance, () => trainingIn(believers, habit, seed, limit));
  }

  private believers(given: GameTables): Promise<Believers> {
    const known = this.known(given);
    const { game } = known;
    if (game.saves_throws) return Promise.reject(new Error(`${game.rules}: saves throws`));
    known.believers ??= this.table(game, 0).then(async (table) => {
      const solver = game.bonus ? new Solver({ ...game, bonus: 0 }, 0) : null;
      return new Believers(table, solver && (await this.work.run(PRIORITY.chance, () => solver.steps())));
    });
    known.believers.catch(() => (known.believers = null));
    return known.believers;
  }

  /** What each box brings: for the mean, that of the whole game follows in the background. */
  private partsOf(table: ValueTable): Promise<Parts> {
    const { game, theta } = table;
    if (game.saves_throws) return Promise.reject(new Error(`${game.rules}: saves throws`));
    const { parts } = this.known(game);
    let found = parts.get(theta);
    if (!found) {
      for (const other of parts.keys()) if (other) parts.delete(other);
      parts.set(theta, (found = theta ? Promise.resolve(new Parts(table)) : this.keptParts(table)));
    }
    return found;
  }

  private async keptParts(table: ValueTable): Promise<Parts> {
    const { fingerprint } = table.game;
    const parts = new Parts(table, (await this.storage.parts.get(fingerprint)) ?? undefined);
    if (!parts.all)
      void this.work
        .run(PRIORITY.background, () => parts.steps(0))
        .then(() => parts.all && this.storage.parts.put(fingerprint, parts.all));
    return parts;
  }

  private async chances(
    game: GameTables,
    card: Card,
    wins?: readonly number[],
  ): Promise<{ after: ChanceAfter; exact: boolean; table: ValueTable }> {
    if (game.saves_throws) throw new Error(`${game.rules}: saves throws`);
    const known = this.known(game);
    const table = await this.table(game, 0);
    const open = game.categories.length - nFilled(game, card.set);
    if (open <= constants.solved_from_here) {
      const reach = wins ? this.reachWins(game, card, wins) : this.reach(game, card);
      return { after: exactChance(await reach), exact: true, table };
    }
    known.spread ??= this.work.run(PRIORITY.chance, () => spreads(game));
    const [spread, bonus] = await Promise.all([known.spread, known.bonusComing]);
    const after = estimatedChance(table, spread, bonus ?? ((): number => 0));
    return { after: wins ? mixtureOfTargets(after, wins) : after, exact: false, table };
  }

  /** Chances to win from a card on; the same question is asked for every throw of a turn. */
  private reachWins(game: GameTables, card: Card, wins: readonly number[]): Promise<TargetSolver> {
    const known = this.known(game);
    const { set, upper, points } = card;
    const key = JSON.stringify([set, upper, points, wins]);
    if (known.winning?.key === key) return known.winning.reach;
    const reach = this.work.run(PRIORITY.chance, () =>
      new TargetSolver(game, card, { scores: wins, points }).steps(),
    );
    known.winning = { key, reach };
    return reach;
  }

  /** Chances from a state on: those that were solved last, if it is among what they lead to. */
  private async reach(game: GameTables, state: State): Promise<TargetSolver> {
    const known = this.known(game);
    const solved = await known.reach;
    if (solved?.leadsTo(state.set, state.upper)) return solved;
    known.reach = this.work.run(PRIORITY.chance, () => new TargetSolver(game, state).steps());
    return known.reach;
  }
}
