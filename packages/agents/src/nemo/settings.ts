import { randomBytes } from "node:crypto";
import type { ClientClock, ClientLimits, Credential, SchemaType, SocketDialler } from "@plenary/nemo";
import type { Recall } from "@plenary/sdk";
import type { HistoryOptions } from "../llm/history-store.ts";
import type { HistoryMax, LlmPolicy } from "../llm/settings.ts";
import type { Layer } from "../media.ts";

/** full: what the workflow did goes with its answer. names: only what it was called. */
export type StepsShown = "full" | "names" | "off";

export type NemoSettings = {
  /** Of the socket, such as `ws://127.0.0.1:8000/websocket`. */
  url: string;
  /** Of the upgrade, such as `authorization`. Told to that server and nobody else. */
  headers?: Readonly<Record<string, string>>;
  /** Told by `auth_message` instead. */
  credential?: Credential;
  name?: string;
  synopsis?: string;
  keyphrases?: readonly string[];
  organization?: string;
  /** BCP 47. Default: nothing is said of them. */
  languages?: readonly string[];
  greeting?: string;
  policy?: LlmPolicy;
  steps?: StepsShown;
  schemaType?: SchemaType;
  /** What the workflow can be told. Default: text, image and audio; of `generate` schemas text, and never more. */
  takes?: readonly Layer[];
  /** How much of what was said before the workflow is told. */
  historyMax?: Partial<HistoryMax>;
  /** How long the workflow may work on an answer, questions to people not counted. Default: half an hour. */
  patienceMs?: number;
  limits?: Partial<ClientLimits>;
  /** One session of the toolkit for everybody. Default: false, one for each person. */
  sharedSession?: boolean;
  /** Secret. Of what the sessions of people are made: the same key, the same sessions. Default: a new one. */
  sessionKey?: string;
  dialler: SocketDialler;
  clock?: ClientClock;
  /** Why a turn failed; never with the credential. Default: the console. */
  onError?: (error: unknown) => void;
};

type WithDefault =
  | "name"
  | "policy"
  | "steps"
  | "schemaType"
  | "clock"
  | "sessionKey"
  | "patienceMs"
  | "limits"
  | "takes";

/** The same with nothing left open. */
export type NemoConfig = Omit<NemoSettings, WithDefault | "sharedSession"> &
  Required<Pick<NemoSettings, WithDefault>> &
  HistoryOptions & { isSessionShared: boolean };

const historyMax: HistoryMax = { utterances: 40, characters: 12_000 };

const systemClock: ClientClock = {
  now: Date.now,
  after(ms, ring) {
    const timer = setTimeout(ring, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export function nemoConfigOf(
  settings: NemoSettings,
  self: { speakerUri: string; recall: Recall | undefined },
): NemoConfig {
  const { patienceMs = 1_800_000, limits } = settings;
  const { sharedSession: isSessionShared = false, sessionKey = newKey(), ...others } = settings;
  return {
    ...{ policy: "addressed", steps: "full", schemaType: "chat_stream", clock: systemClock },
    onError: (error) => console.error(error),
    ...others,
    ...{ ...self, isSessionShared, sessionKey, patienceMs },
    // Whoever says nothing may be at work all the same: patience ends it, with clear words.
    limits: { silenceMs: patienceMs + 60_000, ...limits },
    name: nameOf(settings),
    takes: takesOf(settings),
    historyMax: { ...historyMax, ...settings.historyMax },
  };
}

function newKey(): string {
  return randomBytes(32).toString("hex");
}

/** The toolkit reads one text of what `generate` schemas send, and nothing else. */
export function takesOf({
  takes = ["text", "image", "audio"],
  schemaType,
}: Pick<NemoSettings, "takes" | "schemaType">) {
  return schemaType?.startsWith("generate") === true ? (["text"] as const) : takes;
}

export function nameOf({ name }: Pick<NemoSettings, "name">): string {
  return name ?? "Workflow";
}
