/**
 * The rules as the page needs them, to go on without a server: constants in the form of `GET /api/rules`, and what
 * dice score. House rules are in the name of the ruleset, behind plus signs.
 */

import type { CategoryTold, Name, RulesTold } from "./contract";

export type Category = Omit<CategoryTold, "most">;
export type Rules = Omit<RulesTold, "fingerprint" | "categories"> & { categories: Category[] };

const LABELS = [
  ...["Ones", "Twos", "Threes", "Fours", "Fives", "Sixes", "One Pair", "Two Pairs", "Three of a Kind"],
  ...["Four of a Kind", "Small Straight", "Large Straight", "Full House", "Chance", "Yatzy"],
];

/** What holds until the server has told its own. */
export const SCANDINAVIAN: Rules = {
  rules: "scandinavian",
  dice: 5,
  faces: 6,
  rerolls: 2,
  bonus_threshold: 63,
  bonus: 50,
  categories: LABELS.map((label, i) => ({ category: label.toLowerCase() as Name, label, upper: i < 6 })),
  words: {
    loss: { perfect: 1e-9, fine: 0.5, inaccuracy: 2, mistake: 5 },
    lead: { equal: 1e-9, "close call": 0.5, clear: 2 },
  },
  largest_theta: 1,
};

const YATZY_POINTS = 50;

/** Points of these dice in a category. */
export function pointsOf(rulesName: string, dice: readonly number[], category: string): number {
  const houseRules = rulesName.split("+");
  const counts = [0, 0, 0, 0, 0, 0, 0];
  for (const face of dice) counts[face] = (counts[face] ?? 0) + 1;
  const total = dice.reduce((sum, face) => sum + face, 0);
  /** Faces shown by at least n dice, highest first. */
  const facesWith = (n: number): number[] => [6, 5, 4, 3, 2, 1].filter((face) => (counts[face] ?? 0) >= n);
  const ofAKind = (n: number): number => n * (facesWith(n)[0] ?? 0);
  const straight = (first: number): boolean => [0, 1, 2, 3, 4].every((step) => counts[first + step] === 1);
  const pairs = facesWith(2);

  switch (category) {
    case "one pair":
      return ofAKind(2);
    case "two pairs":
      if (pairs.length >= 2) return 2 * ((pairs[0] ?? 0) + (pairs[1] ?? 0));
      return houseRules.includes("four-as-two-pairs") ? ofAKind(4) : 0;
    case "three of a kind":
      return ofAKind(3);
    case "four of a kind":
      return ofAKind(4);
    case "small straight":
      return straight(1) ? 15 : 0;
    case "large straight":
      return straight(2) ? 20 : 0;
    case "full house":
      if (pairs.length === 2 && facesWith(3).length === 1) return total;
      return houseRules.includes("five-as-full-house") ? ofAKind(5) : 0;
    case "chance":
      return total;
    case "yatzy":
      return ofAKind(5) ? YATZY_POINTS : 0;
    default: {
      const face = 1 + SCANDINAVIAN.categories.findIndex((one) => one.category === category);
      return face * (counts[face] ?? 0);
    }
  }
}
