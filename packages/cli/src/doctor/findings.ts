import type { Survey } from "@plenary/server";
import type { ParsedConfiguration } from "../config/configuration.ts";

export type Level = "ok" | "warning" | "unsafe";

/** What one check has to say. Who is told of a fault is told the way out. */
export type Finding = { id: string; level: "ok"; what: string } | Fault;

type Fault = { id: string; level: "warning" | "unsafe"; what: string; fix: string };

/** A file or folder, as far as others are concerned. */
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
      survey: Survey;
    };

/** All that is looked at; nothing is judged yet. */
export type Inspection = {
  now: string;
  node: { version: string; isLts: boolean; options: string; rejectUnauthorized: string | undefined };
  /** Not known where accounts have no numbers. */
  user: number | undefined;
  configured: ParsedConfiguration;
  /** As it was given, by option or environment. */
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
