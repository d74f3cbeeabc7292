/** Players and moves as the story calls them; the codes in results and commands stay what they are. */
const FAMILIES: Record<string, string> = {
  "value models": "appraisers",
  "imitation trees": "copyists",
  "regret trees": "apprentices",
  "by hand": "by hand",
};

export const familyName = (family: string): string => FAMILIES[family] ?? family;

const FORMS: [RegExp, (found: RegExpMatchArray, size: string) => string][] = [
  [/^greedy$/, () => "most points every turn"],
  [/^heuristic$/, () => "the bot that plays by patterns"],
  [/^value-/, (_, size) => `the appraiser with ${size} numbers`],
  [/^tree-depth-(\d+)$/, ([, depth]) => `the copyist with ${depth} questions`],
  [/^tree-unlimited$/, () => "the copyist without a limit"],
  [/^tree-/, (_, size) => `the apprentice with ${size} numbers`],
  [/^network-/, (_, size) => `the network with ${size} numbers`],
  [/^card-(\d+)$/, ([, n]) => `the card, ${n} rules`],
  [
    /^covering-(\d+)(-verbs|-masks)?$/,
    ([, n, way]) => `the earlier way, ${n} rules${way === "-masks" ? " in bitmasks" : way ? " in verbs" : ""}`,
  ],
  [/^(rules-)?par-(\d+)$/, ([, , n]) => `with par, ${n} rules`],
  [/^(rules-)?rich-(\d+)$/, ([, , n]) => `with words for boxes, ${n} rules`],
  [/^(rules|primitive)-(\d+)$/, ([, , n]) => `plain, ${n} rules`],
];

/** The name of a player by its code; `parameters` is how many numbers it consists of. */
export function playerName(code: string, parameters = 0): string {
  for (const [form, name] of FORMS) {
    const found = code.match(form);
    if (found) return name(found, parameters.toLocaleString("en"));
  }
  return code;
}

/** An action in the words of somebody at the table; what scores nothing is crossed out. */
export function actionWords(action: string, zero: boolean): string {
  const name = action.replace(/^score /, "").replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  if (action.startsWith("score ")) return zero ? `cross out ${name}` : `fill ${name}`;
  return action === "keep nothing" ? "throw all five again" : action.replace("keep", "hold");
}

/** The beginning of a sentence. */
export const capital = (text: string): string => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;
