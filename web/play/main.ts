/**
 * The coach's page. All of it happens here: dice, scores and the log are the page's own, and the coach is an engine in
 * a worker that solves the game itself (`coach`).
 */
import { remember } from "../look/settings";
import { keepSite } from "../offline/page";
import { createActs, type Acts } from "./acts";
import { createAdvice, type AdviceView } from "./advice";
import { createCard, type CardView } from "./card";
import * as coach from "./coach";
import { chooseGame, wireButtons, wireChoices, wireKeys, wireLanguage } from "./controls";
import { choices, desk, seedAsked } from "./desk";
import { el, find, setText } from "./dom";
import { tellSetAside } from "./files";
import * as play from "./game";
import { createGames, type GamesView } from "./games";
import { address, speak, t } from "./language";
import { createOutlook, type OutlookView } from "./outlook";
import { createReview, showScore, type ReviewView } from "./review";
import { rulesOf, SCANDINAVIAN, type Rules } from "./rules";
import { recallGame } from "./store";
import { createTable, enterText, type TableView } from "./table";
import { labelOf, parseAction, scoringOf } from "./words";
import "./play.css";

let acts: Acts;
let cardView: CardView;
let tableView: TableView;
let gamesView: GamesView;
let adviceView: AdviceView;
let outlookView: OutlookView;
let reviewView: ReviewView;

/** What the hint keeps, place by place; null if it is a box, or not there. */
function hinted(): boolean[] | null {
  const hint = coach.hintNow();
  const best = hint.kind === "told" ? hint.advice.actions[0] : undefined;
  return best?.keep ? advised(best.keep) : null;
}

/** Views say something from the start: the language has to be there. */
function createViews(): void {
  acts = createActs({
    show,
    tumble: (places) => tableView.tumble(places),
    openAdvice: () => adviceView.open(),
  });
  cardView = createCard(acts.score);
  tableView = createTable(acts);
  gamesView = createGames((name) => void chooseGame(name, acts).then(() => gamesView.show(desk.game.rules)));
  adviceView = createAdvice(
    () => acts.follow(hinted()),
    (keep) => acts.follow(advised(keep)),
  );
  outlookView = createOutlook();
  reviewView = createReview(() => void coach.review(reviewView));
}

function show(): void {
  const { game } = desk;
  const hint = coach.hintNow();
  const best = hint.kind === "told" ? (hint.advice.actions[0] ?? null) : null;
  const finished = play.isFinished(game);
  coach.solve();
  coach.gatherOutlooks();
  document.documentElement.dataset["view"] = finished ? "review" : "play";
  // For early.js: the next visit has the right parts before this script runs.
  remember("view", finished ? "review" : "play");
  gamesView.show(game.rules);
  showHelp(game.rules);
  cardView.show(game, best?.category ?? null);
  tableView.show(game, choices.entered, desk.place, best ? advised(parseAction(best.action).keep) : []);
  adviceView.show(game, hint, choices.entered ? enterText(game) : "");
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
    showScore(play.scoreOf(game));
    void coach.review(reviewView);
  }
  coach.lookAhead();
}

/** Which dice make up the keep: those that are held already come first. */
function advised(keep: readonly number[] | null): boolean[] {
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

let helped = "";

/** The rules in a few sentences, and what every box scores. */
function showHelp(rules: Rules): void {
  if (helped === rules.rules) return;
  helped = rules.rules;
  const { dice, rerolls, categories, bonus, bonus_threshold: needed } = rules;
  const switches = rules.switches.map((one) => `${t.switches[one as keyof typeof t.switches]}.`);
  const how = [t.help.how(dice, rerolls, categories.length), ...(bonus ? [t.help.bonus(needed, bonus)] : [])];
  setText(find("#how"), [...how, ...switches].join(" "));
  find("#box-scores").replaceChildren(
    ...categories.flatMap((one) => [
      el("dt", {}, labelOf(rules, one.category)),
      el("dd", {}, scoringOf(rules, one)),
    ]),
  );
}

/** The game that was kept; or a new one, of the game in the address (`?rules=yahtzee`) if there is one. */
async function start(): Promise<void> {
  await speak();
  keepSite(false, t.offer, [address]);
  createViews();
  coach.startCoach(show);
  const kept = await recallGame();
  // First, because it puts right what cannot be chosen.
  wireChoices(show);
  wireLanguage();
  const wanted = kept && (seedAsked === null || choices.entered || kept.game.about.seed === seedAsked);
  const named = new URLSearchParams(location.search).get("rules");
  const fits = kept && (!named || kept.game.rules.rules === named || !play.isNew(kept.game));
  if (kept && wanted && fits) acts.begin(kept.game, kept.outlooks);
  else acts.startAgain(named ? await rulesOf(named).catch(() => SCANDINAVIAN) : SCANDINAVIAN);
  wireButtons(acts);
  wireKeys(acts, () => adviceView.open(false));
  tellSetAside(find("#file-trouble"));
  document.documentElement.dataset["ready"] = "";
  window.addEventListener("online", () => {
    coach.forgetFailures();
    show();
  });
}

void start();
