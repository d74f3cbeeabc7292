/** The dialog in which a position is copied from paper: typed, or tapped from what each box can hold. */
import type { Player } from "../../engine/types";
import { extrasOf, mostSaved, totalsOf } from "../../engine/start";
import {
  EMPTY_CARD,
  mostRerolls,
  positionOf,
  tableAt,
  turnsThatFit,
  upTo,
  wrongOn,
  type PaperCard,
  type Position,
} from "../game/position";
import { hasExtra, type Rules } from "../game/rules";
import { isFresh, isOver, type Table } from "../game/table";
import { labelOf, t, whole } from "../language";
import { die, type Face } from "../../look/dice";
import { el, find, onPress, plainButton, setText } from "./dom";

interface Field {
  input: HTMLInputElement;
  label: string;
  /** What it may hold; of the dice, faces, which come one after the other. */
  allowed: () => number[];
  isDice: boolean;
}

interface Trouble {
  /** Whose card, and which field of it. */
  card: number;
  input: HTMLInputElement | null;
  says: string;
}

/** `begin` is given the table at which the game goes on. */
export function createSetup(begin: (table: Table) => void): (rules: Rules, table: Table) => void {
  const dialog = find<HTMLDialogElement>("#setup");
  const [said, amounts, turn] = [
    find("#setup-said"),
    find("#setup-amounts"),
    find<HTMLSelectElement>("#setup-turn"),
  ];
  let rules: Rules;
  let players: readonly Player[] = [];
  let cards: PaperCard[] = [];
  /** Whose card is shown. */
  let shown = 0;
  let [dice, left] = ["", ""];
  let boxes: Field[] = [];
  let others: { extra: Field | null; saved: Field | null; dice: Field; left: Field };

  const card = (): PaperCard => cards[shown] ?? EMPTY_CARD;
  const change = (part: Partial<PaperCard>): void => {
    cards = cards.map((one, i) => (i === shown ? { ...one, ...part } : one));
  };
  const fields = (): Field[] => [...boxes, ...Object.values(others).filter((one) => one !== null)];
  const now = (): number => Number(turn.value || "-1");

  // What is typed.

  const field = (
    label: string,
    text: string,
    allowed: () => number[],
    put: (text: string) => void,
    isDice = false,
  ): Field => {
    // Fingers tap what is possible; on a desk digits are typed.
    const input = el("input", { type: "text", inputmode: "none", autocomplete: "off", "aria-label": label });
    input.value = text;
    const made = { input, label, allowed, isDice };
    input.addEventListener("focus", () => offer(made));
    input.addEventListener("input", () => {
      put(input.value.trim());
      look();
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      after(made).focus();
    });
    return made;
  };
  const row = ({ label, input }: Field): HTMLElement => el("label", {}, el("span", {}, label), input);
  const after = (one: Field): HTMLElement => {
    const all = fields();
    const rest = all.slice(all.indexOf(one) + 1);
    return (rest.find(({ input }) => !input.value) ?? rest[0])?.input ?? find("#setup-start");
  };

  const layOut = (): void => {
    const paper = card();
    boxes = rules.categories.map((_, box) =>
      field(
        labelOf(rules, box),
        pointsText(paper.boxes.get(box)),
        () => totalsOf(rules, box),
        (text) => {
          const next = new Map(card().boxes);
          if (text) next.set(box, numberOf(text));
          else next.delete(box);
          change({ boxes: next });
        },
      ),
    );
    const extra = hasExtra(rules)
      ? field(
          t.card.extra,
          paper.extra ? `${paper.extra}` : "",
          () => extrasOf(rules, card().boxes),
          (text) => change({ extra: text ? numberOf(text) : 0 }),
        )
      : null;
    const saved = rules.saves_throws
      ? field(
          t.setup.saved,
          paper.saved ? `${paper.saved}` : "",
          () => upTo(mostSaved(rules, card().boxes.size)),
          (text) => change({ saved: text ? numberOf(text) : 0 }),
        )
      : null;
    const faces = field(
      t.settings.dice,
      dice,
      () => upTo(rules.faces).slice(1),
      (text) => (dice = text.replace(/[\s,]/g, "")),
      true,
    );
    const rerolls = field(
      t.setup.left,
      left,
      () => upTo(mostRerolls(rules, cards[now()] ?? EMPTY_CARD)),
      (text) => (left = text),
    );
    others = { extra, saved, dice: faces, left: rerolls };
    const upper = boxes.filter((_, box) => rules.categories[box]?.upper);
    const lower = boxes.filter((_, box) => !rules.categories[box]?.upper);
    const beside = Object.values(others).filter((one) => one !== null);
    find("#setup-card").replaceChildren(
      el("div", {}, ...upper.map(row), ...beside.map(row)),
      el("div", {}, ...lower.map(row)),
    );
  };

  // What may be tapped.

  const offer = (one: Field): void => {
    amounts.setAttribute("aria-label", t.table.writeTitle(one.label));
    const put = (text: string): void => {
      one.input.value = text;
      one.input.dispatchEvent(new Event("input"));
      const isFull = !one.isDice || text.length === rules.dice;
      (text && isFull ? after(one) : one.input).focus();
      if (!text || !isFull) offer(one);
    };
    const isFull = one.isDice && one.input.value.length >= rules.dice;
    const chips = (isFull ? [] : one.allowed()).map((points) => {
      if (!one.isDice) return plainButton(`${points}`, () => put(`${points}`));
      const face = plainButton("", () => put(`${one.input.value}${points}`), {
        "aria-label": t.dice.itShows(points),
      });
      face.append(die(points as Face));
      return face;
    });
    const clear = one.input.value
      ? [plainButton("×", () => put(""), { "aria-label": t.setup.empty(one.label) })]
      : [];
    amounts.replaceChildren(...chips, ...clear);
    amounts.scrollTop = 0;
    look();
  };
  // The field keeps the focus while its points are tapped.
  amounts.addEventListener("pointerdown", (event) => event.preventDefault());

  // What is wrong.

  const troubles = (): Trouble[] => {
    const found: Trouble[] = cards.flatMap((one, i) => {
      const wrong = wrongOn(rules, one);
      if (!wrong) return [];
      if (wrong.field === "boxes") return { card: i, input: null, says: t.setup.order };
      const at = wrong.field === "box" ? boxes[wrong.box] : others[wrong.field];
      const says = at ? t.setup.possible(at.label, rangesOf(wrong.allowed)) : t.setup.order;
      return { card: i, input: at?.input ?? null, says };
    });
    const asked = (input: HTMLInputElement | null, says: string): void =>
      void found.push({ card: shown, input, says });
    if (!isPossibleThrow(rules, dice)) asked(others.dice.input, t.setup.dice(rules.dice, rules.faces));
    const most = mostRerolls(rules, cards[now()] ?? EMPTY_CARD);
    if (left && !upTo(most).includes(numberOf(left)))
      asked(others.left.input, t.setup.possible(t.setup.left, rangesOf(upTo(most))));
    if (found.length) return found;
    const filled = cards.map(({ boxes: written }) => written.size);
    if (!turnsThatFit(cards).length)
      asked(null, t.setup.rounds(players.map(({ name }, i) => `${name} ${filled[i]}`).join(", ")));
    else if (filled[now()] === rules.categories.length) asked(null, t.setup.full);
    return found;
  };

  /** Mark what is wrong, say so of the field in focus, and else what the card adds up to. */
  const look = (): void => {
    askTurn();
    const wrong = troubles();
    const active = document.activeElement;
    for (const { input, allowed, isDice } of fields()) {
      // What begins like something possible may still be typed.
      const isBegun =
        input === active && (isDice || allowed().some((one) => `${one}`.startsWith(input.value.trim())));
      const isWrong = !isBegun && wrong.some((one) => one.card === shown && one.input === input);
      input.setAttribute("aria-invalid", `${isWrong}`);
    }
    const marked = fields().find(({ input }) => input.getAttribute("aria-invalid") === "true");
    const trouble = wrong.find((one) => one.card === shown && one.input === marked?.input);
    say(marked && trouble ? trouble.says : sumText(rules, card()), !!marked);
  };
  const say = (text: string, isTrouble: boolean): void => {
    said.classList.toggle("trouble", isTrouble);
    setText(said, text);
  };

  const refuse = ({ input, says }: Trouble): void => {
    input?.focus();
    input?.setAttribute("aria-invalid", "true");
    say(says, true);
  };

  /** Those whose turn it may be. */
  const askTurn = (): void => {
    const fits = players.length > 1 ? turnsThatFit(cards) : [0];
    const options = fits.map((i) => el("option", { value: `${i}` }, players[i]?.name ?? ""));
    const chosen = now();
    const isSame = [...turn.options].map(({ value }) => value).join() === fits.join();
    if (isSame) return;
    turn.replaceChildren(...options);
    turn.value = `${fits.includes(chosen) ? chosen : (fits[0] ?? "")}`;
  };

  // Whose card.

  const choose = (i: number): void => {
    shown = i;
    layOut();
    (boxes.find(({ input }) => !input.value) ?? boxes[0])?.input.focus();
  };
  const showPlayers = (): void => {
    find("#setup-whose").hidden = find("#setup-turns").hidden = players.length < 2;
    find("#setup-players").replaceChildren(
      ...players.map(({ name }, i) => {
        const input = el("input", { type: "radio", name: "setup-player" });
        input.checked = i === shown;
        input.addEventListener("change", () => choose(i));
        return el("label", {}, input, el("span", {}, name));
      }),
    );
  };
  const fill = (position: Position, isInTurn: boolean): void => {
    ({ players } = position);
    cards = [...position.cards];
    dice = position.dice.join("");
    left = isInTurn ? `${position.rerolls}` : "";
    turn.replaceChildren();
    shown = position.now;
    showPlayers();
    layOut();
    askTurn();
    turn.value = `${position.now}`;
    choose(shown);
  };
  const empty = (): Position => ({ players, cards: players.map(() => EMPTY_CARD), now: 0, dice: [], rerolls: 0 });

  onPress(find("#setup-clear"), () => fill(empty(), false));
  onPress(find("#setup-start"), () => {
    let [first] = troubles();
    if (first && first.card !== shown) {
      shown = first.card;
      showPlayers();
      choose(shown);
      [first] = troubles();
    }
    if (first) return refuse(first);
    dialog.close();
    const at = now();
    const rerolls = left ? Number(left) : mostRerolls(rules, cards[at] ?? EMPTY_CARD);
    begin(tableAt(rules, { players, cards, now: at, dice: [...dice].map(Number), rerolls }));
  });

  return (played, table) => {
    rules = played;
    // A shadow plays the dice of whole games.
    players = table.seats.filter(({ kind }) => kind !== "shadow").map(({ name, kind }) => ({ name, kind }));
    dialog.showModal();
    const isKept = !isOver(table) && !isFresh(table) && players.length === table.seats.length;
    if (isKept) {
      const position = positionOf(table);
      fill(position, position.dice.length > 0);
    } else fill(empty(), false);
  };
}

