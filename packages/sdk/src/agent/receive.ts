import {
  asksForProposals,
  type Carried,
  type Dialect,
  type Envelope,
  encodeEnvelope,
  type Peers,
  replyTo,
} from "@plenary/protocol";
import type { BoundedMap } from "../bounded-map.ts";
import type { TextDialler } from "../dialler/dial.ts";
import { answer } from "./behaviours.ts";
import { type DraftSink, isMe, type Scene, type Self, type Stage } from "./context.ts";
import { createMemory, type Memory } from "./conversation-memory.ts";
import type { Handlers, Settings } from "./handlers.ts";

/** What an agent is, apart from any conversation. */
export type Mind<State> = {
  settings: Stage["settings"];
  handlers: Handlers<State>;
  newState: () => State;
  conversations: BoundedMap<Memory<State>>;
};

export type Received = { envelope: Envelope; dialect: Dialect; carried: Carried };

/** A document ready for JSON.stringify, in the dialect the agent was addressed in (D28). */
export type Document = Record<string, unknown>;

type Reception = {
  self: Self;
  signal: AbortSignal;
  drafts: DraftSink | undefined;
  isDelegated?: boolean;
  baggage?: string;
  traceparent?: string;
  textDialler?: TextDialler;
  caller?: string;
};

export async function receive<State>(
  received: Received,
  mind: Mind<State>,
  { self, signal, drafts, isDelegated, baggage, traceparent, textDialler, caller }: Reception,
): Promise<Document> {
  const { envelope, dialect, carried } = received;
  const memory = memoryOf(envelope.conversation.id, mind);
  const controller = new AbortController();
  const { promise: stopped, reject } = withReject();
  const stop = (why: string) => {
    const reason = new Error(why);
    reject(reason);
    controller.abort(reason);
  };
  const onCut = () => controller.abort(signal.reason);
  signal.addEventListener("abort", onCut, { once: true });
  const history = carried.dialogHistory ?? [];
  const base = {
    ...{ envelope, dialect, history, self, drafts, stop, stopped, signal: controller.signal },
    ...(isDelegated !== undefined && { isDelegated }),
    ...(baggage !== undefined && { baggage }),
    ...(traceparent !== undefined && { traceparent }),
    ...(textDialler !== undefined && { textDialler }),
    ...(caller !== undefined && { caller }),
  };
  const scene: Scene<State> = { ...mind, ...base, memory };
  memory.running.add(stop);
  try {
    const events = await answer(scene);
    const { speakerUri, serviceUrl } = self;
    const reply = replyTo(envelope, { sender: { speakerUri, serviceUrl }, events });
    const isProposal = envelope.events.some(asksForProposals);
    return encodeEnvelope(reply, dialect, { peers: peersOf(scene), carried, isProposal }).document;
  } finally {
    memory.running.delete(stop);
    signal.removeEventListener("abort", onCut);
  }
}

function memoryOf<State>(conversationId: string, { conversations, newState }: Mind<State>): Memory<State> {
  const known = conversations.get(conversationId);
  if (known !== undefined) return known;
  const memory = createMemory(newState);
  conversations.set(conversationId, memory);
  return memory;
}

function withReject(): { promise: Promise<never>; reject: (reason: Error) => void } {
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  // It counts only while a handler runs; at any other time nobody is there to be told.
  promise.catch(() => {});
  return { promise, reject };
}

/** 0.9 names everyone by address: ours, and that of the one we answer. */
function peersOf(stage: Stage): Peers {
  const { sender } = stage.envelope;
  return {
    speakerUriOf: (serviceUrl) => (isMe(serviceUrl, stage) ? stage.self.speakerUri : undefined),
    serviceUrlOf: (speakerUri) => (speakerUri === sender.speakerUri ? sender.serviceUrl : undefined),
  };
}

export function completed(settings: Settings): Stage["settings"] {
  // Whoever writes an agent wants to see why it is silent.
  const { replyTimeoutMs = 25_000, bodyBytesMax = 1_048_576, onError = (error) => console.error(error) } = settings;
  return { ...settings, replyTimeoutMs, bodyBytesMax, onError };
}
