/**
 * A Map for values that stay only briefly. When a Map grows, V8 keeps its old table until it collects the whole heap, and
 * the old table refers to the values of that time. Here the tables refer to cells, and a deleted cell is emptied.
 */
export class ShortLivedMap<Value extends object> {
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
