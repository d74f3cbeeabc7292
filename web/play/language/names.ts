/** The languages there are, each by its own name, in the order of the menu. */
export const NAMES = {
  en: "English",
  sv: "Svenska",
  nb: "Norsk",
  da: "Dansk",
  fi: "Suomi",
  de: "Deutsch",
};

export type Code = keyof typeof NAMES;
