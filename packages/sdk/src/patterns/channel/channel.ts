import {
  acceptInvite,
  type DialogEvent,
  declineInvite,
  type Envelope,
  type EventOf,
  type FloorEvent,
  grantFloor,
  invite,
  isPrivate,
  reasonTokens,
  revokeFloor,
  uninvite,
  utterance,
} from "@plenary/protocol";
import type { HandlerInput, InviteInput, Settings, UtteranceInput } from "../../agent/handlers.ts";
import { type Agent, createAgent } from "../../agent.ts";
import type { Dialler } from "../../dialler/dial.ts";
import { createDialler } from "../../dialler.ts";
import { depthMax, nextBaggage, parseBaggage } from "../baggage.ts";
import { forwardAnswer, type Render, type ReplyContext, renderDialogEvent } from "./render.ts";
import {
  ChannelError,
  type ChannelTarget,
  exchangeEnvelopes,
  followDelegation,
  newTargetConversation,
  type TargetConversation,
  type TargetRequest,
  toTarget,
} from "./target-connection.ts";

export type ChannelOptions = Omit<Settings, "greeting" | "replyTimeoutMs"> & {
  /** The channeled agent. It gets what is said to the channel or to everyone, and speaks through it under its own name. */
  target: ChannelTarget;
  /** Transforms utterances to and from the target. Default: unchanged. */
  render?: { in?: Render; out?: Render };
  /** Default: one that reaches the target and, for agents that the target delegates to, public https. */
  dialler?: Dialler;
  /** For one answer of the target. */
  targetTimeoutMs?: number;
  /** Said in the channel's own name when the target does not answer; false: nothing. */
  apology?: string | false;
};

type Channel = Required<Pick<ChannelOptions, "target" | "render" | "dialler" | "targetTimeoutMs" | "apology">> & {
  targets: Map<string, TargetConversation>;
  targetsMax: number;
  onError: NonNullable<Settings["onError"]>;
};

const ownTimeMs = 5_000;

/**
 * Spec 0.3, channeling: an agent that forwards events to another agent and its answers back, unchanged or rendered. For the
 * target, the channel is the floor manager of a separate conversation.
 */
export function createChannel(options: ChannelOptions): Agent {
  const { target, render = {}, apology = "Sorry, I get no answer at the moment.", ...settings } = options;
  const { targetTimeoutMs = 20_000, conversationsMax: targetsMax = 1_000, onError = console.error } = settings;
  const dialler = options.dialler ?? createDialler({ mode: "production", exemptUrls: [target.serviceUrl] });
  const targets = new Map();
  const channel: Channel = { target, render, apology, dialler, onError, targetTimeoutMs, targetsMax, targets };
  return createAgent({
    ...settings,
    greeting: false,
    replyTimeoutMs: targetTimeoutMs + ownTimeMs,
    onInvite: (input) => passInvite(channel, input),
    onUtterance: (input) => passUtterance(channel, input),
    onGrant: (input) => passGrant(channel, input),
    onRevoke: ({ event, ...input }) => notifyTarget(channel, input, (to) => revokeFloor({ ...event, to })),
    async onUninvite({ event, ...input }) {
      const notified = notifyTarget(channel, input, (to) => uninvite({ ...event, to }));
      channel.targets.delete(input.conversation.id);
      await notified;
    },
  });
}

type InputWithoutEvent = Omit<HandlerInput<unknown>, "event">;

