/** Settings, files and keys. */
import type { Actions } from "./actions";
import * as play from "./game/game";
import { rulesOf, type Rules } from "./game/rules";
import { isFresh, isOver, type Table } from "./game/table";
import { NAMES, code, fixed, switchLanguage, t, titleOf, whole } from "./language";
import { switchTheme } from "../look/settings";
import { choices, session, setGame, usesRealDice } from "./session";
import { WARNINGS, forgetSetAside, keepChoices, setAside, type Dice, type Hints } from "./storage/browser";
import { fileOf, isLink, linkTo, readGame, readLink } from "./storage/format";
import { LETTERS } from "./view/card";
import { download, el, find, onPress, plainButton, setText } from "./view/dom";
import { THETAS, riskText } from "./view/outlook";

export function wireChoices(show: () => void): void {
  wireRadio("hints", choices.hints, show, (value) => {
    choices.hints = value as Hints;
    session.asked = false;
  });
  const joy = find<HTMLInputElement>("#joy");
  joy.checked = choices.joy;
  joy.addEventListener("change", () => {
    choices.joy = joy.checked;
    keepChoices(choices);
    show();
  });
  wireRadio("dice", choices.dice, show, (value) => {
    choices.dice = value as Dice;
    while (play.isEntering(session.game)) setGame(play.takeBackFace(session.game));
  });
  wireRadio("aim", choices.toWin ? "win" : "points", show, (value) => {
    choices.toWin = value === "win";
  });
  if (!THETAS.includes(choices.theta)) choices.theta = 0;
  wireSlider("risk", THETAS, choices.theta, riskText, show, (theta) => (choices.theta = theta));
  const warnText = (i: number): string => {
    const what = t.warn.levels[i] ?? "";
    return i ? t.warn.from(what, fixed(WARNINGS[i] ?? 0)) : what;
  };
  wireSlider("warn", WARNINGS, choices.warn, warnText, show, (warn) => (choices.warn = warn));
  for (const input of document.querySelectorAll<HTMLInputElement>(".switch input"))
    input.addEventListener("click", (event) => event.detail > 0 && input.blur());
  const target = find<HTMLInputElement>("#target");
  target.value = choices.target === null ? "" : `${choices.target}`;
  target.addEventListener("input", () => {
    choices.target = target.value && target.validity.valid ? Number(target.value) : null;
    keepChoices(choices);
    show();
  });
}

