// A real floor core with one convener and a manual clock.
import {
  apply,
  convenerOf,
  type Decision,
  type DeliverEffect,
  decide,
  defaultOptions,
  type Entry,
  emptyFloor,
  type Floor,
  type Input,
  problemsOfFloor,
  problemsOfStep,
  seatOf,
} from "@plenary/floor";
import { envelope, type FloorEvent, type To, textOf, textUtterance } from "@plenary/protocol";
import { ConvenerSession } from "../convener/create-convener.ts";
import { contextOf } from "../convener/floor-view.ts";
import type { ConvenerPolicy } from "../convener/policy.ts";

export const convener = "tag:chair.example,2026:1";
export const uri = (name: string) => `tag:${name}.example,2026:1`;
const self = { speakerUri: "tag:floor.example,2026:plenary", serviceUrl: "https://floor.example/openfloor" };

export const urlOf = (speakerUri: string) => `https://${speakerUri.split(/[:,]/u)[1]}/`;

/** As a floor of Plenary lists them: people by their role. */
function identificationOf(speakerUri: string, kind: "person" | "agent") {
  const isPerson = kind === "person";
  const [, host = ""] = speakerUri.split(/[:,]/u);
  const conversationalName = host.replace(".example", "");
  const serviceUrl = isPerson ? `https://floor.example/openfloor/at/${conversationalName}` : urlOf(speakerUri);
  const synopsis = isPerson ? "A person at this floor" : "An agent.";
  return {
    speakerUri,
    serviceUrl,
    organization: "Example",
    conversationalName,
    synopsis,
    ...(isPerson && { role: "User" }),
  };
}

export type Cast = {
  /** The first owns the conversation. */
  people?: readonly string[];
  agents?: readonly string[];
  /** How many answers of the convener may be under way while the floor continues. */
  lag?: number;
};

export const ann = uri("ann");
export const ben = uri("ben");
export const cleo = uri("cleo");
export const owl = uri("owl");
export const parrot = uri("parrot");

let said = 0;
export function says(speakerUri: string, text: string, to?: To) {
  said += 1;
  return textUtterance(text, { speakerUri, id: `de:${said}`, startTime: "2026-01-01T00:00:00Z", ...(to && { to }) });
}

export class ConvenedFloor<State> {
  floor: Floor = emptyFloor("c1");
  readonly log: Entry[] = [];
  /** The convener's events, in the order of the log. */
  readonly convenerEvents: FloorEvent[] = [];
  /** Guests who joined by a link since the convener's last envelope. */
  unseen: string[] = [];
  /** An answer took so long that the floor may have decided without it. */
  wasLate = false;
  nowMs = Date.parse("2026-01-01T09:00:00Z");
  readonly #session: ConvenerSession<State>;
  #timers: { id: string; atMs: number }[] = [];
  #underWay: Input[] = [];
  readonly #replies = new Map<string, FloorEvent[]>();
  readonly #lag: number;

  constructor(policy: ConvenerPolicy<State>, { people = [ann, ben, cleo], agents = [owl], lag = 0 }: Cast = {}) {
    this.#session = new ConvenerSession(policy);
    this.#lag = lag;
    const [owner = ann, ...guests] = people;
    const options = defaultOptions;
    this.command({ verb: "open", self, options, owner: identificationOf(owner, "person") });
    for (const one of guests) this.seat(one, "person");
    for (const one of agents) this.seat(one, "agent");
    this.seat(convener, "agent");
    this.command({ verb: "convener", serviceUrl: urlOf(convener) });
  }

  seat(speakerUri: string, seatKind: "person" | "agent"): void {
    if (seatOf(this.floor, speakerUri) === undefined) this.unseen.push(nameOf(speakerUri));
    this.command({ verb: "seat", identification: identificationOf(speakerUri, seatKind), seatKind });
  }

  command(command: Extract<Input, { kind: "command" }>["command"]): void {
    this.#decide({ kind: "command", by: "operator", command });
  }

  /** Returns the effects of the envelope, as `sender: event target`. */
  send(speakerUri: string, ...events: FloorEvent[]): string[] {
    const from = this.log.length;
    const sent = envelope({ conversation: { id: "c1" }, sender: { speakerUri }, events });
    this.#decide({ kind: "envelope", envelope: sent });
    return this.since(from);
  }

  /** The convener's answers reach the floor. */
  settle(): void {
    for (;;) {
      const next = this.#underWay.shift();
      if (next === undefined) return;
      this.#decide(next);
    }
  }

  /** Time passes: the floor's timers and the convener's own. */
  pass(ms: number): string[] {
    const from = this.log.length;
    const untilMs = this.nowMs + ms;
    const isLong = ms >= 1_000;
    this.wasLate ||= isLong && this.isUnderWay;
    for (;;) {
      const due = this.#timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      const wakeAtMs =
        this.#session.wakeAtMs !== undefined && this.#session.wakeAtMs <= untilMs ? this.#session.wakeAtMs : undefined;
      if (due === undefined && wakeAtMs === undefined) break;
      if (wakeAtMs !== undefined && wakeAtMs <= (due?.atMs ?? Number.POSITIVE_INFINITY)) {
        this.nowMs = Math.max(this.nowMs, wakeAtMs);
        this.#wake();
      } else if (due !== undefined) {
        this.nowMs = Math.max(this.nowMs, due.atMs);
        this.#timers = this.#timers.filter((one) => one !== due);
        this.#decide({ kind: "timer", id: due.id });
      }
    }
    this.nowMs = untilMs;
    this.wasLate ||= isLong && this.isUnderWay;
    return this.since(from);
  }

