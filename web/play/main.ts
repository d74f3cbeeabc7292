/**
 * The coach's page. All of it happens here: dice, scores and the log are the page's own, and the coach is an engine in
 * a worker that solves the game itself (`coach`).
 */
import { createActions, type Actions } from "./actions";
import * as coach from "./coach";
import type { Hint } from "./coach";
import {
  chooseDice,
  chooseGame,
  confirmLeaving,
  openLink,
  openTable,
  showSetAside,
  wireButtons,
  wireChoices,
  wireKeys,
  wireLanguage,
} from "./controls";
import type { Move, Player } from "../engine/types";
import * as play from "./game/game";
import { SCANDINAVIAN, rulesOf } from "./game/rules";
import { isFresh, isOver, seatPlayers, type Table } from "./game/table";
import { address, loadLanguage, t } from "./language";
import { canSend, createChallenges, type Challenges } from "./learn/challenge";
import { createDrill, type Drill } from "./learn/drill";
import { createEnd } from "./learn/end";
import { createPaper } from "./learn/paper";
import { addToDeck, createPractice, mistakesOf, mistakesRound } from "./learn/practice";
import { createProfile } from "./learn/profile";
import { createReview } from "./learn/review";
import { createStatistics, lossesIn, recordGames } from "./learn/statistics";
import { createSteps, type Steps } from "./learn/steps";
import { remember } from "../look/settings";
import { keepSite } from "../offline/page";
import { choices, isNewcomer, session, usesRealDice, isScorepad, seedInAddress, save } from "./session";
import { keepChoices, recallTable } from "./storage/browser";
import { createAdvice, type AdviceView } from "./view/advice";
import { askPoints, celebrate, createCard, type CardView } from "./view/card";
import { alikeText, createDiceView, realDiceText, type DiceView } from "./view/dice";
import { find, onPress, showLesson } from "./view/dom";
import { createGameChoice, showHelp, type GameChoice } from "./view/game-choice";
import { createOutlook, type OutlookView } from "./view/outlook";
import { createPlayers, type NewGame, type PlayersView } from "./view/players";
import { createWarning } from "./view/warning";
import { createSetup } from "./view/setup";
import "./play.css";

let actions: Actions;
let cardView: CardView;
let tableView: DiceView;
let gamesView: GameChoice;
let adviceView: AdviceView;
let outlookView: OutlookView;
let showReview: (isOpen: boolean) => void;
let showEnd: (table: Table) => void;
/** The game of a table whose reviews are open. */
let opened: unknown = null;
let playersView: PlayersView;
let steps: Steps;
let drill: Drill;
let challenges: Challenges;

/** What the hint says, if it is there. */
function hinted(): Move | undefined {
  const hint = coach.currentHint();
  return hint.kind === "told" ? hint.advice.actions[0]?.action : undefined;
}

/** Views say something from the start: the language has to be there. */
function createViews(): void {
  const showWarning = createWarning();
  actions = createActions({
    show,
    tumble: (places) => tableView.tumble(places),
    openAdvice: () => adviceView.open(),
    askPoints: (box, from) =>
      askPoints(session.game.rules, box, from, (points) => actions.scorePoints(box, points)),
    warn: (warning, goOn) => showWarning(session.game.rules, warning, goOn),
    celebrate,
    // Where nothing can be kept, the game is not counted.
    finished: (table) => {
      void recordGames(table).catch(() => undefined);
      void challenges.finished(table);
    },
    answer: (action) => drill.answer(action),
  });
  cardView = createCard(actions.score);
  tableView = createDiceView(actions);
  gamesView = createGameChoice(
    (name) =>
      void chooseGame(name, (rules) => confirmLeaving(() => actions.startAgain(rules))).then(() =>
        gamesView.show(session.game.rules),
      ),
  );
  adviceView = createAdvice(
    () => actions.followHint(hinted()),
    (keep) => actions.followHint({ keep }),
  );
  const setUp = createSetup(
    (table) =>
      void confirmLeaving(() => {
        // The dice of a paper card are real ones.
        if (!usesRealDice()) chooseDice("entered");
        actions.begin(table);
        window.scrollTo({ top: 0 });
      }),
  );
  const begin = ({ players, rules, dice }: NewGame): void =>
    void confirmLeaving(() => {
      if (dice !== choices.dice) chooseDice(dice);
      actions.startAgain(rules, players);
      window.scrollTo({ top: 0 });
    });
  const hooks = {
    begin,
    setUp: ({ players, rules }: NewGame) => setUp(rules, seatPlayers(rules, players, null)),
    lossesIn,
  };
  playersView = createPlayers(hooks, openReview);
  onPress(find("#new"), () => askStart());
  onPress(find("#setup-open"), () => setUp(session.game.rules, session.table));
  outlookView = createOutlook(choices.target !== null || choices.theta !== 0);
  const back = (): void => {
    session.leaveVisit();
    showLesson();
    show();
  };
  steps = createSteps(show, back, (table) => {
    showLesson();
    actions.begin(table);
  });
  drill = createDrill(show, back);
  challenges = createChallenges(actions.begin);
  createPractice(drill, challenges);
  const numbers = createStatistics(
    coach.perfectScores,
    () => profile.show(),
    (round) => {
      numbers.close();
      void drill.start(round);
    },
    (table) => void openTable(table, t.leave.file, actions),
  );
  const profile = createProfile(drill, numbers.open, numbers.close);
  createPaper();
  showEnd = createEnd(openReview);
  showReview = createReview({
    step: (game, found, i) => steps.at(game, found, i),
    practise: addToDeck,
    guess: (game, found, left) => void drill.start(mistakesRound(game, found, left)),
    mistakes: (found) => mistakesOf(found).length,
  });
}

