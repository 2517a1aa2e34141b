import { plainError } from "./errors.ts";
import { insteadOf } from "./names.ts";
import { attempt, cut, textOf, unreadable } from "./safe-text.ts";

/** Limits of one line. */
export type ValueLimits = {
  /** Of one string, after redaction. */
  charsMax: number;
  /** Values, lists and objects together. */
  nodesMax: number;
  /** Lists and objects inside each other. */
  depthMax: number;
  /** Whether errors have their stacks. */
  hasStack: boolean;
};

const keyCharsMax = 64;

/** Converts the values of one line to plain JSON, without credentials and without what was said in conversations. */
export class ValueReader {
  readonly #limits: ValueLimits;
  /** The objects that contain the value being read. */
  readonly #above = new Set<object>();
  #nodesLeft: number;

  constructor(limits: ValueLimits) {
    this.#limits = limits;
    this.#nodesLeft = limits.nodesMax;
  }

  isFull(): boolean {
    return this.#nodesLeft <= 0;
  }

  /** The property of an object. Does not throw. */
  property(object: object, name: string): unknown {
    this.#nodesLeft -= 1;
    return attempt(() => {
      const value = (object as Record<string, unknown>)[name];
      return insteadOf(name, value) ?? this.#read(value);
    });
  }

  #read(value: unknown): unknown {
    switch (typeof value) {
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "boolean":
      case "undefined":
        return value;
      case "function":
        return "[function]";
      case "object":
        return value === null ? null : this.#readObject(value);
      default:
        return textOf(value, this.#limits.charsMax);
    }
  }

  #readObject(value: object): unknown {
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid date" : value.toISOString();
    if (value instanceof URL) return textOf(value.href, this.#limits.charsMax);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (value instanceof Map || value instanceof Set) return `[${value.size} values]`;
    if (value instanceof Error) return plainError(value, this.#limits);
    if (this.#above.has(value)) return "[circular]";
    if (this.#above.size >= this.#limits.depthMax) return cut;
    this.#above.add(value);
    try {
      return Array.isArray(value) ? this.#readList(value) : this.#readProperties(value);
    } finally {
      this.#above.delete(value);
    }
  }

  #readList(list: readonly unknown[]): unknown[] {
    const found: unknown[] = [];
    for (let index = 0; index < list.length; index += 1) {
      if (this.isFull()) return [...found, cut];
      this.#nodesLeft -= 1;
      const value = attempt(() => this.#read(list[index]));
      found.push(value ?? null);
    }
    return found;
  }

  #readProperties(value: object): object {
    // Without a prototype, so that `__proto__` is a name like others.
    const found = Object.create(null);
    for (const name of namesOf(value)) {
      if (this.isFull()) {
        found[cut] = cut;
        break;
      }
      found[textOf(name, keyCharsMax)] = this.property(value, name);
    }
    return found;
  }
}

function namesOf(value: object): string[] {
  const names = attempt(() => Object.keys(value));
  return typeof names === "string" ? [unreadable] : names;
}
