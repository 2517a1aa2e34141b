// A guest with a link joins one conversation without an account.
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { envelopeOf, type Json, utterance } from "../support/envelopes.ts";
import { type FloorWithRoles, speakerOf, startFloorWithRoles } from "./floor-with-roles.ts";

let floor: FloorWithRoles;
beforeEach(async () => {
  floor = await startFloorWithRoles({ hasConvener: false });
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const c = "/api/v1/conversations/c";

type Guest = { token: string; speakerUri: string; conversation: string; expiresAt: string };

async function linkOf(fields: Json = {}): Promise<{ id: string; invite: string; link: string }> {
  const { body } = await floor.must(201, "owner", "POST", `${c}/links`, fields);
  const { id, link } = body as { id: string; link: string };
  return { id, link, invite: link.slice(link.indexOf("#invite=") + "#invite=".length) };
}

const join = (invite: string, name?: string) =>
  floor.call("anonymous", "POST", "/api/v1/guests", { invite, ...(name && { name }) });

const as = ({ token }: Guest, method: string, path: string, body?: Json) =>
  floor.call("anonymous", method, path, body, { authorization: `Bearer ${token}` });

test("a guest joins by the link, speaks, reads what is said from then on, and is shown by the name it gave", async () => {
  await floor.send("person", [utterance(speakerOf("person"), "before the guest came")]);
  const { invite, link } = await linkOf();
  expect(link.startsWith(`${floor.url}/#invite=plenaryi_`)).toBe(true);
  const joined = await join(invite, "Gus");
  expect(joined.status).toBe(201);
  const guest = joined.body as Guest;
  const hello = envelopeOf("c", guest.speakerUri, [utterance(guest.speakerUri, "hello from outside")]);
  expect((await as(guest, "POST", "/openfloor", hello)).status).toBe(200);
  const state = await as(guest, "GET", c);
  expect(JSON.stringify(state.body)).toContain('"conversationalName":"Gus"');
  expect(state.body).toMatchObject({
    conversants: expect.arrayContaining([expect.objectContaining({ kind: "person" })]),
  });
  const log = JSON.stringify((await as(guest, "GET", `${c}/log`)).body);
  expect(log).toContain("hello from outside");
  expect(log).not.toContain("before the guest came");
  const whole = JSON.stringify((await floor.call("owner", "GET", `${c}/log`)).body);
  expect(whole).toContain("command/seat/link");
  expect(whole).not.toContain(invite);
});

test.each([
  "   ",
  "x".repeat(101),
  "Gus\nof two lines",
  "Gus\u0007",
  "Gu\u2028s",
  "suG\u202E",
  "\u200B\u200D",
  "\u3164",
])("a guest named %j is refused, and the link keeps its uses", async (name) => {
  const { invite } = await linkOf();
  const refused = await join(invite, name);
  const detail = "/name: a text of 1 to 100 characters with a visible one, without control characters";
  expect(refused).toMatchObject({ status: 400, body: { pointer: "/name", detail } });
  const { speakerUri } = (await join(invite, "  Gus 🦜 ")).body as Guest;
  const { conversants } = (await floor.call("owner", "GET", c)).body as { conversants: { identification: Json }[] };
  const named = conversants.find(({ identification }) => identification.speakerUri === speakerUri);
  expect(named?.identification.conversationalName).toBe("Gus 🦜");
});

test("a link ends with its last use, and a guest whose seat is taken does not use it up", async () => {
  const { invite } = await linkOf({ uses: 2 });
  expect([(await join(invite)).status, (await join(invite)).status, (await join(invite)).status]).toEqual([
    201, 201, 401,
  ]);
  const { body } = await floor.must(201, "operator", "POST", `${c}/links`, { speakerUri: speakerOf("person") });
  const named = String((body as Json).link).split("#invite=")[1] ?? "";
  expect((await join(named)).status).toBe(409);
  await floor.must(200, "owner", "POST", `${c}/remove`, { speakerUri: speakerOf("person") });
  expect(await join(named)).toMatchObject({ status: 201, body: { speakerUri: speakerOf("person") } });
});

test("an owner cannot make a guest link for another speaker: the guest would read and speak as that speaker", async () => {
  const asked = await floor.call("owner", "POST", `${c}/links`, { speakerUri: speakerOf("person") });
  expect(asked).toMatchObject({ status: 403, body: { pointer: "/speakerUri" } });
});

test("a guest credential made by the operator for a speaker works in one conversation only", async () => {
  await floor.must(201, "person", "POST", "/api/v1/conversations", { id: "private" });
  await floor.send("person", [utterance(speakerOf("person"), "here")]);
  await floor.must(201, "owner", "POST", "/api/v1/conversations", { id: "other" });
  const path = "/api/v1/conversations/other/links";
  const { body } = await floor.must(201, "operator", "POST", path, { speakerUri: speakerOf("person") });
  const guest = (await join(String((body as Json).link).split("#invite=")[1] ?? "")).body as Guest;
  const listed = await as(guest, "GET", "/api/v1/conversations");
  expect((listed.body as { conversations: Json[] }).conversations.map(({ id }) => id)).toEqual(["other"]);
  const spoken = envelopeOf("c", guest.speakerUri, [utterance(guest.speakerUri, "from elsewhere")]);
  expect((await as(guest, "POST", "/openfloor", spoken)).status).toBe(404);
  expect(JSON.stringify((await floor.call("owner", "GET", `${c}/log?limit=1000`)).body)).not.toContain(
    "from elsewhere",
  );
  const query = `speaker=${encodeURIComponent(guest.speakerUri)}`;
  expect((await as(guest, "GET", `/openfloor/events?${query}&conversation=c`)).status).toBe(404);
  floor.tokens.set("outsider", guest.token);
  expect(await floor.upgrade("outsider", `/openfloor/ws?${query}&conversation=c`)).toBe(404);
  expect(await floor.upgrade("outsider", `/openfloor/ws?${query}&as=agent`)).toBe(403);
  const { body: made } = await as(guest, "POST", "/api/v1/tickets", {});
  floor.tokens.delete("outsider");
  expect(await floor.upgrade("outsider", `/openfloor/ws?${query}&conversation=c&ticket=${(made as Json).ticket}`)).toBe(
    404,
  );
  const stream = await fetch(`${floor.url}/openfloor/events?${query}`, {
    headers: { authorization: `Bearer ${guest.token}` },
  });
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  await floor.must(
    200,
    "owner",
    "POST",
    "/openfloor",
    envelopeOf("other", speakerOf("owner"), [utterance(speakerOf("owner"), "to the others")]),
  );
  let text = "";
  while (!text.includes("to the others")) text += (await reader?.read())?.value ?? "";
  await reader?.cancel();
  expect(text).not.toContain('"id":"c"');
});

test("a conversation with the maximum number of links gets no further link", async () => {
  for (let count = 0; count < 100; count += 1) await floor.must(201, "operator", "POST", `${c}/links`, {});
  expect(await floor.call("operator", "POST", `${c}/links`, {})).toMatchObject({ status: 422 });
});

test("of two guests that use the last use of a link at once, one joins", async () => {
  const { invite } = await linkOf();
  const both = await Promise.all([join(invite), join(invite), join(invite)]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
});

test("the owner withdraws a link, and its guests lose access", async () => {
  const { id, invite } = await linkOf({ uses: 5, label: "for Gus" });
  const guest = (await join(invite)).body as Guest;
  const query = `speaker=${encodeURIComponent(guest.speakerUri)}`;
  const ws = new WebSocket(`${floor.url.replace("http", "ws")}/openfloor/ws?${query}`, {
    headers: { authorization: `Bearer ${guest.token}` },
  });
  await new Promise((resolve) => ws.once("open", resolve));
  const listed = await floor.call("owner", "GET", `${c}/links`);
  expect(listed.body).toMatchObject({ links: [{ id, label: "for Gus", usesLeft: 4 }] });
  expect(JSON.stringify(listed.body)).not.toMatch(/hash|plenaryi_/u);
  expect((await floor.call("owner", "DELETE", `${c}/links/${id}`)).status).toBe(204);
  expect((await floor.call("owner", "DELETE", `${c}/links/${id}`)).status).toBe(404);
  expect((await join(invite)).status).toBe(401);
  expect((await as(guest, "GET", c)).status).toBe(401);
  const frame = { ...envelopeOf("c", guest.speakerUri, [utterance(guest.speakerUri, "still here")]), id: "1" };
  const answered = new Promise<string>((resolve) => ws.once("message", (data) => resolve(String(data))));
  ws.send(JSON.stringify(frame));
  expect(JSON.parse(await answered)).toMatchObject({ nack: "1", problem: { status: 401 } });
  ws.terminate();
});

test("a guest acts in that conversation only, as itself only, and has no host scope", async () => {
  await floor.must(201, "owner", "POST", "/api/v1/conversations", { id: "other" });
  const guest = (await join((await linkOf()).invite)).body as Guest;
  const speaks = (who: string, id: string) =>
    as(guest, "POST", "/openfloor", envelopeOf(id, who, [utterance(who, "hi")]));
  expect((await speaks(guest.speakerUri, "other")).status).toBe(404);
  expect((await speaks(guest.speakerUri, "brand-new")).status).toBe(404);
  expect((await speaks(speakerOf("person"), "c")).status).toBe(403);
  expect((await as(guest, "GET", "/api/v1/conversations/other")).status).toBe(404);
  expect((await as(guest, "POST", "/api/v1/conversations", {})).status).toBe(403);
  expect((await as(guest, "POST", `${c}/links`, {})).status).toBe(403);
  expect((await as(guest, "POST", "/api/v1/agents", { serviceUrl: "https://x.example/" })).status).toBe(403);
  const listed = await as(guest, "GET", "/api/v1/conversations");
  expect((listed.body as { conversations: Json[] }).conversations.map(({ id }) => id)).toEqual(["c"]);
});

test("a link is not a credential, and neither is a text that resembles one", async () => {
  const { invite } = await linkOf();
  const bearer = await floor.call("anonymous", "GET", c, undefined, { authorization: `Bearer ${invite}` });
  expect(bearer).toMatchObject({ status: 401, body: { fix: expect.stringContaining("/api/v1/guests") } });
  for (const wrong of [invite.slice(0, -1), `${invite}x`, invite.replace("plenaryi", "plenaryg"), "plenaryi_", "x"]) {
    expect((await join(wrong)).status).toBe(401);
  }
  expect((await floor.call("anonymous", "POST", "/api/v1/guests", {})).status).toBe(400);
  expect((await join(invite)).status).toBe(201);
});

test.each([
  { uses: 0 },
  { uses: 101 },
  { expiresInS: 59 },
  { expiresInS: 86_401 },
  { speakerUri: "not a uri" },
  { uses: "2" },
])("a link of %j is refused", async (fields) => {
  expect((await floor.call("owner", "POST", `${c}/links`, fields)).status).toBe(400);
});
