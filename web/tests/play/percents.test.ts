import { expect, test } from "vitest";
import { percents, setLanguage } from "../../play/language";
import en from "../../play/language/en";

test.each([
  [
    [1 / 3, 1 / 3, 1 / 3],
    ["34%", "33%", "33%"],
  ],
  [
    [0.496, 0.501, 0.003],
    ["50%", "50%", "under 1%"],
  ],
  [
    [0.006, 0.4975, 0.4965],
    ["under 1%", "50%", "50%"],
  ],
  [
    [0.999, 0.001],
    ["over 99%", "under 1%"],
  ],
  [
    [1, 0],
    ["100%", "0%"],
  ],
])("shares of one whole add up to 100: %j", (shares, said) => {
  setLanguage("en", en);
  expect(percents(shares)).toEqual(said);
});
