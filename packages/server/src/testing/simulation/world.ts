import type { compose } from "../../compose.ts";
import type { LiveTails } from "../../streams/live-tail.ts";
import type { Evidence } from "./evidence.ts";
import type { FaultKind } from "./faults.ts";
import type { FaultyStore } from "./faulty-store.ts";
import type { NodeProcess } from "./node-process.ts";
import type { RawEnvelope, RawEvent } from "./raw-envelope.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** A machine that runs one process at a time. Its clock may be wrong. */
export type Node = {
  name: string;
  starts: number;
  skewMs: number;
  isStarting: boolean;
  diedAtMs: number;
  /** Undefined while no process runs. */
  server: { nodeProcess: NodeProcess; floor: ReturnType<typeof compose>["server"]; liveTails: LiveTails } | undefined;
};

export type Agent = {
  speakerUri: string;
  serviceUrl: string;
  role: "agent" | "convener";
  /** Probability of each fault in an exchange with it. */
  faultRate: number;
  isDead: boolean;
  /** Connections to it fail until then. */
  unreachableUntilMs: number;
  /** The events of its answer. */
  answer: (received: RawEnvelope, hint: { id: string }) => RawEvent[];
};

/** The state of a run. */
export type World = {
  time: VirtualTime;
  random: SeededRandom;
  nodes: Node[];
  agents: Agent[];
  people: string[];
  conversationIds: string[];
  store: FaultyStore;
  evidence: Evidence;
  /** Decides at random whether a fault happens now, and counts it. Always false while the run rests. */
  isFault: (kind: FaultKind, probability: number) => boolean;
  /** Counts a fault that was not decided by `isFault`. */
  countFault: (kind: FaultKind) => void;
  /** Kills a process; its node starts another after a while. */
  kill: (nodeProcess: NodeProcess, why: string) => void;
  trace: (line: () => string) => void;
  /** People also send commands. */
  hasCommands: boolean;
  /** No faults and no new inputs. */
  isResting: boolean;
};

/** Shorter than the defaults, so that a run of minutes reaches each of them. */
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

export const floorAddress = {
  url: "http://floor.example",
  speakerUri: "tag:floor.example,2026:floor",
  deliverySecret: "secret",
  hostedMark: undefined,
  agents: [],
  webhooks: [],
};
