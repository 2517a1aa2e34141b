import type { AnswerInput, CommandInput, EnvelopeInput, LapsedQuestion } from "@plenary/floor";

/** An envelope, answer, deadline or command, reconstructed from the log. */
export type RecordedInput = {
  /** The name of the input in both logs. */
  name: string;
  /** The entry it was reconstructed from. */
  seq: number;
  at: string;
  /** From or about the recorded convener: left out in a replay with another one. */
  isConveners: boolean;
  /** The sender or the answering agent. */
  sender?: string;
} & RecordedAct;

export type RecordedAct =
  | { kind: "envelope"; input: EnvelopeInput }
  /** `delivery` is the stable name of the answered delivery. */
  | {
      kind: "answer";
      delivery: string;
      isDelegation: boolean;
      /** It answers a private utterance of this conversant. */
      whisperer?: string;
      input: Omit<AnswerInput, "delivery">;
    }
  /** A late answer, whose content was not recorded. `unsent`: the delivery was stopped before it was sent. */
  | { kind: "late"; delivery: string; turn: string; unsent?: Pick<AnswerInput, "failure" | "detail" | "unsent"> }
  /** The deadline of a delegation or of a held request. */
  | { kind: "deadline"; of: "delegation" | "held"; name: string }
  /** A question was not answered in time. */
  | { kind: "lapsed"; question: LapsedQuestion }
  | { kind: "command"; input: CommandInput };

export type Recording = {
  id: string;
  inputs: readonly RecordedInput[];
  /** The names of all recorded deliveries and held requests. */
  deliveries: ReadonlySet<string>;
  /** For each entry, the index in `inputs` of the input it belongs to. */
  stepOfEntry: readonly number[];
  /** Every name of an agent that was convener or was invited as convener. */
  conveners: ReadonlySet<string>;
  /** The number of erasures. */
  erased: number;
  /** The time of the last entry. */
  endsAt: string;
};
