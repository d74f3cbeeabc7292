/** What is kept in the browser between visits, under the fingerprint of a game's rules: solved games, and their parts. */

/** Rises when numbers are laid out or computed in another way. */
const FORMAT = 2;
const NAME = "yatzy-tables";
/** How many games of each, of some ten and fifty megabytes; the one that was used longest ago goes first. */
const STORES = { tables: 6, parts: 1 };

/** Values of a solved game. */
export interface Kept {
  rows: Float32Array;
  refs: Float64Array;
  stride: number;
}

export interface Storage<T> {
  get: (fingerprint: string) => Promise<T | null>;
  put: (fingerprint: string, kept: T) => Promise<void>;
}

/** Solved games, and what their boxes bring (`parts`). */
export interface Storages {
  tables: Storage<Kept>;
  parts: Storage<Float32Array>;
}

const NOTHING = { get: async (): Promise<null> => null, put: async (): Promise<void> => undefined };
/** Keeps nothing: for tests, and where a browser has no storage. */
export const NO_STORAGE: Storages = { tables: NOTHING, parts: NOTHING };

const answer = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = (): void => resolve(request.result);
    request.onerror = (): void => reject(request.error ?? new Error("storage"));
  });

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, FORMAT);
  request.onupgradeneeded = (): void => {
    for (const old of request.result.objectStoreNames) request.result.deleteObjectStore(old);
    for (const store of Object.keys(STORES)) request.result.createObjectStore(store);
  };
  return answer(request);
}

interface Entry<T> {
  kept: T;
  used: number;
}

/** The browser's own storage; whatever goes wrong there is as if nothing were kept. */
function browserStorage<T>(name: keyof typeof STORES): Storage<T> {
  const begin = async (): Promise<IDBObjectStore> =>
    (await open()).transaction(name, "readwrite").objectStore(name);
  return {
    get: async (fingerprint) => {
      try {
        const store = await begin();
        const found = (await answer(store.get(fingerprint))) as Entry<T> | undefined;
        if (!found) return null;
        store.put({ ...found, used: Date.now() } satisfies Entry<T>, fingerprint);
        return found.kept;
      } catch {
        return null;
      }
    },
    put: async (fingerprint, kept) => {
      try {
        const store = await begin();
        const keys = (await answer(store.getAllKeys())) as string[];
        if (keys.length >= STORES[name] && !keys.includes(fingerprint)) {
          const entries = await Promise.all(keys.map(async (key) => (await answer(store.get(key))) as Entry<T>));
          const oldest = entries.reduce((at, one, i) => (one.used < (entries[at]?.used ?? 0) ? i : at), 0);
          store.delete(keys[oldest] ?? "");
        }
        await answer(store.put({ kept, used: Date.now() } satisfies Entry<T>, fingerprint));
      } catch {
        // Nothing is kept, and the game is solved again next time.
      }
    },
  };
}

export const BROWSER: Storages = { tables: browserStorage("tables"), parts: browserStorage("parts") };
