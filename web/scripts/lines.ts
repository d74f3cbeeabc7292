/**
 * Lines of charts in every language: `node lines.mjs LINES TABLES`.
 *
 * LINES is a list of {rules, keeps, scores}; prints, by language and then for each, what to keep and where to score.
 */
import { readFileSync } from "node:fs";
import type { GameTables } from "../engine/tables";
import { setLanguage } from "../play/language";
import da from "../play/language/da";
import de from "../play/language/de";
import en from "../play/language/en";
import fi from "../play/language/fi";
import nb from "../play/language/nb";
import sv from "../play/language/sv";
import { keepWords, scoreText, type KeepLine, type ScoreLine } from "../play/learn/chart";

const LANGUAGES = { en, sv, nb, da, fi, de };

const [path = "", folder = ""] = process.argv.slice(2);
const given = JSON.parse(readFileSync(path, "utf8")) as {
  rules: string;
  keeps: KeepLine[];
  scores: ScoreLine[];
}[];
const games = given.map((one) => ({
  ...one,
  game: JSON.parse(readFileSync(`${folder}/${one.rules}.json`, "utf8")) as GameTables,
}));
const said = Object.entries(LANGUAGES).map(([code, words]) => {
  setLanguage(code as keyof typeof LANGUAGES, words);
  const lines = games.map(({ game, keeps, scores }) => ({
    keeps: keeps.map((line) => keepWords(game, line)),
    scores: scores.map((line) => scoreText(game, line)),
    whys: words.paper.whys,
  }));
  return [code, lines];
});
console.log(JSON.stringify(Object.fromEntries(said)));
