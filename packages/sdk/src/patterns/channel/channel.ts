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
import type { Heard, HeardInvite, HeardUtterance, Settings } from "../../agent/handlers.ts";
import { type Agent, createAgent } from "../../agent.ts";
import type { Dialler } from "../../dialler/dial.ts";
import { createDialler } from "../../dialler.ts";
import { depthMax, onward, trailIn } from "../baggage.ts";
import { type Asked, outward, type Render, rendered } from "./render.ts";
import {
  type Call,
  ChannelError,
  exchange,
  follow,
  type Line,
  newLine,
  type Target,
  toTarget,
} from "./target-connection.ts";

export type ChannelOptions = Omit<Settings, "greeting" | "replyTimeoutMs"> & {
  /** Who is channeled. It hears what is said to the channel or to everyone, and speaks through it under its own name. */
  target: Target;
  /** What becomes of words on their way in and out. Default: nothing. */
  render?: { in?: Render; out?: Render };
  /** Default: one that reaches the target and, where it hands over to somebody else, public https. */
  dialler?: Dialler;
  /** For one answer of the target. */
  targetTimeoutMs?: number;
  /** Said in the channel's own name when the target does not answer; false: nothing is. */
  apology?: string | false;
};

type Channel = Required<Pick<ChannelOptions, "target" | "render" | "dialler" | "targetTimeoutMs" | "apology">> & {
  lines: Map<string, Line>;
  linesMax: number;
  onError: NonNullable<Settings["onError"]>;
};

const ownTimeMs = 5_000;

/**
 * Spec 0.3, channeling: an agent that passes on what it hears to another one, and back, as it is or rendered in another way.
 * To the target it is the floor manager of a conversation of their own.
 */
export function createChannel(options: ChannelOptions): Agent {
  const { target, render = {}, apology = "Sorry, I get no answer at the moment.", ...settings } = options;
  const { targetTimeoutMs = 20_000, conversationsMax: linesMax = 1_000, onError = console.error } = settings;
  const dialler = options.dialler ?? createDialler({ mode: "production", exemptUrls: [target.serviceUrl] });
  const limits = { targetTimeoutMs, linesMax };
  const channel: Channel = { ...{ target, render, apology, dialler, onError }, ...limits, lines: new Map() };
  return createAgent({
    ...settings,
    greeting: false,
    replyTimeoutMs: targetTimeoutMs + ownTimeMs,
    onInvite: (heard) => passInvite(channel, heard),
    onUtterance: (heard) => passUtterance(channel, heard),
    onGrant: (heard) => passGrant(channel, heard),
    onRevoke: ({ event, ...heard }) => tell(channel, heard, (to) => revokeFloor({ ...event, to })),
    async onUninvite({ event, ...heard }) {
      const told = tell(channel, heard, (to) => uninvite({ ...event, to }));
      channel.lines.delete(heard.conversation.id);
      await told;
    },
  });
}

type Around = Omit<Heard<unknown>, "event">;

async function passInvite(channel: Channel, heard: HeardInvite<unknown>): Promise<FloorEvent[]> {
  const { event, sender, conversation, signal } = heard;
  const to = { speakerUri: sender.speakerUri };
  const along = heard.takeUp();
  if (isCircular(heard)) return [declineInvite({ to, reason: "@refused: this comes by way of this very channel" })];
  const line = lineIn(channel, conversation.id) ?? lineOf(channel, heard, newLine(channel.target));
  const said = event.parameters?.dialogHistory ?? [];
  const told = await Promise.all(said.map((one) => inward(channel, one, { signal, isPrivate: false })));
  const dialogHistory = told.filter((one) => one !== undefined);
  // What the history ends with is asked by it.
  const asked = along.filter(({ parameters }) => parameters.dialogEvent !== said.at(-1));
  const questions = await Promise.all(asked.map((one) => questionOf(channel, one, line, signal)));
  const invitation = invite({ to: line.target, ...(dialogHistory.length > 0 && { dialogHistory }) });
  // Whose words they are said to be may not lead a whispered answer to somebody else.
  const asker = (along.length > asked.length ? said.at(-1)?.speakerUri : undefined) ?? sender.speakerUri;
  const isWhispered = along.some(isPrivate);
  const about = { ...askedIn(heard), asker, publicTo: publicly(heard, asker), isWhispered };
  try {
    const answer = await exchange(line, [invitation, ...questions.flat()], callOf(channel, heard));
    const refusal = answer.events.find(({ eventType }) => eventType === "declineInvite");
    if (refusal === undefined) return [acceptInvite({ to }), ...(await heeded(channel, heard, line, answer, about))];
    channel.lines.delete(conversation.id);
    // A refusal is for everyone: of one that answers a whisper only the token is told.
    const reason = isWhispered ? reasonTokens(refusal.reason)[0] : refusal.reason;
    return [declineInvite({ to, ...(reason !== undefined && { reason }) })];
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    channel.lines.delete(conversation.id);
    channel.onError(error, { event, conversation });
    return [declineInvite({ to, reason: error.code === "unreachable" ? "@unavailable" : "@error" })];
  }
}

async function passUtterance(channel: Channel, heard: HeardUtterance<unknown>): Promise<FloorEvent[]> {
  const { event, sender, conversation, signal } = heard;
  if (isCircular(heard)) return [];
  try {
    const line = lineIn(channel, conversation.id) ?? (await begin(channel, heard));
    const question = await questionOf(channel, event, line, signal);
    if (question.length === 0) return [];
    const answer = await exchange(line, question, callOf(channel, heard));
    const asker = sender.speakerUri;
    const about = { ...askedIn(heard), asker, publicTo: publicly(heard, asker), isWhispered: heard.isPrivate };
    return await heeded(channel, heard, line, answer, about);
  } catch (error) {
    if (!(error instanceof ChannelError) || signal.aborted) throw error;
    channel.onError(error, { event, conversation });
    return channel.apology === false ? [] : [heard.say(channel.apology)];
  }
}

