import { canonicalAddress, type FloorEvent, isPrivate } from "@plenary/protocol";
import type { Decision } from "./decision-builder.ts";
import { everyone, resolve } from "./delivery/recipients.ts";
import type { Entry } from "./entry.ts";
import { type Floor, type OpenDelivery, ownerOf, type Seat } from "./floor.ts";
import { bindingsMax } from "./state/floor-updates.ts";
import { visibleTo } from "./visibility.ts";

// Invariants of every floor and every step. Each function returns the violations it
// finds.

export type Problems = readonly string[];

/** I2: the log of a conversation has no gap. */
export function gaps(before: Floor, entry: Entry, after: Floor): Problems {
  return problems([
    [entry.seq !== before.seq + 1, `entry ${entry.seq} follows ${before.seq}`],
    [after.seq !== entry.seq, `after entry ${entry.seq} the floor stands at ${after.seq}`],
  ]);
}

/** D20: after the end nothing is appended but erasures. */
export function afterTheEnd(before: Floor, entry: Entry): Problems {
  return problems([[before.isClosed && entry.kind !== "erased", `entry ${entry.seq} comes after the end`]]);
}

/** I5: a private utterance is for its sender and its addressee; what came in, waits or was refused is for its sender. */
export function leaksInLog(before: Floor, entry: Entry): Problems {
  const entitled = entitledTo(before, entry);
  if (entitled === undefined) return [];
  const strangers = entry.audience.filter((speakerUri) => !entitled.includes(speakerUri));
  const sentTo = entry.kind === "event" ? entry.deliveries.map(({ to }) => to) : [];
  const overheard = sentTo.filter((speakerUri) => !entitled.includes(speakerUri));
  // A reader who sees every public entry must not see this one.
  const shown = visibleTo(entry, "", 1) ? ["everyone"] : [];
  return [...strangers, ...overheard, ...shown].map((speakerUri) => `entry ${entry.seq} is not for ${speakerUri}`);
}

function entitledTo(before: Floor, entry: Entry): readonly string[] | undefined {
  switch (entry.kind) {
    case "received":
    case "parked":
    case "refused":
      return [entry.sender];
    case "event":
      if (!isPrivate(entry.event)) return undefined;
      return [entry.sender, ...resolve(before, entry.event.to).map((seat) => seat.identification.speakerUri)];
    default:
      return undefined;
  }
}

/** I5 for what goes out. By the letter of 2.2 a convener is shown what it is asked about, whispers too (policy `spec`). */
export function leaksInEnvelopes({ floor, entries, effects }: Decision): Problems {
  const heard = new Set(
    entries.flatMap((entry) => (entry.kind === "event" ? [hearing(entry.event, entry.target)] : [])),
  );
  return effects.flatMap((effect) => {
    if (effect.kind !== "deliver" || effect.isForwarded === true) return [];
    if (effect.isDelegation && floor.options.policy === "spec") return [];
    const { speakerUri } = effect.to;
    const leaked = effect.events.filter((event) => isPrivate(event) && !heard.has(hearing(event, speakerUri)));
    return leaked.map(() => `a whisper goes to ${speakerUri}, which is not its addressee`);
  });
}

const mandatory = ["speakerUri", "serviceUrl", "organization", "conversationalName", "synopsis"] as const;

/** I14, D40: every conversant of every envelope has its mandatory texts; only people are listed as users. */
export function emptyTexts({ floor, effects }: Decision): Problems {
  const agents = new Set(floor.conversants.flatMap((seat) => (seat.kind === "agent" ? [nameOf(seat)] : [])));
  return effects.flatMap((effect) => {
    if (effect.kind !== "deliver") return [];
    return (effect.conversation.conversants ?? []).flatMap(({ identification }) => {
      const empty: readonly string[] = mandatory.filter((key) => identification[key].trim() === "");
      const isUser = identification.role === "User" && agents.has(identification.speakerUri);
      return [
        ...empty.map((key) => `${identification.speakerUri} is listed with an empty ${key}`),
        ...(isUser ? [`the agent ${identification.speakerUri} is listed as a user`] : []),
      ];
    });
  });
}

function nameOf({ identification }: Seat): string {
  return identification.speakerUri;
}

function hearing(event: FloorEvent, by: string | undefined): string {
  return `${event.eventType === "utterance" ? event.parameters.dialogEvent.id : ""} ${by}`;
}

/** I6: floor rights and roles belong to conversants; there is at most one convener and one owner. */
export function strayRights({ conversants, floorGranted, roles }: Floor): Problems {
  const seated = new Set(conversants.map((seat) => seat.identification.speakerUri));
  const stray = (names: readonly string[]) => names.some((name) => !seated.has(name));
  return problems([
    [stray(floorGranted), "a speaker who is not here has the floor"],
    [new Set(floorGranted).size !== floorGranted.length, "a speaker has the floor twice"],
    [seated.size !== conversants.length, "a speaker is here twice"],
    ...Object.entries(roles).map(([role, names]): Check => [stray(names), `the ${role} is not here`]),
    [(roles.convener?.length ?? 0) > 1 || (roles.owner?.length ?? 0) > 1, "a role for one has several"],
  ]);
}

/** I7: requestFloor alone never changes who has the floor. */
export function requestsThatChange(before: Floor, entry: Entry, after: Floor): Problems {
  if (entry.kind !== "event" || entry.event.eventType !== "requestFloor") return [];
  return problems([[before.floorGranted !== after.floorGranted, "a request changed who has the floor"]]);
}

const removals: readonly string[] = ["bye", "declineInvite", "uninvite"];

