// A floor as host pages and small scripts write it: it posts each event to every agent and passes each public answer on to
// all other agents, until no agent answers. It has no roles, no floor rights and no headers of its own.
// It contains no code of this project.

export type Version = "0.9.3" | "1.0.0" | "1.1.0";

/**
 * What the floor publishes about conversants. nobody: there is no list. agents: the person is not on it. emptyTexts: the
 * person has no organization and no synopsis. realTexts: everybody is described alike, with a plain address. roles: the
 * person has the role of the official sample, "User".
 */
export type Listing = "nobody" | "agents" | "emptyTexts" | "realTexts" | "roles";

export type FloorOptions = {
  version?: Version;
  listing?: Listing;
  /** The sender of invites: the person, or the floor under a name of its own. */
  inviter?: "person" | "floor";
  /** The floor is the sender of everything that it passes on; only the dialog event names the speaker. */
  relays?: boolean;
  /** Whether other agents get acceptInvite and publishManifests, too. */
  passesOn?: "utterances" | "everything";
};

export type Said = { by: string; text: string; isPrivate: boolean; to: string | undefined };

type WireTo = string | { speakerUri?: string; serviceUrl?: string; private?: boolean };
type WireEvent = { eventType: string; to?: WireTo; parameters?: { dialogEvent?: WireDialogEvent } & Json };
type WireDialogEvent = { features: { text: { tokens: { value: string }[] } } };
type Json = Record<string, unknown>;
type Guest = { url: string; speakerUri: string; name: string };
type Speaker = { speakerUri: string; url: string };

export const person: Speaker = { speakerUri: "tag:host.example,2026:jo", url: "https://host.example/jo" };
const manager: Speaker = { speakerUri: "tag:host.example,2026:floor", url: "https://host.example/floor" };

/** More posts than any conversation of these tests needs: a higher number is a loop. */
const postsMax = 200;

export class BroadcastingFloor {
  readonly guests: Guest[] = [];
  /** All utterances of the agents. */
  readonly said: Said[] = [];
  /** The types of all returned events. */
  readonly returned: string[] = [];
  readonly #id = `c-${crypto.randomUUID()}`;
  readonly #options: Required<FloorOptions>;
  #posts = 0;
  #minted = 0;

  constructor({ version = "1.1.0", listing = "nobody", inviter = "person", ...rest }: FloorOptions) {
    this.#options = { version, listing, inviter, relays: false, passesOn: "utterances", ...rest };
  }

