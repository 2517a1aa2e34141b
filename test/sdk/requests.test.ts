import { envelope, getManifests } from "@plenary/protocol";
import { createAgent } from "@plenary/sdk";
import { expect, test } from "vitest";
import { ann, createFloor, gist, manifest, me, said } from "./minimal-floor.ts";

test("a repeated delivery has the same answer and runs the handler once", async () => {
  let runs = 0;
  const { deliver } = createFloor({
    onUtterance: () => {
      runs += 1;
      return `run ${runs}`;
    },
  });
  const headers = { "webhook-id": "d1" };
  const [first, again] = await Promise.all([deliver([said("hi")], { headers }), deliver([said("hi")], { headers })]);
  expect(again).toEqual(first);
  expect(await deliver([said("hi")], { headers })).toEqual(first);
  expect(runs).toBe(1);
  expect(gist(await deliver([said("something else")], { headers }))).toEqual(["say: run 2"]);
  expect(gist(await deliver([said("hi")], { headers: { "webhook-id": "d2" } }))).toEqual(["say: run 3"]);
});

test("bad input is refused with its place, its rule and a remedy", async () => {
  const { post } = createFloor();
  const openFloor = {
    ...envelope({ conversation: { id: "c1" }, sender: ann, events: [] }),
    events: "sing",
  };
  const response = await post(JSON.stringify({ openFloor }));
  expect(response.status).toBe(400);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(await response.json()).toMatchObject({
    status: 400,
    pointer: "/openFloor/events",
    spec: expect.stringContaining("1.8"),
    fix: expect.any(String),
  });
  for (const body of ["", "null", "{", '{"openFloor":{}}', "\u0000"]) expect((await post(body)).status).toBe(400);
});

test("a body that is not UTF-8, too large, encoded or not posted is refused", async () => {
  const { agent, post } = createFloor({ bodyBytesMax: 1_000 });
  const bytes = new Request(me.serviceUrl, { method: "POST", body: new Uint8Array([0x22, 0xff, 0x22]) });
  expect((await agent.fetch(bytes)).status).toBe(400);
  expect((await post("x".repeat(1_001))).status).toBe(413);
  expect((await post("{}", { "content-encoding": "gzip" })).status).toBe(415);
  const get = await agent.fetch(new Request(me.serviceUrl));
  expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
});

test("an agent whose manifest has no address gives the address of the request", async () => {
  const { serviceUrl: _, ...identification } = manifest.identification;
  const agent = createAgent({ manifest: { ...manifest, identification }, onUtterance: () => undefined });
  const openFloor = envelope({ conversation: { id: "c1" }, sender: ann, events: [getManifests()] });
  const body = JSON.stringify({ openFloor });
  const response = await agent.fetch(new Request("https://cloud.example/bot?x=1", { method: "POST", body }));
  expect(JSON.parse(await response.text()).openFloor).toMatchObject({
    sender: { serviceUrl: "https://cloud.example/bot" },
    events: [{ parameters: { servicingManifests: [{ identification: { serviceUrl: "https://cloud.example/bot" } }] } }],
  });
});
