import { type FloorEvent, foldUri, textOf } from "@plenary/protocol";
import type { Evidence } from "./people.ts";

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
