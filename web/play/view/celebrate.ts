/** A quiet moment for five alike and for the bonus: gold runs over the box, once. Still for those who want no motion. */
import { reducedMotion } from "../../look/settings";
import { find } from "./dom";
import { cardOf, type Game } from "../game/game";
import { isOnlyFor } from "../game/rules";

const MILLISECONDS = 1100;

export function celebrate(before: Game, after: Game, box: number): void {
  if (reducedMotion()) return;
  const { bonus_threshold: needed, bonus, categories } = after.rules;
  const [then, now] = [cardOf(before), cardOf(after)];
  const { category = "", most = Infinity } = categories[box] ?? {};
  const isAlike = isOnlyFor(after.rules, box, (dice) => new Set(dice).size === 1);
  if (isAlike && now.points - then.points >= most) glow(`.box[data-category="${category}"]`);
  if (bonus && then.upper < needed && now.upper >= needed) glow("#bonus-row");
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
