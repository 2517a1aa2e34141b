import type { AnswerInput, CommandInput, EnvelopeInput, LapsedQuestion } from "@plenary/floor";

/** What somebody sent, answered or commanded, as the log tells it. What the floor did by itself is no input. */
export type RecordedInput = {
  /** By which both logs know it. */
  name: string;
  /** Of the entry by which it is known. */
  seq: number;
  at: string;
  /** Of the convener there was then, or about it: left out where another has its place. */
  isConveners: boolean;
  /** Who sent or answered it. */
  sender?: string;
} & RecordedAct;

export type RecordedAct =
  | { kind: "envelope"; input: EnvelopeInput }
  /** `delivery` is the name of the one it answers. */
  | {
      kind: "answer";
      delivery: string;
      isDelegation: boolean;
      /** It answers a private utterance of this conversant. */
      whisperer?: string;
      input: Omit<AnswerInput, "delivery">;
    }
  /** Somebody answered after its time. What it said was not kept. `unsent`: it was stopped before it was sent. */
  | { kind: "late"; delivery: string; turn: string; unsent?: Pick<AnswerInput, "failure" | "detail" | "unsent"> }
  /** A deadline that was reached: of a delegation, or of a request that was held. */
  | { kind: "deadline"; of: "delegation" | "held"; name: string }
  /** Nobody answered a question in time. */
  | { kind: "lapsed"; question: LapsedQuestion }
  | { kind: "command"; input: CommandInput };

export type Recording = {
  id: string;
  inputs: readonly RecordedInput[];
  /** The names of all deliveries and held requests, so that one nobody ever made is known. */
  deliveries: ReadonlySet<string>;
  /** The input that an entry belongs to, by its place in `inputs`: one number for each entry. */
  stepOfEntry: readonly number[];
  /** Who ever was the convener, or invited to be, by every name. */
  conveners: ReadonlySet<string>;
  /** Entries whose words were erased. */
  erased: number;
  /** When the last entry was written. */
  endsAt: string;
};
