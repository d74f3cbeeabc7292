/** The die lattice: averages flow towards fewer dice, maxima back towards more; operations counted on the way. */
import { scaleLinear } from "d3-scale";
import { diceButtons, diceGroup, myDice } from "../look/dice";
import {
  add,
  button,
  circle,
  fixed,
  frame,
  label,
  rect,
  slider,
  thousands,
  plot,
  type Data,
  nearest,
} from "../look/figure";
import { added, idOf, inside, keeps, nRolls, removed, throwDice } from "../look/lattice";
import { reducedMotion } from "../look/settings";

const STEP = 170;
const LAST = 10;

export function draw(root: HTMLElement, data: Data): void {
  const turn = data["opening-turn"];
  const widget = data["statespace"].widget;
  const value = turn.rerolls[0]?.value_by_keep ?? [];
  const best = value.slice();
  for (let id = keeps.length - 1; id >= 0; id--)
    best[id] = Math.max(value[id] ?? 0, ...removed(id).map((smaller) => best[smaller] ?? 0));
  const bySize = [5, 4, 3, 2, 1, 0].map((n) => keeps.map((_, id) => id).filter((id) => keeps[id]?.length === n));
  const perLevel = [4, 3, 2, 1, 0].map((n) => 6 * (bySize[5 - n]?.length ?? 0));
  // Operations after each step: five levels of averages, then the same edges again for the maxima.
  const done = [0];
  [...perLevel, ...[...perLevel].reverse()].forEach((n) => done.push((done.at(-1) ?? 0) + n));
  const total = widget.lattice_operations_per_reroll;
  const sparse = widget.sparse_operations_per_reroll;

  const { controls, picture, readout, refresh } = frame(root);
  let faces = myDice();
  let held = faces.map((face) => face === (faces.find((one, i) => faces.indexOf(one) !== i) ?? faces[0]));
  let timer = 0;
  const dice = diceButtons(
    controls,
    (face, kept) => `Die shows ${face}, ${kept ? "held; let it go" : "not held; hold it"}`,
    (i) => {
      held = held.map((one, k) => (k === i ? !one : one));
      refresh();
    },
  );
  button(controls, "Throw", () => {
    faces = [...(keeps[throwDice(keeps.length - 1)] ?? [])];
    held = faces.map(() => false);
    refresh();
  });
  button(controls, "▶ Play", () => {
    clearTimeout(timer);
    if (reducedMotion()) {
      scrub.set(LAST);
      return;
    }
    scrub.set(0);
    const next = (): void => {
      scrub.set(scrub.value + 1);
      if (scrub.value < LAST) timer = window.setTimeout(next, STEP);
    };
    timer = window.setTimeout(next, STEP);
  });
  const scrub = slider(controls, {
    label: "Step",
    min: 0,
    max: LAST,
    value: 5,
    text: (s) => (s === 0 ? "throws only" : s <= 5 ? `averages, ${5 - s} dice` : `maxima, ${s - 5} dice`),
  });

  plot(picture, "All holds of zero to five dice, connected die by die", (svg, width, height, small) => {
    const bars = small ? 96 : 84;
    const places = place(bySize, width, height - bars, small);
    const sorted = [...value].sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    const shade = scaleLinear([at(0.02), at(0.5), at(0.97)], [0.1, 0.45, 1]).clamp(true);
    const lines = svg.append("g");
    const dots = keeps.map((_, id) =>
      circle(svg, places[id]?.x ?? 0, places[id]?.y ?? 0, small ? 2.6 : 3.6, {
        class: "mark",
        fill: "var(--felt)",
      }),
    );
    bySize.forEach((ids, k) => {
      const first = places[ids[0] ?? 0];
      if (!first) return;
      const text = `${5 - k} ${5 - k === 1 ? "die" : "dice"} held: ${ids.length}`;
      if (small) label(svg, text, 0, first.y - 9, "small muted");
      else {
        const xs = ids.map((id) => places[id]?.x ?? 0);
        label(
          svg,
          text,
          Math.max(44, Math.min(width - 52, (Math.min(...xs) + Math.max(...xs)) / 2)),
          14,
          "small muted",
          "middle",
        );
      }
    });
    const marks = svg.append("g");
    const room = width - (small ? 0 : 150);
    const count = scaleLinear([0, sparse], [0, room - (small ? 50 : 60)]);
    const tally = (name: string, y: number, whole: number, colour: string): ((n: number) => void) => {
      const left = small ? 0 : 150;
      if (small) label(svg, name, 0, y - 4, "small");
      else label(svg, name, left - 10, y + 14, "", "end");
      rect(svg, left, y, count(whole), 18, { fill: "none", stroke: colour });
      const bar = add(svg, "rect", { x: left, y: y, height: 18, fill: colour });
      const said = label(svg, "", left, y + 14, "strong");
      return (n) => {
        bar.attr("width", count(n));
        said.attr("x", left + count(whole) + 6).text(thousands(n));
      };
    };
    const ours = tally("die lattice", height - bars + (small ? 18 : 18), total, "var(--felt)");
    const theirs = tally("sparse matrix", height - bars + (small ? 62 : 50), sparse, "var(--muted)");

    function connect(a: number, b: number, opacity: number, thick: number): void {
      const [from, to] = [places[a], places[b]];
      if (!from || !to) return;
      const middle = small
        ? `C${from.x},${(from.y + to.y) / 2} ${to.x},${(from.y + to.y) / 2}`
        : `C${(from.x + to.x) / 2},${from.y} ${(from.x + to.x) / 2},${to.y}`;
      add(lines, "path", {
        d: `M${from.x},${from.y}${middle} ${to.x},${to.y}`,
        fill: "none",
        stroke: "var(--gold)",
        "stroke-opacity": opacity,
        "stroke-width": thick,
      });
    }
    svg.on("pointermove pointerdown", (event: PointerEvent) => {
      const reach = event.type === "pointerdown" ? 18 : 7;
      const found = nearest(
        event,
        places.map((p) => [p.x, p.y]),
        reach,
      );
      if (found < 0) return;
      const keep = keeps[found] ?? [];
      faces = [...keep, ...Array.from({ length: 5 - keep.length }, (_, i) => faces[keep.length + i] ?? 1)];
      held = faces.map((_, i) => i < keep.length);
      refresh();
    });
    return () => {
      const step = scrub.value;
      dice.show(faces, held);
      const known = (id: number): boolean => step >= 5 || (keeps[id]?.length ?? 0) >= 5 - step;
      const risen = (id: number): boolean => step > 5 && (keeps[id]?.length ?? 0) <= step - 5;
      const worth = (id: number): number => (risen(id) ? best[id] : value[id]) ?? 0;
      dots.forEach((dot, id) =>
        dot
          .attr("fill", known(id) ? "var(--felt)" : "var(--muted)")
          .attr("fill-opacity", known(id) ? shade(worth(id)) : 0.12)
          .attr("stroke", risen(id) ? "var(--gold)" : "none")
          .attr("stroke-width", 1),
      );
      lines.selectAll("*").remove();
      marks.selectAll("*").remove();
      const kept = idOf(faces.filter((_, i) => held[i]));
      const averaging = step <= 5;
      const neighbours = averaging ? added(kept) : removed(kept);
      const reach = averaging ? new Set(neighbours) : new Set(kept < nRolls ? inside(kept) : neighbours);
      if (averaging) neighbours.forEach((id) => added(id).forEach((far) => connect(id, far, 0.22, 1)));
      neighbours.forEach((id) => connect(kept, id, 0.95, 2));
      [kept, ...reach].forEach((id) =>
        circle(marks, places[id]?.x ?? 0, places[id]?.y ?? 0, id === kept ? 7 : 4.6, {
          fill: id === kept ? "var(--gold)" : "none",
          stroke: id === kept ? "var(--paper)" : "var(--gold)",
          "stroke-width": 1.6,
        }),
      );
      const tag = diceGroup(keeps[kept] ?? [], 16, [true, true, true, true, true]);
      const tagWidth = 18 * (keeps[kept]?.length ?? 0);
      const spot = places[kept];
      tag.setAttribute(
        "transform",
        `translate(${Math.max(2, Math.min(width - tagWidth - 2, (spot?.x ?? 0) - tagWidth / 2))},${(spot?.y ?? 0) + 10})`,
      );
      marks.node()?.append(tag);
      const operations = done[step] ?? 0;
      ours(operations);
      theirs((sparse * operations) / total);
      const name = keeps[kept]?.length ? (keeps[kept] ?? []).join(" ") : "nothing";
      readout.textContent = !known(kept)
        ? `Holding ${name} is not worked out yet.`
        : neighbours.length === 0
          ? `All five dice: worth ${fixed(worth(kept), 2)} as they lie.`
          : averaging
            ? `With one reroll left, holding ${name} is worth ${fixed(worth(kept), 2)}: the plain average of its ${neighbours.length} neighbours with one die more.`
            : `The best inside ${name} is worth ${fixed(best[kept] ?? 0, 2)}: the larger of its own value and its neighbours' with one die fewer.`;
    };
  });
}

