import type { SqliteInspection } from "@plenary/server";
import type { ParsedConfiguration } from "../config/configuration.ts";

export type Level = "ok" | "warning" | "unsafe";

/** The result of one check. A fault always has a fix. */
export type Finding = { id: string; level: "ok"; what: string } | Fault;

type Fault = { id: string; level: "warning" | "unsafe"; what: string; fix: string };

/** Mode and owner of a file or folder. */
export type FileMode = { path: string; mode: number; uid: number };

export type StoreInspection =
  | { kind: "memory" }
  | { kind: "missing"; file: string; folder: FileMode | undefined; freeBytes: number }
  | {
      kind: "kept";
      files: readonly FileMode[];
      token: FileMode | undefined;
      folder: FileMode;
      freeBytes: number;
      survey: SqliteInspection;
    };

/** The facts the checks work on. */
export type Inspection = {
  now: string;
  node: { version: string; isLts: boolean; options: string; rejectUnauthorized: string | undefined };
  /** Undefined without numeric user ids (Windows). */
  user: number | undefined;
  configured: ParsedConfiguration;
  /** The value of the option or variable. */
  namedStore: string | undefined;
  store: StoreInspection;
};

export function ok(id: string, what: string): Finding {
  return { id, level: "ok", what };
}

export function warning(id: string, what: string, fix: string): Finding {
  return { id, level: "warning", what, fix };
}

export function unsafe(id: string, what: string, fix: string): Finding {
  return { id, level: "unsafe", what, fix };
}
