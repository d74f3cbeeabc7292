/** Solved games, kept in the browser between visits under the fingerprint of their rules. */

/** Rises when rows are laid out or computed in another way. */
const FORMAT = 1;
const NAME = "yatzy-tables";
const STORE = "tables";
/** Some ten megabytes each; the one that was used longest ago goes first. */
const KEPT = 6;

export interface Kept {
  rows: Float32Array;
  refs: Float64Array;
  stride: number;
}

export interface Storage {
  get: (fingerprint: string) => Promise<Kept | null>;
  put: (fingerprint: string, kept: Kept) => Promise<void>;
}

/** Keeps nothing: for tests, and where a browser has no storage. */
export const NO_STORAGE: Storage = { get: async () => null, put: async () => undefined };

const answer = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = (): void => resolve(request.result);
    request.onerror = (): void => reject(request.error ?? new Error("storage"));
  });

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, FORMAT);
  request.onupgradeneeded = (): void => {
    for (const old of request.result.objectStoreNames) request.result.deleteObjectStore(old);
    request.result.createObjectStore(STORE);
  };
  return answer(request);
}

interface Entry extends Kept {
  used: number;
}

/** The browser's own storage; whatever goes wrong there is as if nothing were kept. */
export const BROWSER: Storage = {
  get: async (fingerprint) => {
    try {
      const store = (await open()).transaction(STORE, "readwrite").objectStore(STORE);
      const found = (await answer(store.get(fingerprint))) as Entry | undefined;
      if (!found) return null;
      store.put({ ...found, used: Date.now() } satisfies Entry, fingerprint);
      return found;
    } catch {
      return null;
    }
  },
  put: async (fingerprint, kept) => {
    try {
      const store = (await open()).transaction(STORE, "readwrite").objectStore(STORE);
      const keys = (await answer(store.getAllKeys())) as string[];
      if (keys.length >= KEPT) {
        const entries = await Promise.all(keys.map(async (key) => (await answer(store.get(key))) as Entry));
        const oldest = entries.reduce((at, one, i) => (one.used < (entries[at]?.used ?? 0) ? i : at), 0);
        store.delete(keys[oldest] ?? "");
      }
      await answer(store.put({ ...kept, used: Date.now() } satisfies Entry, fingerprint));
    } catch {
      // Nothing is kept, and the game is solved again next time.
    }
  },
};
