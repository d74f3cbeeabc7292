/**
 * When cards are asked again, as the page says: `node spacing.mjs ANSWERS DECK TODAY`.
 *
 * ANSWERS is a list of lists of [day, points lost], all answers to one card; prints what is remembered after each, and
 * what the page makes of a DECK that it kept before.
 */
import { readFileSync } from "node:fs";
import { dueCards, masteredOf, loadSpacing, recallDeck, type Memory } from "../play/learn/deck";

const [answers = "", deck = "", today = ""] = process.argv.slice(2);
const remember = await loadSpacing();
const memories = (JSON.parse(readFileSync(answers, "utf8")) as [string, number][][]).map((one) => {
  let memory: Memory | null = null;
  return one.map(([day, lost]) => (memory = remember(memory, lost, day)));
});
const kept = new Map([["yatzy-deck", readFileSync(deck, "utf8")]]);
Object.assign(globalThis, {
  localStorage: {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
    removeItem: (key: string) => kept.delete(key),
  },
});
const found = recallDeck();
const due = [true, false].map((spaced) =>
  dueCards({ ...found, spaced }, today).map((one) => found.cards.indexOf(one)),
);
console.log(JSON.stringify({ memories, deck: found, due, mastered: masteredOf(found), kept: [...kept.keys()] }));
