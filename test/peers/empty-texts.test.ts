import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, type Json, said } from "../support/envelopes.ts";
import { emptyTextsIn, startAgent } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";
import { startStrictAgent } from "./refuses-empty-texts.ts";

let floor: TestFloor;

beforeEach(async () => {
  floor = await startTestFloor();
});

afterEach(() => floor.close());

type Listed = Record<string, string>;

function listedIn(body: Json): Listed[] {
  const { conversation } = body.openFloor as { conversation: { conversants: { identification: Listed }[] } };
  return conversation.conversants.map(({ identification }) => identification);
}

/** The user of the official sample envelopes. */
const sampleUser = {
  speakerUri: "tag:userproxy.com,2025:abc123",
  serviceUrl: "https://userproxy.com",
  organization: "",
  conversationalName: "John Doe",
  department: "",
  role: "User",
  synopsis: "",
};

test("an agent whose library refuses empty texts joins a person who gave no name", async () => {
  const agent = await startStrictAgent();
  await floor.call("POST", "/api/v1/conversations", { id: "c1", owner: { identification: { speakerUri: ann } } });
  await floor.invite("c1", agent);
  expect(said(await floor.say("c1", "hello"))).toEqual([[agent.speakerUri, "I read you."]]);
  const [invited] = agent.heard;
  expect(listedIn(invited?.body ?? {})).toEqual([
    {
      speakerUri: ann,
      serviceUrl: `${floor.url}/openfloor/at/${Buffer.from(ann).toString("base64url")}`,
      organization: "people.example",
      conversationalName: "ann",
      synopsis: "A person at this floor",
      role: "User",
    },
    {
      speakerUri: agent.url,
      serviceUrl: agent.url,
      organization: new URL(agent.url).host,
      conversationalName: new URL(agent.url).host,
      synopsis: "Not introduced yet",
    },
  ]);
});

test("every envelope to it is complete: guests, agents without a manifest, the request for its manifest", async () => {
  const agent = await startStrictAgent();
  const nameless = await startAgent(() => ({ status: 204, body: "" }));
  await floor.call("POST", "/api/v1/conversations", { id: "c1", owner: { identification: sampleUser } });
  const guest = { identification: { speakerUri: "urn:uuid:1", serviceUrl: "", conversationalName: " " } };
  expect((await floor.call("POST", "/api/v1/conversations/c1/seat", guest)).status).toBe(200);
  await floor.invite("c1", nameless, { as: sampleUser.speakerUri });
  await floor.invite("c1", agent, { as: sampleUser.speakerUri });
  await floor.say("c1", "hello", { as: sampleUser.speakerUri });
  await expect.poll(() => agent.heard.length).toBeGreaterThan(2);
  expect(agent.heard.flatMap(({ body }) => emptyTextsIn(body))).toEqual([]);
});

test("the host interface accepts the official sample user as owner and as guest", async () => {
  const owner = { identification: { ...sampleUser, openFloorRoles: { convener: false }, character: "friendly" } };
  const opened = await floor.call("POST", "/api/v1/conversations", { id: "c1", owner });
  expect(opened.status).toBe(201);
  const identification = { ...sampleUser, speakerUri: "tag:userproxy.com,2025:def456" };
  expect((await floor.call("POST", "/api/v1/conversations/c1/seat", { identification })).status).toBe(200);
  const { conversants } = await floor.state("c1");
  expect(conversants.map(({ kind }) => kind)).toEqual(["person", "person"]);
  expect(conversants[0]?.identification).toMatchObject({ serviceUrl: "https://userproxy.com", role: "User" });
});

test("a fault in an identification is refused with its place", async () => {
  for (const [wrong, pointer] of [
    [{ synopsis: 3 }, "/owner/identification/synopsis"],
    [{ openFloorRoles: { convener: "yes" } }, "/owner/identification/openFloorRoles/convener"],
    [{ speakerUri: "" }, "/owner/identification/speakerUri"],
  ] as const) {
    const owner = { identification: { ...sampleUser, ...wrong } };
    const refused = await floor.call("POST", "/api/v1/conversations", { owner });
    expect([refused.status, refused.body.pointer]).toEqual([400, pointer]);
  }
});

test("an agent that calls itself a user is not listed as one, and keeps any other role", async () => {
  const liar = await startAgent((heard, { speakerUri, url }) => {
    const about = {
      speakerUri,
      serviceUrl: url,
      organization: "x",
      conversationalName: "Liar",
      synopsis: "",
      role: "User",
    };
    const manifests = { servicingManifests: [{ identification: about, capabilities: [] }], discoveryManifests: [] };
    const { events, conversation } = heard.body.openFloor as { events: { eventType: string }[]; conversation: Json };
    const isAsked = events.some(({ eventType }) => eventType === "getManifests");
    const said = isAsked ? [{ eventType: "publishManifests", parameters: manifests }] : [];
    const sender = { speakerUri, serviceUrl: url };
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id: conversation.id }, sender, events: said };
    return { body: JSON.stringify({ openFloor }) };
  });
  await floor.call("POST", "/api/v1/conversations", {
    id: "c1",
    owner: { identification: { ...sampleUser, role: "Pilot" } },
  });
  await floor.invite("c1", liar, { as: sampleUser.speakerUri });
  await floor.until("c1", (entries) => entries.some(({ because }) => because === "command/identify/operator"));
  await floor.say("c1", "hello", { as: sampleUser.speakerUri });
  const listed = listedIn(liar.heard.at(-1)?.body ?? {});
  expect(listed.map(({ conversationalName, role, synopsis }) => [conversationalName, role, synopsis])).toEqual([
    ["John Doe", "Pilot", "A person at this floor"],
    ["Liar", undefined, "Not introduced yet"],
  ]);
});

test("viewers and waiting senders get complete conversants", async () => {
  const agent = await startStrictAgent();
  await floor.invite("c1", agent);
  const answered = await floor.say("c1", "hello");
  const shown = (answered.body.consequences ?? []).flatMap(({ openFloor }) => emptyTextsIn({ openFloor }));
  expect(answered.body.consequences?.length).toBeGreaterThan(0);
  expect(shown).toEqual([]);
  const stream = await fetch(
    `${floor.url}/openfloor/events?conversation=c1&speaker=${encodeURIComponent(ann)}&after=0`,
    {
      headers: { authorization: `Bearer ${token}` },
    },
  );
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("I read you.")) text += (await reader?.read())?.value ?? "";
  await reader?.cancel();
  const frames = text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6))] : []));
  expect(frames.length).toBeGreaterThan(1);
  expect(frames.flatMap((frame) => emptyTextsIn(frame))).toEqual([]);
});