const gameNow = (): unknown => session.table.seats[0]?.game.turns;

/** The review of somebody at the table, when all cards are full. */
function openReview(seat: number): void {
  if (!isOver(session.table)) return;
  opened = gameNow();
  actions.showCard(seat);
  const heading = find("#review-of");
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: "start" });
}

const askStart = (isFirst = false): void =>
  playersView.ask({ players: session.table.seats, rules: session.game.rules, dice: choices.dice, isFirst });

function show(): void {
  const hint: Hint =
    session.mode === "play" && session.seat.kind === "person" ? coach.currentHint() : { kind: "off" };
  const best = hint.kind === "told" ? hint.advice.actions[0]?.action : null;
  if (hint.kind === "told" && !session.game.about.hints) {
    session.game = play.withHints(session.game);
    save();
  }
  const { game } = session;
  const finished = play.isFinished(game);
  coach.solve();
  coach.watch();
  coach.collectOutlooks();
  const view = finished ? "review" : "play";
  document.documentElement.dataset["view"] = session.mode === "play" ? view : session.mode;
  // For early.js: the next visit has the right parts before this script runs.
  if (session.mode === "play") remember("view", view);
  document.documentElement.dataset["dice"] =
    session.mode === "play" && !session.challenge ? choices.dice : "random";
  document.documentElement.toggleAttribute("data-alone", coach.whyNoCoach() !== null);
  document.documentElement.toggleAttribute("data-saves", game.rules.saves_throws);
  playersView.show(session.table, coach.winningChances());
  gamesView.show(game.rules);
  showHelp(game.rules);
  cardView.show(game, best?.score ?? null, isScorepad() && session.mode === "play");
  tableView.show({
    game,
    entered: usesRealDice() && session.mode === "play",
    pad: isScorepad() && session.mode === "play",
    place: session.place,
    advised: best?.keep ? play.placesOf(game, best.keep) : [],
    canUndo: actions.canUndo(),
    asking: session.mode === "drill",
    playing:
      session.seat.kind === "person" || finished || session.stuck ? null : t.table.playing(session.seat.name),
    stuck: session.stuck,
  });
  adviceView.show(game, hint, noteNow());
  outlookView.show({
    outlooks: session.outlooks,
    ...coach.currentOutlook(),
    turns: game.turns.length,
    allTurns: game.rules.categories.length,
    score: finished ? play.scoreOf(game) : null,
    target: session.isShared ? null : choices.target,
    chance: coach.currentChance(),
    solver: coach.solverStatus(),
  });
  find("#beat").hidden = !canSend(game);
  if (finished) {
    showEnd(session.table);
    showReview(!session.isShared || opened === gameNow());
  }
  coach.scheduleOutlook();
}

/** What to do next, for those who enter dice, and for everybody in the first turn. */
function noteNow(): string {
  const { game, mode } = session;
  if (mode !== "play" || isScorepad()) return "";
  const alike = alikeText(game);
  if (alike || session.seat.kind !== "person") return alike;
  if (usesRealDice()) return realDiceText(game);
  if (session.challenge && !game.turns.length && !game.throws.length) return t.same.note;
  return !game.turns.length && play.rerollsLeft(game) > 0 && game.throws.length ? t.dice.first : "";
}

const ALONE: Player = { name: "", kind: "person" };

/** The game that was kept; or a new one, of the game in the address (`?rules=yahtzee`) if there is one. */
async function start(): Promise<void> {
  await loadLanguage();
  keepSite(false, t.offer, [address]);
  createViews();
  coach.onCoachChange(show);
  const kept = await recallTable();
  // First, because it puts right what cannot be chosen.
  wireChoices(show);
  wireLanguage();
  const [first] = kept?.seats ?? [];
  const wanted = seedInAddress === null || usesRealDice() || first?.game.about.seed === seedInAddress;
  const named = new URLSearchParams(location.search).get("rules");
  const fits = kept && (!named || first?.game.rules.rules === named || !isFresh(kept));
  if (kept && wanted && fits) actions.begin(kept);
  else actions.startAgain(named ? await rulesOf(named).catch(() => SCANDINAVIAN) : SCANDINAVIAN, [ALONE]);
  wireButtons(actions);
  const isInvited = location.hash !== "" || seedInAddress !== null;
  const openAddress = (): Promise<void> => challenges.open(location.hash) ?? openLink(actions);
  await openAddress();
  if (isNewcomer && !kept && !isInvited) {
    askStart(true);
    // Asked once: whoever comes back finds the game.
    find("#seating").addEventListener("close", () => keepChoices(choices), { once: true });
  }
  window.addEventListener("hashchange", () => void openAddress());
  wireKeys(
    actions,
    () => adviceView.open(false),
    (by) => steps.move(by),
  );
  showSetAside(find("#file-trouble"));
  document.documentElement.dataset["ready"] = "";
  window.addEventListener("online", () => {
    coach.forgetFailures();
    show();
  });
}

void start();