async function passInvite(channel: Channel, input: InviteInput<unknown>): Promise<FloorEvent[]> {
  const { event, sender, conversation, signal } = input;
  const to = { speakerUri: sender.speakerUri };
  const utterances = input.takeUtterances();
  if (isCircular(input)) return [declineInvite({ to, reason: "@refused: the invite has already passed this channel" })];
  const target =
    knownTarget(channel, conversation.id) ?? keepTarget(channel, input, newTargetConversation(channel.target));
  const history = event.parameters?.dialogHistory ?? [];
  const renderedHistory = await Promise.all(history.map((one) => renderIn(channel, one, { signal, isPrivate: false })));
  const dialogHistory = renderedHistory.filter((one) => one !== undefined);
  // The target answers the last utterance of the history, so that one is not sent again.
  const asked = utterances.filter(({ parameters }) => parameters.dialogEvent !== history.at(-1));
  const questions = await Promise.all(asked.map((one) => questionFor(channel, one, target, signal)));
  const invitation = invite({ to: target.target, ...(dialogHistory.length > 0 && { dialogHistory }) });
  // A private answer goes to the sender: the claimed speaker of an utterance must not receive it.
  const asker = (utterances.length > asked.length ? history.at(-1)?.speakerUri : undefined) ?? sender.speakerUri;
  const isWhispered = utterances.some(isPrivate);
  const about = replyContext(input, asker, isWhispered);
  try {
    const answer = await exchangeEnvelopes(target, [invitation, ...questions.flat()], targetRequest(channel, input));
    const refusal = answer.events.find(({ eventType }) => eventType === "declineInvite");
    if (refusal === undefined)
      return [acceptInvite({ to }), ...(await answerOf(channel, input, target, answer, about))];
    channel.targets.delete(conversation.id);
    // A declineInvite is public, so after a private utterance only the token of the reason is sent.
    const reason = isWhispered ? reasonTokens(refusal.reason)[0] : refusal.reason;
    return [declineInvite({ to, ...(reason !== undefined && { reason }) })];
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    channel.targets.delete(conversation.id);
    channel.onError(error, { event, conversation });
    return [declineInvite({ to, reason: error.code === "unreachable" ? "@unavailable" : "@error" })];
  }
}

async function passUtterance(channel: Channel, input: UtteranceInput<unknown>): Promise<FloorEvent[]> {
  const { event, sender, conversation, signal } = input;
  if (isCircular(input)) return [];
  try {
    const target = knownTarget(channel, conversation.id) ?? (await inviteTarget(channel, input));
    const question = await questionFor(channel, event, target, signal);
    if (question.length === 0) return [];
    const answer = await exchangeEnvelopes(target, question, targetRequest(channel, input));
    return await answerOf(channel, input, target, answer, replyContext(input, sender.speakerUri, input.isPrivate));
  } catch (error) {
    if (!(error instanceof ChannelError) || signal.aborted) throw error;
    channel.onError(error, { event, conversation });
    return channel.apology === false ? [] : [input.say(channel.apology)];
  }
}

async function passGrant(channel: Channel, input: HandlerInput<unknown, EventOf<"grantFloor">>): Promise<FloorEvent[]> {
  const target = channel.targets.get(input.conversation.id);
  if (target === undefined || isCircular(input)) return [];
  const answer = await exchangeEnvelopes(target, [grantFloor({ to: toTarget(target) })], targetRequest(channel, input));
  const about = { ...replyContext(input, input.sender.speakerUri, false), publicTo: undefined };
  return answerOf(channel, input, target, answer, about);
}

/** The answers of the target and of the agent that it delegated to. When the current target leaves, so does the channel. */
async function answerOf(
  channel: Channel,
  input: InputWithoutEvent,
  target: TargetConversation,
  answer: Envelope,
  about: ReplyContext,
): Promise<FloorEvent[]> {
  const { render, targets } = channel;
  const { id } = input.conversation;
  const followed = await followDelegation(target, answer, targetRequest(channel, input));
  const said = await forwardAnswer(answer, about, render.out);
  for (const one of followed?.answers ?? []) said.push(...(await forwardAnswer(one, about, render.out)));
  if (followed?.conversation === undefined) {
    if (said.some(({ eventType }) => eventType === "bye")) targets.delete(id);
    return said;
  }
  targets.set(id, followed.conversation);
  return said.filter(({ eventType }) => eventType !== "bye" && eventType !== "yieldFloor");
}

