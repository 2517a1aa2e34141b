import {
  apply,
  type CommandInput,
  convenerOf,
  type Entry,
  emptyFloor,
  type Facts,
  type Failure,
  type Floor,
  lapsedQuestionOf,
  openDelivery,
  type ParkedEntry,
  type ReceivedEntry,
  seatNamed,
} from "@plenary/floor";
import type { Envelope, FloorEvent } from "@plenary/protocol";
import { isRestOfAppointment, recordedCommand } from "./recorded-command.ts";
import type { RecordedAct, RecordedInput, Recording } from "./recorded-input.ts";
import { createStableNames, type StableNames } from "./stable-names.ts";

type FoundFacts = {
  boundElsewhere: readonly string[];
  withheld: readonly string[];
  whispered?: readonly string[];
  moved?: readonly string[];
};

/** The state while inputs are reconstructed from a log. */
type RecordingReading = {
  floor: Floor;
  before: Entry | undefined;
  naming: StableNames;
  inputs: RecordedInput[];
  /** Facts that the shell had looked up, from parked and refused entries. */
  facts: Map<string, FoundFacts>;
  deliveries: Set<string>;
  stepOfEntry: number[];
  conveners: Set<string>;
  /** Every name of an agent that was invited as convener. */
  chosen: Set<string>;
  erased: number;
};

/** Reconstructs the inputs of a log, in order. `entries` begins with the first. */
export function recordingOf(id: string, entries: Iterable<Entry>): Recording {
  const reading: RecordingReading = {
    floor: emptyFloor(id),
    before: undefined,
    naming: createStableNames(),
    inputs: [],
    facts: new Map(),
    deliveries: new Set(),
    stepOfEntry: [],
    conveners: new Set(),
    chosen: new Set(),
    erased: 0,
  };
  for (const entry of entries) read(reading, entry);
  const { inputs, deliveries, stepOfEntry, conveners, chosen, erased, before } = reading;
  settleSteps(reading);
  const all = new Set([...conveners, ...chosen]);
  return { id, inputs, deliveries, stepOfEntry, conveners: all, erased, endsAt: before?.at ?? "" };
}

const undecided = -1;

function read(reading: RecordingReading, entry: Entry): void {
  const { naming, inputs, stepOfEntry } = reading;
  const act = actOf(reading, entry);
  const last = inputs.at(-1);
  if (act !== undefined && last !== undefined && isRestOfAppointment(entry, reading.before)) {
    inputs[inputs.length - 1] = { ...last, ...act };
  } else if (act !== undefined) {
    settleSteps(reading);
    inputs.push({ name: `i${inputs.length}`, seq: entry.seq, at: entry.at, ...sides(reading, entry, act), ...act });
  }
  stepOfEntry.push(isPrelude(entry) ? undecided : inputs.length - 1);
  naming.read(entry, inputs.at(-1)?.name ?? "");
  note(reading, entry);
  reading.floor = apply(reading.floor, entry);
  reading.before = entry;
}

/** True for an entry that is written before the entry of its envelope. */
function isPrelude({ kind, because }: Entry): boolean {
  return (
    kind === "renamed" || because === "guard/moved-on-loopback" || (kind === "resumed" && because.startsWith("loop/"))
  );
}

function settleSteps({ stepOfEntry, inputs }: RecordingReading): void {
  for (let at = stepOfEntry.length - 1; stepOfEntry[at] === undecided; at -= 1) stepOfEntry[at] = inputs.length;
}

function actOf(reading: RecordingReading, entry: Entry): RecordedAct | undefined {
  const { floor, naming, before } = reading;
  const command = recordedCommand(entry, floor, before);
  if (command !== undefined) return { kind: "command", input: command };
  switch (entry.kind) {
    case "received":
      return received(reading, entry);
    case "missed": {
      const delivery = naming.deliveryName(entry.delivery) ?? "";
      if (entry.because === "convener/deadline") return { kind: "deadline", of: "delegation", name: delivery };
      if (entry.because === "delivery/unsent")
        return { kind: "late", delivery, turn: entry.turn, unsent: unsentIn(entry) };
      const isDelegation = openDelivery(floor, entry.delivery)?.isDelegation === true;
      return { kind: "answer", delivery, isDelegation, input: missed(reading, entry) };
    }
    case "late":
      return { kind: "late", delivery: naming.deliveryName(entry.delivery) ?? entry.delivery, turn: entry.turn };
    case "event": {
      if (entry.because === "question/lapsed") return { kind: "lapsed", question: lapsedQuestionOf(entry) };
      if (entry.because !== "2.2/requestFloor/timed-out") return undefined;
      return { kind: "deadline", of: "held", name: naming.heldName(entry.causedBy ?? 0) ?? "" };
    }
    default:
      return undefined;
  }
}

/** The sender of an input, and whether it is the convener: by its role, or invited for it. */
function sides(
  reading: RecordingReading,
  entry: Entry,
  act: RecordedAct,
): Pick<RecordedInput, "isConveners" | "sender"> {
  const { floor, chosen } = reading;
  if (act.kind === "command") return { isConveners: isAboutConvener(act.input, chosen) };
  if (act.kind === "deadline") return { isConveners: true };
  const delivery = entry.kind === "received" ? entry.answers : "delivery" in entry ? String(entry.delivery) : undefined;
  const open = delivery === undefined ? undefined : openDelivery(floor, delivery);
  const sender = entry.kind === "received" ? entry.sender : open?.to;
  const isChosen = [sender, open?.to].some((name) => name !== undefined && chosen.has(name));
  const isConveners = isChosen || open?.isDelegation === true || (sender !== undefined && sender === convenerOf(floor));
  return { isConveners, ...(sender !== undefined && { sender }) };
}

