/** Challenges: a link carries seed and moves, everything else is worked out anew, and what was changed is refused. */
import { beforeEach, describe, expect, test } from "vitest";
import * as play from "../../play/game/game";
import type { Rules } from "../../play/game/rules";
import { tableForOne } from "../../play/game/table";
import { partingOf } from "../../play/learn/challenge";
import * as kept from "../../play/storage/challenges";
import { fakeStorage, gameOf, GAMES, readTest, SCANDINAVIAN, seeded } from "../support";

const SEED = kept.seedOfDay("2026-11-19");

/** A game in which everything is drawn: what is held, and which open box takes it. */
function drawn(rules: Rules, seed: number, draw: (n: number) => number): play.Game {
  let game = kept.gameOn(rules, seed);
  while (!play.isFinished(game)) {
    game = play.throwDice(game, play.nextSeeded(game) ?? []);
    while (play.canThrow(game) && draw(4)) {
      for (let i = 0; i < rules.dice; i++) if (draw(2)) game = play.toggle(game, i);
      if (play.canThrow(game)) game = play.throwDice(game, play.nextSeeded(game) ?? []);
    }
    const open = [...play.openBoxes(game).keys()];
    game = play.score(game, open[draw(open.length)] ?? 0);
  }
  return game;
}

/** The turns; of equal dice that lie there still, either may have been held. */
const plain = ({ turns }: play.Game): object[] =>
  turns.map(({ rolls, keeps, category }) => ({
    rolls,
    category,
    keeps: keeps.map((keep) => [...keep].sort((a, b) => a - b)),
  }));

const hashOf = (link: string): string => link.slice(link.indexOf("#"));
const linkOf = (name: string, turns: string): string =>
  hashOf(kept.challengeLink("scandinavian", SEED, { name, turns }));
const refused = async (hash: string): Promise<string> =>
  kept.readChallenge(hash).then(
    () => `accepted: ${hash}`,
    (error: unknown) => (error as Error).message,
  );

beforeEach(() => fakeStorage());

const ADA = drawn(SCANDINAVIAN, SEED, seeded(1));
const TURNS = kept.turnsText(ADA);

describe("moves as letters", () => {
  const games = GAMES
    ? [
        "scandinavian",
        "scandinavian+saved-throws",
        "maxi",
        "yahtzee",
        "kniffel",
        "yacht+saved-throws+forced-order",
      ].map(gameOf)
    : [SCANDINAVIAN];
  test.each(games)("lead to the same game: $rules", (rules) => {
    const draw = seeded(rules.dice);
    for (let seed = 0; seed < 20; seed++) {
      const game = drawn(rules, seed, draw);
      const again = kept.playTurns(kept.gameOn(rules, seed), kept.turnsText(game));
      expect(plain(again)).toEqual(plain(game));
      // From a log, which does not say in which places dice were held.
      const read = play.fromLog(play.toLog(game), rules);
      expect(plain(kept.playTurns(kept.gameOn(rules, seed), kept.turnsText(read)))).toEqual(plain(game));
    }
  });

  test("are only of dice that are the seed's", () => {
    expect(kept.followsSeed(ADA)).toBe(true);
    expect(kept.followsSeed({ ...ADA, about: { ...ADA.about, seed: SEED + 1 } })).toBe(false);
    expect(kept.followsSeed(play.fromLog(play.toLog(ADA), SCANDINAVIAN))).toBe(true);
  });

  test("are few", () => expect(linkOf("Ada", TURNS).length).toBeLessThan(140));
});

