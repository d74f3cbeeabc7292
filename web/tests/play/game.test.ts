/** A game and a table as values: throwing, holding, entering real dice, scoring, undo, whose turn it is, who wins. */
import { describe, expect, test } from "vitest";
import * as play from "../../play/game/game";
import { boxOf, scoresOf, type Rules } from "../../play/game/rules";
import * as table from "../../play/game/table";
import { GAMES, gameOf, SCANDINAVIAN } from "../support";

const begin = (rules: Rules = SCANDINAVIAN): play.Game => play.newGame(rules, 7);
const box = (name: string, rules: Rules = SCANDINAVIAN): number => boxOf(rules, name);

/** One turn in one throw. */
const turn = (game: play.Game, dice: readonly number[], name: string): play.Game =>
  play.score(play.throwDice(game, dice), box(name, game.rules));

test("a turn: held dice stay, the others are thrown", () => {
  let game = play.throwDice(begin(), [1, 6, 6, 3, 2]);
  expect(play.rerollsLeft(game)).toBe(2);
  game = play.toggle(play.toggle(game, 1), 2);
  expect(play.diceToThrow(game)).toBe(3);
  game = play.throwDice(game, [6, 4, 4]);
  expect(play.diceOnTable(game)).toEqual([6, 6, 6, 4, 4]);
  expect(play.openBoxes(game).get(box("full house"))?.points).toBe(26);
  game = play.score(game, box("full house"));
  expect(game.turns).toEqual([
    {
      rolls: [
        [1, 6, 6, 3, 2],
        [6, 6, 6, 4, 4],
      ],
      keeps: [[6, 6]],
      category: "full house",
    },
  ]);
  expect(play.scoreOf(game)).toBe(26);
  expect(game.throws).toEqual([]);
});

test("what cannot be done changes nothing", () => {
  const game = begin();
  expect(play.toggle(game, 0)).toBe(game);
  expect(play.score(game, 0)).toBe(game);
  expect(play.undo(game)).toBe(game);
  const scored = turn(game, [1, 1, 1, 2, 3], "ones");
  const again = play.throwDice(scored, [1, 1, 1, 1, 1]);
  expect(play.score(again, box("ones"))).toBe(again);
  const held = play.hold(again, [1, 1, 1, 1, 1]);
  expect(play.canThrow(held)).toBe(false);
});

test("a score is taken back with its dice, as they lay", () => {
  const thrown = play.toggle(play.throwDice(begin(), [5, 1, 5, 2, 5]), 0);
  const scored = play.score(thrown, box("fives"));
  expect(play.undo(scored).throws).toEqual(thrown.throws);
  expect(play.scoreOf(play.undo(scored))).toBe(0);
  // From a log, held dice come first.
  const read = play.fromLog(JSON.parse(JSON.stringify(play.toLog(scored))), SCANDINAVIAN);
  expect(play.diceOnTable(play.undo(read))).toEqual([5, 1, 5, 2, 5]);
});

test("real dice are entered face by face, and taken back", () => {
  let game = play.throwDice(begin(), [0, 0, 0, 0, 0]);
  [6, 6, 1, 3, 5].forEach((face, i) => (game = play.enterFace(game, i, face)));
  expect(play.isEntering(game)).toBe(false);
  game = play.throwDice(play.hold(game, [6, 6]), [0, 0, 0]);
  expect(play.openBoxes(game).size).toBe(0);
  expect(play.enterFace(game, 0, 2)).toBe(game);
  game = play.enterFace(play.enterFace(game, 2, 4), 3, 4);
  game = play.takeBackFace(game);
  expect(game.throws.at(-1)?.dice).toEqual([6, 6, 4, 0, 0]);
  game = play.takeBackFace(game);
  expect(game.throws.length).toBe(1);
  expect(play.lastThrow(game)?.held).toEqual([true, true, false, false, false]);
});

test("the bonus counts as soon as it is reached, and once", () => {
  let game = begin();
  ["ones", "twos", "threes", "fours", "fives", "sixes"].forEach((name, i) => {
    game = turn(
      game,
      Array.from({ length: 5 }, (_, n) => (n < 3 ? i + 1 : i === 5 ? 1 : 6)),
      name,
    );
  });
  expect(play.cardOf(game)).toMatchObject({ upper: 63, points: 63 });
  expect(play.scoreOf(game)).toBe(113);
});

test("on a scorepad only what a box can score is written", () => {
  const game = begin();
  const [most] = play.possibleScores(game, box("small straight"));
  expect(most?.points).toBe(15);
  expect(play.scorePoints(game, box("small straight"), { points: 14, extra: 0 })).toBe(game);
  const written = play.scorePoints(game, box("chance"), { points: 21, extra: 0 });
  expect(written.turns).toEqual([{ rolls: [], keeps: [], category: "chance", points: 21 }]);
  expect(play.hasDice(written)).toBe(false);
});

