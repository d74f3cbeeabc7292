/** What the reader chose, remembered between visits and shared by treatise and coach. */

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`yatzy-${name}`, value);
  } catch {
    // Storage may be forbidden; the choice then lasts for this page.
  }
}

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`yatzy-${name}`);
  } catch {
    return null;
  }
}

export function forget(name: string): void {
  try {
    localStorage.removeItem(`yatzy-${name}`);
  } catch {
    // What may not be read cannot be in the way.
  }
}

/** Is the page dark now, by the reader's choice or else the system's? */
function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Light becomes dark and back; figures that paint on canvas listen for `themechange` on the document. */
export function switchTheme(): void {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset["theme"] = theme;
  remember("theme", theme);
  document.dispatchEvent(new Event("themechange"));
}

// Tests run parts of the pages without a browser.
if (typeof matchMedia === "function")
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
    document.dispatchEvent(new Event("themechange")),
  );

export const reducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
