// A foreign floor that follows the table of section 2.2 to the letter: it sends each event that the table delegates
// alone to its convener, takes the returned event in its place, and passes everything else on. It publishes conversants and
// floorGranted; it publishes no roles, and may ask for them by `expectedFloorRoles` in its invite (1.1.1).
// It contains no code of this project.

export type WireEvent = {
  eventType: string;
  to?: { speakerUri?: string; serviceUrl?: string; private?: boolean };
  reason?: string;
  parameters?: Record<string, unknown>;
};

type Seat = { speakerUri: string; serviceUrl: string };

/** How the floor informs its convener of its role. */
export type Manner = {
  /** Of the invite; absent where the floor does not know 1.1.1. */
  expectedFloorRoles?: string[];
  /** Published in each envelope; usually absent. */
  assignedFloorRoles?: Record<string, string[]>;
};

/** One event as all conversants get it, or undefined when the convener drops it. */
type Passed = { by: string; event: WireEvent };

const isDelegated = new Set(["invite", "uninvite", "requestFloor", "grantFloor", "revokeFloor"]);
export const uri = (name: string) => `tag:${name}.example,2026:1`;
const floor = { speakerUri: uri("manager"), serviceUrl: "https://manager.example/" };

export class DelegatingFloor {
  /** All events that took effect, in order. */
  readonly passed: Passed[] = [];
  /** The events of each answer of the convener. */
  readonly answers: WireEvent[][] = [];
  granted: string[] = [];
  readonly #id = `c-${crypto.randomUUID()}`;
  readonly #seats: Seat[] = [];
  readonly #manner: Manner;
  #convener: Seat;

  constructor(convenerUrl: string, manner: Manner = {}) {
    this.#convener = { speakerUri: convenerUrl, serviceUrl: convenerUrl };
    this.#manner = manner;
  }

  /** Seats these, all with the floor, then invites the convener and returns its answer. */
  async open(names: readonly string[]): Promise<WireEvent[]> {
    for (const name of names) this.seat(name);
    this.#seats.push(this.#convener);
    const { expectedFloorRoles } = this.#manner;
    const parameters = expectedFloorRoles && { parameters: { expectedFloorRoles } };
    const event = { eventType: "invite", to: { serviceUrl: this.#convener.serviceUrl }, ...parameters };
    const answer = await this.#post(floor, [event]);
    this.granted.push(this.#convener.speakerUri);
    return answer;
  }

  seat(name: string): void {
    this.#seats.push({ speakerUri: uri(name), serviceUrl: `https://${name}.example/` });
    this.granted.push(uri(name));
  }

  /** The events that take effect because of this event. */
  async take(name: string, event: WireEvent): Promise<Passed[]> {
    const before = this.passed.length;
    const sender = this.#seats.find(({ speakerUri }) => speakerUri === uri(name));
    if (sender === undefined) throw new Error(`${name} is not seated`);
    const hasFloor = this.granted.includes(sender.speakerUri);
    const mustAsk = event.eventType === "utterance" ? !hasFloor : isDelegated.has(event.eventType);
    if (mustAsk) await this.#delegate(sender, event);
    else await this.#pass(sender, event);
    return this.passed.slice(before);
  }

  async #delegate(sender: Seat, event: WireEvent): Promise<void> {
    for (const returned of await this.#post(sender, [event])) {
      const isSame = identityOf(returned) === identityOf(event);
      this.#apply(isSame ? sender : this.#convener, returned);
    }
  }

  /** All conversants get the event, also the convener, which may act on it. */
  async #pass(sender: Seat, event: WireEvent): Promise<void> {
    this.#apply(sender, event);
    for (const returned of await this.#post(sender, [event])) this.#apply(this.#convener, returned);
  }

  #apply(sender: Seat, event: WireEvent): void {
    this.passed.push({ by: sender.speakerUri, event });
    const target = event.eventType === "yieldFloor" ? sender.speakerUri : this.#targetOf(event);
    if (["yieldFloor", "revokeFloor", "uninvite"].includes(event.eventType)) {
      this.granted = this.granted.filter((one) => one !== target);
    }
    if (event.eventType === "uninvite") {
      this.#seats.splice(0, this.#seats.length, ...this.#seats.filter(({ speakerUri }) => speakerUri !== target));
    }
    if (event.eventType === "grantFloor" && target !== undefined && !this.granted.includes(target)) {
      this.granted.push(target);
    }
    const { serviceUrl = "" } = event.to ?? {};
    if (event.eventType === "invite") this.seat(new URL(serviceUrl).hostname.replace(".example", ""));
  }

  #targetOf({ to }: WireEvent): string | undefined {
    const isMeant = (seat: Seat) => seat.speakerUri === to?.speakerUri || seat.serviceUrl === to?.serviceUrl;
    return this.#seats.find(isMeant)?.speakerUri;
  }

  async #post(sender: Seat, events: readonly WireEvent[]): Promise<WireEvent[]> {
    const { assignedFloorRoles } = this.#manner;
    const conversants = this.#seats.map(({ speakerUri, serviceUrl }) => {
      const conversationalName = new URL(serviceUrl).hostname.replace(".example", "");
      const identification = {
        speakerUri,
        serviceUrl,
        conversationalName,
        organization: "Example",
        synopsis: "Is here.",
      };
      return { identification };
    });
    const conversation = {
      id: this.#id,
      conversants,
      floorGranted: this.granted,
      ...(assignedFloorRoles && { assignedFloorRoles }),
    };
    const openFloor = { schema: { version: "1.1.0" }, conversation, sender, events };
    const response = await fetch(this.#convener.serviceUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ openFloor }),
    });
    if (response.status !== 200) throw new Error(`the convener answered ${response.status}`);
    const answer = ((await response.json()) as { openFloor: { sender: Seat; events: WireEvent[] } }).openFloor;
    this.#convener.speakerUri = answer.sender.speakerUri;
    this.answers.push(answer.events);
    return answer.events;
  }
}

/** By this the floor recognises its own event. */
function identityOf({ eventType, to, parameters }: WireEvent): string {
  const { id } = (parameters?.dialogEvent ?? {}) as { id?: string };
  return JSON.stringify([eventType, id ?? [to?.speakerUri, to?.serviceUrl]]);
}