/** Where every keep is drawn: a block of points for each number of dice, side by side or one below the other. */
function place(bySize: number[][], width: number, height: number, small: boolean): { x: number; y: number }[] {
  const places: { x: number; y: number }[] = [];
  if (small) {
    const wide = [36, 36, 28, 21, 6, 1];
    const deep = bySize.map((ids, k) => Math.ceil(ids.length / (wide[k] ?? 1)));
    const pitch = 9;
    const gap = (height - 30 - deep.reduce((sum, n) => sum + n * pitch, 0)) / (bySize.length - 1);
    let top = 22;
    bySize.forEach((ids, k) => {
      const step = (width - 6) / (wide[k] ?? 1);
      ids.forEach(
        (id, i) =>
          (places[id] = {
            x: 3 + ((i % (wide[k] ?? 1)) + 0.5) * step,
            y: top + Math.floor(i / (wide[k] ?? 1)) * pitch,
          }),
      );
      top += (deep[k] ?? 1) * pitch + gap;
    });
    return places;
  }
  const deep = [28, 21, 14, 7, 6, 1];
  const wide = bySize.map((ids, k) => Math.ceil(ids.length / (deep[k] ?? 1)));
  const step = 13;
  const gap = (width - 20 - wide.reduce((sum, n) => sum + n * step, 0)) / (bySize.length - 1);
  let left = 6;
  bySize.forEach((ids, k) => {
    const rows = deep[k] ?? 1;
    const pitch = (height - 34) / (k === 0 ? rows : Math.max(rows + 2, 12));
    const top = 28 + (height - 34 - rows * pitch) / 2;
    ids.forEach(
      (id, i) =>
        (places[id] = { x: left + (Math.floor(i / rows) + 0.5) * step, y: top + ((i % rows) + 0.5) * pitch }),
    );
    left += (wide[k] ?? 1) * step + gap;
  });
  return places;
}
