/** One step of a file from the version before to `version`. */
export type Migration = {
  version: number;
  name: string;
  sql: string;
  /** How readers of an older file see its new tables, by table: SQL that writes nothing to the file. Without it, as empty. */
  views?: Readonly<Record<string, string>>;
};
