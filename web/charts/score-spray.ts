/** Ten thousand perfect games fall into a histogram; each dot is a game, and opens its scorecard. */
import { scaleLinear } from "d3-scale";
import {
  add,
  axis,
  axisBottom,
  button,
  frame,
  narrow,
  onResize,
  percent,
  svgIn,
  thousands,
  type Data,
  nearest,
} from "../look/figure";
import { POPULATIONS, populationOf } from "../look/populations";
import { reducedMotion } from "../look/settings";

interface Dot {
  game: number;
  kind: number;
  x: number;
  y: number;
}

const SHOWN = [100, 350] as const;
const FALL = 450;
const POUR = 1350;

export function draw(root: HTMLElement, data: Data): void {
  const spray = data["game-spray"];
  const scores = spray.score;
  const kinds = scores.map((_, game) => populationOf(spray.bonus[game] === "1", spray.yatzy[game] === "1"));
  const inOrder = scores.map((_, game) => game).sort((a, b) => (scores[a] ?? 0) - (scores[b] ?? 0) || a - b);
  const place = new Map(inOrder.map((game, i) => [game, i]));
  const { controls, picture } = frame(root, 0);
  let dots: Dot[] = [];
  let size = 2;
  let only: number | null = null;
  let chosen: number | null = null;
  let running = 0;
  let paint: (time: number) => void = () => undefined;

  const replay = button(controls, "▶ Replay", () => start());
  replay.classList.add("replay");
  const legend = document.createElement("div");
  legend.className = "choice";
  legend.setAttribute("role", "group");
  legend.setAttribute("aria-label", "Show one population");
  const toggles = POPULATIONS.map((who, kind) => {
    const share = kinds.filter((k) => k === kind).length / kinds.length;
    const toggle = button(legend, ` ${who.name} ${percent(share, 0)}`, () => {
      only = only === kind ? null : kind;
      toggles.forEach((one, k) => one.setAttribute("aria-pressed", `${only === k}`));
      paint(Infinity);
    });
    const swatch = document.createElement("i");
    swatch.className = `swatch kind-${kind}`;
    toggle.prepend(swatch);
    toggle.setAttribute("aria-pressed", "false");
    return toggle;
  });
  controls.append(legend);

  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.setAttribute(
    "aria-label",
    `${thousands(scores.length)} games by final score. Arrow keys move from game to game, Enter shows the card.`,
  );
  const card = document.createElement("div");
  card.className = "scorecard";
  card.hidden = true;
  card.setAttribute("aria-live", "polite");

  function open(game: number): void {
    chosen = game;
    const rows = spray.columns
      .map((column) => ({
        name: column.category,
        points: column.possible[parseInt(column.points[game] ?? "0", 36)] ?? 0,
        turn: parseInt(column.turns[game] ?? "0", 36),
      }))
      .map((row) => [row.name, `${row.points}`, `${row.turn}`] as const);
    const table = document.createElement("table");
    const line = (cells: readonly string[], kind: "td" | "th"): void => {
      const tr = table.insertRow();
      cells.forEach((text) => {
        const cell = document.createElement(kind);
        cell.textContent = text;
        tr.append(cell);
      });
    };
    line(["box", "points", "turn"], "th");
    rows.slice(0, 6).forEach((row) => line(row, "td"));
    line(["bonus", spray.bonus[game] === "1" ? `${spray.bonus_points}` : "0", ""], "td");
    rows.slice(6).forEach((row) => line(row, "td"));
    const title = document.createElement("strong");
    title.textContent = `Game ${thousands(game + 1)}: ${scores[game] ?? 0} points`;
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    close.addEventListener("click", () => {
      card.hidden = true;
      canvas.focus({ preventScroll: true });
    });
    card.replaceChildren(title, table, close);
    card.hidden = false;
    paint(Infinity);
  }

  function move(step: number): void {
    const here = chosen === null ? Math.floor(inOrder.length / 2) : (place.get(chosen) ?? 0) + step;
    const game = inOrder[Math.max(0, Math.min(inOrder.length - 1, here))];
    if (game === undefined) return;
    if (card.hidden) {
      chosen = game;
      paint(Infinity);
    } else open(game);
  }

  canvas.addEventListener("keydown", (event) => {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 100, ArrowDown: -100 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      move(step);
    } else if (event.key === "Enter" && chosen !== null) open(chosen);
    else if (event.key === "Escape") card.hidden = true;
  });
  canvas.addEventListener("click", (event) => {
    const seen = dots.filter((dot) => only === null || only === dot.kind);
    const places = seen.map(({ x, y }) => [x, y] as const);
    const best = seen[nearest(event, places, 16)];
    if (best) open(best.game);
  });

  onResize(picture, (width, height) => {
    const ratio = Math.min(2, devicePixelRatio);
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const svg = svgIn(picture, width, height, "Axis of scores");
    picture.append(canvas, card);
    const x = scaleLinear(SHOWN, [14, width - 14]);
    const floor = height - 40;
    axis(svg, axisBottom(x).ticks(narrow(width) ? 5 : 10), 0, floor + 2);
    add(svg, "text", { class: "label muted small", x: width / 2, y: height - 2, "text-anchor": "middle" }).text(
      "final score, points",
    );
    [dots, size] = stack(scores, kinds, x, floor, floor - 6);
    const context = canvas.getContext("2d");
    if (!context) return;
    paint = (time) => {
      const style = getComputedStyle(document.documentElement);
      const fills = POPULATIONS.map((who) => style.getPropertyValue(who.fill));
      const gold = style.getPropertyValue("--both-edge");
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      const draw = (dot: Dot, radius: number): void => {
        const begun = time - (dot.game / scores.length) * POUR;
        if (begun <= 0) return;
        const fallen = Math.min(1, begun / FALL) ** 2;
        const y = -10 + (dot.y + 10) * fallen;
        context.beginPath();
        context.arc(dot.x, y, radius, 0, 2 * Math.PI);
        context.fill();
      };
      for (let kind = 0; kind < POPULATIONS.length; kind++) {
        context.globalAlpha = only === null || only === kind ? 1 : 0.12;
        context.fillStyle = fills[kind] ?? "";
        const mine = dots.filter((dot) => dot.kind === kind);
        mine.forEach((dot) => draw(dot, size * 0.46));
        if (kind === 3) {
          context.fillStyle = gold;
          mine.forEach((dot) => draw(dot, size * 0.2));
        }
      }
      context.globalAlpha = 1;
      const marked = dots.find((dot) => dot.game === chosen);
      if (marked) {
        context.strokeStyle = style.getPropertyValue("--ink");
        context.lineWidth = 2;
        context.beginPath();
        context.arc(marked.x, marked.y, size + 4, 0, 2 * Math.PI);
        context.stroke();
      }
    };
    paint(Infinity);
  });
  document.addEventListener("themechange", () => paint(Infinity));

  function start(): void {
    cancelAnimationFrame(running);
    chosen = null;
    card.hidden = true;
    if (reducedMotion()) {
      paint(Infinity);
      return;
    }
    const begin = performance.now();
    const step = (now: number): void => {
      paint(now - begin);
      if (now - begin < POUR + FALL) running = requestAnimationFrame(step);
      else {
        paint(Infinity);
        root.dataset["played"] = "true";
      }
    };
    delete root.dataset["played"];
    running = requestAnimationFrame(step);
  }
  start();
}

