/** Training and answers without a page. */
import { expect, test } from "vitest";
import { drawn } from "../../play/learn/leak";
import { keepAnswered, recallAnswers } from "../../play/storage/answers";
import { fakeStorage, SCANDINAVIAN } from "../support";

const ASKED = { set: 1, upper: 3, saved: 0, points: 3, dice: [1, 2, 2, 5, 6], rerolls: 1, theta: 0 };

test("some are drawn, each once", () => {
  const all = [1, 2, 3, 4, 5];
  expect(drawn(all, 3, () => 0)).toEqual([1, 2, 3]);
  expect(new Set(drawn(all, 9))).toEqual(new Set(all));
});

test("answers are kept by their game, the last of them", () => {
  fakeStorage();
  for (let i = 0; i < 301; i++) keepAnswered(SCANDINAVIAN, { ...ASKED, rerolls: i ? 1 : 2 }, { keep: [2, 2] });
  keepAnswered({ ...SCANDINAVIAN, rules: "other" }, ASKED, { score: 1 });
  const found = recallAnswers(SCANDINAVIAN);
  expect(found).toHaveLength(299);
  expect(found[0]).toEqual({ set: 1, upper: 3, saved: 0, dice: ASKED.dice, rerolls: 1, given: { keep: [2, 2] } });
});

test.each(["", "7", '[7, {"set": "1"}, null]', '[{"rules": "scandinavian", "set": 1}]'])(
  "what is no list of answers is none: %s",
  (text) => {
    fakeStorage({ "yatzy-answers": text });
    expect(recallAnswers(SCANDINAVIAN)).toEqual([]);
  },
);
