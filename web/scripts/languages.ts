/** All texts by language, as JSON; where a text takes arguments, they are ‹0›, ‹1› and so on. */
import da from "../play/language/da";
import de from "../play/language/de";
import en from "../play/language/en";
import fi from "../play/language/fi";
import nb from "../play/language/nb";
import sv from "../play/language/sv";

function plain(texts: unknown): unknown {
  if (typeof texts === "function") {
    const asked = Array.from({ length: texts.length }, (_, i) => `‹${i}›`);
    return (texts as (...given: string[]) => string)(...asked);
  }
  if (Array.isArray(texts)) return texts.map(plain);
  if (texts !== null && typeof texts === "object")
    return Object.fromEntries(Object.entries(texts).map(([key, one]) => [key, plain(one)]));
  return texts;
}

console.log(JSON.stringify(plain({ en, sv, nb, da, fi, de })));
