/**
 * Rows of probability in WebAssembly memory, by number: where each lies, at which points it begins and how long it is.
 *
 * The rows of a layer follow those of the layer before; when that one is done with, they move down into its place. What
 * lies behind the last row is zero.
 */

const PAGE = 65536;
/** Room that a row gets beyond what it needs at first. */
const SLACK = 32;
/** How many numbers are added at once: behind every row lie as many zeros, which may be read but are no part of it. */
export const BLOCK = 16;
/** What is rarer than this at the ends of a row is cut off. */
const RARE = 1e-13;

export class Rows {
  floats: Float32Array;
  words: Int32Array;
  /** By row: index of its first number in the memory, the points of that number, how many there are, and may be. */
  at = new Int32Array(1024);
  low = new Int32Array(1024);
  length = new Int32Array(1024);
  private room = new Int32Array(1024);
  n = 0;
  private next: number;

  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly begin: number,
  ) {
    this.next = begin;
    this.floats = new Float32Array(memory.buffer);
    this.words = new Int32Array(memory.buffer);
  }

  /** A row of zeros for points from `low` on; returns its number. */
  make(low: number, length: number): number {
    if (this.n === this.at.length) this.enlarge();
    this.place(this.n, low, length);
    return this.n++;
  }

  /** The row reaches over these points too. */
  extend(row: number, low: number, length: number): void {
    const before = this.low[row] as number;
    const end = Math.max(before + (this.length[row] as number), low + length);
    if (low >= before && end - before <= (this.room[row] as number)) {
      this.length[row] = end - before;
      return;
    }
    const [at, n] = [this.at[row] as number, this.length[row] as number];
    const from = Math.min(before, low) - SLACK;
    this.place(row, from, end - from);
    this.floats.copyWithin((this.at[row] as number) + before - from, at, at + n);
  }

  /** Cut off what is rare at the ends; what lies before a row is not read again. */
  trim(row: number): void {
    const { floats } = this;
    let first = this.at[row] as number;
    let last = first + (this.length[row] as number);
    while (last > first && (floats[last - 1] as number) < RARE) floats[--last] = 0;
    while (first < last && (floats[first] as number) < RARE) first++;
    this.low[row] = (this.low[row] as number) + first - (this.at[row] as number);
    this.length[row] = last - first;
    this.at[row] = first;
  }

  /** Where rows are made now. */
  mark = (): number => this.next;

  /** Rows that lie before a mark are forgotten, those from a number on move down. */
  forget(mark: number, from: number): void {
    const by = mark - this.begin;
    this.floats.copyWithin(this.begin, mark, this.next);
    this.floats.fill(0, this.next - by, this.next);
    for (let row = from; row < this.n; row++) this.at[row] = (this.at[row] as number) - by;
    this.next -= by;
  }

  private place(row: number, low: number, length: number): void {
    const room = (length + SLACK + 3) & ~3;
    this.reserve(this.next + room + 2 * BLOCK);
    this.at[row] = this.next;
    this.low[row] = low;
    this.length[row] = length;
    this.room[row] = room;
    this.next += room + BLOCK;
  }

  private enlarge(): void {
    const twice = (old: Int32Array): Int32Array<ArrayBuffer> => {
      const made = new Int32Array(2 * old.length);
      made.set(old);
      return made;
    };
    [this.at, this.low] = [twice(this.at), twice(this.low)];
    [this.length, this.room] = [twice(this.length), twice(this.room)];
  }

  private reserve(end: number): void {
    const { byteLength } = this.memory.buffer;
    if (end * 4 <= byteLength) return;
    this.memory.grow(Math.ceil((end * 4 - byteLength) / PAGE + byteLength / PAGE / 8));
    this.floats = new Float32Array(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
  }
}
