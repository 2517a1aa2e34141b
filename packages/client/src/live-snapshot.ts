import type { Identification } from "@plenary/protocol";
import type { Line, Question } from "@plenary/transcript";
import type { ConversationView, Entry } from "./contract.ts";
import type { LiveDraft } from "./drafts.ts";
import type { Unsent } from "./outbox.ts";
import type { FloorProblem } from "./problem.ts";

/** The state of a conversation at one moment, for a user interface. */
export type LiveSnapshot = {
  id: string;
  me: string;
  /** loading: until the first connection is live. gone: left, removed, or no access. */
  connection: "loading" | "live" | "reconnecting" | "gone";
  /** Why it is gone, or does not load yet. */
  problem?: FloorProblem;
  view: ConversationView;
  /** The loaded end of the log, and its lines. */
  entries: readonly Entry[];
  lines: readonly Line[];
  /** `loadOlder` has more. */
  hasOlder: boolean;
  identifications: ReadonlyMap<string, Identification>;
  drafts: readonly LiveDraft[];
  unsent: readonly Unsent[];
  questions: readonly Question[];
};
