/**
 * The coach's page. All of it happens here: dice, scores and the log are the page's own, and the coach is an engine in
 * a worker that solves the game itself (`coach`).
 */
import { createActs, type Acts } from "./actions";
import * as coach from "./coach";
import type { Hint } from "./coach";
import {
  chooseGame,
  leaving,
  openLink,
  tellSetAside,
  wireButtons,
  wireChoices,
  wireKeys,
  wireLanguage,
} from "./controls";
import type { Player } from "../engine/types";
import * as play from "./game/game";
import { SCANDINAVIAN, rulesOf } from "./game/rules";
import { isFresh } from "./game/table";
import { address, speak, t } from "./language";
import { createDrill, type Drill } from "./learn/drill";
import { createPaper } from "./learn/paper";
import { addToDeck, createPractice } from "./learn/practice";
import { createProfile } from "./learn/profile";
import { createReview } from "./learn/review";
import { createNumbers, recordGames } from "./learn/statistics";
import { createSteps, type Steps } from "./learn/steps";
import { remember } from "../look/settings";
import { keepSite } from "../offline/page";
import { choices, desk, isEntered, isPad, seedAsked } from "./session";
import { recallTable } from "./storage/browser";
import { createAdvice, type AdviceView } from "./view/advice";
import { askPoints, celebrate, createCard, type CardView } from "./view/card";
import { createTable, enterText, type TableView } from "./view/dice";
import { find, onPress, showLesson } from "./view/dom";
import { createGames, showHelp, type GamesView } from "./view/game-choice";
import { createOutlook, type OutlookView } from "./view/outlook";
import { createPlayers, type PlayersView } from "./view/players";
import "./play.css";

let acts: Acts;
let cardView: CardView;
let tableView: TableView;
let gamesView: GamesView;
let adviceView: AdviceView;
let outlookView: OutlookView;
let showReview: () => void;
let playersView: PlayersView;
let steps: Steps;
let drill: Drill;

/** The dice that the hint keeps; null if it is a box, or not there. */
function hinted(): readonly number[] | null {
  const hint = coach.hintNow();
  return hint.kind === "told" ? (hint.advice.actions[0]?.action.keep ?? null) : null;
}

/** Views say something from the start: the language has to be there. */
function createViews(): void {
  acts = createActs({
    show,
    tumble: (places) => tableView.tumble(places),
    openAdvice: () => adviceView.open(),
    askPoints: (box, from) => askPoints(desk.game.rules, box, from, (points) => acts.write(box, points)),
    celebrate,
    // Where nothing can be kept, the game is not counted.
    finished: (table) => void recordGames(table).catch(() => undefined),
    answer: (action) => drill.answer(action),
  });
  cardView = createCard(acts.score);
  tableView = createTable(acts);
  gamesView = createGames((name) => void chooseGame(name, acts).then(() => gamesView.show(desk.game.rules)));
  adviceView = createAdvice(
    () => acts.follow(hinted()),
    (keep) => acts.follow(keep),
  );
  playersView = createPlayers(
    (players) =>
      void leaving(() => {
        acts.startAgain(desk.game.rules, players);
        window.scrollTo({ top: 0 });
      }),
    acts.look,
  );
  onPress(find("#seat"), () => playersView.ask(desk.game.rules, desk.table.seats));
  outlookView = createOutlook();
  const back = (): void => {
    desk.comeBack();
    showLesson();
    show();
  };
  steps = createSteps(show, back, (table) => {
    showLesson();
    acts.begin(table);
  });
  drill = createDrill(show, back);
  createPractice(drill);
  const numbers = createNumbers(coach.perfectScores, () => profile.show());
  const profile = createProfile(drill, numbers.open, numbers.close);
  createPaper();
  showReview = createReview({
    step: (game, found, i) => steps.at(game, found, i),
    practise: addToDeck,
  });
}

function show(): void {
  const { game } = desk;
  const hint: Hint = desk.mode === "play" ? coach.hintNow() : { kind: "off" };
  const best = hint.kind === "told" ? hint.advice.actions[0]?.action : null;
  const finished = play.isFinished(game);
  coach.solve();
  coach.gatherOutlooks();
  const view = finished ? "review" : "play";
  document.documentElement.dataset["view"] = desk.mode === "play" ? view : desk.mode;
  // For early.js: the next visit has the right parts before this script runs.
  if (desk.mode === "play") remember("view", view);
  document.documentElement.dataset["dice"] = desk.mode === "play" ? choices.dice : "random";
  document.documentElement.toggleAttribute("data-alone", coach.noCoach() !== null);
  document.documentElement.toggleAttribute("data-saves", game.rules.saves_throws);
  playersView.show(desk.table, coach.oddsNow());
  gamesView.show(game.rules);
  showHelp(game.rules);
  cardView.show(game, best?.score ?? null, isPad() && desk.mode === "play");
  tableView.show({
    game,
    entered: isEntered() && desk.mode === "play",
    pad: isPad() && desk.mode === "play",
    place: desk.place,
    advised: best?.keep ? play.placesOf(game, best.keep) : [],
    canUndo: acts.canUndo(),
    asking: desk.mode === "drill",
    playing: desk.seat.kind === "person" || finished || desk.stuck ? null : t.table.playing(desk.seat.name),
    stuck: desk.stuck,
  });
  adviceView.show(game, hint, noteNow());
  outlookView.show({
    outlooks: desk.outlooks,
    ...coach.outlookNow(),
    turns: game.turns.length,
    allTurns: game.rules.categories.length,
    score: finished ? play.scoreOf(game) : null,
    target: desk.isShared ? null : choices.target,
    chance: coach.chanceNow(),
    solver: coach.solverSays(),
  });
  if (finished) showReview();
  coach.lookAhead();
}

/** What to do next, for those who enter dice, and for everybody in the first turn. */
function noteNow(): string {
  const { game, mode } = desk;
  if (mode !== "play" || isPad()) return "";
  if (isEntered()) return enterText(game);
  return !game.turns.length && play.rerollsLeft(game) > 0 && game.throws.length ? t.dice.first : "";
}

const ALONE: Player = { name: "", kind: "person" };

/** The game that was kept; or a new one, of the game in the address (`?rules=yahtzee`) if there is one. */
async function start(): Promise<void> {
  await speak();
  keepSite(false, t.offer, [address]);
  createViews();
  coach.startCoach(show);
  const kept = await recallTable();
  // First, because it puts right what cannot be chosen.
  wireChoices(show);
  wireLanguage();
  const [first] = kept?.seats ?? [];
  const wanted = seedAsked === null || isEntered() || first?.game.about.seed === seedAsked;
  const named = new URLSearchParams(location.search).get("rules");
  const fits = kept && (!named || first?.game.rules.rules === named || !isFresh(kept));
  if (kept && wanted && fits) acts.begin(kept);
  else acts.startAgain(named ? await rulesOf(named).catch(() => SCANDINAVIAN) : SCANDINAVIAN, [ALONE]);
  wireButtons(acts);
  await openLink(acts);
  window.addEventListener("hashchange", () => void openLink(acts));
  wireKeys(
    acts,
    () => adviceView.open(false),
    (by) => steps.move(by),
  );
  tellSetAside(find("#file-trouble"));
  document.documentElement.dataset["ready"] = "";
  window.addEventListener("online", () => {
    coach.forgetFailures();
    show();
  });
}

void start();
