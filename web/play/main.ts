/**
 * The coach's page: one game, what the player chose, and what the coach said about it.
 *
 * The game itself needs no server: dice, scores and the log are made here. Advice, outlook and review are asked for;
 * an answer that comes when its situation has passed is kept, not shown.
 */
import { reducedMotion, remember, switchTheme } from "../look/settings";
import { keepSite } from "../offline/page";
import { createAdvice, type Hint } from "./advice";
import { askAdvice, askDistribution, askGames, askReview, askRules, type Situation } from "./api";
import { createCard, LETTERS } from "./card";
import { LARGEST_SEED, randomDice, seededDice } from "./chance";
import type { AdviceTold as Advice, DistributionTold as Distribution, Name } from "./contract";
import { find, onPress, setText } from "./dom";
import { readGame, saveGame, tellSetAside } from "./files";
import * as play from "./game";
import { createGames } from "./games";
import { createOutlook, riskText, THETAS } from "./outlook";
import { createReview, explain } from "./review";
import { SCANDINAVIAN, type Rules } from "./rules";
import { keepChoices, keepGame, recallChoices, recallGame, type Hints, type Outlook } from "./store";
import { createTable } from "./table";
import { labelOf, parseAction } from "./words";
import "./play.css";

const DEBOUNCE = 250;

const choices = recallChoices();
const seedAsked = readSeed();
let game: play.Game;
let outlooks: (Outlook | null)[] = [];
/** The die that is entered next. */
let place = 0;
/** Was a hint asked for in this situation? */
let asked = false;

const advices = new Map<string, Advice>();
const distributions = new Map<string, Distribution>();
/** Why an answer did not come, by what was asked. */
const failures = new Map<string, string>();
const underway = new Set<string>();
let outlookTimer = 0;
let reviewed: play.Turn[] | null = null;

const cardView = createCard(score);
const tableView = createTable({ pressDie, roll, undo, enter });
const gamesView = createGames((name) => void chooseGame(name));
const adviceView = createAdvice(hint);
const outlookView = createOutlook();
const reviewView = createReview(() => void review());

function readSeed(): number | null {
  const given = new URLSearchParams(location.search).get("seed");
  return given && /^\d+$/.test(given) && Number(given) <= LARGEST_SEED ? Number(given) : null;
}

// What the player does.

function roll(): void {
  if (play.isFinished(game)) return startAgain();
  if (!play.canThrow(game)) return;
  const n = play.diceToThrow(game);
  const thrown = choices.entered ? new Array<number>(n).fill(0) : throwOf(n);
  const places = game.throws.at(-1)?.held.map((held) => !held) ?? new Array<boolean>(game.rules.dice).fill(true);
  change(play.throwDice(game, thrown));
  place = play.lastThrow(game)?.dice.indexOf(0) ?? 0;
  if (!choices.entered) {
    if (!reducedMotion()) tableView.tumble(places);
    announceDice();
  }
  show();
}

/** Dice of the seed, if the game has one that is ours to follow; else random ones, and the game has none. */
function throwOf(n: number): number[] {
  const { seed, game: number } = game.about;
  if (seed === undefined || number !== 0) {
    forgetSeed();
    return randomDice(n, game.rules.faces);
  }
  return seededDice(seed, game.turns.length, game.throws.length, n, game.rules.faces, game.rules.dice);
}

function forgetSeed(): void {
  const { seed: _seed, game: _game, ...about } = game.about;
  game = { ...game, about };
}

function pressDie(i: number): void {
  if (play.isEntering(game)) place = i;
  else game = play.toggle(game, i);
  save();
  show();
}

function enter(face: number): void {
  if (!play.isEntering(game)) return;
  forgetSeed();
  change(play.enterFace(game, place, face));
  place = play.lastThrow(game)?.dice.indexOf(0) ?? 0;
  if (!play.isEntering(game)) announceDice();
  show();
}

/** Take back the face that was entered last. */
function unenter(): void {
  const last = play.lastThrow(game);
  if (!last) return;
  const given = last.dice.findLastIndex((face, i) => face > 0 && !last.held[i] && !play.isCarried(game, i));
  if (given < 0) return;
  place = given;
  change(play.enterFace(game, given, 0));
  show();
}

function score(category: Name): void {
  const before = game;
  change(play.score(game, category));
  if (game === before) return;
  outlooks.length = Math.min(outlooks.length, game.turns.length);
  const points = play.card(game).get(category) ?? 0;
  announce(`${points} in ${labelOf(game.rules, category)}. Total ${play.scoreOf(game)}.`);
  if (document.activeElement?.closest("#card")) find("#roll").focus();
  save();
  show();
  if (play.isFinished(game)) {
    window.scrollTo({ top: 0, behavior: "instant" });
    find("#review-title").focus({ preventScroll: true });
  }
}

