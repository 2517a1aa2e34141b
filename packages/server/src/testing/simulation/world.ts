import type { compose } from "../../compose.ts";
import type { LiveTails } from "../../streams/live-tail.ts";
import type { Chance } from "./chance.ts";
import type { Evidence } from "./evidence.ts";
import type { FaultKind } from "./faults.ts";
import type { FaultyStore } from "./faulty-store.ts";
import type { Life } from "./life.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { WireEnvelope, WireEvent } from "./wire.ts";

/** One machine: the process on it dies and is started again; its clock goes wrong. */
export type Node = {
  name: string;
  lives: number;
  skewMs: number;
  isStarting: boolean;
  diedAtMs: number;
  /** Undefined while nothing runs there. */
  server: { life: Life; floor: ReturnType<typeof compose>["server"]; liveTails: LiveTails } | undefined;
};

export type Agent = {
  speakerUri: string;
  serviceUrl: string;
  role: "agent" | "convener";
  /** How likely each exchange with it goes wrong. */
  faultRate: number;
  isDead: boolean;
  /** Its machine takes no connection until then. */
  outUntilMs: number;
  /** What it says to what it hears. */
  answer: (heard: WireEnvelope, hint: { id: string }) => WireEvent[];
};

/** All that a run is made of. */
export type World = {
  time: VirtualTime;
  chance: Chance;
  nodes: Node[];
  agents: Agent[];
  people: string[];
  conversationIds: string[];
  store: FaultyStore;
  evidence: Evidence;
  /** Whether something goes wrong now; counts it when it does. Never in a run that has come to rest. */
  strikes: (kind: FaultKind, probability: number) => boolean;
  /** Counts what went wrong by itself. */
  note: (kind: FaultKind) => void;
  /** A process dies; its machine starts another after a while. */
  kill: (life: Life, why: string) => void;
  trace: (line: () => string) => void;
  /** People use the host interface besides. */
  isCommanded: boolean;
  /** Nobody begins anything new. */
  isResting: boolean;
};

/** Shorter than the defaults, so that a run of minutes sees every one of them pass. */
export const limits = {
  retryMs: 20_000,
  silenceMs: 10_000,
  inviteRetryMs: 5_000,
  inviteAnswerMs: 10_000,
  answerMs: 60_000,
  streamMs: 60_000,
  laterAnswerMs: 60_000,
};

export const epochMs = Date.UTC(2026, 0, 1);

export const floorPlace = {
  url: "http://floor.example",
  speakerUri: "tag:floor.example,2026:floor",
  deliverySecret: "secret",
};
