/** Verbs against bitmasks: what each way of naming keeps costs, and what its words do with the reader's dice. */
import { heldBy } from "../engine/dice";
import { diceButtons, diceGroup, myDice } from "../look/dice";
import { button, choice, fixed, frame, label, rect, slider, plot, type Data } from "../look/figure";
import { idOf, keeps, throwDice } from "../look/lattice";

const TITLES: Record<string, string> = {
  verbs: "our verbs",
  forerunner: "the earlier verbs",
  masks: "bitmasks",
};

/**
 * Positions that are thrown again as ones and zeros, the lowest die last: a keep as a bitmask. Equal dice can be thrown in
 * more than one way; this is the way that holds the first of them.
 */
function maskOf(roll: number, keep: number): string {
  const held = heldBy(keeps[roll] ?? [], keeps[keep] ?? []);
  return held
    .map((one) => (one ? "0" : "1"))
    .reverse()
    .join("");
}

/** How many bitmasks it takes to say, over all rolls, what one name says. */
function countMasks(keepOfRoll: readonly number[]): string {
  const masks = new Set(keepOfRoll.map((keep, roll) => (keep < 0 ? "" : maskOf(roll, keep))).filter(Boolean));
  return `these words stand for ${masks.size} different bitmask${masks.size === 1 ? "" : "s"}`;
}

/** A phrase in lines of at most this many letters. */
function wrap(text: string, letters: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const now = lines.at(-1) ?? "";
    if (now && now.length + word.length >= letters) lines.push(word);
    else lines[lines.length - 1] = now ? `${now} ${word}` : word;
  }
  return lines;
}