/** A choice of several, which is kept. */
function wireRadio(name: string, chosen: string, show: () => void, choose: (value: string) => void): void {
  for (const input of document.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`)) {
    input.checked = input.value === chosen;
    input.addEventListener("change", () => {
      choose(input.value);
      keepChoices(choices);
      show();
    });
  }
}

/** Throw dice in another way, as if it were chosen in the settings. */
export const chooseDice = (dice: Dice): void =>
  find<HTMLInputElement>(`input[name="dice"][value="${dice}"]`).click();

/** A menu of languages; one that is not on this device is refused with a sentence. */
export function wireLanguage(): void {
  const select = find<HTMLSelectElement>("#language");
  select.replaceChildren(
    ...Object.entries(NAMES).map(([value, name]) => el("option", { value, lang: value }, name)),
  );
  select.value = code;
  select.addEventListener("change", () => {
    void switchLanguage(select.value).then((spoken) => {
      if (spoken) return;
      setText(find("#file-trouble"), t.settings.languageMissing);
      select.value = code;
    });
  });
}

/** A choice of several values, with words beside the slider; it is kept. */
function wireSlider(
  id: string,
  values: readonly number[],
  chosen: number,
  says: (position: number) => string,
  show: () => void,
  choose: (value: number) => void,
): void {
  const slider = find<HTMLInputElement>(`#${id}`);
  const say = (): void => {
    const text = says(Number(slider.value));
    setText(find(`#${id}-text`), text);
    slider.setAttribute("aria-valuetext", text);
  };
  slider.max = `${values.length - 1}`;
  slider.value = `${values.findLastIndex((value) => value <= chosen)}`;
  say();
  slider.addEventListener("input", () => {
    choose(values[Number(slider.value)] ?? 0);
    keepChoices(choices);
    say();
    show();
  });
  // After a click or a drag the keyboard belongs to the game again.
  slider.addEventListener("pointerup", () => slider.blur());
}

/** What came in from outside and would take the place of the game under way: how it came, and what it holds. */
interface Incoming {
  how: string;
  holds: string;
}

/** Do something that ends the game under way, if the player agrees; what comes in says first what it is. */
export async function confirmLeaving(act: () => void, incoming: Incoming | null = null): Promise<void> {
  if (!isOver(session.table) && !isFresh(session.table)) {
    const dialog = find<HTMLDialogElement>("#leave");
    setText(find("#leave-title"), incoming?.how ?? t.leave.title);
    setText(find("#leave-for"), incoming?.holds ?? "");
    setText(find("#leave-why"), incoming ? t.leave.instead : t.leave.why);
    setText(find("#leave-do"), incoming ? t.leave.open : t.leave.leave);
    dialog.returnValue = "stay";
    dialog.showModal();
    await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
    if (dialog.returnValue !== "leave") return;
  }
  act();
}

/** A table in a sentence: its game, and the score of everybody. */
function tableText({ seats }: Table): string {
  const [first] = seats;
  const scores = seats.map(({ name, game }) =>
    name ? `${name} ${whole(play.scoreOf(game))}` : t.review.points(whole(play.scoreOf(game))),
  );
  return t.leave.holds(titleOf(first?.game.rules.rules ?? ""), scores.join(", "));
}

/** Play on with a table from elsewhere, if the player agrees. */
export const openTable = (table: Table, how: string, actions: Actions): Promise<void> =>
  confirmLeaving(
    () => {
      actions.begin(table);
      window.scrollTo({ top: 0 });
    },
    { how, holds: tableText(table) },
  );

let wanted = "";

/** Begin a game of this name; says so if its rules are not there. */
export async function chooseGame(name: string, begin: (rules: Rules) => Promise<void> | void): Promise<void> {
  setText(find("#file-trouble"), "");
  wanted = name;
  try {
    const rules = await rulesOf(name);
    // Meanwhile another may have been chosen.
    if (wanted === name) await begin(rules);
  } catch (error) {
    setText(find("#file-trouble"), error instanceof Error ? error.message : "");
  }
}

async function openFile(file: File, actions: Actions): Promise<void> {
  const trouble = find("#file-trouble");
  setText(trouble, "");
  try {
    const opened = await readGame(file);
    await openTable(opened, t.leave.file, actions);
  } catch (error) {
    setText(trouble, t.files.cannotOpen(file.name, error instanceof Error ? error.message : ""));
  }
}

/** Games that were kept here and cannot be read any more: say so, offer them as a file, and let go only when told. */
export function showSetAside(trouble: HTMLElement): void {
  const texts = setAside();
  if (!texts.length) return;
  trouble.replaceChildren(
    t.files.unreadable,
    plainButton(t.files.saveIt, () => download(`${texts.join("\n")}\n`, "yatzy-unreadable.json")),
    " ",
    plainButton(t.files.discard, () => {
      forgetSetAside();
      trouble.replaceChildren();
    }),
  );
}

/** The table as a link: shared by the device where it can, else copied, else shown. */
async function share(): Promise<void> {
  const url = await linkTo(session.table);
  const shown = find<HTMLInputElement>("#link");
  shown.value = url;
  shown.parentElement?.removeAttribute("hidden");
  try {
    await navigator.clipboard.writeText(url);
    setText(find("#shared"), t.table.copied);
  } catch {
    // It is there to be copied by hand.
    shown.select();
  }
}

/** The table of a link in the address, if there is one; whoever plays is asked before it takes the place of theirs. */
export async function openLink(actions: Actions): Promise<void> {
  const { hash } = location;
  if (!isLink(hash)) return;
  history.replaceState(null, "", `${location.pathname}${location.search}`);
  try {
    const table = await readLink(hash);
    await openTable(table, t.leave.link, actions);
  } catch (error) {
    setText(find("#file-trouble"), t.files.cannotOpen(t.table.link, error instanceof Error ? error.message : ""));
  }
}

export function wireButtons(actions: Actions): void {
  const file = find<HTMLInputElement>("#file");
  onPress(find("#save"), () => void fileOf(session.table).then(({ text, name }) => download(text, name)));
  onPress(find("#share"), () => void share());
  onPress(find("#load"), () => file.click());
  file.addEventListener("change", () => {
    const [chosen] = file.files ?? [];
    if (chosen) void openFile(chosen, actions);
    file.value = "";
  });
  onPress(find("#theme"), switchTheme);
  onPress(find("#help"), () => find<HTMLDialogElement>("#help-text").showModal());
}

/** Keys belong to the game unless a control needs them. */
export function wireKeys(actions: Actions, closeAdvice: () => void, step: (by: number) => void): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const typing = target.matches("input:not([type=radio]), textarea, select");
    if (event.ctrlKey || event.metaKey || event.altKey || typing || document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    const onControl = target.matches("button, a, summary, input:not(:checked)");
    if (key === " " && onControl) return;
    const { game } = session;
    const box = LETTERS.indexOf(key);
    if (key === " ") actions.roll();
    else if (key === "h") actions.showHint();
    else if (key === "z") actions.undo();
    else if (key === "?") find<HTMLDialogElement>("#help-text").showModal();
    else if (key === "escape") closeAdvice();
    else if (key === "backspace") actions.takeBackFace();
    else if (session.mode === "step" && (key === "arrowleft" || key === "arrowright"))
      step(key === "arrowleft" ? -1 : 1);
    else if (/^[1-6]$/.test(key)) {
      if (play.isEntering(game) || (usesRealDice() && !game.throws.length)) actions.enterFace(Number(key));
      else if (Number(key) <= game.rules.dice) actions.pressDie(Number(key) - 1);
    } else if (key.length === 1 && game.rules.categories[box] && !event.repeat) actions.score(box);
    else return;
    event.preventDefault();
  });
}