const pointsText = (points: number | undefined): string =>
  points === undefined || Number.isNaN(points) ? "" : `${points}`;

const numberOf = (text: string): number => (/^\d{1,4}$/.test(text) ? Number(text) : NaN);

const isPossibleThrow = ({ dice: n, faces }: Rules, dice: string): boolean =>
  !dice || (dice.length === n && [...dice].every((face) => /\d/.test(face) && +face >= 1 && +face <= faces));

/** Numbers in a row, three or more, as a range. */
function rangesOf(numbers: readonly number[]): string {
  const runs: number[][] = [];
  for (const one of numbers) {
    const run = runs.at(-1);
    if (run && run.at(-1) === one - 1) run.push(one);
    else runs.push([one]);
  }
  return runs.map((run) => (run.length > 2 ? `${run[0]}–${run.at(-1)}` : run.join(", "))).join(", ");
}

/** To compare with what is added up on paper. */
function sumText({ categories, bonus, bonus_threshold: needed }: Rules, { boxes, extra }: PaperCard): string {
  const sum = (of: (box: number) => boolean): number =>
    [...boxes].reduce((all, [box, points]) => all + (of(box) && points ? points : 0), 0);
  const upper = sum((box) => categories[box]?.upper ?? false);
  const total = sum(() => true) + (extra || 0) + (upper >= needed ? bonus : 0);
  return [...(bonus ? [`${t.card.upper} ${whole(upper)}`] : []), `${t.card.total} ${whole(total)}`].join(" · ");
}
