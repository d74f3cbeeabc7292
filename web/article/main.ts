/** The treatise's page: figures drawn when they come near, the depth, the theme, the drawer of concepts, and printing. */
import type { Data, Draw } from "../look/figure";
import { remember, switchTheme } from "../look/settings";
import { keepSite } from "../offline/page";
import "./page.css";

const modules = import.meta.glob<{ draw: Draw }>("../charts/*.ts");
const studies = new Map<string, Promise<unknown>>();

function study(name: string): Promise<unknown> {
  let found = studies.get(name);
  if (!found) {
    found = fetch(`data/${name}.json`).then((answer) => {
      if (!answer.ok) throw new Error(`data/${name}.json: ${answer.status}`);
      return answer.json();
    });
    studies.set(name, found);
  }
  return found;
}

const drawing = new Map<HTMLElement, Promise<void>>();

/** Draws a figure, once. */
function drawFigure(figure: HTMLElement): Promise<void> {
  const begun = drawing.get(figure) ?? makeFigure(figure);
  drawing.set(figure, begun);
  return begun;
}

async function makeFigure(figure: HTMLElement): Promise<void> {
  const stage = figure.querySelector<HTMLElement>(".stage");
  const load = modules[`../charts/${figure.id.replace("chart-", "")}.ts`];
  const names = (figure.dataset["results"] ?? "").split(" ");
  if (!stage) return;
  try {
    if (!load) throw new Error(`no module draws ${figure.id}`);
    const [module, ...results] = await Promise.all([load(), ...names.map(study)]);
    const data = Object.fromEntries(names.map((name, i) => [name, results[i]]));
    // What a figure reads is what the article names beside it.
    module.draw(stage, data as Partial<Data> as Data);
    figure.dataset["state"] = "drawn";
  } catch (error) {
    stage.textContent = "This figure could not be drawn; its data can be downloaded below.";
    figure.dataset["state"] = "failed";
    console.error(error);
  }
}

function watchFigures(): void {
  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries)
        if (entry.isIntersecting) {
          near.unobserve(entry.target);
          void drawFigure(entry.target as HTMLElement);
        }
    },
    { rootMargin: "600px" },
  );
  document.querySelectorAll("figure.chart").forEach((figure) => near.observe(figure));
}

type Depth = "story" | "math" | "code";

function setDepth(depth: Depth): void {
  document.documentElement.dataset["depth"] = depth;
  const input = document.querySelector<HTMLInputElement>(`input[name="depth"][value="${depth}"]`);
  if (input) input.checked = true;
}

/** The id that a link names, as it stands if it is not written as links are. */
function placeOf(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return hash.slice(1);
  }
}

/** A link may lead to a place that the chosen depth hides: show as much as it needs, without remembering it. */
function showTarget(): void {
  const target = location.hash.length > 1 ? document.getElementById(placeOf(location.hash)) : null;
  const hidden = target?.closest(".depth-code, .depth-math");
  if (!target || !hidden || hidden.getClientRects().length > 0) return;
  setDepth(hidden.classList.contains("depth-code") ? "code" : "math");
  target.scrollIntoView();
}

function wireDepth(): void {
  const remembered = document.documentElement.dataset["depth"] as Depth | undefined;
  setDepth(remembered ?? "story");
  document.querySelectorAll<HTMLInputElement>('input[name="depth"]').forEach((input) =>
    input.addEventListener("change", () => {
      // What the reader is looking at stays where it is while text above it appears or disappears.
      const anchor = [...document.querySelectorAll("article > *")].find(
        (part) => part.getClientRects().length > 0 && part.getBoundingClientRect().bottom > 80,
      );
      const before = anchor?.getBoundingClientRect().top ?? 0;
      setDepth(input.value as Depth);
      remember("depth", input.value);
      if (anchor && anchor.getClientRects().length > 0)
        window.scrollBy({ top: anchor.getBoundingClientRect().top - before, behavior: "instant" });
    }),
  );
  showTarget();
  window.addEventListener("hashchange", showTarget);
}

function wireDrawer(): void {
  const drawer = document.querySelector<HTMLElement>("#drawer");
  const text = drawer?.querySelector(".drawer-text");
  if (!drawer || !text) return;
  let opener: HTMLElement | null = null;
  const close = (): void => {
    drawer.hidden = true;
    opener?.focus({ preventScroll: true });
    opener = null;
  };
  document.addEventListener("click", (event) => {
    const target = event.target as Element;
    const link = target.closest<HTMLElement>("a[data-concept]");
    if (link) {
      const template = document.querySelector<HTMLTemplateElement>(`#concept-${link.dataset["concept"]}`);
      if (!template || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (!drawer.contains(link)) opener = link;
      text.replaceChildren(template.content.cloneNode(true));
      drawer.hidden = false;
      drawer.scrollTop = 0;
      drawer.focus({ preventScroll: true });
    } else if (!drawer.hidden && !drawer.contains(target)) close();
  });
  drawer.querySelector(".close")?.addEventListener("click", close);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !drawer.hidden) close();
  });
}

function wireMenu(): void {
  const menu = document.querySelector<HTMLDetailsElement>("details.menu");
  document.addEventListener("click", (event) => {
    if (menu?.open && !menu.contains(event.target as Node)) menu.open = false;
  });
  menu?.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  });
}

/** Figures that nobody came near are not drawn yet: draw them all, then print. */
function wirePrinting(): void {
  const figures = [...document.querySelectorAll<HTMLElement>("figure.chart")];
  const print = async (): Promise<void> => {
    await Promise.all(figures.map(drawFigure));
    window.print();
  };
  document.querySelector(".print button")?.addEventListener("click", () => void print());
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "p" || !(event.ctrlKey || event.metaKey) || !figures.length) return;
    event.preventDefault();
    void print();
  });
}

document.querySelector(".theme")?.addEventListener("click", switchTheme);
wireDepth();
wireDrawer();
wireMenu();
watchFigures();
wirePrinting();
keepSite(true, { ready: "A new version is ready.", reload: "Reload", later: "Later" });
