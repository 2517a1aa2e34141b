// A replayed request gets the first response and changes nothing.

import { relayUrlOf } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { envelopeOf, type Json, utterance } from "../support/envelopes.ts";
import { type FloorWithRoles, type Role, speakerOf, startFloorWithRoles } from "./floor-with-roles.ts";

let floor: FloorWithRoles;
beforeEach(async () => {
  floor = await startFloorWithRoles({ hasConvener: false });
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const c = "/api/v1/conversations/c";
type Recorded = { role: Role; method: string; path: string; body: Json; headers: Json };

let named = 0;

function recorded(role: Role, path: string, body: Json): Recorded {
  named += 1;
  return { role, method: "POST", path, body, headers: { "idempotency-key": `request-${named}` } };
}

const post = ({ role, method, path, body, headers }: Recorded) => floor.call(role, method, path, body, headers);

const stateOf = async (id: string) => {
  const [state, log] = [
    await floor.call("operator", "GET", `/api/v1/conversations/${id}`),
    await floor.call("operator", "GET", `/api/v1/conversations/${id}/log?limit=1000`),
  ];
  return { state: state.body, log: log.body };
};

const says = (role: Role, ...events: Json[]) => recorded(role, "/openfloor", envelopeOf("c", speakerOf(role), events));

/** One request of each kind that changes a conversation. */
function everything(): Recorded[] {
  const to = { speakerUri: speakerOf("agent") };
  return [
    says("person", utterance(speakerOf("person"), "to everyone")),
    says("person", utterance(speakerOf("person"), "to one", { to: { ...to, private: true } })),
    says("owner", { eventType: "invite", to: { serviceUrl: "https://somebody.example/" } }),
    says("owner", { eventType: "revokeFloor", to }),
    says("agent", { eventType: "requestFloor" }),
    says("owner", { eventType: "grantFloor", to }),
    says("agent", { eventType: "yieldFloor" }),
    says("person", { eventType: "getManifests" }),
    says("agent", { eventType: "publishManifests", parameters: { servicingManifests: [], discoveryManifests: [] } }),
    says("owner", { eventType: "uninvite", to: { speakerUri: speakerOf("invited") } }),
    recorded("owner", `${c}/seat`, { identification: { speakerUri: "tag:late.example,2026:1" } }),
    recorded("owner", `${c}/convener`, { serviceUrl: relayUrlOf(`${floor.url}/openfloor`, speakerOf("agent")) }),
    recorded("owner", `${c}/convener`, { serviceUrl: "https://chair.example/" }),
    recorded("owner", `${c}/convener`, { speakerUri: null }),
    recorded("owner", `${c}/rebind`, { speakerUri: "tag:away.example,2026:1", serviceUrl: "https://moved.example/" }),
    recorded("owner", `${c}/reveal`, { speakerUri: speakerOf("person") }),
    recorded("owner", `${c}/resume`, {}),
    recorded("owner", `${c}/remove`, { speakerUri: "tag:late.example,2026:1" }),
    recorded("owner", `${c}/erase`, { seq: 6 }),
    recorded("owner", "/api/v1/conversations", {}),
    says("person", { eventType: "bye" }),
    recorded("owner", `${c}/close`, { reason: "done" }),
  ];
}

test("every request with an idempotency key gets the same response again, and has no second effect", async () => {
  const answers: { request: Recorded; status: number; body: unknown }[] = [];
  for (const request of everything()) {
    const { status, body } = await post(request);
    expect([request.path, request.body, status]).toEqual([request.path, request.body, status < 300 ? status : "taken"]);
    answers.push({ request, status, body });
  }
  const begun = answers.find(({ request }) => request.path === "/api/v1/conversations");
  const ids = ["c", String((begun?.body as Json | undefined)?.id)];
  const before = await Promise.all(ids.map(stateOf));
  for (const { request, status, body } of answers) {
    const again = await post(request);
    expect([request.path, request.body, again.status, again.body]).toEqual([request.path, request.body, status, body]);
  }
  expect(await Promise.all(ids.map(stateOf))).toEqual(before);
});

test("a known idempotency key with another body, or of another principal, is a different request", async () => {
  const request = says("person", utterance(speakerOf("person"), "once"));
  expect((await post(request)).status).toBe(200);
  const other = envelopeOf("c", speakerOf("person"), [utterance(speakerOf("person"), "twice")]);
  expect((await post({ ...request, body: other })).status).toBe(422);
  const stolen = { ...request, role: "agent" as const };
  expect((await post(stolen)).status).toBe(403);
});

test("an utterance that is sent again without an idempotency key has no second effect either", async () => {
  const request = envelopeOf("c", speakerOf("person"), [utterance(speakerOf("person"), "once and for all")]);
  await floor.must(200, "person", "POST", "/openfloor", request);
  const before = await stateOf("c");
  await floor.must(200, "person", "POST", "/openfloor", request);
  expect(await stateOf("c")).toEqual(before);
});

test("a link or ticket for one use works once", async () => {
  const speaker = encodeURIComponent(speakerOf("person"));
  const { body } = await floor.must(201, "person", "POST", "/api/v1/tickets", { speaker: speakerOf("person") });
  const url = `${floor.url.replace("http", "ws")}/openfloor/ws?speaker=${speaker}&ticket=${(body as Json).ticket}`;
  const open = () =>
    new Promise<string>((resolve) => {
      const ws = new WebSocket(url);
      ws.on("open", () => {
        ws.terminate();
        resolve("open");
      });
      ws.on("error", () => resolve("refused"));
    });
  expect([await open(), await open()]).toEqual(["open", "refused"]);
  const made = await floor.must(201, "owner", "POST", `${c}/links`, {});
  const invite = String((made.body as Json).link).split("#invite=")[1];
  const join = () => floor.call("anonymous", "POST", "/api/v1/guests", { invite });
  const first = await join();
  const before = await stateOf("c");
  expect([first.status, (await join()).status]).toEqual([201, 401]);
  expect(await stateOf("c")).toEqual(before);
});
