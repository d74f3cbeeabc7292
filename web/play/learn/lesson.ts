/** The panel in which a decision is explained or asked about: beside the card on a desk, above it on a phone. */
import type { Decision } from "../../engine/types";
import { adviseOn } from "../coach";
import { find, setText } from "../view/dom";
import { explain } from "./review";
import type { Rules } from "../game/rules";

export function showLesson(...parts: (HTMLElement | null)[]): void {
  find("#lesson").replaceChildren(...parts.filter((part) => part !== null));
}

export const lessonShown = (): boolean => find("#lesson").childElementCount > 0;

/** Say why in `#why`, when the coach knows. */
export function explainNow(rules: Rules, one: Decision): void {
  void explain(adviseOn, rules, one)
    .then((why) => {
      const place = document.querySelector("#why");
      if (place) setText(place, why);
    })
    .catch(() => undefined);
}
