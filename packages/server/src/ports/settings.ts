export interface Settings {
  /** A persistent setting: stores `initial` at the first call, and returns the stored value (D25). */
  keep(name: string, initial: string): Promise<string>;
}
