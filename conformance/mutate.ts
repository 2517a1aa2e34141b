import type { Random } from "./random.ts";

type Owner = Record<string, unknown>;
type Mutation = (text: string, random: Random) => string;
type TreeMutation = (owner: Owner, key: string, random: Random) => void;

const garbage = [
  "\u0000",
  "\uFEFF",
  "\uD800",
  "\uDC00",
  "\u202E",
  "\u2028",
  "💥",
  "e\u0301",
  "\\",
  '"',
  "\\u",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "-",
  "1e999",
  "null",
  '"__proto__":1,',
  "\t",
] as const;

const wrongValues = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  "",
  " ",
  "x",
  "tag:a.example,2025:1",
  "https://a.example/",
  "2025-01-31 10:05:00",
  "PT5",
  "toString",
  [],
  [[]],
  [null],
  ["x"],
  {},
  { value: null },
  { identification: {} },
] as const;

const knownKeys = [
  "openFloor",
  "ovon",
  "openfloor",
  "schema",
  "version",
  "conversation",
  "conversants",
  "assignedFloorRoles",
  "currentRoles",
  "floorGranted",
  "sender",
  "speakerUri",
  "speakerId",
  "speakerID",
  "serviceUrl",
  "serviceName",
  "events",
  "eventType",
  "to",
  "private",
  "parameters",
  "dialogEvent",
  "dialogHistory",
  "manifest",
  "servicingManifests",
  "discoveryManifests",
  "serviceEndpoint",
  "span",
  "startTime",
  "start-time",
  "endOffset",
  "features",
  "text",
  "tokens",
  "token",
  "value",
  "value-url",
  "valueUrl",
  "alternates",
  "links",
  "context",
  "identification",
  "capabilities",
  "persistentState",
  "toString",
  "hasOwnProperty",
  "",
  "~/",
] as const;

const eventTypes = [
  "utterance",
  "invite",
  "bye",
  "getManifests",
  "publishManifests",
  "publishManifest",
  "findAssistant",
  "proposeAssistant",
  "context",
  "whisper",
  "requestManifest",
  "valueOf",
] as const;

const textMutations: readonly [Mutation, ...Mutation[]] = [
  (text, random) => {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << random.below(8))) + text.slice(at + 1);
  },
  (text, random) => text.slice(0, random.below(text.length + 1)),
  (text, random) => {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + text.slice(at + 1 + random.below(20));
  },
  (text, random) => {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + random.pick(garbage) + text.slice(at);
  },
  (text, random) => {
    const from = random.below(text.length + 1);
    const slice = text.slice(from, from + 1 + random.below(80));
    const at = random.below(text.length + 1);
    return text.slice(0, at) + slice + text.slice(at);
  },
  // A whole member twice: the object stays JSON and has a duplicate key.
  (text, random) => {
    const at = text.indexOf("{", random.below(text.length + 1));
    return at === -1 ? text : `${text.slice(0, at + 1)}"${random.pick(knownKeys)}":1,${text.slice(at + 1)}`;
  },
];

const treeMutations: readonly [TreeMutation, ...TreeMutation[]] = [
  (owner, key, random) => {
    owner[key] = structuredClone(random.pick(wrongValues));
  },
  (owner, key, random) => {
    owner[key] = wrapped(owner[key], 1 + random.below(2), random);
  },
  (owner, key, random) => {
    owner[key] = wrapped(owner[key], random.below(40), random);
  },
  (owner, key) => {
    if (Array.isArray(owner)) owner.splice(Number(key), 1);
    else delete owner[key];
  },
  (owner, key, random) => rename(owner, key, random.pick(knownKeys)),
  (owner, key, random) => rename(owner, key, random.pick([key.toUpperCase(), key.toLowerCase(), ` ${key}`, `${key}s`])),
  (owner, key) => {
    if (Array.isArray(owner)) owner.push(structuredClone(owner[Number(key)]));
    else owner[`${key}2`] = structuredClone(owner[key]);
  },
  (owner, key, random) => {
    if (typeof owner[key] === "string") owner[key] = disturbed(owner[key], random);
    else owner[random.pick(knownKeys)] = structuredClone(random.pick(wrongValues));
  },
  (owner, key, random) => {
    if (owner.eventType === undefined) owner[key] = disturbed(JSON.stringify(owner[key] ?? null), random);
    else owner.eventType = random.pick(eventTypes);
  },
  (owner, key, random) => {
    owner[random.pick(knownKeys)] = owner[key];
  },
];

/** The text with one to three changes. Most changes keep it JSON, so that they reach the rules behind the JSON parser. */
export function mutate(text: string, random: Random): string {
  let mutated = text;
  for (let changes = 1 + random.below(3); changes > 0; changes -= 1) {
    mutated = random.below(8) === 0 ? random.pick(textMutations)(mutated, random) : mutateTree(mutated, random);
  }
  return mutated;
}

function mutateTree(text: string, random: Random): string {
  const tree = treeOf(text);
  if (tree === undefined) return random.pick(textMutations)(text, random);
  const root: Owner = { "": tree };
  const { owner, key } = somewhereIn(root, random);
  random.pick(treeMutations)(owner, key, random);
  return JSON.stringify(root[""]) ?? "";
}

function treeOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Walks down at random and stops anywhere. */
function somewhereIn(root: Owner, random: Random): { owner: Owner; key: string } {
  let owner = root;
  let key = "";
  for (let child = root[key]; isOwner(child) && random.below(8) > 0; child = owner[key]) {
    const keys = Object.keys(child);
    if (keys.length === 0) break;
    owner = child;
    key = keys[random.below(keys.length)] ?? "";
  }
  return { owner, key };
}

function wrapped(value: unknown, levels: number, random: Random): unknown {
  let outer = value;
  for (let level = 0; level < levels; level += 1) outer = random.below(2) === 0 ? [outer] : { value: outer };
  return outer;
}

function rename(owner: Owner, key: string, name: string): void {
  const value = owner[key];
  if (!Array.isArray(owner)) delete owner[key];
  owner[name] = value;
}

function disturbed(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + random.pick(garbage) + text.slice(at + random.below(2));
}

function isOwner(value: unknown): value is Owner {
  return typeof value === "object" && value !== null;
}
