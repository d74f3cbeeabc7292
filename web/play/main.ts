/**
 * The coach's page. All of it happens here: dice, scores and the log are the page's own, and the coach is an engine in
 * a worker that solves the game itself (`coach`).
 */
import { remember } from "../look/settings";
import { keepSite } from "../offline/page";
import { createActs } from "./acts";
import { createAdvice } from "./advice";
import { createCard } from "./card";
import * as coach from "./coach";
import { chooseGame, wireButtons, wireChoices, wireKeys } from "./controls";
import { choices, desk, seedAsked } from "./desk";
import { find, setText } from "./dom";
import { tellSetAside } from "./files";
import * as play from "./game";
import { createGames } from "./games";
import { createOutlook } from "./outlook";
import { createReview } from "./review";
import { rulesOf, SCANDINAVIAN, type Rules } from "./rules";
import { recallGame } from "./store";
import { createTable } from "./table";
import { parseAction } from "./words";
import "./play.css";

const acts = createActs({
  show,
  tumble: (places) => tableView.tumble(places),
  openAdvice: () => adviceView.open(),
});
const cardView = createCard(acts.score);
const tableView = createTable(acts);
const gamesView = createGames((name) => void chooseGame(name, acts).then(() => gamesView.show(desk.game.rules)));
const adviceView = createAdvice(acts.hint);
const outlookView = createOutlook();
const reviewView = createReview(() => void coach.review(reviewView));

function show(): void {
  const { game } = desk;
  const hinted = coach.hintNow();
  const best = hinted.kind === "told" ? (hinted.advice.actions[0] ?? null) : null;
  const finished = play.isFinished(game);
  coach.solve();
  coach.gatherOutlooks();
  document.documentElement.dataset["view"] = finished ? "review" : "play";
  // For early.js: the next visit has the right parts before this script runs.
  remember("view", finished ? "review" : "play");
  gamesView.show(game.rules);
  setText(find("#how"), sayHow(game.rules));
  cardView.show(game, best?.category ?? null);
  tableView.show(game, choices.entered, desk.place, best ? advised(parseAction(best.action).keep) : []);
  adviceView.show(game, hinted);
  outlookView.show({
    outlooks: desk.outlooks,
    ...coach.outlookNow(),
    turns: game.turns.length,
    allTurns: game.rules.categories.length,
    score: finished ? play.scoreOf(game) : null,
    target: choices.target,
    chance: coach.chanceNow(),
    solver: coach.solverSays(),
  });
  if (finished && !coach.isReviewed()) {
    setText(find("#review-score"), `${play.scoreOf(game)}`);
    setText(find("#verdict"), "");
    void coach.review(reviewView);
  }
  coach.lookAhead();
}

/** Which dice make up the keep: those that are held already come first. */
function advised(keep: number[] | null): boolean[] {
  const last = play.lastThrow(desk.game);
  const left = [...(keep ?? [])];
  const chosen = new Array<boolean>(desk.game.rules.dice).fill(false);
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

/** The rules in two sentences, for the help. */
function sayHow({ dice, rerolls, categories, bonus, bonus_threshold: needed }: Rules): string {
  const more = bonus ? `; ${needed} points in the upper section bring ${bonus} more` : "";
  return (
    `Throw ${dice} dice, hold what you like, and throw the others up to ${rerolls} times again. ` +
    `Then write the result into an open box. There are ${categories.length} boxes and as many turns${more}.`
  );
}

/** The game that was kept; or a new one, of the game in the address (`?rules=yahtzee`) if there is one. */
async function start(): Promise<void> {
  coach.startCoach(show);
  const kept = await recallGame();
  // First, because it puts right what cannot be chosen.
  wireChoices(show);
  const wanted = kept && (seedAsked === null || choices.entered || kept.game.about.seed === seedAsked);
  const named = new URLSearchParams(location.search).get("rules");
  const fits = kept && (!named || kept.game.rules.rules === named || !play.isNew(kept.game));
  if (kept && wanted && fits) acts.begin(kept.game, kept.outlooks);
  else acts.startAgain(named ? await rulesOf(named).catch(() => SCANDINAVIAN) : SCANDINAVIAN);
  wireButtons(acts);
  wireKeys(acts, () => adviceView.open(false));
  tellSetAside(find("#file-trouble"));
  window.addEventListener("online", () => {
    coach.forgetFailures();
    show();
  });
}

void start();
keepSite(false);
