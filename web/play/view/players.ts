/** Everybody at the table: a strip with scores and chances, all cards side by side, and who is to play. */
import { el, find, onPress, setText, tableOf } from "./dom";
import type { OpponentKind, Player, PlayerKind } from "../../engine/types";
import { boxesOf, cardOf, extraOf, scoreOf } from "../game/game";
import { OPPONENTS, canPlay, isOpponent, knownMeans, limitOf, meanOf, opponentFor } from "../game/opponents";
import { GAMES, hasExtra, rulesOf, type Rules } from "../game/rules";
import { MAX_NAME_LENGTH, MAX_SEATS, isOver, winners, type Table } from "../game/table";
import type { WinningChances } from "../coach";
import { baseGame, fixed, labelOf, percents, t, titleOf, whole } from "../language";
import type { Dice } from "../storage/browser";

export interface PlayersView {
  /** `winning` are the chances by seat, where they are known. */
  show: (table: Table, winning: WinningChances | null) => void;
  /** Ask who plays, with which dice and which game: at first what is given. */
  ask: (asked: NewGame & { isFirst?: boolean }) => void;
}

/** What may be chosen for a new game; set up, it goes on from paper cards. */
export interface NewGame {
  players: readonly Player[];
  rules: Rules;
  dice: Dice;
}

/** What decisions lose per game, where perfect play makes `start`. */
export interface Losses {
  lost: number;
  start: number;
}

/** What the dialog needs: a game to begin or to set up, and what the player's decisions lose per game by rules, if known. */
interface SeatingHooks {
  begin: (chosen: NewGame) => void;
  setUp: (chosen: NewGame) => void;
  lossesIn: (rules: Rules) => Promise<Losses | null>;
}

/** `look`: the card of a seat is to be shown. */
export function createPlayers(hooks: SeatingHooks, look: (seat: number) => void): PlayersView {
  const strip = find("#players");
  const pad = find("#pad");
  const seating = createSeating(hooks);
  return {
    show: (table, winning) => {
      const shared = table.seats.length > 1;
      strip.hidden = pad.hidden = !shared;
      document.documentElement.toggleAttribute("data-shared", shared);
      if (!shared) return;
      const first = isOver(table) ? winners(table) : [];
      const odds = winning && !first.length ? oddsTexts(winning) : [];
      strip.replaceChildren(
        ...table.seats.map((seat, i) => {
          const says = first.includes(seat) ? t.table.won : (odds[i] ?? "");
          const button = el(
            "button",
            { type: "button", class: "player", "aria-current": `${i === table.now}`, "data-kind": seat.kind },
            el("span", { class: "name" }, seat.name),
            el("b", {}, whole(scoreOf(seat.game))),
            el("span", { class: "odds" }, says),
            el("span", { class: "given" }, odds.length ? t.table.perfect : ""),
          );
          button.setAttribute("aria-disabled", `${!isOver(table)}`);
          onPress(button, () => look(i));
          return button;
        }),
      );
      setText(find("#pad-title"), title(table));
      setText(find("#pad-note"), winning && !isOver(table) ? t.table.chances : "");
      find("#pad-cards").replaceChildren(cardsOf(table, table.now));
    },
    ask: seating,
  };
}

/** Dots say that the last throw is still being counted in. */
const oddsTexts = ({ chances, stale }: WinningChances): string[] =>
  percents(chances).map((one) => one + (stale ? " …" : ""));

function title(table: Table): string {
  if (!isOver(table)) return t.table.turnOf(table.seats[table.now]?.name ?? "");
  const first = winners(table).map(({ name }) => name);
  return first.length === 1 ? t.table.winner(first[0] ?? "") : t.table.tied(first.join(", "));
}

