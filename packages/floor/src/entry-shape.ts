import { isRecord, readEnvelope } from "@plenary/protocol";
import type { Entry } from "./entry.ts";
import { defaultOptions } from "./options.ts";

/** The first fault in the shape of a log entry; undefined when there is none. */
export function entryFault(value: unknown): string | undefined {
  if (!isRecord(value)) return "it is no JSON object";
  const { kind } = value;
  if (kind === "hidden") return "it is hidden";
  if (typeof kind !== "string" || !Object.hasOwn(shapes, kind)) return "its kind is none that a log has";
  for (const [name, isSound] of Object.entries({ ...common, ...shapes[kind as Entry["kind"]] })) {
    if (!isSound(value[name])) return `${name} is ${value[name] === undefined ? "missing" : "not what it should be"}`;
  }
  return undefined;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isSwitch: Check = (value) => typeof value === "boolean";
const isTime: Check = (value) => typeof value === "string" && !Number.isNaN(Date.parse(value));
const isFlag: Check = (value) => value === true;
const isList =
  (isOne: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(isOne);
const maybe =
  (isSound: Check): Check =>
  (value) =>
    value === undefined || isSound(value);
const isShape =
  (shape: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(shape).every(([name, isSound]) => isSound(value[name]));
const isOneOf =
  (...texts: readonly string[]): Check =>
  (value) =>
    texts.includes(value as string);

const texts = isList(isText);
const isDelivery = isShape({
  id: isText,
  to: isText,
  isInvite: maybe(isFlag),
  isAddressed: maybe(isFlag),
  isMore: maybe(isFlag),
  whisperer: maybe(isText),
  isAsked: maybe(isFlag),
  also: maybe(isList(isShape({ to: isText, isAddressed: maybe(isFlag) }))),
});
const isIdentification = isShape({ speakerUri: isText, serviceUrl: isText, conversationalName: maybe(isText) });
const isSeat = isShape({
  identification: isIdentification,
  kind: isOneOf("person", "agent"),
  isGuest: maybe(isFlag),
  state: isOneOf("invited", "joined"),
  since: isCount,
  misses: isCount,
  silences: maybe(isCount),
  seesFrom: maybe(isCount),
  invitedBy: maybe(isText),
  expectedRoles: maybe(texts),
  last: maybe(isShape({ turn: isText, depth: isCount })),
});
const isMove = isShape({ speakerUri: isText, serviceUrl: isText });
const isSender = isShape({ speakerUri: isText, serviceUrl: maybe(isText) });

/** Options with a default have the type of that default; the others are strings. */
const isOptions: Check = (value) =>
  isRecord(value) &&
  Object.entries(value).every(([name, one]) => {
    const known: Readonly<Record<string, unknown>> = defaultOptions;
    return typeof one === (Object.hasOwn(known, name) ? typeof known[name] : "string");
  });

/** Checked as part of an envelope: an event must be one that can be sent to agents. */
const isEvent: Check = (event) => {
  const schema = { version: "1.1.0" };
  const openFloor = { schema, conversation: { id: "x" }, sender: { speakerUri: "tag:x,2026:x" }, events: [event] };
  const read = readEnvelope({ openFloor }, { newId: () => "x", now: "2026-01-01T00:00:00Z" });
  return read.ok && read.leftOut.length === 0;
};

const common: Readonly<Record<string, Check>> = {
  seq: isCount,
  at: isTime,
  turn: isText,
  causedBy: maybe(isCount),
  because: isText,
  audience: texts,
};

const shapes: Readonly<Record<Entry["kind"], Readonly<Record<string, Check>>>> = {
  opened: { self: isSender, options: isOptions, owner: maybe(isSeat) },
  received: {
    sender: isText,
    events: isList(isEvent),
    answers: maybe(isText),
    depth: isCount,
    dialect: maybe(isText),
    persistentState: maybe(isRecord),
    floors: maybe(texts),
    via: maybe(isOneOf("operator")),
    isPassedOn: maybe(isFlag),
    whisperer: maybe(isText),
    moved: maybe(texts),
    silentTo: maybe(isText),
    leftOut: maybe(isList(isShape({ index: isCount, because: isText }))),
  },
  event: {
    sender: isText,
    event: isEvent,
    depth: isCount,
    target: maybe(isText),
    deliveries: isList(isDelivery),
    aborts: maybe(texts),
    approvedBy: maybe(isText),
    isNotice: maybe(isFlag),
    isAgents: maybe(isFlag),
    said: maybe(isText),
    quota: maybe(isOneOf("invites", "uninvites", "manifests")),
  },
  parked: {
    sender: isText,
    event: maybe(isEvent),
    rest: isList(isEvent),
    withheld: texts,
    depth: isCount,
    boundElsewhere: maybe(texts),
    isAddressed: isSwitch,
    delivery: maybe(isDelivery),
    until: maybe(isTime),
    whisperer: maybe(isText),
    whispered: maybe(texts),
    moved: maybe(texts),
  },
  unparked: { parkedSeq: isCount },
  refused: {
    sender: isText,
    event: isEvent,
    problem: isText,
    whisperer: maybe(isText),
    isSwallowed: maybe(isFlag),
    move: maybe(isMove),
  },
  seated: { seat: isSeat, isGranted: maybe(isFlag) },
  renamed: { from: isText, to: isText, identification: isIdentification },
  role: { role: isText, speakerUri: maybe(isText), isAdded: maybe(isFlag), isRemoved: maybe(isFlag) },
  chosen: { serviceUrl: maybe(isText) },
  paused: { by: maybe(isText), aborts: texts },
  resumed: { by: maybe(isText) },
  titled: { by: maybe(isText), title: maybe(isText) },
  late: { delivery: isText },
  missed: {
    delivery: isText,
    speakerUri: isText,
    failure: isText,
    detail: maybe(isText),
    isUncounted: maybe(isFlag),
    move: maybe(isMove),
  },
  forwarded: { delivery: isDelivery, serviceUrl: isText, depth: isCount, asker: isText },
  silent: { speakerUri: isText },
  held: { speakerUri: isText, depth: isCount },
  rebound: { speakerUri: isText, serviceUrl: isText, aborts: texts, replaces: maybe(isText) },
  dismissed: { speakerUri: isText, serviceUrl: isText },
  revealed: { speakerUri: isText, from: isCount },
  erased: { erases: isCount },
  closed: {},
};
