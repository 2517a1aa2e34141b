import type { IncomingHttpHeaders } from "node:http";
import type { ResponseHeaders } from "./dial.ts";

// The HTTP parser leaves the white space at the end of a value.
const trimmed = (value: string) => value.trim();

/** Creating a Headers would copy all of them; most are never read. */
export class IncomingHeaders implements ResponseHeaders {
  readonly #incoming: IncomingHttpHeaders;

  /** With names in lower case, as undici gives them. */
  constructor(incoming: IncomingHttpHeaders) {
    this.#incoming = incoming;
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    const value = Object.hasOwn(this.#incoming, key) ? this.#incoming[key] : undefined;
    return (Array.isArray(value) ? value.map(trimmed).join(", ") : value?.trim()) ?? null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const [name, value] of Object.entries(this.#incoming)) {
      for (const item of [value ?? []].flat()) yield [name, item.trim()];
    }
  }
}
