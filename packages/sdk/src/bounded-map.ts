/** A map with a maximum size. The least recently used entry is dropped first. */
export class BoundedMap<Value> {
  readonly #max: number;
  readonly #onDrop: ((value: Value) => void) | undefined;
  readonly #values = new Map<string, Value>();

  constructor(max: number, onDrop?: (value: Value) => void) {
    this.#max = max;
    this.#onDrop = onDrop;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values;
    if (this.#values.size <= this.#max || oldest === undefined) return;
    this.#values.delete(oldest[0]);
    this.#onDrop?.(oldest[1]);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  entries(): [string, Value][] {
    return [...this.#values];
  }
}
