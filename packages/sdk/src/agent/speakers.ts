// Person or agent: no version of the protocol has a field for it, so it follows from the list of conversants and from what
// each speaker has done.

import { type Conversation, type FloorEvent, foldUri, isOwnName, isSameUri, textOf } from "@plenary/protocol";

/**
 * unknown: nothing shows what it is. It is treated as a person, because a person who gets no answer is worse off than an
 * agent that gets one; only loops are bounded.
 */
export type SpeakerKind = "person" | "agent" | "unknown";

/** What else is known about the speakers of this conversation. */
export type Evidence = {
  hasActedAsAgent(speakerUri: string, serviceUrl?: string): boolean;
  /** The sender of the invite. */
  inviter: string | undefined;
};

const noEvidence: Evidence = { hasActedAsAgent: () => false, inviter: undefined };

type Identification = NonNullable<Conversation["conversants"]>[number]["identification"];

export function speakerKind(
  speakerUri: string,
  { conversants = [], assignedFloorRoles = {} }: Conversation,
  evidence: Evidence = noEvidence,
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
    // Where the owner or the inviter is listed without a synopsis, people have none.
    const isBlank = identifications.some((one) => isSameUri(one.speakerUri, host) && one.synopsis.trim() === "");
    if (isBlank && listed !== undefined && listed.synopsis.trim() !== "") return "agent";
  }
  return "unknown";
}

/** A speaker that is not known to be an agent is a person. */
export function isPerson(speakerUri: string, conversation: Conversation, evidence?: Evidence): boolean {
  return speakerKind(speakerUri, conversation, evidence) !== "agent";
}

/** The user of the official samples has the role "User"; "Customer Service" is an agent's. */
const personRole = /^(?:(?:end|human)[ -]?)?(?:user|person|human|customer|guest|visitor)(?:[ -]?proxy)?$/iu;

function isMarkedAsPerson({ role = "" }: Identification): boolean {
  return personRole.test(role.trim());
}

const agentRoles: readonly string[] = ["convener", "archivist", "discovery"];

function includes(speakerUris: readonly string[] = [], speakerUri: string): boolean {
  return speakerUris.some((one) => isSameUri(one, speakerUri));
}

/** As many as a floor has conversants, and some more. */
const speakersMax = 128;
/** Two agents that excuse themselves to each other repeat the same words; people hardly ever do so often in a row. */
const repetitionsMax = 4;

type LastWords = { id: string; text: string; times: number };

/** What this agent has noticed about the other speakers of one conversation. */
export class Voices implements Evidence {
  #inviter: string | undefined;
  /** By speakerUri and by serviceUrl. */
  readonly #agents = new Set<string>();
  readonly #lastWords = new Map<string, LastWords>();

  get inviter(): string | undefined {
    return this.#inviter;
  }

  /** An invite to this agent. Who spoke before it may be gone: some pages have one conversation id for all their visitors. */
  beInvited(inviter: string): void {
    this.#inviter = inviter;
    this.#lastWords.clear();
  }

  /** Any event but an invite to this agent. */
  notice(event: FloorEvent, speakerUri: string): void {
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
        this.#hear(speaker, event.parameters.dialogEvent);
        break;
      case "bye":
        this.#lastWords.delete(speaker);
        break;
      case "uninvite":
        this.#lastWords.delete(foldUri(to?.speakerUri ?? ""));
        break;
    }
  }

  hasActedAsAgent(speakerUri: string, serviceUrl?: string): boolean {
    const names = [speakerUri, ...(serviceUrl === undefined ? [] : [serviceUrl])].map(foldUri);
    const { times = 0 } = this.#lastWords.get(foldUri(speakerUri)) ?? {};
    return times >= repetitionsMax || names.some((name) => this.#agents.has(name));
  }

  /** Everybody who has said something and has not left. */
  get speakers(): string[] {
    return [...this.#lastWords.keys()];
  }

  #hear(speaker: string, dialogEvent: { id: string } & Parameters<typeof textOf>[0]): void {
    const { id } = dialogEvent;
    const text = textOf(dialogEvent).trim();
    const before = this.#lastWords.get(speaker);
    // The same utterance may be delivered twice.
    if (before?.id === id) return;
    const times = before !== undefined && before.text === text && text !== "" ? before.times + 1 : 1;
    this.#lastWords.delete(speaker);
    this.#lastWords.set(speaker, { id, text, times });
    const [oldest] = this.#lastWords.keys();
    if (this.#lastWords.size > speakersMax && oldest !== undefined) this.#lastWords.delete(oldest);
  }

  #addAgent(uri: string | undefined): void {
    if (uri !== undefined && this.#agents.size < speakersMax) this.#agents.add(foldUri(uri));
  }
}

/** The speakerUri that a floor lists somebody under; some floors call its agents by their addresses as well. */
export function listedName(uri: string, { conversants = [] }: Conversation): string | undefined {
  const listed = conversants.map(({ identification }) => identification);
  const named = listed.find(({ speakerUri }) => isSameUri(speakerUri, uri));
  return (named ?? listed.find((one) => isOwnName(uri, one)))?.speakerUri;
}

/**
 * Who sends an event. A floor that signs everything itself is not among the conversants that it lists: there the dialog
 * event names the speaker. A listed sender is believed, whatever the dialog event says.
 */
export function originOf(event: FloorEvent, sender: string, conversation: Conversation): string {
  if (event.eventType !== "utterance" || (conversation.conversants ?? []).length === 0) return sender;
  const { speakerUri } = event.parameters.dialogEvent;
  return listedName(sender, conversation) ?? listedName(speakerUri, conversation) ?? speakerUri;
}
