import type { ConvenerCall, ConvenerReply, Replayed, WhatIf } from "@plenary/transcript";

/** Whoever has the chair when a conversation is decided again. */
export type AskedConvener = {
  place: WhatIf["convener"];
  /** How the report calls it; absent when it stays as it was. */
  words?: string;
  ask(call: ConvenerCall): Promise<ConvenerReply>;
  /** Throws when it never took the chair. */
  assertSeated(replayed: Replayed): void;
  close(): Promise<void>;
};