export function draw(root: HTMLElement, data: Data): void {
  const grammars = data["rosetta"].grammars;
  const tables = data["keep-tables"].tables;
  const names = grammars.map((one) => one.name).filter((name) => tables[name]);
  const most = Math.max(...names.map((name) => tables[name]?.names.length ?? 0));
  const { controls, picture, readout, refresh } = frame(root, 2);
  let grammar = names[0] ?? "";
  let faces = myDice();
  const dice = diceButtons(
    controls,
    (face) => `Die shows ${face}; change it`,
    (i) => {
      faces = faces.map((face, k) => (k === i ? (face % 6) + 1 : face));
      refresh();
    },
  );
  button(controls, "Throw", () => {
    faces = [...(keeps[throwDice(keeps.length - 1)] ?? [])];
    refresh();
  });
  choice(
    controls,
    "Way to name keeps",
    names.map((name) => [name, TITLES[name] ?? name] as const),
    (name) => {
      grammar = name;
      pick.set(pick.value);
    },
  );
  const within = (i: number): number => Math.min(i, (tables[grammar]?.names.length ?? 1) - 1);
  const pick = slider(controls, {
    label: "Words",
    min: 0,
    max: most - 1,
    value: 13,
    text: (i) => `${within(i) + 1} of ${tables[grammar]?.names.length ?? 0}`,
  });

  /** What our verbs call a keep of this roll. */
  const inWords = (roll: number, keep: number): string => {
    const names = tables["verbs"]?.names.filter((_, i) => tables["verbs"]?.keeps[i]?.[roll] === keep) ?? [];
    return names.length ? `In words: ${names[0]}.` : "No verb says that.";
  };

  plot(picture, "Costs of three grammars, and what each name keeps of your dice", (svg, width, height, small) => {
    const costs = svg.append("g");
    const listed = svg.append("g");
    const top = 24 + grammars.length * 22 + 30;
    let rows: { x: number; y: number; width: number; height: number }[] = [];
    svg.on("pointermove pointerdown", (event: PointerEvent) => {
      const at = rows.findIndex(
        (row) =>
          event.offsetX >= row.x &&
          event.offsetX <= row.x + row.width &&
          event.offsetY >= row.y &&
          event.offsetY < row.y + row.height,
      );
      if (at >= 0) pick.set(at);
    });
    return () => {
      const table = tables[grammar];
      if (!table) return;
      costs.selectAll("*").remove();
      listed.selectAll("*").remove();
      const into = costs as unknown as Parameters<typeof label>[0];
      label(
        into,
        small
          ? "points lost by perfect play with these keeps"
          : "points that perfect play loses per game if it may hold only what these names can say",
        0,
        12,
        "small muted",
      );
      const from = small ? 128 : 170;
      const worst = Math.max(...grammars.map((one) => one.cost), 1e-9);
      grammars.forEach((one, i) => {
        const at = 24 + i * 22;
        const length = (Math.max(0, one.cost) / worst) * (width - from - 70);
        const now = one.name === grammar;
        label(into, `${TITLES[one.name] ?? one.name}: ${one.moves}`, 0, at + 12, now ? "strong" : "");
        rect(costs, from, at + 1, Math.max(1.5, length), 14, {
          class: "mark",
          fill: "var(--loss)",
          "fill-opacity": now ? 1 : 0.5,
        });
        const shown = Math.abs(one.cost) < 0.0005 ? "nothing" : fixed(one.cost, 3);
        label(into, shown, from + Math.max(1.5, length) + 7, at + 12, now ? "strong" : "");
      });
      const roll = idOf(faces);
      const sorted = keeps[roll] ?? [];
      dice.show(faces, []);
      const columns = small ? 1 : 2;
      const per = Math.ceil(table.names.length / columns);
      const step = Math.min(small ? 40 : 34, (height - top - 4) / per);
      const wide = (width - (columns - 1) * 24) / columns;
      const size = small ? 13 : 16;
      const start = size * 1.1 * 5 + 12;
      const words = listed as unknown as Parameters<typeof label>[0];
      label(words, `what each keeps of your dice (on an empty card)`, 0, top - 10, "small muted");
      rows = [];
      table.names.forEach((name, i) => {
        const at = { x: Math.floor(i / per) * (wide + 24), y: top + (i % per) * step, width: wide, height: step };
        rows.push(at);
        const kept = table.keeps[i]?.[roll] ?? -1;
        if (i === within(pick.value))
          rect(listed, at.x, at.y, at.width, step - 2, { rx: 5, fill: "var(--panel)", stroke: "var(--gold)" });
        if (kept >= 0) {
          const drawn = diceGroup(sorted, size, heldBy(sorted, keeps[kept] ?? []));
          heldBy(sorted, keeps[kept] ?? []).forEach((held, k) => {
            const one = drawn.children[k];
            one?.classList.add("mark");
            if (!held) one?.setAttribute("opacity", "0.28");
          });
          drawn.setAttribute("transform", `translate(${at.x + 4},${at.y + (step - size) / 2 - 1})`);
          listed.node()?.append(drawn);
        } else label(words, "not here", at.x + 6, at.y + step / 2 + 3, "small muted");
        const phrase = name.replace(/^keep /, "").replace("reroll positions ", "throw ");
        const lines = wrap(phrase, Math.floor((wide - start) / (small ? 5.6 : 6.4)));
        lines.forEach((text, k) =>
          label(
            words,
            text,
            at.x + start,
            at.y + step / 2 + 3 + (k - (lines.length - 1) / 2) * 12,
            `small${kept < 0 ? " muted" : ""}`,
          ),
        );
      });
      const at = within(pick.value);
      const kept = table.keeps[at]?.[roll] ?? -1;
      const name = table.names[at] ?? "";
      const said = (keeps[kept] ?? []).join(" ");
      readout.textContent =
        `“${name}”: ` +
        (kept < 0
          ? `does not apply to ${sorted.join(" ")}; the next rule is asked. `
          : `of ${sorted.join(" ")} it keeps ${said || "nothing"}${grammar === "masks" ? "" : `, as a bitmask ${maskOf(roll, kept)}`}. `) +
        (grammar === "masks" ? inWords(roll, kept) : `Over all throws, ${countMasks(table.keeps[at] ?? [])}.`);
    };
  });
}
