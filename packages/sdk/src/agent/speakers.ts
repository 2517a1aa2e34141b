// Whether a speaker is a person or an agent. No version of the protocol has a field for it, so it is derived from the list
// of conversants and from the events of each speaker.

import { type Conversation, type FloorEvent, foldUri, isOwnName, isSameUri, textOf } from "@plenary/protocol";

/**
 * unknown: no evidence. It is treated as a person, because a person without an answer is worse than an agent with one.
 * Loops are bounded separately.
 */
export type SpeakerKind = "person" | "agent" | "unknown";

/** What the events of a conversation show about its speakers. */
export type SpeakerEvidence = {
  hasActedAsAgent(speakerUri: string, serviceUrl?: string): boolean;
  /** The sender of the invite. */
  inviter: string | undefined;
};

const noEvidence: SpeakerEvidence = { hasActedAsAgent: () => false, inviter: undefined };

type Identification = NonNullable<Conversation["conversants"]>[number]["identification"];

export function speakerKind(
  speakerUri: string,
  { conversants = [], assignedFloorRoles = {} }: Conversation,
  evidence: SpeakerEvidence = noEvidence,
): SpeakerKind {
  const { inviter } = evidence;
  const identifications = conversants.map(({ identification }) => identification);
  const listed = identifications.find((one) => isSameUri(one.speakerUri, speakerUri));
  if (listed !== undefined && identifications.some(isMarkedAsPerson))
    return isMarkedAsPerson(listed) ? "person" : "agent";
  const hasAgentRole = agentRoles.some((role) => includes(assignedFloorRoles[role], speakerUri));
  if (hasAgentRole || evidence.hasActedAsAgent(speakerUri, listed?.serviceUrl)) return "agent";
  if (Object.values(listed?.openFloorRoles ?? {}).includes(true)) return "agent";
  for (const host of [...(assignedFloorRoles.owner ?? []), ...(inviter === undefined ? [] : [inviter])]) {
    if (isSameUri(host, speakerUri)) return "person";
    // If the owner or the inviter is listed without a synopsis, people have no synopsis here.
    const isBlank = identifications.some((one) => isSameUri(one.speakerUri, host) && one.synopsis.trim() === "");
    if (isBlank && listed !== undefined && listed.synopsis.trim() !== "") return "agent";
  }
  return "unknown";
}

/** An unknown speaker counts as a person. */
export function isPerson(speakerUri: string, conversation: Conversation, evidence?: SpeakerEvidence): boolean {
  return speakerKind(speakerUri, conversation, evidence) !== "agent";
}

/** The user of the official samples has the role "User". "Customer Service" is the role of an agent. */
const personRole = /^(?:(?:end|human)[ -]?)?(?:user|person|human|customer|guest|visitor)(?:[ -]?proxy)?$/iu;

function isMarkedAsPerson({ role = "" }: Identification): boolean {
  return personRole.test(role.trim());
}

const agentRoles: readonly string[] = ["convener", "archivist", "discovery"];

function includes(speakerUris: readonly string[] = [], speakerUri: string): boolean {
  return speakerUris.some((one) => isSameUri(one, speakerUri));
}

/** More than a floor has conversants. */
const speakersMax = 128;
/** Two agents in a loop repeat the same text. People rarely do so this often in a row. */
const repetitionsMax = 4;

type LastUtterance = { id: string; text: string; times: number };

/** Collects evidence about the other speakers of one conversation from their events. */
export class ObservedSpeakers implements SpeakerEvidence {
  #inviter: string | undefined;
  /** By speakerUri and by serviceUrl. */
  readonly #agents = new Set<string>();
  readonly #lastUtterances = new Map<string, LastUtterance>();

  get inviter(): string | undefined {
    return this.#inviter;
  }

  /** On an invite to this agent. Earlier speakers may be gone: some pages use one conversation id for all visitors. */
  setInviter(inviter: string): void {
    this.#inviter = inviter;
    this.#lastUtterances.clear();
  }

  /** Any event except an invite to this agent. */
  observe(event: FloorEvent, speakerUri: string): void {
    const { to } = event;
    const speaker = foldUri(speakerUri);
    switch (event.eventType) {
      case "invite":
        for (const uri of [to?.speakerUri, to?.serviceUrl]) this.#addAgent(uri);
        break;
      case "acceptInvite":
      case "declineInvite":
      case "publishManifests":
        this.#addAgent(speaker);
        break;
      case "utterance":
        this.#observeUtterance(speaker, event.parameters.dialogEvent);
        break;
      case "bye":
        this.#lastUtterances.delete(speaker);
        break;
      case "uninvite":
        this.#lastUtterances.delete(foldUri(to?.speakerUri ?? ""));
        break;
    }
  }

  hasActedAsAgent(speakerUri: string, serviceUrl?: string): boolean {
    const names = [speakerUri, ...(serviceUrl === undefined ? [] : [serviceUrl])].map(foldUri);
    const { times = 0 } = this.#lastUtterances.get(foldUri(speakerUri)) ?? {};
    return times >= repetitionsMax || names.some((name) => this.#agents.has(name));
  }

  /** The speakers that have spoken and not left. */
  get speakers(): string[] {
    return [...this.#lastUtterances.keys()];
  }

  #observeUtterance(speaker: string, dialogEvent: { id: string } & Parameters<typeof textOf>[0]): void {
    const { id } = dialogEvent;
    const text = textOf(dialogEvent).trim();
    const before = this.#lastUtterances.get(speaker);
    // The same utterance may be delivered twice.
    if (before?.id === id) return;
    const times = before !== undefined && before.text === text && text !== "" ? before.times + 1 : 1;
    this.#lastUtterances.delete(speaker);
    this.#lastUtterances.set(speaker, { id, text, times });
    const [oldest] = this.#lastUtterances.keys();
    if (this.#lastUtterances.size > speakersMax && oldest !== undefined) this.#lastUtterances.delete(oldest);
  }

  #addAgent(uri: string | undefined): void {
    if (uri !== undefined && this.#agents.size < speakersMax) this.#agents.add(foldUri(uri));
  }
}

/** The speakerUri in the list of conversants for a speakerUri or an address: some floors use addresses as names. */
export function listedName(uri: string, { conversants = [] }: Conversation): string | undefined {
  const listed = conversants.map(({ identification }) => identification);
  const named = listed.find(({ speakerUri }) => isSameUri(speakerUri, uri));
  return (named ?? listed.find((one) => isOwnName(uri, one)))?.speakerUri;
}

/**
 * The origin of an event. A relaying floor, which is not in its own list of conversants, names the speaker in the dialog
 * event. A listed sender is the origin, whatever the dialog event says.
 */
export function originOf(event: FloorEvent, sender: string, conversation: Conversation): string {
  if (event.eventType !== "utterance" || (conversation.conversants ?? []).length === 0) return sender;
  const { speakerUri } = event.parameters.dialogEvent;
  return listedName(sender, conversation) ?? listedName(speakerUri, conversation) ?? speakerUri;
}