/** Where each game's dot comes to rest: columns of scores, filled by population, with dots as large as fits. */
function stack(
  scores: number[],
  kinds: number[],
  x: (score: number) => number,
  floor: number,
  room: number,
): [Dot[], number] {
  const count = (bin: number): Map<number, number[]> => {
    const bins = new Map<number, number[]>();
    scores.forEach((score, game) => {
      const at = Math.floor(Math.max(SHOWN[0], Math.min(SHOWN[1] - 1, score)) / bin);
      bins.set(at, [...(bins.get(at) ?? []), game]);
    });
    return bins;
  };
  let best = { bin: 1, columns: 1, size: 0, pitch: 0, bins: new Map<number, number[]>() };
  for (const bin of [1, 2, 4])
    for (const columns of [1, 2, 3]) {
      const bins = count(bin);
      const most = Math.max(...[...bins.values()].map((games) => games.length));
      const pitch = room / Math.ceil(most / columns);
      const size = Math.min((x(bin) - x(0)) / columns, pitch);
      if (size > best.size) best = { bin, columns, size, pitch, bins };
    }
  const { bin: wide, columns, size, pitch, bins } = best;
  const across = (x(wide) - x(0)) / columns;
  const dots: Dot[] = [];
  for (const [bin, games] of bins) {
    games.sort((a, b) => (kinds[a] ?? 0) - (kinds[b] ?? 0) || a - b);
    games.forEach((game, i) =>
      dots.push({
        game,
        kind: kinds[game] ?? 0,
        x: x(bin * wide) + ((i % columns) + 0.5) * across,
        y: floor - (Math.floor(i / columns) + 0.5) * pitch,
      }),
    );
  }
  return [dots, size];
}
