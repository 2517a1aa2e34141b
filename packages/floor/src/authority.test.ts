// The whole matrix: every event from every standing, with and without a convener, with and without the floor.
import { readFileSync, writeFileSync } from "node:fs";
import type { EventType, FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { authority, type Standing, standingOf } from "./authority.ts";
import { decide } from "./decide.ts";
import type { Decision } from "./decision-builder.ts";
import type { Entry } from "./entry.ts";
import { type Floor, isGranted } from "./floor.ts";
import type { FloorOptions } from "./options.ts";
import { table } from "./table.ts";
import {
  after,
  ann,
  answer,
  ben,
  chair,
  command,
  delegationOf,
  from,
  invites,
  names,
  now,
  owl,
  parrot,
  refused,
  room,
  says,
  to,
  urlOf,
  whispers,
} from "./testing/room.ts";

const cara = "tag:cara.example,2025:1";
const guest = "tag:guest.example,2025:1";
const newcomer = "tag:newcomer.example,2025:1";
const stranger = "tag:stranger.example,2025:1";

/** Who has each standing. */
const speakers: Record<Standing, string> = {
  owner: ann,
  convener: chair,
  person: ben,
  agent: parrot,
  invited: guest,
  absent: stranger,
};

/** The target of an event that removes or silences. */
const targets = { owner: ann, convener: chair, person: cara, agent: owl };

type Case = { name: string; target?: string; event: (sender: string) => FloorEvent };

const against = (eventType: "uninvite" | "revokeFloor"): Case[] =>
  Object.entries(targets).map(([name, target]) => {
    return { name: `${eventType} ${name}`, target, event: () => ({ eventType, ...to(target) }) };
  });
const bare = (eventType: EventType): Case[] => [{ name: eventType, event: () => ({ eventType }) as FloorEvent }];

const cases: Record<EventType, Case[]> = {
  utterance: [
    { name: "utterance", event: (sender) => says(sender, "hello") },
    { name: "utterance (private)", event: (sender) => whispers(sender, "psst", { speakerUri: owl }) },
  ],
  invite: [{ name: "invite", event: () => invites(newcomer) }],
  uninvite: against("uninvite"),
  acceptInvite: bare("acceptInvite"),
  declineInvite: bare("declineInvite"),
  bye: bare("bye"),
  getManifests: bare("getManifests"),
  publishManifests: bare("publishManifests"),
  requestFloor: bare("requestFloor"),
  grantFloor: [{ name: "grantFloor", event: () => ({ eventType: "grantFloor", ...to(owl) }) }],
  revokeFloor: against("revokeFloor"),
  yieldFloor: bare("yieldFloor"),
};

type Setting = { policy: FloorOptions["policy"]; hasConvener: boolean; hasFloor: boolean };

function floorFor(speakerUri: string, { policy, hasConvener, hasFloor }: Setting): Floor {
  const company = { people: [ann, ben, cara], agents: [parrot, owl], options: { policy } };
  const inviting = after(room(company), from(ann, invites(guest)));
  const seated = room({ ...company, agents: [parrot, owl, chair] });
  const floor = hasConvener ? { ...seated, roles: { ...seated.roles, convener: [chair] } } : inviting;
  const [invited] = inviting.conversants.slice(-1);
  if (invited === undefined) throw new Error("somebody was invited");
  const conversants = hasConvener ? [...floor.conversants, invited] : floor.conversants;
  const others = floor.floorGranted.filter((one) => one !== speakerUri);
  const isHere = conversants.some((seat) => seat.identification.speakerUri === speakerUri);
  return { ...floor, conversants, floorGranted: hasFloor && isHere ? [...others, speakerUri] : others };
}

/** The outcome of an event, from the entries about it. */
function outcome(entries: readonly Entry[], sender: string, { eventType }: FloorEvent): string {
  for (const entry of entries) {
    if (entry.kind === "parked" && entry.event?.eventType === eventType) return "delegated";
    if (entry.kind === "refused" && entry.event.eventType === eventType) {
      return /\/no-convener$/.test(entry.because) ? "ignored" : `refused(${entry.because})`;
    }
    if (entry.kind === "event" && entry.sender === sender && entry.event.eventType === eventType) {
      return entries.some((one) => one.kind === "event" && one.event.eventType === "grantFloor" && one !== entry)
        ? "granted"
        : "passed";
    }
  }
  return "nothing";
}

/** The outcome if the convener returns the event unchanged. */
function returned(asking: Decision, sender: string, event: FloorEvent): string {
  const decision = decide(asking.floor, answer(delegationOf(asking), chair, event), now);
  return outcome(decision.entries, sender, event);
}

/** The outcome if the convener does not answer: the column without a convener (D11), with the sender's standing. */
function unanswered(asking: Decision, sender: string, event: FloorEvent): string {
  const decision = decide(asking.floor, { kind: "timer", id: `delegation:${delegationOf(asking)}` }, now);
  return outcome(decision.entries, sender, event);
}

function cell(standing: Standing, { event: make }: Case, setting: Setting): string {
  const sender = speakers[standing];
  const floor = floorFor(sender, setting);
  expect(standingOf(floor, sender)).toBe(standing);
  expect(isGranted(floor, sender)).toBe(setting.hasFloor && standing !== "absent");
  const event = make(sender);
  // An answer with declineInvite does not join (D14), so an invited conversant stays invited.
  const declining: FloorEvent[] =
    standing === "invited" && event.eventType !== "declineInvite" ? [{ eventType: "declineInvite" }] : [];
  const decision = decide(floor, from(sender, event, ...declining), now);
  const [refusal] = decision.refusals;
  if (decision.entries.length === 0) return `refused(${refusal?.because})`;
  const first = outcome(decision.entries, sender, event);
  if (first !== "delegated") return first;
  return `delegated, ${returned(decision, sender, event)} / ${unanswered(decision, sender, event)}`;
}

function* settings(): Generator<Setting> {
  for (const policy of ["guarded", "spec"] as const) {
    for (const hasConvener of [true, false]) {
      for (const hasFloor of [true, false]) yield { policy, hasConvener, hasFloor };
    }
  }
}

function linesOf(setting: Setting): string[] {
  const { policy, hasConvener, hasFloor } = setting;
  const about = [policy, hasConvener ? "convener" : "none", hasFloor ? "floor" : "no floor"];
  const lines: string[] = [];
  for (const one of Object.values(cases).flat()) {
    if (!hasConvener && one.target === chair) continue;
    for (const standing of Object.keys(speakers) as Standing[]) {
      if (standing === "convener" && !hasConvener) continue;
      const [first = "", second = "", third = ""] = about;
      const place = `${first.padEnd(8)}${second.padEnd(9)}${third.padEnd(9)}`;
      lines.push(`${place}${one.name.padEnd(21)}${standing.padEnd(9)}-> ${cell(standing, one, setting)}`);
    }
  }
  return lines;
}

const file = new URL("./testing/authority.golden.txt", import.meta.url);

// "delegated, x / y": x when the convener returns it, y when the convener does not answer.
test("every cell of the matrix equals the golden file", () => {
  const lines = [...settings()].flatMap(linesOf);
  // The file is written only on request; read the difference afterwards.
  if (process.env.PLENARY_GOLDEN === "write") writeFileSync(file, `${lines.join("\n")}\n`);
  expect(lines).toEqual(readFileSync(file, "utf8").trimEnd().split("\n"));
});

test("the authority matrix, the table of 2.2 and the cases of this test contain the same events", () => {
  const known = [...new Set(table.map(({ event }) => event))].toSorted();
  expect(Object.keys(authority).toSorted()).toEqual(known);
  expect(Object.keys(cases).toSorted()).toEqual(known);
});

test("every row has all standings, and an absent conversant is refused every event", () => {
  for (const row of Object.values(authority)) {
    expect(Object.keys(row).toSorted()).toEqual(Object.keys(speakers).toSorted());
    expect(row.absent).toBe("refuse");
  }
});

test("a conversant that leaves within its envelope is refused the rest of it, under each policy", () => {
  for (const policy of ["guarded", "spec"] as const) {
    for (const one of Object.values(cases).flat()) {
      const floor = floorFor(parrot, { policy, hasConvener: true, hasFloor: true });
      const decision = decide(floor, from(parrot, { eventType: "bye" }, one.event(parrot)), now);
      expect(decision.refusals).toMatchObject([{ index: 1, because: "guard/not-seated", status: 403 }]);
    }
  }
});

test("an invited conversant with a role still has the standing `invited`", () => {
  const floor = floorFor(guest, { policy: "guarded", hasConvener: false, hasFloor: true });
  expect(standingOf({ ...floor, roles: { ...floor.roles, convener: [guest] } }, guest)).toBe("invited");
});

test("standing is judged when each event takes effect, not when the envelope arrives", () => {
  const floor = floorFor(parrot, { policy: "guarded", hasConvener: true, hasFloor: true });
  const waiting = after(floor, from(parrot, invites(newcomer), { eventType: "uninvite", ...to(ben) }));
  const demoted = decide(waiting, command({ verb: "convener" }, "owner"), now);
  expect(refused(demoted)).toEqual(["guard/protected-person"]);
  const promoted = decide(waiting, command({ verb: "convener", serviceUrl: urlOf(parrot) }, "owner"), now);
  expect(refused(promoted)).toEqual([]);
  expect(names(promoted.floor)).not.toContain(ben);
});