describe("a link", () => {
  test.each(["Ada", "", "Åsa Öberg", "👩‍👧 Ann", "x".repeat(24)])(
    "says who sent it, and what was played: %s",
    async (name) => {
      const sent = await kept.readChallenge(linkOf(name, TURNS));
      expect([sent.name, sent.seed, sent.game && plain(sent.game)]).toEqual([name, SEED, plain(ADA)]);
      expect(sent.game && play.scoreOf(sent.game)).toBe(play.scoreOf(ADA));
    },
  );

  test("may be sent before a game is played", async () => {
    expect((await kept.readChallenge(linkOf("Ada", ""))).game).toBeNull();
  });

  test("that was changed in any one letter, cut off or made longer is refused in a sentence", async () => {
    const whole = linkOf("Ada", TURNS);
    const changed = [...whole].flatMap((one, i) =>
      i < "#beat=".length
        ? []
        : ["A", "b", "9", ".", "~", "é"]
            .filter((other) => other !== one)
            .map((other) => whole.slice(0, i) + other + whole.slice(i + 1)),
    );
    const cut = [...Array(whole.length).keys()].filter((n) => n > 6).map((n) => whole.slice(0, n));
    const all = [
      ...changed,
      ...cut,
      `${whole}0`,
      `${whole}.`,
      `${whole}&utm=1`,
      whole + "A".repeat(1000),
      whole.toUpperCase(),
    ];
    expect(all.length).toBeGreaterThan(600);
    const said = new Set(await Promise.all(all.map(refused)));
    expect(said).toEqual(new Set(["The link is damaged"]));
  });

  // Whoever works out the checksum anew is held to the rules.
  test.each([
    ["a box twice", "", "AAAA", "Turn 2 cannot be played with these dice"],
    ["a box that is not there", "", "PA", "Turn 1 cannot"],
    ["too many throws", "", "ADAAA", "Turn 1 cannot"],
    ["all dice held", "", "AB_", "Turn 1 cannot"],
    ["all five held", "", "ABf", "Turn 1 cannot"],
    ["a turn cut off", "", "AB", "Turn 1 cannot"],
    ["too few turns", "", "AA", "is not finished"],
    ["a turn too many", TURNS, "AA", "Turn 16 cannot"],
    ["what is no letter", "", "A!", "Turn 1 cannot"],
  ])("with %s is refused", async (_, before, added, said) => {
    expect(await refused(linkOf("Ada", before + added))).toContain(said);
  });

  test("with a name that is too long or cannot be shown is refused", async () => {
    for (const name of ["x".repeat(25), "a\nb", "a\u202eb", " a", "\u0007"])
      expect(await refused(linkOf(name, TURNS))).toContain("The name is longer than 24 letters");
    expect(kept.cleanName(" a\u202eb\n ".repeat(20)).length).toBeLessThanOrEqual(24);
  });

  test("of a game that is not there is refused", async () => {
    const hash = hashOf(kept.challengeLink("<img src=x onerror=alert(1)>", SEED, { name: "Ada", turns: "" }));
    expect(await refused(hash)).toContain("there is no game");
    expect(await refused(linkOf("<b>Ada</b>", "A"))).toContain("Turn 1");
  });
});

describe("one try", () => {
  const rival = { name: "Ada", turns: TURNS };

  test("is kept throw by throw, and what is finished stays", () => {
    kept.meet(SCANDINAVIAN, SEED, rival);
    let game = kept.gameOn(SCANDINAVIAN, SEED);
    game = play.throwDice(game, play.nextSeeded(game) ?? []);
    kept.keepTry(tableForOne(play.toggle(game, 1)));
    const begun = kept.findChallenge("scandinavian", SEED) as kept.Challenge;
    expect(kept.gameOf(SCANDINAVIAN, begun).throws).toEqual(play.toggle(game, 1).throws);

    const bob = drawn(SCANDINAVIAN, SEED, seeded(2));
    kept.keepTry(tableForOne(bob));
    kept.keepTry(tableForOne(drawn(SCANDINAVIAN, SEED, seeded(3))));
    const done = kept.meet(SCANDINAVIAN, SEED, rival);
    expect(plain(kept.gameOf(SCANDINAVIAN, done))).toEqual(plain(bob));
    expect(done.result?.score).toBe(play.scoreOf(bob));
    expect(done.rivals).toEqual([rival]);
  });

  test("is told from other games", () => {
    kept.meet(SCANDINAVIAN, SEED, rival);
    expect(kept.tryAt(tableForOne(play.newGame(SCANDINAVIAN, SEED)))).toBeUndefined();
    expect(kept.tryAt(tableForOne(kept.gameOn(SCANDINAVIAN, SEED + 1)))).toBeUndefined();
    expect(
      kept.tryAt({ ...tableForOne(ADA), seats: [...tableForOne(ADA).seats, ...tableForOne(ADA).seats] }),
    ).toBeUndefined();
  });

  test.each(["{", "[]", '{"version":2}', '{"version":1,"challenges":[{}]}', '{"version":1,"challenges":[null]}'])(
    "that cannot be read is set aside: %s",
    (text) => {
      const storage = fakeStorage({ "yatzy-challenges": text });
      expect(kept.recallChallenges()).toEqual([]);
      expect(storage.get("yatzy-challenges-set-aside")).toBe(text);
    },
  );
});

test("two games part at the first choice that differs", () => {
  const same = { game: ADA };
  expect(partingOf(same, same)).toBeNull();
  const [first, second] = ADA.turns;
  const other = { ...ADA, turns: [first, { ...second, category: "none" }, ...ADA.turns.slice(2)] } as play.Game;
  expect(partingOf(same, { game: other })).toEqual({ turn: 1, roll: (second?.rolls.length ?? 0) - 1 });
});

test("the seed of a day is its date, and no other seed is a day's", () => {
  expect(SEED).toBe(120261119);
  expect(kept.dayOfSeed(SEED)).toBe("2026-11-19");
  expect([20261119, 120261332, 1202611190, 7].map(kept.dayOfSeed)).toEqual([null, null, null, null]);
  const shown = (
    JSON.parse(readTest("game/dice.json")) as {
      seed: number;
      dice: number;
      turn: number;
      throw: number;
      shows: number[];
    }[]
  )[0]!;
  expect(play.nextSeeded(kept.gameOn(SCANDINAVIAN, SEED))).toEqual(shown.shows);
});
