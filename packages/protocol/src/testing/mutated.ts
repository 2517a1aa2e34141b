// Documents with up to two changes: a key or an item deleted, added, renamed, replaced, copied from elsewhere, or a
// character of a text changed. About half of them stay valid.
import fc from "fast-check";
import { isRecord } from "../is-record.ts";
import { schemaFiles } from "../parse/schema-files.ts";
import { some } from "./arbitrary-dialog-event.ts";

const oddKeys = "token value-url value-uri start-time end-offset speakerId speakerID serviceName".split(" ");
const oddStrings = [
  "",
  " ",
  "toString",
  "context",
  "plain/text",
  "a b",
  " https://a.example ",
  "1.0.0",
  " 1.1",
  "PT5",
  "en_US",
];
const oddTimes = ["2025-01-31 10:05:00", "2025-01-31T10:05:00", "2025-02-30T00:00:00Z", "2025-02-29T00:00:00Z"];
const oddValues = [null, true, 0, 1.5, 55, -1, [], {}, [{}], ...oddStrings, ...oddTimes];
// This key at the top would make the document another kind of document.
const keys = keysIn(schemaFiles()).filter((key) => key !== "identification");

const change = fc.record({
  at: fc.nat(),
  from: fc.nat(),
  how: some("delete", "replace", "add", "copy", "rename", "edit"),
  key: some(...new Set([...keys, ...oddKeys])),
  value: some<unknown>(...oddValues),
  char: some("", " ", "\n", ":", "/", "-", "_", "9", "\u{1F600}", "\uFEFF"),
});

export function mutated(documents: fc.Arbitrary<object>): fc.Arbitrary<unknown> {
  return fc.tuple(documents, fc.array(change, { maxLength: 2 })).map(([document, changes]) => {
    const holder: Owner = { document: cloned(document) };
    for (const one of changes) make(one, holder);
    return holder.document ?? null;
  });
}

type Owner = Record<string, unknown>;

function make({ at, from, how, key, value, char }: Change, holder: Owner): void {
  const slots = slotsIn(holder);
  const slot = slots[at % slots.length];
  const source = slots[from % slots.length];
  if (slot === undefined || source === undefined) return;
  const { owner, here } = slot;
  const old = owner[here];
  if (how === "add" && isRecord(old)) old[key] = cloned(value);
  else if (how === "copy") owner[here] = cloned(source.owner[source.here]);
  else if (how === "edit" && typeof old === "string" && old !== "") owner[here] = edited(old, from, char);
  else if (how === "delete" && Array.isArray(owner)) owner.splice(Number(here), 1);
  else if (how === "delete") delete owner[here];
  else if (how === "rename" && !Array.isArray(owner)) {
    delete owner[here];
    owner[key] = old;
  } else owner[here] = cloned(value);
}

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** Whole characters: half a surrogate pair is not valid JSON text. */
function edited(text: string, at: number, char: string): string {
  const chars = Array.from(text);
  return chars.with(at % chars.length, char).join("");
}

function slotsIn(owner: Owner): { owner: Owner; here: string }[] {
  return Object.entries(owner).flatMap(([here, child]) => {
    const below = typeof child === "object" && child !== null ? slotsIn(child as Owner) : [];
    return [{ owner, here }, ...below];
  });
}

function keysIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return [...(isRecord(value) ? Object.keys(value) : []), ...Object.values(value).flatMap(keysIn)];
}

function cloned<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}
