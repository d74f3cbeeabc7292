/**
 * What the page's charts say in given situations: `node charts.mjs SITUATIONS TABLES`.
 *
 * SITUATIONS is a list of {rules, situations}; prints, for each, the line, its number and what it does.
 */
import { readFileSync } from "node:fs";
import type { Decision } from "../engine/types";
import type { GameTables } from "../engine/tables";
import en from "../play/language/en";
import { setLanguage } from "../play/language";
import { chartLine, chartAdvice, chartsOf } from "../play/learn/chart";

type Asked = { rules: string; situations: Pick<Decision, "dice" | "rerolls" | "set" | "upper">[] };

const [path = "", folder = ""] = process.argv.slice(2);
setLanguage("en", en);
const told: unknown[] = [];
for (const { rules, situations } of JSON.parse(readFileSync(path, "utf8")) as Asked[]) {
  const game = JSON.parse(readFileSync(`${folder}/${rules}.json`, "utf8")) as GameTables;
  const chart = await chartsOf(game);
  for (const one of situations) {
    if (!chart) {
      told.push(await chartLine(game, one));
      continue;
    }
    const { line, number, action } = chartAdvice(chart, game, one);
    if ((await chartLine(game, one)) !== line) throw new Error(`chart: two answers to ${JSON.stringify(one)}`);
    told.push([line, number, action]);
  }
}
console.log(JSON.stringify(told));
