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
import { answerEnvelope } from "./behaviours.ts";
import { type HandlerContext, isMe, type ReceiveContext } from "./context.ts";
import { type ConversationMemory, createConversationMemory } from "./conversation-memory.ts";
import type { Handlers, Settings } from "./handlers.ts";

/** What an agent consists of, independent of a conversation. */
export type AgentDefinition<State> = {
  settings: ReceiveContext["settings"];
  handlers: Handlers<State>;
  newState: () => State;
  conversations: BoundedMap<ConversationMemory<State>>;
};

export type Received = { envelope: Envelope; dialect: Dialect; carried: Carried };

/** The JSON document of the answer, in the dialect of the request (D28). */
export type Document = Record<string, unknown>;

type ReceiveOptions = Pick<
  ReceiveContext,
  "self" | "signal" | "drafts" | "isDelegated" | "baggage" | "traceparent" | "textDialler" | "caller"
>;

export async function receive<State>(
  received: Received,
  definition: AgentDefinition<State>,
  { signal, ...options }: ReceiveOptions,
): Promise<Document> {
  const { envelope, dialect, carried } = received;
  const memory = memoryOf(envelope.conversation.id, definition);
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
  const context: HandlerContext<State> = {
    ...definition,
    ...options,
    envelope,
    dialect,
    history,
    memory,
    stop,
    stopped,
    signal: controller.signal,
  };
  memory.running.add(stop);
  try {
    const events = await answerEnvelope(context);
    const { speakerUri, serviceUrl } = options.self;
    const reply = replyTo(envelope, { sender: { speakerUri, serviceUrl }, events });
    const isProposal = envelope.events.some(asksForProposals);
    return encodeEnvelope(reply, dialect, { peers: peersOf(context), carried, isProposal }).document;
  } finally {
    memory.running.delete(stop);
    signal.removeEventListener("abort", onCut);
  }
}

function memoryOf<State>(
  conversationId: string,
  { conversations, newState }: AgentDefinition<State>,
): ConversationMemory<State> {
  const known = conversations.get(conversationId);
  if (known !== undefined) return known;
  const memory = createConversationMemory(newState);
  conversations.set(conversationId, memory);
  return memory;
}

function withReject(): { promise: Promise<never>; reject: (reason: Error) => void } {
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  // Only a running handler awaits this promise. Without one, the rejection must not be unhandled.
  promise.catch(() => {});
  return { promise, reject };
}

/** 0.9 names speakers by address: ours, and that of the sender we answer. */
function peersOf(context: ReceiveContext): Peers {
  const { sender } = context.envelope;
  return {
    speakerUriOf: (serviceUrl) => (isMe(serviceUrl, context) ? context.self.speakerUri : undefined),
    serviceUrlOf: (speakerUri) => (speakerUri === sender.speakerUri ? sender.serviceUrl : undefined),
  };
}

export function withDefaults(settings: Settings): ReceiveContext["settings"] {
  // Without `onError`, a developer would not see why the agent is silent.
  const { replyTimeoutMs = 25_000, bodyBytesMax = 1_048_576, onError = (error) => console.error(error) } = settings;
  return { ...settings, replyTimeoutMs, bodyBytesMax, onError };
}