function isAboutConvener({ command }: CommandInput, chosen: ReadonlySet<string>): boolean {
  if (command.verb === "convener") return true;
  return "speakerUri" in command && command.speakerUri !== undefined && chosen.has(command.speakerUri);
}

function received(reading: RecordingReading, entry: ReceivedEntry): RecordedAct {
  const { floor, naming, facts } = reading;
  const { sender, events, dialect, persistentState, conversantState, via, floors, answers, moved, leftOut } = entry;
  const found: FoundFacts = { boundElsewhere: [], withheld: [], ...(moved && { moved }) };
  facts.set(`i${reading.inputs.length}`, found);
  const carried = {
    ...(persistentState && { persistentState }),
    ...(conversantState !== undefined && { conversantState: { [sender]: conversantState } }),
  };
  const open = answers === undefined ? undefined : openDelivery(floor, answers);
  const own = answers === undefined ? depthOf(floor, entry) : (open?.depth ?? 0);
  const manner = {
    envelope: envelopeOf(floor, sender, events),
    ...(dialect && { dialect }),
    ...(leftOut && { leftOut }),
    ...(Object.keys(carried).length > 0 && { carried }),
    // Only the depth from other floors: the rest is counted again.
    ...(entry.depth > own && { depth: entry.depth }),
    facts: found satisfies Facts,
  };
  const whisperer = entry.whisperer ?? open?.whisperer;
  const answering = whisperer !== undefined && { whisperer };
  if (answers === undefined) {
    const passed = entry.isPassedOn === true ? ("agent" as const) : undefined;
    const came = via ?? passed;
    const more = { ...(came && { via: came }), ...(floors && { floors }), ...answering };
    return { kind: "envelope", input: { kind: "envelope", ...manner, ...more } };
  }
  const delivery = naming.deliveryName(answers) ?? "";
  const isDelegation = open?.isDelegation === true;
  return { kind: "answer", delivery, isDelegation, ...answering, input: { kind: "answer", ...manner } };
}

/** A person's envelope begins a turn; an agent's, or a passed-on one, continues the turn that reached its sender (D17). */
function depthOf(floor: Floor, { sender, turn }: ReceivedEntry): number {
  const { kind, last } = seatNamed(floor, sender) ?? {};
  if (kind !== "person") return last?.depth ?? 0;
  return last?.turn === turn ? Math.max(last.depth, 1) : 0;
}

function envelopeOf({ id }: Floor, speakerUri: string, events: readonly FloorEvent[]): Envelope {
  return { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri }, events: [...events] };
}

/** A rejected answer is not in the log; an equivalent one is made from the rule that rejected it. */
function missed({ floor }: RecordingReading, entry: Entry & { kind: "missed" }) {
  const { because, speakerUri, failure, detail, isUncounted } = entry;
  if (because === "guard/impersonation") {
    return { kind: "answer" as const, envelope: envelopeOf(floor, floor.self.speakerUri, []) };
  }
  if (because === "guard/bound-elsewhere") {
    const name = entry.move?.speakerUri ?? speakerUri;
    const facts = { boundElsewhere: [name] };
    return { kind: "answer" as const, envelope: envelopeOf(floor, name, []), facts };
  }
  const about = {
    ...(detail !== undefined && { detail }),
    ...(isUncounted === true && { isAboutOthers: true as const }),
  };
  return { kind: "answer" as const, failure: failure as Failure, ...about };
}

/** The audience of a whisper is exactly its sender and its recipient. */
function unsentIn({ audience, speakerUri: to, failure, detail }: Entry & { kind: "missed" }) {
  const [whisperer, recipient] = audience;
  const isWhisper = whisperer !== undefined && recipient === to && audience.length === 2;
  const unsent = { to, ...(isWhisper && { whisperer }) };
  return { failure: failure as Failure, unsent, ...(detail !== undefined && { detail }) };
}

function note(reading: RecordingReading, entry: Entry): void {
  const { naming, deliveries, facts, conveners, chosen } = reading;
  switch (entry.kind) {
    case "event":
      for (const { id } of entry.deliveries) deliveries.add(naming.deliveryName(id) ?? "");
      return;
    case "parked":
      if (entry.delivery !== undefined) deliveries.add(naming.deliveryName(entry.delivery.id) ?? "");
      noteFacts(facts.get(naming.inputOf(entry.seq) ?? ""), entry);
      return;
    case "forwarded":
      deliveries.add(naming.deliveryName(entry.delivery.id) ?? "");
      return;
    case "refused": {
      const name = entry.event.to?.speakerUri;
      const found = facts.get(naming.inputOf(entry.seq) ?? "");
      if (entry.because !== "guard/bound-elsewhere" || name === undefined || found === undefined) return;
      found.boundElsewhere = [...new Set([...found.boundElsewhere, name])];
      return;
    }
    case "seated":
      if (entry.because === "convener/chosen") chosen.add(entry.seat.identification.speakerUri);
      return;
    case "renamed":
      if (chosen.has(entry.from)) chosen.add(entry.to);
      return;
    case "role":
      if (entry.role === "convener" && entry.speakerUri !== undefined) conveners.add(entry.speakerUri);
      return;
    case "held":
      deliveries.add(naming.heldName(entry.seq) ?? "");
      return;
    case "erased":
      reading.erased += 1;
      return;
    default:
      return;
  }
}

function noteFacts(found: FoundFacts | undefined, { boundElsewhere = [], withheld, whispered }: ParkedEntry): void {
  const facts: FoundFacts = { boundElsewhere, withheld, ...(whispered && { whispered }) };
  if (found !== undefined) Object.assign(found, facts);
}
