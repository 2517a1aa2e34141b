import { randomBytes } from "node:crypto";
import type { ClientClock, ClientLimits, Credential, SchemaType, SocketDialler } from "@plenary/nemo";
import type { HistoryOptions } from "../llm/history.ts";
import { type HistoryMax, historyMax, type LlmPolicy } from "../llm/settings.ts";
import type { Layer } from "../media.ts";

/** full: the answer shows the steps of the workflow with details. names: only their names. */
export type StepsShown = "full" | "names" | "off";

export type NemoSettings = {
  /** The socket's address, such as `ws://127.0.0.1:8000/websocket`. */
  url: string;
  /** Headers of the upgrade request, such as `authorization`. Sent only to that server. */
  headers?: Readonly<Record<string, string>>;
  /** Sent as `auth_message` instead. */
  credential?: Credential;
  name?: string;
  synopsis?: string;
  keyphrases?: readonly string[];
  organization?: string;
  /** BCP 47. Default: not in the manifest. */
  languages?: readonly string[];
  greeting?: string;
  policy?: LlmPolicy;
  steps?: StepsShown;
  schemaType?: SchemaType;
  /** The media that the workflow can read. Default: text, image and audio; for `generate` schemas always only text. */
  takes?: readonly Layer[];
  /** How much of the history the workflow gets. */
  historyMax?: Partial<HistoryMax>;
  /** How long a run may take between two answers of a person. Default: half an hour. */
  patienceMs?: number;
  limits?: Partial<ClientLimits>;
  /** One session of the toolkit for all people. Default: false, one for each person. */
  sharedSession?: boolean;
  /** Secret from which the session ids are derived: the same key gives the same sessions. Default: a random one. */
  sessionKey?: string;
  dialler: SocketDialler;
  clock?: ClientClock;
  /** Gets the reason of every failed run, never with the credential. Default: writes to the console. */
  onError?: (error: unknown) => void;
};

export type NemoConfig = ReturnType<typeof nemoConfigOf>;

const systemClock: ClientClock = {
  now: Date.now,
  after(ms, ring) {
    const timer = setTimeout(ring, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** The settings with all defaults filled in. */
export function nemoConfigOf(settings: NemoSettings, self: Pick<HistoryOptions, "speakerUri" | "readHistory">) {
  const { patienceMs = 1_800_000, limits } = settings;
  const { sharedSession: isSessionShared = false, sessionKey = randomBytes(32).toString("hex"), ...others } = settings;
  return {
    policy: "addressed" as const,
    steps: "full" as const,
    schemaType: "chat_stream" as const,
    clock: systemClock,
    onError: (error: unknown) => console.error(error),
    ...others,
    ...self,
    isSessionShared,
    sessionKey,
    patienceMs,
    // A silent workflow may be working, so `patienceMs` must end the run first, with a clear text.
    limits: { silenceMs: patienceMs + 60_000, ...limits },
    name: nameOf(settings),
    takes: takesOf(settings),
    historyMax: { ...historyMax, ...settings.historyMax },
  };
}

/** For `generate` schemas the toolkit reads only one text. */
export function takesOf({
  takes = ["text", "image", "audio"],
  schemaType,
}: Pick<NemoSettings, "takes" | "schemaType">) {
  return schemaType?.startsWith("generate") === true ? (["text"] as const) : takes;
}

export function nameOf({ name }: Pick<NemoSettings, "name">): string {
  return name ?? "Workflow";
}