/** A column for everybody; that of seat `now` is marked. */
export function cardsOf({ seats }: Pick<Table, "seats">, now: number): HTMLElement {
  const [rules] = seats.map(({ game }) => game.rules);
  if (!rules) return el("table");
  const filled = seats.map(({ game }) => boxesOf(game));
  const row = (name: string, points: (i: number) => number | undefined, style = ""): HTMLElement =>
    el(
      "tr",
      style ? { class: style } : {},
      el("th", { scope: "row" }, name),
      ...seats.map((_, i) => el("td", i === now ? { class: "now" } : {}, `${points(i) ?? ""}`)),
    );
  const bonus = (i: number): number | undefined => {
    const { upper } = cardOf(seats[i]?.game as (typeof seats)[number]["game"]);
    return upper >= rules.bonus_threshold ? rules.bonus : undefined;
  };
  const boxes = (upper: boolean): HTMLElement[] =>
    rules.categories.flatMap((one, box) =>
      one.upper === upper ? row(labelOf(rules, box), (i) => filled[i]?.get(box)) : [],
    );
  return tableOf(
    [t.review.box, ...seats.map(({ name }) => name)],
    ...boxes(true),
    ...(rules.bonus ? [row(t.card.bonus, bonus, "sum")] : []),
    ...boxes(false),
    ...(hasExtra(rules) ? [row(t.card.extra, (i) => extraOf(seats[i]?.game as never) || undefined, "sum")] : []),
    row(t.card.total, (i) => scoreOf(seats[i]?.game as never), "sum"),
  );
}

/** The dialog before a game: who plays, with which dice, and which game. */
function createSeating({ begin, setUp, lossesIn }: SeatingHooks): PlayersView["ask"] {
  const dialog = find<HTMLDialogElement>("#seating");
  const list = find("#seats");
  const add = find<HTMLButtonElement>("#add-seat");
  const game = find<HTMLSelectElement>("#new-rules");
  const trouble = find("#new-trouble");
  const diceInputs = [...document.querySelectorAll<HTMLInputElement>('input[name="new-dice"]')];
  let rules: Rules;
  /** Until the rules of the game that was chosen are there. */
  let coming = Promise.resolve();
  let kinds: [PlayerKind, string][] = [];
  let players: Player[] = [];

  const read = (): void => {
    const [names, chosen] = [list.querySelectorAll("input"), list.querySelectorAll("select")];
    players = [...names].map((input, i) => ({
      name: input.value,
      kind: (chosen[i]?.value ?? "person") as PlayerKind,
    }));
  };
  const draw = (): void => {
    const fields = (): HTMLElement[] => [...list.querySelectorAll<HTMLElement>("input, select")];
    const at = fields().indexOf(document.activeElement as HTMLElement);
    list.replaceChildren(...players.map((one, i) => seatRow(one, i)));
    fields()[at]?.focus();
    add.hidden = players.length >= MAX_SEATS;
    const most = Math.max(0, ...players.map(({ kind }) => limitOf(kind) ?? 0));
    find("#about-levels").hidden = !most;
    setText(find("#about-levels"), t.table.aboutLevels(t.number.points(fixed(most, most % 1 ? 1 : 0), most)));
  };
  const seatRow = (one: Player, i: number): HTMLElement => {
    const label = t.table.player(i + 1);
    const name = el("input", {
      type: "text",
      maxlength: `${MAX_NAME_LENGTH}`,
      placeholder: label,
      "aria-label": label,
    });
    name.value = one.name;
    // The first is a person, and a shadow has only one to follow.
    const some = kinds.filter(
      ([kind]) => kind === "person" || (i > 0 && (kind !== "shadow" || players.length === 2)),
    );
    const kind = el(
      "select",
      { "aria-label": t.table.kindOf(i + 1) },
      ...some.map(([value, says]) => el("option", { value }, says)),
    );
    kind.value = some.some(([value]) => value === one.kind) ? one.kind : "person";
    kind.hidden = some.length < 2;
    kind.addEventListener("change", () => {
      read();
      draw();
    });
    const remove = el("button", { type: "button", class: "icon", "aria-label": t.table.remove(i + 1) }, "×");
    remove.hidden = players.length < 2;
    onPress(remove, () => {
      read();
      players.splice(i, 1);
      draw();
    });
    return el("li", {}, name, kind, remove);
  };
  onPress(add, () => {
    read();
    players.push({ name: "", kind: "person" });
    draw();
    // On a phone the keyboard would cover what comes next; names may be left out.
    if (matchMedia("(pointer: fine)").matches)
      list.querySelector<HTMLInputElement>("li:last-child input")?.focus();
  });
  /** By these rules others may play. */
  const show = (next: Rules): void => {
    [rules, kinds] = [next, kindsOf(next, players, null)];
    draw();
    void lossesIn(next)
      .then((known) => {
        if (!known || !dialog.open || rules !== next) return;
        read();
        kinds = kindsOf(next, players, known);
        draw();
      })
      .catch(() => undefined);
  };
  game.addEventListener("change", () => {
    setText(trouble, "");
    const wanted = game.value;
    coming = rulesOf(wanted)
      .then((next) => {
        if (game.value !== wanted) return;
        read();
        show(next);
      })
      .catch((error: unknown) => {
        game.value = rules.rules;
        setText(trouble, error instanceof Error ? error.message : "");
      });
  });
  find("#seating form").addEventListener("submit", (event) => {
    const act = { start: begin, setup: setUp }[event.submitter?.getAttribute("value") ?? ""];
    const wanted = game.value;
    const dice = (diceInputs.find(({ checked }) => checked)?.value ?? "random") as Dice;
    read();
    void coming.then(() => {
      // Refused, it is asked again.
      if (act && wanted !== rules.rules) dialog.showModal();
      else act?.({ players: named(players), rules, dice });
    });
  });
  return ({ players: given, rules: played, dice, isFirst }) => {
    players = given.map(({ name, kind }) => ({ name, kind }));
    // The game that is played keeps its house rules.
    const names = GAMES.map((one) => (one.rules === baseGame(played.rules) ? played.rules : one.rules));
    game.replaceChildren(...names.map((value) => el("option", { value }, titleOf(value))));
    game.value = played.rules;
    for (const input of diceInputs) input.checked = input.value === dice;
    setText(find('#seating button[value="cancel"]'), isFirst ? t.table.skip : t.table.cancel);
    setText(trouble, "");
    dialog.showModal();
    show(played);
  };
}

