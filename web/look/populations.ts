/** The four populations, always in this order and these colours; marks differ in shape or edge too. */
export interface Population {
  bonus: boolean;
  yatzy: boolean;
  name: string;
  fill: string;
  edge: string;
  text: "muted" | "gold" | "felt";
}

export const POPULATIONS: readonly Population[] = [
  { bonus: false, yatzy: false, name: "no bonus, no Yatzy", fill: "--muted", edge: "--muted", text: "muted" },
  { bonus: false, yatzy: true, name: "no bonus, Yatzy", fill: "--gold", edge: "--gold", text: "gold" },
  { bonus: true, yatzy: false, name: "bonus, no Yatzy", fill: "--felt", edge: "--felt", text: "felt" },
  { bonus: true, yatzy: true, name: "bonus and Yatzy", fill: "--both", edge: "--both-edge", text: "felt" },
];

export const populationOf = (bonus: boolean, yatzy: boolean): number => 2 * +bonus + +yatzy;
