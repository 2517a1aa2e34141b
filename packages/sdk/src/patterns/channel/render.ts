import {
  bye,
  type Conversation,
  type DialogEvent,
  type Envelope,
  type EventOf,
  type FloorEvent,
  isPrivate,
  isSameUri,
  publishManifests,
  type To,
  textOf,
  utterance,
  yieldFloor,
} from "@plenary/protocol";

/** The input of a render function. */
export type RenderInput = { text: string; dialogEvent: DialogEvent; isPrivate: boolean; signal: AbortSignal };

/**
 * Returns a text, which replaces all features of the utterance; a dialog event; or undefined: the utterance is not
 * forwarded. The speaker stays the same.
 */
export type Render = (
  passing: RenderInput,
) => string | DialogEvent | undefined | Promise<string | DialogEvent | undefined>;

export type ReplyContext = {
  conversation: Conversation;
  self: { speakerUri: string };
  signal: AbortSignal;
  /** The addressee of the answer. */
  asker: string;
  /** The `to` of a public answer; up to 1.0.0 there is none. */
  publicTo: To | undefined;
  /** The request was private, so the answer is private too. */
  isWhispered: boolean;
};

export async function renderDialogEvent(
  render: Render | undefined,
  passing: Omit<RenderInput, "text">,
): Promise<DialogEvent | undefined> {
  const { dialogEvent } = passing;
  if (render === undefined) return dialogEvent;
  const result = await render({ ...passing, text: textOf(dialogEvent) });
  if (result === undefined || result === "") return undefined;
  if (typeof result !== "string") return { ...result, speakerUri: dialogEvent.speakerUri };
  const { text = { mimeType: "text/plain" } } = dialogEvent.features;
  const { lang: _, alternates: __, ...feature } = { lang: undefined, alternates: undefined, ...text };
  return { ...dialogEvent, features: { text: { ...feature, tokens: [{ value: result }] } } };
}

/** The events of the target, as the channel sends them in its own conversation. */
export async function forwardAnswer(
  answer: Envelope,
  asked: ReplyContext,
  render: Render | undefined,
): Promise<FloorEvent[]> {
  const said: FloorEvent[] = [];
  for (const event of answer.events) said.push(...(await forwardEvent(event, answer, asked, render)));
  return said;
}

async function forwardEvent(
  event: FloorEvent,
  answer: Envelope,
  asked: ReplyContext,
  render: Render | undefined,
): Promise<FloorEvent[]> {
  const reason = event.reason === undefined || asked.isWhispered ? {} : { reason: event.reason };
  switch (event.eventType) {
    case "utterance":
      return forwardUtterance(event, answer, asked, render);
    case "bye":
    case "declineInvite":
      return [bye(reason)];
    case "yieldFloor":
      return [yieldFloor(reason)];
    case "publishManifests":
      // It is public, and would reveal what a private utterance was about.
      if (asked.isWhispered) return [];
      return [publishManifests({ to: { speakerUri: asked.asker }, ...event.parameters })];
    // For the floor manager of the target, which is the channel.
    case "invite":
    case "uninvite":
    case "acceptInvite":
    case "getManifests":
    case "requestFloor":
    case "grantFloor":
    case "revokeFloor":
      return [];
  }
}

async function forwardUtterance(
  event: EventOf<"utterance">,
  { sender }: Envelope,
  asked: ReplyContext,
  render: Render | undefined,
): Promise<FloorEvent[]> {
  const isSecret = asked.isWhispered || isPrivate(event);
  const original = withAllowedSpeaker(event.parameters.dialogEvent, sender.speakerUri, asked);
  const { signal } = asked;
  const dialogEvent = await renderDialogEvent(render, { dialogEvent: original, isPrivate: isSecret, signal });
  if (dialogEvent === undefined) return [];
  const to = isSecret ? { speakerUri: asked.asker, private: true } : addresseeOf(event, asked);
  return [utterance(dialogEvent, to === undefined ? {} : { to })];
}

/**
 * Keeps the original speaker. A speakerUri of this conversation is not allowed, so that the target cannot speak for a
 * conversant here: then the target is the speaker, or the channel if the target uses such a name itself.
 */
function withAllowedSpeaker(dialogEvent: DialogEvent, target: string, asked: ReplyContext): DialogEvent {
  const taken = takenNames(asked);
  const isFree = (speakerUri: string) => !taken.some((name) => isSameUri(name, speakerUri));
  const speakerUri = [dialogEvent.speakerUri, target].find(isFree) ?? asked.self.speakerUri;
  return speakerUri === dialogEvent.speakerUri ? dialogEvent : { ...dialogEvent, speakerUri };
}

/** The addressee that the target names, if it is a conversant here. Otherwise the asker. */
function addresseeOf({ to }: FloorEvent, asked: ReplyContext): To | undefined {
  const { conversation, self, publicTo } = asked;
  const { conversants = [] } = conversation;
  const named = conversants.find(({ identification }) => identification.speakerUri === to?.speakerUri);
  if (named === undefined || isSameUri(named.identification.speakerUri, self.speakerUri)) return publicTo;
  return { speakerUri: named.identification.speakerUri };
}

function takenNames({ conversation: { conversants = [] }, self, asker }: ReplyContext): string[] {
  return [self.speakerUri, asker, ...conversants.map(({ identification }) => identification.speakerUri)];
}
