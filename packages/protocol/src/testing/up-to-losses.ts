import { isRecord } from "../is-record.ts";
import type { Envelope } from "../model/envelope.ts";
import type { Loss } from "../repair/issue.ts";

type Compared = {
  /** Both sides without the reported losses; equal if the report is complete. */
  expected: unknown;
  actual: unknown;
  /** Losses that were reported although both sides are equal there. */
  needless: Loss[];
};

/**
 * Compares an envelope with the one that was read back. Events are matched by order, without those that are reported
 * lost or replaced; then every reported path is removed from both sides.
 */
export function upToLosses(sent: Envelope, losses: readonly Loss[], received: Envelope): Compared {
  const lost = new Map(losses.flatMap((loss) => (eventIndexOf(loss) === undefined ? [] : [[loss.path, loss]])));
  const expected = { openFloor: { ...plain(sent), events: [] as unknown[] } };
  const actual = { openFloor: { ...plain(received), events: [] as unknown[] } };
  const left = plain(received).events;
  for (const [index, event] of plain(sent).events.entries()) {
    const loss = lost.get(`/openFloor/events/${index}`);
    const standIn = loss?.becomes;
    expected.openFloor.events.push(loss === undefined ? event : (standIn ?? null));
    const next = loss === undefined || standIn !== undefined ? left.shift() : null;
    actual.openFloor.events.push(standIn === undefined ? next : next?.eventType);
  }
  actual.openFloor.events.push(...left);
  const places = losses.filter(({ path }) => !lost.has(path)).map((loss) => ({ loss, keys: keysOf(loss.path) }));
  const needless = places.filter(({ keys }) => isSame(valueAt(expected, keys), valueAt(actual, keys)));
  for (const { keys } of places) {
    takeOut(expected, keys);
    takeOut(actual, keys);
  }
  return {
    expected: withoutDefaults(expected),
    actual: withoutDefaults(actual),
    needless: needless.map(({ loss }) => loss),
  };
}

/** The envelope as it is sent, through JSON. */
function plain(envelope: Envelope): Envelope {
  return JSON.parse(JSON.stringify(envelope));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function eventIndexOf({ path }: Loss): string | undefined {
  return /^\/openFloor\/events\/(\d+)$/u.exec(path)?.[1];
}

function keysOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((here, key) => {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    return (here as Record<string, unknown>)[key];
  }, value);
}

function takeOut(value: unknown, keys: readonly string[]): void {
  const owner = valueAt(value, keys.slice(0, -1));
  const key = keys.at(-1);
  if (key !== undefined && isRecord(owner)) delete owner[key];
}

/** A missing value means its default: no parameters, scope internal, not private, no manifests. */
function withoutDefaults(document: { openFloor: { events: unknown[] } }): unknown {
  const events = document.openFloor.events.map((event) => {
    if (!isRecord(event)) return event;
    const { to, parameters, ...others } = event;
    const said = isRecord(parameters) ? withoutDefaultParameters(parameters) : {};
    return {
      ...others,
      ...(isRecord(to) && { to: to.private === false ? without(to, "private") : to }),
      ...(Object.keys(said).length > 0 && { parameters: said }),
    };
  });
  return { openFloor: { ...document.openFloor, events } };
}

function withoutDefaultParameters(parameters: Record<string, unknown>): Record<string, unknown> {
  const isDefault = (key: string, value: unknown) =>
    (key === "recommendScope" && value === "internal") ||
    (key.endsWith("Manifests") && Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(parameters).filter(([key, value]) => !isDefault(key, value)));
}

function without(record: Record<string, unknown>, key: string): Record<string, unknown> {
  const { [key]: _, ...rest } = record;
  return rest;
}
