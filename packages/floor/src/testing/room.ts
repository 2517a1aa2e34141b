// A floor for tests: its conversants, their events, and the results of decisions.
import { type FloorEvent, type Identification, type To, textUtterance } from "@plenary/protocol";
import { decide } from "../decide.ts";
import type { Decision } from "../decision-builder.ts";
import type { DeliverEffect } from "../effect.ts";
import { emptyFloor, type Floor } from "../floor.ts";
import type { AnswerInput, Command, CommandInput, EnvelopeInput, Failure, Input } from "../input.ts";
import { defaultOptions, type FloorOptions } from "../options.ts";

export const now = "2025-05-02T09:00:00.000Z";
export const self = { speakerUri: "tag:floor.example,2025:plenary", serviceUrl: "https://floor.example/openfloor" };

export const ann = "tag:ann.example,2025:1";
export const ben = "tag:ben.example,2025:1";
export const parrot = "tag:parrot.example,2025:1";
export const owl = "tag:owl.example,2025:1";
/** Shares the address of parrot. */
export const wren = "tag:wren.example,2025:1";
export const chair = "tag:chair.example,2025:1";

/** The address of tag:parrot.example,2025:1 is https://parrot.example/. */
export function urlOf(speakerUri: string): string {
  if (speakerUri === wren) return urlOf(parrot);
  return `https://${speakerUri.split(/[:,]/)[1]}/`;
}

export function identificationOf(speakerUri: string): Identification {
  const serviceUrl = urlOf(speakerUri);
  return { speakerUri, serviceUrl, organization: "Example", conversationalName: "", synopsis: "" };
}

type RoomOptions = {
  /** The first one is the owner. */
  people?: readonly string[];
  agents?: readonly string[];
  convener?: string;
  options?: Partial<FloorOptions>;
};

/** Every conversant has joined and has the floor. */
export function room({ people = [ann], agents = [parrot, owl], convener, options }: RoomOptions = {}): Floor {
  const [owner, ...guests] = people;
  let floor = opened(owner, options);
  const all = convener === undefined || agents.includes(convener) ? agents : [...agents, convener];
  for (const speakerUri of guests) floor = after(floor, seating(speakerUri, "person"));
  for (const speakerUri of all) floor = after(floor, seating(speakerUri, "agent"));
  return convener === undefined ? floor : convened(floor, convener);
}

/** Appoints the convener without regard to its manifest, and answers the notices. */
function convened(floor: Floor, convener: string): Floor {
  const given = after(floor, command({ verb: "convener", serviceUrl: urlOf(convener) }));
  return after(
    given,
    ...given.open.filter(({ turn }) => turn === `t${floor.seq + 1}`).map(({ id, to }) => answer(id, to)),
  );
}

export function opened(owner: string | undefined, options: Partial<FloorOptions> = {}): Floor {
  const settings = { ...defaultOptions, ...options };
  const about = { self, options: settings, ...(owner && { owner: identificationOf(owner) }) };
  return after(emptyFloor("conv:1"), command({ verb: "open", ...about }));
}

export function seating(speakerUri: string, seatKind: "person" | "agent"): CommandInput {
  return command({ verb: "seat", identification: identificationOf(speakerUri), seatKind });
}

/** By the operator by default; owner and person are Ann by default. */
export function command(given: Command, by: CommandInput["by"] = "operator", speakerUri = ann): CommandInput {
  return { kind: "command", command: given, ...(by === "owner" || by === "person" ? { by, speakerUri } : { by }) };
}

/** The floor after these inputs, one after the other. */
export function after(floor: Floor, ...inputs: Input[]): Floor {
  return inputs.reduce((before, input) => decide(before, input, now).floor, floor);
}

export function from(speakerUri: string, ...events: FloorEvent[]): EnvelopeInput {
  const schema = { version: "1.1.0" };
  return { kind: "envelope", envelope: { schema, conversation: { id: "conv:1" }, sender: { speakerUri }, events } };
}

export function answer(delivery: string | undefined, speakerUri: string, ...events: FloorEvent[]): AnswerInput {
  if (delivery === undefined) throw new Error("nothing was delivered that could be answered");
  return { kind: "answer", delivery, envelope: from(speakerUri, ...events).envelope };
}

export function failing(delivery: string | undefined, failure: Failure): AnswerInput {
  if (delivery === undefined) throw new Error("nothing was delivered that could fail");
  return { kind: "answer", delivery, failure };
}

let count = 0;

export function says(speakerUri: string, text: string, to?: To): FloorEvent & { eventType: "utterance" } {
  count += 1;
  return textUtterance(text, { speakerUri, id: `de:${count}`, startTime: now, ...(to && { to }) });
}

export function whispers(speakerUri: string, text: string, to: To) {
  return says(speakerUri, text, { ...to, private: true });
}

export function invites(speakerUri: string): FloorEvent & { eventType: "invite" } {
  return { eventType: "invite", to: { speakerUri, serviceUrl: urlOf(speakerUri) } };
}

export function to(speakerUri: string): { to: To } {
  return { to: { speakerUri } };
}

/** The envelopes that are sent, in order. */
export function envelopes({ effects }: Decision): DeliverEffect[] {
  return effects.filter((effect) => effect.kind === "deliver");
}

export function envelopesTo(decision: Decision, speakerUri: string): DeliverEffect[] {
  return envelopes(decision).filter((envelope) => envelope.to.speakerUri === speakerUri);
}

/** The id of the first delivery to a conversant. */
export function deliveryTo(decision: Decision, speakerUri: string): string | undefined {
  return envelopesTo(decision, speakerUri)[0]?.delivery;
}

/** The id of the delivery that delegates an event to the convener. */
export function delegationOf(decision: Decision): string | undefined {
  return envelopes(decision).find(({ isDelegation }) => isDelegation)?.delivery;
}

/** The recipients and their events, as "tag:owl.example,2025:1: invite utterance". */
export function received(decision: Decision): string[] {
  return envelopes(decision).map(({ to: { speakerUri }, events }) => {
    return `${speakerUri}: ${events.map(({ eventType }) => eventType).join(" ")}`;
  });
}

/** The events that took effect, as [sender, eventType, because]. */
export function effective({ entries }: Decision): [string, string, string][] {
  return entries.flatMap((entry) =>
    entry.kind === "event" ? [[entry.sender, entry.event.eventType, entry.because] as [string, string, string]] : [],
  );
}

export function kinds({ entries }: Decision): string[] {
  return entries.map(({ kind }) => kind);
}

/** The ids of the rules that refused something. */
export function refused({ entries }: Decision): string[] {
  return entries.flatMap((entry) => (entry.kind === "refused" ? [entry.because] : []));
}

export function names(floor: Floor): string[] {
  return floor.conversants.map(({ identification }) => identification.speakerUri);
}