  /** `name` is what people call the agent; a real host knows it from the manifest. */
  async invite(url: string, name: string, along: readonly string[] = []): Promise<Guest> {
    const guest = { url, speakerUri: url, name };
    this.guests.push(guest);
    const inviter = this.#options.inviter === "person" ? person : manager;
    const words = along.map((text) => this.#utterance(text, person));
    const events = await this.#post(guest, inviter, [{ eventType: "invite", to: this.#to(guest) }, ...words]);
    await this.#spread(events, guest);
    return guest;
  }

  /** The agents' answers to this utterance, until all are silent. */
  async say(text: string, to?: Guest, isPrivate = false): Promise<Said[]> {
    const before = this.said.length;
    const event = this.#utterance(text, person, to, isPrivate);
    const hearers = isPrivate && to !== undefined ? [to] : [...this.guests];
    for (const guest of hearers) await this.#spread(await this.#post(guest, person, [event]), guest);
    return this.said.slice(before);
  }

  async manifestOf(guest: Guest): Promise<Json | undefined> {
    const isOld = this.#options.version === "0.9.3";
    const eventType = isOld ? "requestManifest" : "getManifests";
    const [answer] = await this.#post(guest, person, [{ eventType, to: this.#to(guest) }]);
    const { manifest, servicingManifests } = (answer?.parameters ?? {}) as Json;
    return isOld ? (manifest as Json) : (servicingManifests as Json[] | undefined)?.[0];
  }

  async dismiss(guest: Guest): Promise<WireEvent[]> {
    const eventType = this.#options.version === "0.9.3" ? "bye" : "uninvite";
    return this.#post(guest, person, [{ eventType, to: this.#to(guest) }]);
  }

  async #spread(events: readonly WireEvent[], from: Guest): Promise<void> {
    const queue = [{ events, from }];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      this.#note(next.events, next.from);
      const passed = next.events.filter((event) => this.#isPassedOn(event));
      if (passed.length === 0) continue;
      for (const other of this.guests.filter((one) => one !== next?.from)) {
        queue.push({ events: await this.#post(other, next.from, passed), from: other });
      }
    }
  }

  #isPassedOn({ eventType, to }: WireEvent): boolean {
    if (typeof to === "object" && to.private === true) return false;
    return eventType === "utterance" || (this.#options.passesOn === "everything" && eventType !== "whisper");
  }

  #note(events: readonly WireEvent[], { name }: Guest): void {
    for (const { eventType, to, parameters } of events) {
      this.returned.push(eventType);
      const { dialogEvent } = parameters ?? {};
      if (dialogEvent === undefined) continue;
      const text = dialogEvent.features.text.tokens.map(({ value }) => value).join("");
      const target = typeof to === "string" ? to : (to?.speakerUri ?? to?.serviceUrl);
      const isPrivate = eventType === "whisper" || (typeof to === "object" && to.private === true);
      this.said.push({ by: name, text, isPrivate, to: target });
    }
  }

  async #post(guest: Guest, sender: Speaker, events: readonly object[]): Promise<WireEvent[]> {
    this.#posts += 1;
    if (this.#posts > postsMax) {
      const last = this.said.slice(-6).map(({ by, text }) => `${by}: ${text}`);
      throw new Error(`the agents talk for ever:\n${last.join("\n")}`);
    }
    const response = await fetch(guest.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(this.#envelope(this.#options.relays ? manager : sender, events)),
    });
    if (response.status !== 200) throw new Error(`${guest.name} answered ${response.status} ${await response.text()}`);
    const { ovon, openFloor } = (await response.json()) as Record<string, { sender: Json; events: WireEvent[] }>;
    const envelope = openFloor ?? ovon;
    if (envelope === undefined) throw new Error(`${guest.name} answered without an envelope`);
    const { from, speakerUri } = envelope.sender;
    guest.speakerUri = String(speakerUri ?? from);
    return envelope.events;
  }

  #envelope({ speakerUri, url }: Speaker, events: readonly object[]): Json {
    const { version } = this.#options;
    const schema = { version };
    if (version === "0.9.3") {
      return { ovon: { schema, conversation: { id: this.#id }, sender: { from: url }, events } };
    }
    const conversants = this.#conversants();
    const conversation = { id: this.#id, ...(conversants && { conversants }) };
    return { openFloor: { schema, conversation, sender: { speakerUri, serviceUrl: url }, events } };
  }

  #conversants(): object[] | undefined {
    const { listing } = this.#options;
    if (listing === "nobody") return undefined;
    const texts = { organization: "Example", synopsis: "Takes part in this conversation." };
    const agents = this.guests.map(({ speakerUri, url, name }) => ({
      identification: { speakerUri, serviceUrl: url, conversationalName: name, ...texts },
    }));
    if (listing === "agents") return agents;
    const about = {
      emptyTexts: { organization: "", synopsis: "" },
      realTexts: texts,
      roles: { ...texts, role: "User" },
    }[listing];
    const { speakerUri, url: serviceUrl } = person;
    return [{ identification: { speakerUri, serviceUrl, conversationalName: "Jo", ...about } }, ...agents];
  }

  #to({ url, speakerUri }: Guest): WireTo {
    if (this.#options.version === "0.9.3") return url;
    return { serviceUrl: url, ...(speakerUri !== url && { speakerUri }) };
  }

  #utterance(text: string, { speakerUri }: Speaker, to?: Guest, isPrivate = false): object {
    this.#minted += 1;
    const isOld = this.#options.version === "0.9.3";
    const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
    const span = { startTime: "2026-01-31T10:05:00+00:00" };
    const id = `said-${this.#minted}`;
    const dialogEvent = isOld ? { id, speakerId: "jo", span, features } : { id, speakerUri, span, features };
    const target = to && this.#to(to);
    const isWhisper = isOld && isPrivate;
    const named = typeof target === "object" && isPrivate ? { ...target, private: true } : target;
    return { eventType: isWhisper ? "whisper" : "utterance", ...(named && { to: named }), parameters: { dialogEvent } };
  }
}
