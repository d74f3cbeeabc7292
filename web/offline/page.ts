/** A page's side of working without a connection: it has the site kept, and offers a new version when there is one. */

/** What the offer of a new version says. */
export interface OfferTexts {
  ready: string;
  reload: string;
  later: string;
}

/**
 * Registers the service worker beside the manifest. `article`: also keep what only the article needs; `used`: files
 * that were loaded before there was a worker, and are needed again.
 */
export function keepSite(article: boolean, said: OfferTexts, used: readonly string[] = []): void {
  const manifest = document.querySelector<HTMLLinkElement>('link[rel="manifest"]');
  if (!manifest || !("serviceWorker" in navigator)) return;
  const script = new URL("service-worker.js", manifest.href);
  const start = (): void => void register(script, article, said, used);
  if (document.readyState === "complete") start();
  else addEventListener("load", start);
}

async function register(script: URL, article: boolean, said: OfferTexts, used: readonly string[]): Promise<void> {
  const { serviceWorker } = navigator;
  const keptBefore = serviceWorker.controller !== null;
  // Where the browser forbids it, the page works as it did, with a connection.
  const registration = await serviceWorker.register(script, { updateViaCache: "none" }).catch(() => undefined);
  if (!registration) return;
  offerUpdates(registration, keptBefore, said);
  await serviceWorker.ready;
  if (used.length) registration.active?.postMessage({ keep: used });
  // Whoever comes back to the coach gets the article too; a first visit to it stays small.
  if (article || keptBefore) registration.active?.postMessage("keep-later");
}

function offerUpdates(registration: ServiceWorkerRegistration, keptBefore: boolean, said: OfferTexts): void {
  const { serviceWorker } = navigator;
  let reloading = false;
  const look = (): void => {
    const { waiting } = registration;
    if (!waiting || !serviceWorker.controller) return;
    showOffer(said, () => {
      reloading = true;
      waiting.postMessage("take-over");
    });
  };
  look();
  registration.addEventListener("updatefound", () =>
    registration.installing?.addEventListener("statechange", look),
  );
  let controlled = keptBefore;
  serviceWorker.addEventListener("controllerchange", () => {
    // The first worker takes over a page that is already its own version.
    if (!controlled) controlled = true;
    else if (reloading) location.reload();
    // Another tab has reloaded; this one goes on as it is until its reader wants to.
    else showOffer(said, () => location.reload());
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) registration.update().catch(() => undefined);
  });
}

function showOffer(said: OfferTexts, accept: () => void): void {
  document.querySelector(".offer")?.remove();
  const offer = document.createElement("div");
  offer.className = "offer";
  offer.setAttribute("role", "status");
  document.body.append(offer);
  const text = document.createElement("span");
  text.textContent = said.ready;
  offer.append(
    text,
    button(said.reload, accept),
    button(said.later, () => offer.remove()),
  );
}

function button(label: string, press: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", press);
  return made;
}