/** I8: a conversant that leaves or is removed is gone from every list at once. */
export function traces(_before: Floor, entry: Entry, after: Floor): Problems {
  if (entry.kind !== "event" || !removals.includes(entry.event.eventType) || entry.target === undefined) return [];
  const { target } = entry;
  return problems([
    [everyone(after).includes(target), `${target} is still here`],
    [after.floorGranted.includes(target), `${target} still has the floor`],
    [Object.values(after.roles).some((names) => names.includes(target)), `${target} still has a role`],
    [after.open.some((open) => open.to === target), `${target} is still waited for`],
    [after.attention.includes(target), `${target} still has the attention`],
  ]);
}

/** D13: under the guarded policy only the owner itself or a command removes or silences the owner. */
export function deposed(before: Floor, entry: Entry): Problems {
  if (before.options.policy === "spec" || entry.kind !== "event" || entry.isNotice === true) return [];
  const { event, sender, target } = entry;
  const isStop = event.eventType === "uninvite" || event.eventType === "revokeFloor";
  if (!isStop || target === undefined || target !== ownerOf(before)) return [];
  return problems([[sender !== target && sender !== before.self.speakerUri, `${sender} stops the owner`]]);
}

/** D18: a stopped turn waits for the convener alone; one that the loop guard paused also for answers to its first words. */
export function unstopped(_before: Floor, entry: Entry, after: Floor): Problems {
  if (entry.kind !== "paused") return [];
  const isLoop = entry.because.startsWith("loop/");
  const mayWait = ({ isDelegation, depth }: OpenDelivery) => isDelegation || (isLoop && depth === 1);
  const isBusy = after.open.some((open) => open.turn === entry.turn && !mayWait(open));
  return problems([[isBusy, `a delivery is open in turn ${entry.turn}, which is paused`]]);
}

/** Counters stay within their limits: approved addresses, and the quotas of each turn. */
export function excess({ bindings, turns, options }: Floor): Problems {
  const { turnInvitesMax, turnUninvitesMax, turnManifestsMax } = options;
  const spent = turns.flatMap((one) => one.spent ?? []);
  return problems([
    [Object.keys(bindings).length > bindingsMax, "too many addresses are remembered"],
    [spent.some(({ invites }) => invites > turnInvitesMax), "a sender exceeds its quota of invites"],
    [spent.some(({ uninvites }) => uninvites > turnUninvitesMax), "a sender exceeds its quota of uninvites"],
    [spent.some(({ manifests }) => manifests > turnManifestsMax), "a sender exceeds its quota of manifests"],
  ]);
}

/** I9, D24: only seated agents receive deliveries, and never of their own events. */
export function misdirected(before: Floor, entry: Entry): Problems {
  if (entry.kind !== "event") return [];
  const agents = before.conversants
    .filter(({ kind }) => kind === "agent")
    .map((seat) => seat.identification.speakerUri);
  return entry.deliveries
    .filter(({ to }) => !agents.includes(to) || to === entry.sender || to === entry.approvedBy)
    .map(({ to }) => `entry ${entry.seq} is sent to ${to}`);
}

/** I10: an event goes to each conversant at most once. */
export function amplified(before: Floor, entry: Entry): Problems {
  if (entry.kind !== "event") return [];
  const recipients = new Set(entry.deliveries.map(({ to }) => to));
  const addresses = before.conversants
    .filter((seat) => recipients.has(nameOf(seat)))
    .map((seat) => canonicalAddress(seat.identification.serviceUrl));
  return problems([
    [new Set(addresses).size !== addresses.length, `entry ${entry.seq} goes to an address twice`],
    [recipients.size !== entry.deliveries.length, `entry ${entry.seq} goes to a recipient twice`],
    [entry.deliveries.length > before.conversants.length, `entry ${entry.seq} goes to more than are here`],
  ]);
}

/** I12: the fold of the log equals the decided floor. */
export function drift(replayed: Floor, floor: Floor): Problems {
  if (JSON.stringify(replayed) === JSON.stringify(floor)) return [];
  return problems([[canonical(replayed) !== canonical(floor), "the log gives another floor"]]);
}

/** The same text for the same data in any key order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join()}}`;
}

/** I13: every parked envelope is resumed: its delegation is open with a deadline, or an earlier one of its sender is. */
export function stranded({ parked, open, conversants }: Floor): Problems {
  const seated = conversants.map((seat) => seat.identification.speakerUri);
  const delegations = open.filter(({ isDelegation }) => isDelegation).map(({ id }) => id);
  return problems([
    ...parked.map(({ seq, sender, delivery, until }): Check => {
      const isAwaited = delivery !== undefined && until !== undefined && delegations.includes(delivery);
      const isBehind = parked.some((one) => one.sender === sender && one.delivery !== undefined);
      return [delivery === undefined ? !isBehind : !isAwaited, `envelope ${seq} waits for nothing`];
    }),
    ...open.map(
      ({ id, to, asker }): Check => [!seated.includes(asker ?? to), `${id} waits for a conversant who is gone`],
    ),
  ]);
}

type Check = readonly [isBroken: boolean, problem: string];

function problems(checks: readonly Check[]): Problems {
  return checks.filter(([isBroken]) => isBroken).map(([, problem]) => problem);
}

const stepInvariants = [
  gaps,
  afterTheEnd,
  leaksInLog,
  requestsThatChange,
  traces,
  deposed,
  unstopped,
  misdirected,
  amplified,
];

/** All invariants of one entry. */
export function problemsOfStep(before: Floor, entry: Entry, after: Floor): Problems {
  return [...stepInvariants.flatMap((broken) => broken(before, entry, after)), ...strayRights(after)];
}

/** All invariants of a floor between two decisions. */
export function problemsOfFloor(floor: Floor): Problems {
  return [...strayRights(floor), ...stranded(floor), ...excess(floor)];
}
