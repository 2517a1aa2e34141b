// P6: one decision of the floor (rules, log entries, deliveries and the next floor) against JSON.parse of the same envelope.
import { decide, defaultOptions, emptyFloor } from "@plenary/floor";
import { utterance1kb } from "./envelopes.mjs";
import { compare, verdict } from "./ratio.mjs";

const now = "2025-05-02T09:00:00.000Z";
const { openFloor: spoken } = JSON.parse(utterance1kb);
const person = spoken.sender.speakerUri;

function step(floor, input) {
  const decision = decide(floor, input, now);
  if (decision.refusals.length > 0) throw new Error(JSON.stringify(decision.refusals));
  return decision;
}

function identificationOf(speakerUri, serviceUrl) {
  return {
    speakerUri,
    serviceUrl,
    organization: "Example",
    conversationalName: "Bench",
    synopsis: "For the benchmark.",
  };
}

/** A conversation of one person and agents that have joined. */
function room(conversants) {
  const owner = identificationOf(person, spoken.sender.serviceUrl);
  const self = { speakerUri: "tag:floor.example.com,2025:plenary", serviceUrl: "https://floor.example.com/openfloor" };
  const open = { verb: "open", self, owner, options: defaultOptions };
  const { floor } = step(emptyFloor(spoken.conversation.id), { kind: "command", command: open, by: "operator" });
  return Array.from({ length: conversants - 1 }).reduce((before, _, index) => {
    const identification = identificationOf(
      `tag:agent${index}.example.com,2025:1`,
      `https://agent${index}.example.com/`,
    );
    return step(before, {
      kind: "command",
      command: { verb: "seat", identification, seatKind: "agent" },
      by: "operator",
    }).floor;
  }, floor);
}

const said = { kind: "envelope", envelope: spoken, dialect: "1.1", carried: {}, facts: {} };

function answer({ delivery, to }, events) {
  const envelope = { ...spoken, sender: { speakerUri: to.speakerUri }, events };
  return { kind: "answer", delivery, envelope, dialect: "1.1", carried: {}, facts: {} };
}

/** The person speaks, the first agent answers aloud, the others listen. */
function wholeTurn(floor) {
  let { floor: next, effects } = step(floor, said);
  const [first, ...others] = effects;
  const reply = step(next, answer(first, spoken.events));
  next = reply.floor;
  for (const delivery of [...others, ...reply.effects]) ({ floor: next } = step(next, answer(delivery, [])));
  return { floor: next, decisions: 2 + others.length + reply.effects.length };
}

function tell(name, { ratio, cpuRatio, subjectUs, referenceUs }) {
  const times = `${subjectUs.toFixed(2)} us against ${referenceUs.toFixed(2)} us`;
  console.log(`# ${name}: ${times}, time x ${ratio.toFixed(2)}, CPU x ${cpuRatio.toFixed(2)}`);
}

const three = wholeTurn(room(3)).floor;
const parse = () => JSON.parse(utterance1kb);

const decision = compare(() => decide(three, said, now), parse);
tell("a person's utterance, three conversants, decide and apply", decision);
const turn = compare(
  () => wholeTurn(three),
  () => Array.from({ length: 4 }, parse),
);
tell("a whole turn of four decisions against four times JSON.parse", turn);

/** A floor that has seen this many entries. */
function lived(entries) {
  let floor = room(3);
  while (floor.seq < entries) ({ floor } = wholeTurn(floor));
  return floor;
}
const old = lived(1_000_000);
const young = lived(10);
const history = compare(
  () => decide(old, said, now),
  () => decide(young, said, now),
);
tell(`with ${old.seq} past entries against ${young.seq}`, history);

const [few, many] = [8, 64].map((count) => wholeTurn(room(count)).floor);
const fanOut = compare(
  () => decide(many, said, now),
  () => decide(few, said, now),
);
const perRecipient = fanOut.ratio / (63 / 7);
tell("64 conversants against 8", fanOut);

verdict("p6-decide", decision.ratio, 0.5, decision.ratio <= 0.5);
verdict("p6-history", history.ratio, 1.1, history.ratio <= 1.1);
verdict("p6-fan-out", perRecipient, 1.5, perRecipient <= 1.5);
