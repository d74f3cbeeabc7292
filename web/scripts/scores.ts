/** What the page makes of rolls and seeds, for a test to compare with the library: `node scores.mjs GIVEN`. */
import { readFileSync } from "node:fs";
import { seededDice } from "../engine/dice";
import { facesOf } from "../engine/tables";
import { scoresOf, type Rules } from "../play/game/rules";

interface Given {
  games: { rules: Rules; masks: number[] }[];
  seeds: number[];
}

const { games, seeds } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Given;
const told = games.map(({ rules, masks }) =>
  masks.map((mask) =>
    rules.ways.map((_, roll) =>
      [...scoresOf(rules, mask, facesOf(rules, roll))].map(([box, { points, extra, bits }]) => [
        box,
        points,
        extra,
        bits,
      ]),
    ),
  ),
);
const thrown = seeds.map((seed) =>
  [0, 7, 14].flatMap((turn) =>
    [0, 3].map((game) =>
      [0, 1, 2].map((throws) => seededDice({ seed, game, dice: 5, faces: 6, throws: () => 3 }, turn, throws, 5)),
    ),
  ),
);
console.log(JSON.stringify({ told, thrown }));
