/**
 * A WebAssembly module, written function by function as bytes.
 *
 * Only what the engine needs: whole numbers of 32 bits, vectors of four float32 or two float64, and for browsers without
 * vectors the same operations on a single number. See the WebAssembly specification, "Binary Format".
 */

const I32 = 0x7f;
const F32 = 0x7d;
const F64 = 0x7c;
const V128 = 0x7b;

/** How every module begins: "\0asm", version 1. */
const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/** A whole number as the format writes it: seven bits a byte, the lowest first. */
function unsigned(n: number): number[] {
  const bytes = [];
  do {
    bytes.push((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
    n >>>= 7;
  } while (n);
  return bytes;
}

function signed(n: number): number[] {
  const bytes = [];
  for (;;) {
    const byte = n & 0x7f;
    n >>= 7;
    const done = (n === 0 && !(byte & 0x40)) || (n === -1 && !!(byte & 0x40));
    bytes.push(done ? byte : byte | 0x80);
    if (done) return bytes;
  }
}

const section = (id: number, content: number[]): number[] => [id, ...unsigned(content.length), ...content];
const named = (name: string): number[] => [name.length, ...[...name].map((letter) => letter.charCodeAt(0))];

/** Lanes: a few numbers at once, or one where a browser has no vectors. */
export interface Lanes {
  n: number;
  bytes: number;
  type: number;
  load: number[];
  store: number[];
  add: number[];
  mul: number[];
  max: number[];
  /** From one number on the stack. */
  spread: number[];
}

/** Lanes of float32. */
export interface Singles extends Lanes {
  equal: number[];
  /** Of what is on the stack, a value and then a mask: the value where the mask is set; where it is not. */
  where: number[];
  whereNot: number[];
}

const vector = (n: number): number[] => [0xfd, ...unsigned(n)];

export const FOUR: Singles = {
  n: 4,
  bytes: 16,
  type: V128,
  load: [...vector(0x00), 0],
  store: [...vector(0x0b), 0],
  add: vector(0xe4),
  mul: vector(0xe6),
  max: vector(0xeb),
  equal: vector(0x41),
  spread: vector(0x13),
  where: vector(0x4e),
  whereNot: vector(0x4f),
};

/** Masks of a single lane are 1 or 0 as float32, and are multiplied: nothing that is masked is ever infinite. */
export const ONE: Singles = {
  n: 1,
  bytes: 4,
  type: F32,
  load: [0x2a, 2],
  store: [0x38, 2],
  add: [0x92],
  mul: [0x94],
  max: [0x97],
  equal: [0x5b, 0xb3],
  spread: [],
  where: [0x94],
  whereNot: [0x8c, 0x43, 0, 0, 0x80, 0x3f, 0x92, 0x94],
};

/** Lanes of float64, with what exponentials and logarithms are made of. */
export interface Doubles extends Lanes {
  sub: number[];
  div: number[];
  /** From `EXPONENTS` + n, for a whole number n: 2 to the power of n. */
  power: number[];
  /** Of a number above 0: its exponent + `EXPONENT_BIAS`, and what is left of it, from 1 to 2. */
  exponent: number[];
  fraction: number[];
}

/** Added to a whole number, it leaves that number's exponent in the lowest bits: 1.5 * 2^52 + 1023. */
export const EXPONENTS = 6755399441055744 + 1023;
export const EXPONENT_BIAS = 1023 + 2 ** 52;

const DOWN_TO_LAST = 52;
/** Bits of a float64, the lowest byte first: the exponent of 2^52, that of 1, and all below it. */
const LARGE = [0, 0, 0, 0, 0, 0, 0x30, 0x43];
const UNIT = [0, 0, 0, 0, 0, 0, 0xf0, 0x3f];
const BELOW = [255, 255, 255, 255, 255, 255, 0x0f, 0];
const twice = (bits: number[]): number[] => [...vector(0x0c), ...bits, ...bits];

export const TWO: Doubles = {
  n: 2,
  bytes: 16,
  type: V128,
  load: FOUR.load,
  store: FOUR.store,
  add: vector(0xf0),
  sub: vector(0xf1),
  mul: vector(0xf2),
  div: vector(0xf3),
  max: vector(0xf5),
  spread: vector(0x14),
  power: [0x41, DOWN_TO_LAST, ...vector(0xcb)],
  exponent: [0x41, DOWN_TO_LAST, ...vector(0xcd), ...twice(LARGE), ...vector(0x50)],
  fraction: [...twice(BELOW), ...vector(0x4e), ...twice(UNIT), ...vector(0x50)],
};

const toBits = 0xbd;
const fromBits = 0xbf;
/** The number with these bits as a whole number: a float64 constant, read as bits. */
const bitsOf = (bits: number[]): number[] => [0x44, ...bits, toBits];

export const ONE_DOUBLE: Doubles = {
  n: 1,
  bytes: 8,
  type: F64,
  load: [0x2b, 3],
  store: [0x39, 3],
  add: [0xa0],
  sub: [0xa1],
  mul: [0xa2],
  div: [0xa3],
  max: [0xa5],
  spread: [],
  power: [toBits, 0x42, DOWN_TO_LAST, 0x86, fromBits],
  exponent: [toBits, 0x42, DOWN_TO_LAST, 0x88, ...bitsOf(LARGE), 0x84, fromBits],
  fraction: [toBits, ...bitsOf(BELOW), 0x83, ...bitsOf(UNIT), 0x84, fromBits],
};

/** Code of one function; addresses are a local with a constant offset. */
export class Code {
  readonly bytes: number[] = [];
  private readonly locals: number[] = [];
  private readonly isDouble: boolean;

  constructor(
    readonly lanes: Lanes,
    readonly params: number,
  ) {
    this.isDouble = "power" in lanes;
  }

  /** Operations of the lanes, or any bytes. */
  push(bytes: readonly number[]): this {
    for (const byte of bytes) this.bytes.push(byte);
    return this;
  }

  /** A new local: a whole number, or lanes. */
  local(kind: "i32" | "lanes"): number {
    this.locals.push(kind === "i32" ? I32 : this.lanes.type);
    return this.params + this.locals.length - 1;
  }

  get = (local: number): this => this.push([0x20, ...unsigned(local)]);
  set = (local: number): this => this.push([0x21, ...unsigned(local)]);
  /** Set, and leave it on the stack. */
  tee = (local: number): this => this.push([0x22, ...unsigned(local)]);
  number = (n: number): this => this.push([0x41, ...signed(n)]);
  plus = (): this => this.push([0x6a]);
  word = (at: number, offset: number): this => this.get(at).push([0x28, 2, ...unsigned(offset)]);
  /** One float32 from memory, in every lane. */
  weight = (at: number, offset: number): this =>
    this.get(at)
      .push([0x2a, 2, ...unsigned(offset)])
      .push(this.lanes.spread);
  constant(value: number): this {
    const stored = this.isDouble ? new Float64Array([value]) : new Float32Array([value]);
    const bytes = new Uint8Array(stored.buffer);
    return this.push([this.isDouble ? 0x44 : 0x43, ...bytes]).push(this.lanes.spread);
  }
  load = (at: number, offset: number): this => this.get(at).push(this.lanes.load).push(unsigned(offset));
  /** Stores what is on the stack; its address must lie below it. */
  store = (offset: number): this => this.push(this.lanes.store).push(unsigned(offset));
  add = (): this => this.push(this.lanes.add);
  mul = (): this => this.push(this.lanes.mul);
  max = (): this => this.push(this.lanes.max);
  // Lanes of float32 only.
  equal = (): this => this.push((this.lanes as Singles).equal);
  where = (): this => this.push((this.lanes as Singles).where);
  whereNot = (): this => this.push((this.lanes as Singles).whereNot);
  call = (fn: number): this => this.push([0x10, ...unsigned(fn)]);
  advance = (local: number, by: number): this => this.get(local).number(by).plus().set(local);

  /** Repeat the body as often as a local says, which counts down to nothing. */
  loop(count: number, body: () => void): this {
    this.push([0x03, 0x40]);
    body();
    return this.get(count).number(-1).plus().tee(count).push([0x0d, 0, 0x0b]);
  }

  /** The function as the format has it. */
  finish(): number[] {
    const locals = [...unsigned(this.locals.length), ...this.locals.flatMap((type) => [1, type])];
    const length = locals.length + this.bytes.length + 1;
    const head = unsigned(length);
    return head.concat(locals, this.bytes, [0x0b]);
  }
}

/** A module of functions that take whole numbers and return nothing, over a memory from outside. */
export class Module {
  private readonly code: Code[] = [];
  private readonly names: [string, number][] = [];

  /** A function by its code; its number is for `call`. */
  add(code: Code, name?: string): number {
    const number = this.code.length;
    this.code.push(code);
    if (name) this.names.push([name, number]);
    return number;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const most = Math.max(...this.code.map(({ params }) => params));
    const types = Array.from({ length: most + 1 }, (_, n) => [0x60, n, ...Array<number>(n).fill(I32), 0]).flat();
    const body: number[] = unsigned(this.code.length);
    for (const code of this.code) for (const byte of code.finish()) body.push(byte);
    const exported = this.names.flatMap(([name, number]) => [...named(name), 0, ...unsigned(number)]);
    const head = [
      ...HEADER,
      ...section(1, [...unsigned(most + 1), ...types]),
      ...section(2, [1, ...named("page"), ...named("memory"), 2, 0, 0]),
      ...section(3, [...unsigned(this.code.length), ...this.code.flatMap(({ params }) => unsigned(params))]),
      ...section(7, [...unsigned(this.names.length), ...exported]),
      10,
      ...unsigned(body.length),
    ];
    const bytes = new Uint8Array(head.length + body.length);
    bytes.set(head);
    bytes.set(body, head.length);
    return bytes;
  }
}

/** Does this browser have vectors? The smallest module that uses one tells. */
export function hasVectors(): boolean {
  const code = new Code(FOUR, 1);
  code.get(0).load(0, 0).store(0);
  const module = new Module();
  module.add(code);
  return WebAssembly.validate(module.bytes());
}
