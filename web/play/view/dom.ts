/** Elements in one expression. */

export type Child = Node | string | null;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

export function find<T extends Element = HTMLElement>(selector: string): T {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(selector);
  return found;
}

/** After a click with a pointer the keyboard belongs to the game again; those who use the keyboard keep the focus. */
export function onPress(button: HTMLElement, act: () => void): void {
  button.addEventListener("click", (event) => {
    if (event.detail > 0) button.blur();
    if (button.getAttribute("aria-disabled") !== "true") act();
  });
}

/** A table with a heading for every column. */
export const tableOf = (heads: readonly string[], ...rows: HTMLElement[]): HTMLTableElement => {
  const row = el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)));
  return el("table", {}, el("thead", {}, row), el("tbody", {}, ...rows));
};

/** A button of no special looks. */
export function plainButton(text: string, act: () => void, more: Record<string, string> = {}): HTMLButtonElement {
  const made = el("button", { type: "button", class: "plain", ...more }, text);
  onPress(made, act);
  return made;
}

export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** The panel in which a decision is explained or asked about: beside the card on a wide screen, above it on a phone. */
export function showLesson(...parts: (HTMLElement | null)[]): void {
  find("#lesson").replaceChildren(...parts.filter((part) => part !== null));
}

export const lessonShown = (): boolean => find("#lesson").childElementCount > 0;

/** Offer a text as a file. */
export function download(text: string, name: string, type = "application/json"): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