function undo(): void {
  if (!play.canUndo(game, choices.entered)) return;
  change(play.undo(game));
  outlooks.length = Math.min(outlooks.length, game.turns.length + 1);
  place = Math.max(0, play.lastThrow(game)?.dice.indexOf(0) ?? 0);
  announce("Taken back.");
  save();
  show();
}

function hint(): void {
  const situation = situationNow();
  if (choices.hints === "off" || !situation) return;
  const key = JSON.stringify(situation);
  if (advices.has(key) && (asked || choices.hints === "always")) adviceView.open();
  asked = true;
  failures.delete(key);
  show();
}

function startAgain(rules = game.rules): void {
  begin(play.newGame(rules, seedAsked), []);
}

/** The rules of a game by name; what the page does not know is asked for. */
const rulesOf = async (name: string): Promise<Rules> => {
  const known = [game.rules, SCANDINAVIAN].find((one) => one.rules === name);
  return known ?? (await askRules(name));
};

/** A new game of another kind, if the player leaves the one under way for it. */
async function chooseGame(name: string): Promise<void> {
  setText(find("#file-trouble"), "");
  try {
    const rules = await rulesOf(name);
    await leaving(() => startAgain(rules));
  } catch (error) {
    setText(find("#file-trouble"), error instanceof Error ? error.message : "");
  }
  gamesView.show(game.rules);
}

/** Why there is no coach for this game at all, if so. */
const noCoach = (): string | null =>
  game.rules.solved ? null : `${game.rules.title} by these rules is too large for the coach here.`;

function begin(next: play.Game, known: (Outlook | null)[]): void {
  game = next;
  outlooks = known;
  place = Math.max(0, play.lastThrow(game)?.dice.indexOf(0) ?? 0);
  asked = false;
  failures.clear();
  save();
  show();
}

/** The next game, in a new situation. */
function change(next: play.Game): void {
  game = next;
  asked = false;
  save();
}

const save = (): void => keepGame(game, outlooks);

// What the coach is asked.

function situationNow(): Situation | null {
  const dice = play.diceOnTable(game);
  if (!dice || play.isFinished(game)) return null;
  const { points: _points, ...state } = play.stateOf(game);
  return { dice, rerolls: play.rerollsLeft(game), ...state, theta: choices.theta };
}

/** The answer if it is there; asks for it otherwise, once, and shows the page again when something comes. */
function know<T>(key: string, known: Map<string, T>, request: () => Promise<T>): T | null {
  const found = known.get(key);
  if (found || underway.has(key) || failures.has(key) || noCoach()) return found ?? null;
  underway.add(key);
  request()
    .then((told) => known.set(key, told))
    .catch((error: unknown) => failures.set(key, error instanceof Error ? error.message : "No answer."))
    .finally(() => {
      underway.delete(key);
      show();
    });
  return null;
}

function hintNow(): Hint {
  if (choices.hints === "off") return { kind: "off" };
  const situation = situationNow();
  if (!situation || (choices.hints === "ask" && !asked)) return { kind: "ask" };
  const key = JSON.stringify(situation);
  const advice = know(key, advices, () => askAdvice(situation));
  if (advice) return { kind: "told", advice };
  const why = noCoach() ?? failures.get(key);
  return why ? { kind: "failed", why } : { kind: "wait" };
}

/** The state at the start of turn n (from 0) with its key. */
function stateAt(turns: number): { state: play.State; key: string } {
  const state = play.stateOf({ ...game, turns: game.turns.slice(0, turns) });
  return { state, key: JSON.stringify([choices.theta, state]) };
}

/** Asks for the outlook of a turn when nothing has changed for a moment; then for those of earlier turns, if missing. */
function lookAhead(): void {
  clearTimeout(outlookTimer);
  const latestFirst = [game.turns.length, ...[...game.turns.keys()].reverse()];
  const missing = latestFirst.find((turns) => {
    const { key } = stateAt(turns);
    const isNow = turns === game.turns.length;
    if (turns === game.rules.categories.length || failures.has(key) || underway.has(key)) return false;
    return isNow ? !distributions.has(key) : !outlooks[turns];
  });
  if (missing === undefined || noCoach() || underway.size) return;
  outlookTimer = window.setTimeout(() => {
    const { state, key } = stateAt(missing);
    know(key, distributions, () => askDistribution(state, choices.theta));
  }, DEBOUNCE);
}

