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

/** What a channel may do with words on their way. */
export type Passing = { text: string; dialogEvent: DialogEvent; isPrivate: boolean; signal: AbortSignal };

/**
 * Other words, which take the place of all that was said in other media, too; a dialog event of one's own; the same again;
 * or undefined: they are not passed on. Whose words they are stays as it was.
 */
export type Render = (passing: Passing) => string | DialogEvent | undefined | Promise<string | DialogEvent | undefined>;

export type Asked = {
  conversation: Conversation;
  self: { speakerUri: string };
  signal: AbortSignal;
  /** Whom the answer is for. */
  asker: string;
  /** How a public answer names it; until 1.0.0 it does not. */
  publicTo: To | undefined;
  /** What is answered was whispered, so that nothing of the answer is for others. */
  isWhispered: boolean;
};

export async function rendered(
  render: Render | undefined,
  passing: Omit<Passing, "text">,
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

/** What the target said, as the channel says it where it was asked. */
export async function outward(answer: Envelope, asked: Asked, render: Render | undefined): Promise<FloorEvent[]> {
  const said: FloorEvent[] = [];
  for (const event of answer.events) said.push(...(await passedOn(event, answer, asked, render)));
  return said;
}

async function passedOn(
  event: FloorEvent,
  answer: Envelope,
  asked: Asked,
  render: Render | undefined,
): Promise<FloorEvent[]> {
  const reason = event.reason === undefined || asked.isWhispered ? {} : { reason: event.reason };
  switch (event.eventType) {
    case "utterance":
      return spokenOn(event, answer, asked, render);
    case "bye":
    case "declineInvite":
      return [bye(reason)];
    case "yieldFloor":
      return [yieldFloor(reason)];
    case "publishManifests":
      // It is for everyone, and would tell what was whispered about.
      if (asked.isWhispered) return [];
      return [publishManifests({ to: { speakerUri: asked.asker }, ...event.parameters })];
    // Between the target and its floor manager, which is the channel.
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

async function spokenOn(
  event: EventOf<"utterance">,
  { sender }: Envelope,
  asked: Asked,
  render: Render | undefined,
): Promise<FloorEvent[]> {
  const isSecret = asked.isWhispered || isPrivate(event);
  const original = ownWords(event.parameters.dialogEvent, sender.speakerUri, asked);
  const { signal } = asked;
  const dialogEvent = await rendered(render, { dialogEvent: original, isPrivate: isSecret, signal });
  if (dialogEvent === undefined) return [];
  const to = isSecret ? { speakerUri: asked.asker, private: true } : addresseeOf(event, asked);
  return [utterance(dialogEvent, to === undefined ? {} : { to })];
}

/**
 * The original speaker's, however far away; but nobody who sits here has its name put to words that came from there. Those of
 * a target that calls itself by such a name are the channel's own.
 */
function ownWords(dialogEvent: DialogEvent, target: string, asked: Asked): DialogEvent {
  const taken = namesIn(asked);
  const isFree = (speakerUri: string) => !taken.some((name) => isSameUri(name, speakerUri));
  const speakerUri = [dialogEvent.speakerUri, target].find(isFree) ?? asked.self.speakerUri;
  return speakerUri === dialogEvent.speakerUri ? dialogEvent : { ...dialogEvent, speakerUri };
}

/** Whom the target names, if that one sits here; what is said to its floor manager is said to whoever asked. */
function addresseeOf({ to }: FloorEvent, asked: Asked): To | undefined {
  const { conversation, self, publicTo } = asked;
  const { conversants = [] } = conversation;
  const named = conversants.find(({ identification }) => identification.speakerUri === to?.speakerUri);
  if (named === undefined || isSameUri(named.identification.speakerUri, self.speakerUri)) return publicTo;
  return { speakerUri: named.identification.speakerUri };
}

function namesIn({ conversation: { conversants = [] }, self, asker }: Asked): string[] {
  return [self.speakerUri, asker, ...conversants.map(({ identification }) => identification.speakerUri)];
}