/** Who may sit at a table, and what each is called: opponents by their level, with their exact mean where it is known. */
function kindsOf(rules: Rules, given: readonly Player[], mine: Losses | null): [PlayerKind, string][] {
  const known = knownMeans(rules, mine?.start);
  const said = (kind: OpponentKind): string => (known.exact ? fixed(meanOf(known, kind) ?? 0) : "");
  const alike = mine ? [opponentFor(known, mine.lost)] : [];
  // One who was as strong as somebody before keeps the seat.
  const seated = given.map(({ kind }) => kind).filter(isOpponent);
  const likeMe = [...new Set([...alike, ...seated.filter((kind) => !OPPONENTS.includes(kind))])];
  const all: [PlayerKind, string][] = [
    ["person", t.table.kinds.person],
    ...likeMe.map((kind): [PlayerKind, string] => [kind, t.table.likeMe(said(kind))]),
    ...OPPONENTS.filter((kind) => !likeMe.includes(kind)).map((kind): [PlayerKind, string] => [
      kind,
      t.table.opponent(kind.slice(-1), said(kind)),
    ]),
    ["perfect", t.table.kinds.perfect],
    ["shadow", t.table.kinds.shadow],
  ];
  return all.filter(([kind]) => kind === "person" || canPlay(rules, kind));
}

const kindName = (kind: Exclude<PlayerKind, "person">): string => {
  if (kind === "perfect" || kind === "shadow") return t.table.kinds[kind];
  return OPPONENTS.includes(kind) ? t.table.opponent(kind.slice(-1), "") : t.table.likeMe("");
};

/** Everybody at a shared table has a name, and no two the same. */
function named(players: readonly Player[]): Player[] {
  if (players.length === 1) return players.map(({ name }) => ({ name: name.trim(), kind: "person" }));
  const taken = new Set<string>();
  return players.map(({ name, kind }, i) => {
    const own = name.trim() || (kind === "person" ? t.table.player(i + 1) : kindName(kind));
    const found = taken.has(own) ? `${own.slice(0, MAX_NAME_LENGTH - 3)} ${i + 1}` : own.slice(0, MAX_NAME_LENGTH);
    taken.add(found);
    return { name: found, kind };
  });
}