async function passGrant(channel: Channel, heard: Heard<unknown, EventOf<"grantFloor">>): Promise<FloorEvent[]> {
  const line = channel.lines.get(heard.conversation.id);
  if (line === undefined || isCircular(heard)) return [];
  const answer = await exchange(line, [grantFloor({ to: toTarget(line) })], callOf(channel, heard));
  const asker = heard.sender.speakerUri;
  const about = { ...askedIn(heard), asker, publicTo: undefined, isWhispered: false };
  return heeded(channel, heard, line, answer, about);
}

/** What the target has said, and whoever it has handed over to. When the last of them leaves, so does the channel. */
async function heeded(
  channel: Channel,
  heard: Around,
  line: Line,
  answer: Envelope,
  about: Asked,
): Promise<FloorEvent[]> {
  const { render, lines } = channel;
  const { id } = heard.conversation;
  const followed = await follow(line, answer, callOf(channel, heard));
  const said = await outward(answer, about, render.out);
  for (const one of followed?.answers ?? []) said.push(...(await outward(one, about, render.out)));
  if (followed?.line === undefined) {
    if (said.some(({ eventType }) => eventType === "bye")) lines.delete(id);
    return said;
  }
  lines.set(id, followed.line);
  return said.filter(({ eventType }) => eventType !== "bye" && eventType !== "yieldFloor");
}

/** What the target is told without being asked. */
async function tell(channel: Channel, heard: Around, eventTo: (to: ReturnType<typeof toTarget>) => FloorEvent) {
  const line = channel.lines.get(heard.conversation.id);
  if (line === undefined) return undefined;
  const { signal: _, ...call } = callOf(channel, heard);
  // The floor soon cuts off whom it has stopped; the target is told all the same.
  const signal = AbortSignal.timeout(channel.targetTimeoutMs);
  await exchange(line, [eventTo(toTarget(line))], { ...call, signal });
  return undefined;
}

/** The target was forgotten, or never met: invited now, what it says to that nobody has asked for. */
async function begin(channel: Channel, heard: Heard<unknown>): Promise<Line> {
  const line = newLine(channel.target);
  const answer = await exchange(line, [invite({ to: line.target })], callOf(channel, heard));
  if (answer.events.some(({ eventType }) => eventType === "declineInvite")) {
    throw new ChannelError("unreachable", "the target has declined");
  }
  return lineOf(channel, heard, line);
}

/** The one that is used stays longest. */
function lineIn({ lines }: Channel, id: string): Line | undefined {
  const line = lines.get(id);
  if (line === undefined || !lines.delete(id)) return undefined;
  lines.set(id, line);
  return line;
}

/** Kept; the conversation that was quiet for longest makes room, and its target is told. */
function lineOf(channel: Channel, heard: Around, line: Line): Line {
  const { lines, linesMax, onError } = channel;
  const { conversation } = heard;
  lines.set(conversation.id, line);
  const [[id, oldest] = []] = lines;
  if (lines.size <= linesMax || id === undefined || oldest === undefined) return line;
  lines.delete(id);
  const event = uninvite({ to: toTarget(oldest), reason: "@timedOut" });
  const { signal: _, ...call } = callOf(channel, heard);
  const signal = AbortSignal.timeout(channel.targetTimeoutMs);
  exchange(oldest, [event], { ...call, signal }).catch((error: unknown) => onError(error, { event, conversation }));
  return line;
}

async function questionOf(channel: Channel, event: EventOf<"utterance">, line: Line, signal: AbortSignal) {
  const isWhisper = isPrivate(event);
  const dialogEvent = await inward(channel, event.parameters.dialogEvent, { isPrivate: isWhisper, signal });
  if (dialogEvent === undefined) return [];
  // Its name is what it knows for certain to be called by; a whisper has an addressee in any case.
  const to = isWhisper ? { ...toTarget(line), private: true } : toTarget(line);
  return [utterance(dialogEvent, isWhisper || to.speakerUri !== undefined ? { to } : {})];
}

function inward({ render }: Channel, dialogEvent: DialogEvent, about: { isPrivate: boolean; signal: AbortSignal }) {
  return rendered(render.in, { dialogEvent, ...about });
}

function askedIn({ conversation, self, signal }: Around): Pick<Asked, "conversation" | "self" | "signal"> {
  return { conversation, self, signal };
}

/** As the SDK names whom it answers; to older floors not at all. */
function publicly({ replyTo }: Around, speakerUri: string) {
  return replyTo === undefined ? undefined : { speakerUri };
}

/** D17: what has come by way of this channel, or too far, is not passed on. */
function isCircular({ baggage, self }: Around): boolean {
  const { depth, floors } = trailIn(baggage);
  return depth > depthMax || floors.includes(self.speakerUri);
}

function callOf({ dialler, targetTimeoutMs }: Channel, { self, signal, baggage, traceparent }: Around): Call {
  return {
    ...(traceparent !== undefined && { traceparent }),
    ...{ dialler, self, baggage: onward(trailIn(baggage), self.speakerUri) },
    signal: AbortSignal.any([signal, AbortSignal.timeout(targetTimeoutMs)]),
  };
}