  get state(): State {
    return this.#session.state;
  }

  get isUnderWay(): boolean {
    return this.#underWay.length > 0;
  }

  /** Everything that took effect, as `ann: utterance "hello"` or `chair: grantFloor ben`. */
  since(from: number): string[] {
    return this.log.slice(from).flatMap((entry) => (entry.kind === "event" ? [lineOf(entry)] : []));
  }

  /** Who has the floor, without the owner and the convener. */
  get speakers(): string[] {
    const [owner] = this.floor.roles.owner ?? [];
    return this.floor.floorGranted.filter((one) => one !== owner && one !== convener).map(nameOf);
  }

  #wake(): void {
    const events = this.#session.handle({ kind: "timer" }, this.nowMs);
    if (events.length === 0 || convenerOf(this.floor) !== convener) return;
    const sent = envelope({ conversation: { id: "c1" }, sender: { speakerUri: convener }, events: [...events] });
    this.#underWay.push({ kind: "envelope", envelope: sent });
    this.#arrive();
  }

  #decide(input: Input): void {
    const decision = decide(this.floor, input, new Date(this.nowMs).toISOString());
    let floor = this.floor;
    for (const entry of decision.entries) {
      const next = apply(floor, entry);
      must(problemsOfStep(floor, entry, next));
      floor = next;
      if (entry.kind === "event" && entry.sender === convener) this.convenerEvents.push(entry.event);
    }
    must(problemsOfFloor(decision.floor));
    this.floor = decision.floor;
    this.log.push(...decision.entries);
    this.#perform(decision);
  }

  #perform({ effects }: Decision): void {
    for (const effect of effects) {
      if (effect.kind === "timer") this.#timers.push({ id: effect.id, atMs: Date.parse(effect.at) });
      if (effect.kind !== "deliver") continue;
      const { speakerUri } = effect.to;
      const events = speakerUri === convener ? this.#answerOf(effect) : this.#repliesOf(effect);
      const sender = { speakerUri: effect.to.speakerUri, serviceUrl: effect.to.serviceUrl };
      const answer = envelope({ conversation: { id: "c1" }, sender, events });
      this.#underWay.push({ kind: "answer", delivery: effect.delivery, envelope: answer });
    }
    this.#arrive();
  }

  /** In the order in which they were sent. */
  #arrive(): void {
    while (this.#underWay.length > this.#lag) {
      const next = this.#underWay.shift();
      if (next !== undefined) this.#decide(next);
    }
  }

  /** The agent's answer to the next utterance addressed to it. */
  answering(speakerUri: string, events: FloorEvent[]): void {
    this.#replies.set(speakerUri, events);
  }

  #repliesOf({ to: { speakerUri }, events }: DeliverEffect): FloorEvent[] {
    const isAddressed = events.some((one) => one.eventType === "utterance" && one.to?.speakerUri === speakerUri);
    const replies = isAddressed ? this.#replies.get(speakerUri) : undefined;
    if (replies !== undefined) this.#replies.delete(speakerUri);
    return replies ?? [];
  }

  #answerOf({ conversation, events, sender, isDelegation }: DeliverEffect): FloorEvent[] {
    if (
      this.#session.observe(conversation, contextOf(conversation, { speakerUri: convener }), this.nowMs) === undefined
    )
      return [];
    this.unseen = [];
    const kind = isDelegation ? ("delegated" as const) : ("observed" as const);
    const { speakerUri } = sender;
    const caughtUp = this.#session.catchUp(this.nowMs);
    return [
      ...caughtUp,
      ...events.flatMap((event) => this.#session.handle({ kind, event, sender: speakerUri }, this.nowMs)),
    ];
  }
}

function must(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join("; "));
}

export const nameOf = (speakerUri: string) => /^tag:(\w+)\.example/u.exec(speakerUri)?.[1] ?? speakerUri;

function lineOf({ sender, event, target }: Entry & { kind: "event" }): string {
  const addressee = target === undefined ? "" : ` ${nameOf(target)}`;
  if (event.eventType !== "utterance") {
    const [token = ""] = event.reason?.match(/^@\w+/u) ?? [];
    return `${nameOf(sender)}: ${event.eventType}${addressee}${token && ` ${token}`}`;
  }
  const { dialogEvent } = event.parameters;
  const of = dialogEvent.speakerUri === sender ? "" : ` of ${nameOf(dialogEvent.speakerUri)}`;
  return `${nameOf(sender)}: ${event.to?.private ? "whisper" : "utterance"}${of}${addressee} "${textOf(dialogEvent)}"`;
}
