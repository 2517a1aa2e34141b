/**
 * A Map whose values come and go all the time. V8 keeps the tables that a busy Map has outgrown until it collects the whole
 * heap, and each holds what was in the Map then. They hold cells here, and a cell that is emptied lets go of its value.
 */
export class PassingMap<Value extends object> {
  readonly #cells = new Map<string, { value: Value | undefined }>();

  get size(): number {
    return this.#cells.size;
  }

  get(key: string): Value | undefined {
    return this.#cells.get(key)?.value;
  }

  has(key: string): boolean {
    return this.#cells.has(key);
  }

  set(key: string, value: Value): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, { value });
    else cell.value = value;
  }

  delete(key: string): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) return;
    cell.value = undefined;
    this.#cells.delete(key);
  }

  *values(): Generator<Value> {
    for (const { value } of this.#cells.values()) if (value !== undefined) yield value;
  }
}