/** Put the answers that are there into the fan. */
function gatherOutlooks(): void {
  for (let turns = 0; turns <= game.turns.length; turns++) {
    const told = distributions.get(stateAt(turns).key);
    if (!told || (outlooks[turns] && turns < game.turns.length)) continue;
    const { "0.05": low, "0.25": lower, "0.75": upper, "0.95": high } = told.quantiles;
    const quantiles = [low ?? 0, lower ?? 0, upper ?? 0, high ?? 0] as Outlook["quantiles"];
    outlooks[turns] = { theta: choices.theta, mean: told.mean, quantiles };
    save();
  }
  if (play.isFinished(game)) {
    const end = play.scoreOf(game);
    outlooks[game.turns.length] = { theta: choices.theta, mean: end, quantiles: [end, end, end, end] };
  }
  for (let turns = 0; turns <= game.turns.length; turns++) outlooks[turns] ??= null;
}

async function review(): Promise<void> {
  const mine = game;
  reviewed = mine.turns;
  reviewView.wait();
  try {
    const why = noCoach();
    if (why) throw new Error(why);
    const found = await askReview(play.toLog(mine));
    const whys = await Promise.all(found.mistakes.map((one) => explain(mine.rules.rules, one)));
    if (reviewed === mine.turns) reviewView.show(mine, found, whys);
  } catch (error) {
    if (reviewed === mine.turns) reviewView.fail(error instanceof Error ? error.message : "");
  }
}

// What the page shows.

function show(): void {
  const hinted = hintNow();
  const best = hinted.kind === "told" ? (hinted.advice.actions[0] ?? null) : null;
  const finished = play.isFinished(game);
  gatherOutlooks();
  document.documentElement.dataset["view"] = finished ? "review" : "play";
  // For early.js: the next visit has the right parts before this script runs.
  remember("view", finished ? "review" : "play");
  gamesView.show(game.rules);
  setText(find("#how"), sayHow(game.rules));
  cardView.show(game, best?.category ?? null);
  tableView.show(game, choices.entered, place, best ? advised(parseAction(best.action).keep) : []);
  adviceView.show(game, hinted);
  const { key } = stateAt(game.turns.length);
  outlookView.show({
    outlooks,
    now: distributions.get(key) ?? null,
    turns: game.turns.length,
    allTurns: game.rules.categories.length,
    score: finished ? play.scoreOf(game) : null,
    target: choices.target,
    trouble: noCoach() ?? failures.get(key) ?? null,
  });
  if (finished && reviewed !== game.turns) {
    setText(find("#review-score"), `${play.scoreOf(game)}`);
    setText(find("#verdict"), "");
    void review();
  }
  lookAhead();
}

/** Which dice make up the keep: those that are held already come first. */
function advised(keep: number[] | null): boolean[] {
  const last = play.lastThrow(game);
  const left = [...(keep ?? [])];
  const chosen = new Array<boolean>(game.rules.dice).fill(false);
  if (!last) return chosen;
  const places = [...last.dice.keys()].sort((a, b) => Number(last.held[b]) - Number(last.held[a]) || a - b);
  for (const i of places) {
    const at = left.indexOf(last.dice[i] ?? 0);
    if (at < 0) continue;
    left.splice(at, 1);
    chosen[i] = true;
  }
  return chosen;
}

function announce(text: string): void {
  setText(find("#live"), text);
}

function announceDice(): void {
  const dice = play.diceOnTable(game) ?? [];
  const left = play.rerollsLeft(game);
  announce(`${dice.join(", ")}. ${left} ${left === 1 ? "reroll" : "rerolls"} left.`);
}

// Settings, files, keys.

function wireChoices(): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('input[name="hints"]')) {
    input.checked = input.value === choices.hints;
    input.addEventListener("change", () => {
      choices.hints = input.value as Hints;
      asked = false;
      keepChoices(choices);
      show();
    });
  }
  for (const input of document.querySelectorAll<HTMLInputElement>('input[name="dice"]')) {
    input.checked = (input.value === "entered") === choices.entered;
    input.addEventListener("change", () => {
      choices.entered = input.value === "entered";
      keepChoices(choices);
      if (play.isEntering(game)) change(play.undo(game));
      show();
    });
  }
  const risk = find<HTMLInputElement>("#risk");
  const showRisk = (): void => {
    const text = riskText(Number(risk.value));
    setText(find("#risk-text"), text);
    risk.setAttribute("aria-valuetext", text);
  };
  risk.value = `${Math.max(0, THETAS.indexOf(choices.theta))}`;
  if (!THETAS.includes(choices.theta)) risk.value = `${THETAS.indexOf((choices.theta = 0))}`;
  showRisk();
  risk.addEventListener("input", () => {
    choices.theta = THETAS[Number(risk.value)] ?? 0;
    keepChoices(choices);
    showRisk();
    show();
  });
  // After a click or a drag the keyboard belongs to the game again.
  risk.addEventListener("pointerup", () => risk.blur());
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

