/**
 * Keeps the site on the reader's device, so that it works without a connection.
 *
 * The builder puts `self.SITE` in front of this file: every file of the site with a digest of its content, in three
 * groups. `first` is what the coach needs and is kept before this worker is used at all; `later` is the article, kept
 * when a page asks for it; `on_use` is kept when it is read. Files are kept under their digest, so a new version of the
 * site fetches only what has changed, and the old one stays whole until the reader reloads.
 */
type Digests = Record<string, string>;
type Site = { first: Digests; later: Digests; on_use: Digests };
const worker = self as unknown as ServiceWorkerGlobalScope & { SITE: Site };

const { first, later, on_use } = worker.SITE;
const digests = new Map(Object.entries({ ...first, ...later, ...on_use }));
const root = worker.registration.scope;
const openKept = (): Promise<Cache> => caches.open(`yatzy ${root}`);
const keyOf = (path: string): string => `${root}${path}?${digests.get(path)}`;

/** Where a file is below the root, as the list calls it; null if it is elsewhere, or no address at all. */
function pathOf(url: URL): string | null {
  const address = url.origin + url.pathname;
  if (!address.startsWith(root)) return null;
  try {
    return decodeURIComponent(address.slice(root.length)).replace(/(^|\/)index\.html$/, "$1");
  } catch {
    return null;
  }
}

async function digestOf(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes), 0, 8);
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The file as the network has it. It is kept if it is the one of this version; `kept` says so. */
async function fetchFile(path: string): Promise<{ answer: Response; kept: boolean }> {
  // What is named by its content cannot be out of date in the browser's own cache; the rest can.
  const answer = await fetch(root + path, { cache: path.startsWith("assets/") ? "default" : "no-cache" });
  if (!answer.ok) return { answer, kept: false };
  const headers = new Headers(answer.headers);
  // The bytes are unpacked by now.
  headers.delete("content-encoding");
  headers.delete("content-length");
  const bytes = await answer.arrayBuffer();
  const kept = (await digestOf(bytes)) === digests.get(path);
  if (kept) await (await openKept()).put(keyOf(path), new Response(bytes, { headers }));
  return { answer: new Response(bytes, { headers }), kept };
}

/** Without all of them there is no new version: the browser tries again on a later visit. */
async function keepFirst(): Promise<void> {
  const cache = await openKept();
  const keep = async (path: string): Promise<void> => {
    if (await cache.match(keyOf(path))) return;
    if (!(await fetchFile(path)).kept) throw new Error(`${path} is not the file of this version`);
  };
  await Promise.all(Object.keys(first).map(keep));
}

/** One after the other, so that what the reader asks for meanwhile is not held up. What fails is tried again. */
async function keepLater(): Promise<void> {
  const cache = await openKept();
  for (const path of Object.keys(later))
    if (!(await cache.match(keyOf(path)))) await fetchFile(path).catch(() => undefined);
}

/** Files that a page has loaded before it had a worker. */
async function keepUsed(addresses: readonly string[]): Promise<void> {
  const cache = await openKept();
  for (const path of addresses.map((one) => pathOf(new URL(one))))
    if (path !== null && digests.has(path) && !(await cache.match(keyOf(path)))) await fetchFile(path);
}

async function removeOld(): Promise<void> {
  const cache = await openKept();
  const wanted = new Set([...digests.keys()].map(keyOf));
  const old = (await cache.keys()).filter((request) => !wanted.has(request.url));
  await Promise.all(old.map((request) => cache.delete(request)));
}

function notHere(): Response {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width"><title>No connection</title><h1>No connection</h1>
<p>This page is not on your device yet. <a href="${root}play/">The coach</a> is.</p>`;
  return new Response(page, { status: 503, headers: { "content-type": "text/html; charset=utf-8" } });
}

async function answerTo(request: Request, path: string): Promise<Response> {
  const found = await (await openKept()).match(keyOf(path));
  if (found) return found;
  try {
    return (await fetchFile(path)).answer;
  } catch {
    return request.mode === "navigate" ? notHere() : Response.error();
  }
}

worker.addEventListener("install", (event) => event.waitUntil(keepFirst()));
worker.addEventListener("activate", (event) => event.waitUntil(removeOld().then(() => worker.clients.claim())));
worker.addEventListener("message", (event) => {
  if (event.data === "keep-later") event.waitUntil(keepLater());
  if (Array.isArray(event.data?.keep))
    event.waitUntil(keepUsed(event.data.keep as string[]).catch(() => undefined));
  if (event.data === "take-over") event.waitUntil(worker.skipWaiting());
});
worker.addEventListener("fetch", (event) => {
  const path = event.request.method === "GET" ? pathOf(new URL(event.request.url)) : null;
  if (path === null) return;
  if (digests.has(path)) event.respondWith(answerTo(event.request, path));
  else if (digests.has(`${path}/`)) event.respondWith(Response.redirect(`${root}${path}/`));
});
