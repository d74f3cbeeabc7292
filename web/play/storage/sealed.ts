/**
 * Logs carry a checksum, as Python writes and checks it: SHA-256 of the object without it, keys sorted, no spaces.
 * A browser computes it only where the page's own address is safe (https or this machine); elsewhere a log has none.
 */

const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([key, one]) => key !== "checksum" && one !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(",")}}`;
};

/** The checksum of an object, or null where it cannot be computed. */
export async function checksumOf(value: object): Promise<string | null> {
  if (!globalThis.crypto?.subtle) return null;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical(value)));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The object with its checksum, if it can be computed. */
export async function seal<T extends object>(value: T): Promise<T & { checksum?: string }> {
  const checksum = await checksumOf(value);
  return checksum === null ? value : { ...value, checksum };
}

/** Was the object changed since it was sealed? Without a checksum nobody can tell. */
export async function isChanged(value: unknown): Promise<boolean> {
  if (value === null || typeof value !== "object" || !("checksum" in value)) return false;
  const checksum = await checksumOf(value);
  return checksum !== null && value.checksum !== checksum;
}