/** Sends an event to the target. Its answer is dropped. */
async function notifyTarget(
  channel: Channel,
  input: InputWithoutEvent,
  eventTo: (to: ReturnType<typeof toTarget>) => FloorEvent,
) {
  const target = channel.targets.get(input.conversation.id);
  if (target === undefined) return undefined;
  await exchangeEnvelopes(target, [eventTo(toTarget(target))], detachedRequest(channel, input));
  return undefined;
}

/** Invites a target without a conversation. Its greeting is dropped. */
async function inviteTarget(channel: Channel, input: HandlerInput<unknown>): Promise<TargetConversation> {
  const target = newTargetConversation(channel.target);
  const answer = await exchangeEnvelopes(target, [invite({ to: target.target })], targetRequest(channel, input));
  if (answer.events.some(({ eventType }) => eventType === "declineInvite")) {
    throw new ChannelError("unreachable", "the target declined the invite");
  }
  return keepTarget(channel, input, target);
}

/** Moves the conversation to the end, because the least recently used one is dropped first. */
function knownTarget({ targets }: Channel, id: string): TargetConversation | undefined {
  const target = targets.get(id);
  if (target === undefined || !targets.delete(id)) return undefined;
  targets.set(id, target);
  return target;
}

/** Drops the least recently used conversation if there are too many, and uninvites its target. */
function keepTarget(channel: Channel, input: InputWithoutEvent, target: TargetConversation): TargetConversation {
  const { targets, targetsMax, onError } = channel;
  const { conversation } = input;
  targets.set(conversation.id, target);
  const [[id, oldest] = []] = targets;
  if (targets.size <= targetsMax || id === undefined || oldest === undefined) return target;
  targets.delete(id);
  const event = uninvite({ to: toTarget(oldest), reason: "@timedOut" });
  exchangeEnvelopes(oldest, [event], detachedRequest(channel, input)).catch((error: unknown) =>
    onError(error, { event, conversation }),
  );
  return target;
}

async function questionFor(
  channel: Channel,
  event: EventOf<"utterance">,
  target: TargetConversation,
  signal: AbortSignal,
) {
  const isWhisper = isPrivate(event);
  const dialogEvent = await renderIn(channel, event.parameters.dialogEvent, { isPrivate: isWhisper, signal });
  if (dialogEvent === undefined) return [];
  // A public utterance is addressed only by speakerUri; a private one always needs an addressee.
  const to = isWhisper ? { ...toTarget(target), private: true } : toTarget(target);
  return [utterance(dialogEvent, isWhisper || to.speakerUri !== undefined ? { to } : {})];
}

function renderIn({ render }: Channel, dialogEvent: DialogEvent, about: { isPrivate: boolean; signal: AbortSignal }) {
  return renderDialogEvent(render.in, { dialogEvent, ...about });
}

function replyContext(input: InputWithoutEvent, asker: string, isWhispered: boolean): ReplyContext {
  const { conversation, self, signal, replyTo } = input;
  // Older dialects have no `to` in public utterances.
  return { conversation, self, signal, asker, publicTo: replyTo && { speakerUri: asker }, isWhispered };
}

/** D17: a turn that passed this channel before, or is too deep, is not forwarded. */
function isCircular({ baggage, self }: InputWithoutEvent): boolean {
  const { depth, floors } = parseBaggage(baggage);
  return depth > depthMax || floors.includes(self.speakerUri);
}

function targetRequest(
  { dialler, targetTimeoutMs }: Channel,
  { self, signal, baggage, traceparent }: InputWithoutEvent,
): TargetRequest {
  return {
    ...(traceparent !== undefined && { traceparent }),
    dialler,
    self,
    baggage: nextBaggage(parseBaggage(baggage), self.speakerUri),
    signal: AbortSignal.any([signal, AbortSignal.timeout(targetTimeoutMs)]),
  };
}

/** The floor aborts the request soon after a revoke or an uninvite, so this one has a signal of its own. */
function detachedRequest(channel: Channel, input: InputWithoutEvent): TargetRequest {
  return { ...targetRequest(channel, input), signal: AbortSignal.timeout(channel.targetTimeoutMs) };
}
