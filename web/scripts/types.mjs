// The page's types of what the library writes: reads a JSON Schema on stdin, writes TypeScript.
import { readFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";

const schema = JSON.parse(readFileSync(0, "utf8"));
const options = {
  additionalProperties: false,
  style: JSON.parse(readFileSync("package.json", "utf8")).prettier,
  bannerComment: "// Made from the library's own classes by `make tables`; do not edit.",
};
process.stdout.write(await compile(schema, "Shared", options));
