// Every event from every role, with and without a convener, with and without the floor, over HTTP. Each result
// is in `authority.golden.txt`, one line for each cell; PLENARY_GOLDEN=write writes it anew, to be read line by line.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { authority } from "@plenary/floor";
import { expect, test } from "vitest";
import { type Json, utterance } from "../support/envelopes.ts";
import { type FloorWithRoles, type Role, roles, speakerOf, startFloorWithRoles } from "./floor-with-roles.ts";

const golden = fileURLToPath(new URL("./authority.golden.txt", import.meta.url));
const isWriting = process.env.PLENARY_GOLDEN === "write";

/** A sensible event of each kind. A kind of event without a line here fails the first test. */
const events: Record<string, (role: Role) => Json> = {
  utterance: (role) => utterance(speakerOf(role), "hello"),
  invite: () => ({
    eventType: "invite",
    to: { speakerUri: "tag:new.example,2026:1", serviceUrl: "https://new.example/" },
  }),
  uninvite: (role) => ({ eventType: "uninvite", to: { speakerUri: somebodyElse(role) } }),
  acceptInvite: () => ({ eventType: "acceptInvite" }),
  declineInvite: () => ({ eventType: "declineInvite" }),
  bye: () => ({ eventType: "bye" }),
  getManifests: () => ({ eventType: "getManifests", to: { speakerUri: speakerOf("agent") } }),
  publishManifests: () => ({
    eventType: "publishManifests",
    parameters: { servicingManifests: [], discoveryManifests: [] },
  }),
  requestFloor: () => ({ eventType: "requestFloor" }),
  grantFloor: (role) => ({ eventType: "grantFloor", to: { speakerUri: somebodyElse(role) } }),
  revokeFloor: (role) => ({ eventType: "revokeFloor", to: { speakerUri: somebodyElse(role) } }),
  yieldFloor: () => ({ eventType: "yieldFloor" }),
  unheardOf: () => ({ eventType: "unheardOf" }),
};

/** A person, because only some roles may remove or silence one. */
function somebodyElse(role: Role): string {
  return speakerOf(role === "person" || role === "operator" ? "owner" : "person");
}

/** The owner prepares all cells of an event, so rate limits are off. They have tests of their own. */
const plenty = { perS: 1_000_000, burst: 1_000_000 };
const rateLimits = { perPrincipal: plenty, perAddress: plenty, conversations: plenty };

type Logged = { kind: string; sender?: string; because: string };

/** The floor's decision about the event, with its rule id. */
async function outcomeOf(floor: FloorWithRoles, id: string, event: string, role: Role): Promise<string> {
  const { body: state } = await floor.must(200, "operator", "GET", `/api/v1/conversations/${id}`);
  const after = Number((state as Json).seq);
  const { status, body } = await floor.send(role, [events[event]?.(role) ?? {}], id);
  if (status !== 200) return `${status} ${String((body as Json).type).replace("urn:plenary:problem:", "")}`;
  const log = await floor.must(200, "operator", "GET", `/api/v1/conversations/${id}/log?after=${after}`);
  const entries = (log.body as { entries: Logged[] }).entries;
  const about = entries.filter(({ kind, sender }) => sender === speakerOf(role) && kind !== "received");
  const found = about.find(({ kind }) => ["event", "refused", "parked"].includes(kind));
  return found === undefined ? "nothing" : `${found.kind} ${found.because}`;
}

const cells = roles.flatMap((role) =>
  [true, false].flatMap((hasConvener) => [true, false].map((hasFloor) => ({ role, hasConvener, hasFloor }))),
);

test("there is a row for every type of event, and one for unknown types", () => {
  expect(Object.keys(events).sort()).toEqual([...Object.keys(authority), "unheardOf"].sort());
  expect(Object.keys(events).length * cells.length).toBe(13 * 9 * 2 * 2);
});

test("every cell is as declared", async () => {
  const lines: string[] = [];
  // A floor for each event, a conversation for each cell.
  for (const event of Object.keys(events)) {
    const floor = await startFloorWithRoles({ options: { rateLimits } });
    for (const [index, { role, hasConvener, hasFloor }] of cells.entries()) {
      const id = `cell-${index}`;
      await floor.openConversation(id, { hasConvener, hasFloor });
      const outcome = await outcomeOf(floor, id, event, role);
      const where = `${hasConvener ? "convener" : "no convener"}, ${hasFloor ? "floor" : "no floor"}`;
      lines.push(`${event} | ${role} | ${where} | ${outcome}`);
    }
    await floor.close();
    expect(floor.errors).toEqual([]);
  }
  if (isWriting) writeFileSync(golden, `${lines.join("\n")}\n`);
  expect(lines).toEqual(readFileSync(golden, "utf8").trimEnd().split("\n"));
}, 900_000);