/** Do something that ends the game under way, if the player agrees. */
async function leaving(act: () => void): Promise<void> {
  if (!play.isFinished(game) && (game.turns.length || game.throws.length)) {
    const dialog = find<HTMLDialogElement>("#leave");
    dialog.returnValue = "stay";
    dialog.showModal();
    await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
    if (dialog.returnValue !== "leave") return;
  }
  act();
}

async function openFile(file: File): Promise<void> {
  const trouble = find("#file-trouble");
  setText(trouble, "");
  try {
    const opened = await readGame(file, rulesOf);
    await leaving(() => {
      begin(opened, []);
      window.scrollTo({ top: 0 });
    });
  } catch (error) {
    setText(trouble, `${file.name} cannot be opened. ${error instanceof Error ? error.message : ""}.`);
  }
}

function wireButtons(): void {
  const file = find<HTMLInputElement>("#file");
  onPress(find("#new"), () => void leaving(() => startAgain()));
  onPress(find("#save"), () => void saveGame(game));
  onPress(find("#load"), () => file.click());
  file.addEventListener("change", () => {
    const [chosen] = file.files ?? [];
    if (chosen) void openFile(chosen);
    file.value = "";
  });
  onPress(find("#theme"), switchTheme);
  onPress(find("#help"), () => find<HTMLDialogElement>("#help-text").showModal());
}

/** Keys belong to the game unless a control needs them. */
function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  const typing = target.matches("input:not([type=radio]), textarea, select");
  if (event.ctrlKey || event.metaKey || event.altKey || typing || document.querySelector("dialog[open]")) return;
  const key = event.key.toLowerCase();
  const onControl = target.matches("button, a, summary, input:not(:checked)");
  if (key === " " && onControl) return;
  const category = game.rules.categories[LETTERS.indexOf(key)]?.category;
  if (key === " ") roll();
  else if (key === "h") hint();
  else if (key === "z") undo();
  else if (key === "?") find<HTMLDialogElement>("#help-text").showModal();
  else if (key === "escape") adviceView.open(false);
  else if (key === "backspace") unenter();
  else if (/^[1-6]$/.test(key)) {
    if (play.isEntering(game)) enter(Number(key));
    else if (Number(key) <= game.rules.dice) pressDie(Number(key) - 1);
  } else if (key.length === 1 && category && !event.repeat) score(category);
  else return;
  event.preventDefault();
}

/** The games of this server, and the rules of this one as it tells them; a page that is new plays the server's own. */
async function meetServer(): Promise<void> {
  const told = await askGames().catch(() => null);
  if (!told) return;
  gamesView.tell(told);
  const isNew = !game.turns.length && !game.throws.length && game.rules.rules === SCANDINAVIAN.rules;
  const before = game.rules.rules;
  const rules = await askRules(isNew ? told.rules : before).catch(() => null);
  // The player may have chosen another game meanwhile: that one stays.
  if (rules && before === game.rules.rules) {
    if (rules.rules === before) game = { ...game, rules };
    else if (!game.turns.length && !game.throws.length) game = play.newGame(rules, seedAsked);
  }
  show();
}

/** The rules in two sentences, for the help. */
function sayHow({ dice, rerolls, categories, bonus, bonus_threshold: needed }: Rules): string {
  const more = bonus ? `; ${needed} points in the upper section bring ${bonus} more` : "";
  return (
    `Throw ${dice} dice, hold what you like, and throw the others up to ${rerolls} times again. ` +
    `Then write the result into an open box. There are ${categories.length} boxes and as many turns${more}.`
  );
}

function start(): void {
  const kept = recallGame();
  const wanted = kept && (seedAsked === null || choices.entered || kept.game.about.seed === seedAsked);
  if (kept && wanted) begin(kept.game, kept.outlooks);
  else startAgain(SCANDINAVIAN);
  wireChoices();
  wireButtons();
  tellSetAside(find("#file-trouble"));
  document.addEventListener("keydown", onKey);
  window.addEventListener("online", () => {
    failures.clear();
    show();
  });
  void meetServer();
}

start();
keepSite(false);
