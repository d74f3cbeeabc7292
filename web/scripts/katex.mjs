// Formulas to HTML at build time: reads a JSON list of {tex, display} on stdin, writes a JSON list of HTML strings.
import { readFileSync } from "node:fs";
import { renderToString } from "katex";

const formulas = JSON.parse(readFileSync(0, "utf8"));
const html = formulas.map(({ tex, display }) =>
  renderToString(tex, { displayMode: display, throwOnError: true, strict: "error" }),
);
process.stdout.write(JSON.stringify(html));