test("what the coach is asked is what lies on the table", () => {
  const game = play.throwDice(turn(begin(), [6, 6, 6, 1, 1], "sixes"), [1, 2, 3, 4, 5]);
  expect(play.situationOf(game, 250)).toEqual({
    dice: [1, 2, 3, 4, 5],
    rerolls: 2,
    theta: 0,
    target: 250,
    set: 1 << box("sixes"),
    upper: 18,
    saved: 0,
    points: 18,
  });
});

describe("a log is read as it was written", () => {
  const log = play.toLog(turn(turn(begin(), [1, 1, 1, 2, 3], "ones"), [2, 2, 2, 2, 2], "yatzy"));
  const [first, second] = log.turns;
  test("whole", () => expect(play.toLog(play.fromLog(log, SCANDINAVIAN))).toEqual(log));
  test.each([
    ["not a log", { format: "yatzy-seats" }, "not a game log"],
    ["another version", { version: 2 }, "version"],
    ["other rules", { rules: "yahtzee" }, "yahtzee"],
    ["no turns", { turns: null }, "turns"],
    ["a box twice", { turns: [first, first] }, "turns[1].category"],
    ["a die of seven", { turns: [{ ...first, rolls: [[1, 1, 1, 2, 7]] }] }, "turns[0].rolls"],
    ["no dice", { turns: [first, { ...second, rolls: [] }] }, "turns[1].rolls"],
    [
      "too many throws",
      { turns: [{ ...first, rolls: Array.from({ length: 4 }, () => [1, 1, 1, 1, 1]) }] },
      "turns[0].rolls",
    ],
    ["a keep too few", { turns: [{ ...first, rolls: [first?.rolls[0], first?.rolls[0]] }] }, "turns[0].keeps"],
    [
      "dice held that were not there",
      {
        turns: [
          {
            ...first,
            rolls: [
              [1, 1, 1, 2, 3],
              [1, 1, 4, 4, 4],
            ],
            keeps: [[2]],
          },
        ],
      },
      "keeps[0]",
    ],
    ["what nobody can have wanted", { turns: [{ ...first, wanted: ["keep 4"] }] }, "turns[0].wanted"],
    ["a filled box that was wanted", { turns: [first, { ...second, wanted: ["score ones"] }] }, "turns[1].wanted"],
    ["too much that was wanted", { turns: [{ ...first, wanted: [null, null] }] }, "turns[0].wanted"],
    ["a date that is none", { date: "yesterday" }, "date"],
    ["a seed below zero", { seed: -1 }, "seed"],
    ["a number for a name", { player: 5 }, "player"],
  ])("%s", (_, wrong, says) => expect(() => play.fromLog({ ...log, ...wrong }, SCANDINAVIAN)).toThrow(says));
});

describe("a warning", () => {
  const dice = [1, 1, 1, 2, 3];
  const warn = (): play.Game => play.warned(turn(begin(), dice, ""), { keep: [3, 2] });

  test("leaves what was wanted first in the log", () => {
    const again = play.warned(warn(), { score: box("chance") });
    const log = play.toLog(play.score(play.toggle(again, 0), box("ones")));
    expect(log.turns[0]?.wanted).toEqual(["keep 2 3"]);
    expect(play.toLog(play.fromLog(log, SCANDINAVIAN))).toEqual(log);
  });

  test("is not forgotten when the score is taken back, or between visits", () => {
    const scored = play.score(warn(), box("ones"));
    expect(play.undo(scored).throws[0]?.wanted).toBe("keep 2 3");
    expect(play.undo({ ...scored, previous: [] }).throws[0]?.wanted).toBe("keep 2 3");
    const kept = JSON.parse(JSON.stringify(warn().throws)) as unknown;
    expect(play.parseThrows(kept, begin())).toEqual(warn().throws);
    expect(() => play.parseThrows([{ dice, held: dice.map(() => false), wanted: "keep 6" }], begin())).toThrow(
      "throws",
    );
  });

  test("leaves no trace where there was none", () => {
    expect(Object.keys(turn(begin(), dice, "ones").turns[0] ?? {})).toEqual(["rolls", "keeps", "category"]);
  });
});

