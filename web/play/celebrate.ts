/** A quiet moment for five alike and for the bonus: gold runs over the box, once. Still for those who want no motion. */
import { reducedMotion } from "../look/settings";
import { find } from "./dom";
import { stateOf, type Game } from "./game";

const MILLISECONDS = 1100;

/** Boxes for which all dice have to be alike. */
const ALIKE = ["yatzy", "maxi yatzy", "yahtzee", "kniffel", "yacht"];

export function celebrate(before: Game, after: Game, category: string): void {
  if (reducedMotion()) return;
  const { bonus_threshold: needed, bonus, categories } = after.rules;
  const most = categories.find((one) => one.category === category)?.most;
  const isAlike = ALIKE.includes(category) && stateOf(after).points - stateOf(before).points >= (most ?? Infinity);
  if (isAlike) glow(`.box[data-category="${category}"]`);
  if (bonus && stateOf(before).upper < needed && stateOf(after).upper >= needed) glow("#bonus-row");
}

function glow(selector: string): void {
  const gold = "color-mix(in srgb, var(--gold) 55%, transparent)";
  find(selector).animate(
    [
      { boxShadow: `inset 0 0 0 0 ${gold}`, background: "transparent" },
      { boxShadow: `inset 0 0 0 3px ${gold}`, background: "color-mix(in srgb, var(--gold) 30%, transparent)" },
      { boxShadow: `inset 0 0 0 0 ${gold}`, background: "transparent" },
    ],
    { duration: MILLISECONDS, easing: "ease-out" },
  );
}
