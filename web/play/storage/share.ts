/** A table as a link: all of it is in the fragment of the address, packed and sealed; nothing is stored anywhere. */
import { t } from "../language";
import { isChanged, seal } from "./sealed";
import type { Table } from "../game/table";
import { readTable, toKept } from "./store";

const MARK = "#table=";
/** Longer than any table packs to; more is not read. */
const LONGEST = 60_000;

const through = (bytes: BlobPart, stream: GenericTransformStream): Promise<ArrayBuffer> =>
  new Response(
    new Blob([bytes]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, Uint8Array>),
  ).arrayBuffer();

/** The address of this page with the table in it. */
export async function linkTo(table: Table): Promise<string> {
  const text = JSON.stringify(await seal(toKept(table, false)));
  const packed = new Uint8Array(await through(text, new CompressionStream("deflate-raw")));
  const letters = btoa(packed.reduce((all, byte) => all + String.fromCharCode(byte), ""));
  return `${location.origin}${location.pathname}${MARK}${letters.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}

export const isLink = (hash: string): boolean => hash.startsWith(MARK);

/** The table of a link; throws an `Error` that says why it cannot be read. */
export async function readLink(hash: string): Promise<Table> {
  let found: unknown;
  try {
    if (hash.length > LONGEST) throw new Error();
    const letters = atob(hash.slice(MARK.length).replace(/-/g, "+").replace(/_/g, "/"));
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    found = JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw"))));
  } catch {
    throw new Error(t.files.linkBroken);
  }
  if (await isChanged(found)) throw new Error(t.files.changed);
  return readTable(found);
}