describe("a table", () => {
  const seats = (...kinds: ("person" | "perfect")[]): table.Table =>
    table.seatPlayers(
      SCANDINAVIAN,
      kinds.map((kind, i) => ({ name: `${i}`, kind })),
      5,
    );
  const play1 = (at: table.Table, dice: readonly number[], name: string): table.Table => ({
    seats: at.seats.map((seat, i) => (i === at.now ? { ...seat, game: turn(seat.game, dice, name) } : seat)),
    now: table.nextSeat(at),
  });

  test("a seed is for somebody who plays alone", () => {
    expect(seats("person").seats[0]?.game.about.seed).toBe(5);
    expect(seats("person").seats[0]?.game.about).not.toHaveProperty("scheme");
  });

  test("people have dice of their own by die, and those of the page's players come from nowhere", () => {
    const [first, second, third] = seats("person", "person", "perfect").seats.map(({ game }) => game.about);
    expect([first?.scheme, second?.scheme]).toEqual(["by-die", "by-die"]);
    expect(first?.seed).not.toBe(second?.seed);
    expect(third).not.toHaveProperty("seed");
  });

  test("turns go round, and a person's score takes what was played since with it", () => {
    let at = play1(seats("person", "perfect"), [1, 1, 1, 2, 3], "ones");
    expect(at.now).toBe(1);
    at = play1(at, [6, 6, 6, 2, 3], "sixes");
    expect(table.undoSeat(at)).toBe(0);
    const back = table.takeBack(at);
    expect(back.now).toBe(0);
    expect(back.seats.map(({ game }) => game.turns.length)).toEqual([0, 0]);
    expect(play.diceOnTable(back.seats[0]?.game as play.Game)).toEqual([1, 1, 1, 2, 3]);
    expect(table.undoSeat(back)).toBe(-1);
  });

  test("who leads when all cards are full wins, and ties are shared", () => {
    const [a, b] = [play1(seats("person", "person"), [6, 6, 6, 6, 6], "yatzy"), seats("person", "person")];
    expect(table.winners(a).map(({ name }) => name)).toEqual(["0"]);
    expect(table.winners(b).length).toBe(2);
  });

  test("chances to win add up; a tie is shared", () => {
    expect(
      table.winChances([
        [0, 1],
        [0, 1],
      ]),
    ).toEqual([0.5, 0.5]);
    expect(
      table.winChances([
        [0.5, 0.5],
        [0, 1],
      ]),
    ).toEqual([0.25, 0.75]);
    const three = table.winChances([
      [0.2, 0.3, 0.5],
      [0.1, 0.8, 0.1],
      [0.6, 0, 0.4],
    ]);
    expect(three.reduce((sum, one) => sum + one)).toBeCloseTo(1, 12);
    expect(table.winsByScore([[0.25, 0.75]])).toEqual([0.125, 0.625, 1]);
  });

  test("the page's player takes the advice to the end of its turn", async () => {
    const advise = (rules: Rules, { dice, rerolls }: { dice: readonly number[]; rerolls: number }): unknown =>
      Promise.resolve({
        actions: [{ action: rerolls ? { keep: dice.slice(0, 1) } : { score: box("chance", rules), points: 0 } }],
      });
    const asked = {
      advise,
      review: () => Promise.reject(new Error("not asked")),
    } as unknown as table.OpponentEngine;
    const played = await table.playTurn(seats("perfect"), asked);
    expect(played.turns[0]?.rolls.length).toBe(3);
    expect(played.turns[0]?.category).toBe("chance");
  });
});

describe.skipIf(!GAMES)("other games", () => {
  test("a joker of Yahtzee scores 40 in a straight and 100 beside it", () => {
    const rules = gameOf("yahtzee");
    let game = turn(turn(begin(rules), [4, 4, 4, 4, 4], "yahtzee"), [6, 6, 6, 1, 2], "sixes");
    game = play.throwDice(game, [6, 6, 6, 6, 6]);
    expect(play.hasJoker(game)).toBe(true);
    expect(play.openBoxes(game).get(box("large straight", rules))).toMatchObject({ points: 40, extra: 100 });
    expect(play.openBoxes(game).has(box("ones", rules))).toBe(false);
    game = play.score(game, box("large straight", rules));
    expect([play.scoreOf(game), play.extraOf(game)]).toEqual([208, 100]);
    expect(play.fromLog(play.toLog(game), rules).turns).toEqual(game.turns);
  });

  test("throws that were saved are there in the next turn", () => {
    const game = turn(begin(gameOf("yacht+saved-throws")), [1, 1, 1, 2, 3], "ones");
    expect([play.savedThrows(game), play.rerollsLeft(game)]).toEqual([2, 5]);
  });

  test("boxes in a forced order are open one by one", () => {
    const rules = gameOf("yacht+forced-order");
    expect([...scoresOf(rules, 0, [1, 1, 1, 1, 1]).keys()]).toEqual([0]);
  });
});
