// Bad input of every kind gets a problem document and changes nothing.
import { request } from "node:http";
import { createFloorServer, createMemoryStore } from "@plenary/server";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, utterance } from "../support/envelopes.ts";
import { createLoopbackDialler } from "../support/loopback-dialler.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";

let floor: TestFloor;
beforeEach(async () => {
  floor = await startTestFloor({ bodyBytesMax: 20_000 });
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const envelope = {
  openFloor: { schema: { version: "1.1.0" }, conversation: { id: "c" }, sender: { speakerUri: ann }, events: [] },
};

const garbage: [string, string][] = [
  ["nothing", ""],
  ["no JSON", "{"],
  ["a number", "42"],
  ["null", "null"],
  ["a list", "[]"],
  ["another object", "{}"],
  ["a doubled key", '{"openFloor":{},"openFloor":{}}'],
  ["a polluting key", '{"openFloor":{"__proto__":{"x":1}}}'],
  ["deep nesting", `${"[".repeat(5_000)}${"]".repeat(5_000)}`],
  ["no sender", JSON.stringify({ openFloor: { ...envelope.openFloor, sender: {} } })],
  ["no conversation id", JSON.stringify({ openFloor: { ...envelope.openFloor, conversation: {} } })],
  ["an unknown event", JSON.stringify({ openFloor: { ...envelope.openFloor, events: [{ eventType: "sing" }] } })],
  ["events that are no list", JSON.stringify({ openFloor: { ...envelope.openFloor, events: {} } })],
];
for (const [name, body] of garbage) {
  test(`${name} gets 400 with a reason`, async () => {
    const answered = await floor.call("POST", "/openfloor", body);
    expect(answered.status).toBe(400);
    expect(answered.headers.get("content-type")).toBe("application/problem+json");
    for (const field of ["title", "detail", "fix"]) expect(answered.body[field]).toEqual(expect.any(String));
    expect(await floor.store.log.count()).toBe(0);
  });
}

test("one bad event refuses the whole envelope, and names its place", async () => {
  const events = [utterance(ann, "fine"), { eventType: 7 }];
  const answered = await floor.send("c", events);
  expect(answered.status).toBe(400);
  expect(answered.body).toMatchObject({ pointer: "/openFloor/events/1/eventType", spec: expect.any(String) });
  expect(await floor.store.log.count()).toBe(0);
});

test("a body that is too large gets 413, with and without Content-Length", async () => {
  const answered = await floor.call("POST", "/openfloor", "x".repeat(20_001));
  expect(answered.status).toBe(413);
  const chunked = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const posting = request(`${floor.url}/openfloor`, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    posting.on("error", reject);
    posting.write("x".repeat(15_000));
    posting.write("x".repeat(15_000));
  });
  expect(chunked).toBe(413);
});

test.each([
  ["PUT", "/api/v1/conversations", "POST, GET"],
  ["GET", "/api/v1/conversations/c/close", "POST"],
  ["POST", "/api/v1/webhooks/x", "GET, DELETE"],
  ["POST", "/metrics", "GET"],
])("%s %s gets 405 with the methods of the path", async (method, path, allow) => {
  const { status, headers, body } = await floor.call(method, path, method === "GET" ? undefined : "{}");
  expect([status, headers.get("allow")]).toEqual([405, allow]);
  expect(body).toMatchObject({ allow: allow.split(", "), detail: expect.stringContaining(path) });
});

test.each([
  ["GET", "/api/v1/conversation"],
  ["POST", "/api/v1/conversations/c/titel"],
  ["GET", "/login"],
])("%s %s gets 404 with the path", async (method, path) => {
  const { status, body } = await floor.call(method, path);
  expect([status, body.detail]).toEqual([404, `there is no ${method} ${path}`]);
});

test("a body of another content type gets 415", async () => {
  for (const headers of [
    { "content-type": "text/plain" },
    { "content-type": "application/xml" },
    { "content-encoding": "gzip" },
  ]) {
    expect((await floor.call("POST", "/openfloor", envelope, headers as Record<string, string>)).status).toBe(415);
  }
  expect(
    (await floor.call("POST", "/openfloor", envelope, { "content-type": "text/json; charset=utf-8" })).status,
  ).toBe(200);
});

test("without the token only the health routes answer", async () => {
  await floor.close();
  floor = await startTestFloor({ rateLimits: { badCredentials: { perS: 1_000, burst: 1_000 } } });
  for (const authorization of ["", "Bearer wrong", `Basic ${token}`, `Bearer ${token}x`]) {
    for (const path of ["/openfloor", "/api/v1/conversations", "/api/v1/agents"]) {
      const answered = await floor.call(
        path === "/openfloor" ? "POST" : "GET",
        path,
        path === "/openfloor" ? envelope : undefined,
        { authorization },
      );
      expect(answered.status).toBe(401);
    }
  }
  for (const path of ["/livez", "/readyz", "/version", "/openapi.json", "/"]) {
    expect((await fetch(`${floor.url}${path}`)).status).toBe(200);
  }
  expect(await floor.store.log.count()).toBe(0);
});

test("requests for another Host, or from a page of another origin, are refused", async () => {
  const status = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const getting = request(`${floor.url}/livez`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      getting.on("error", reject);
      getting.end();
    });
  expect(await status({ host: "evil.example" })).toBe(403);
  expect(await status({ host: `localhost:${floor.port}` })).toBe(200);
  expect(await status({ origin: "https://evil.example" })).toBe(403);
  expect(await status({ origin: "null" })).toBe(403);
  expect(await status({ origin: floor.url })).toBe(200);
});

test("a page of an allowed origin may talk to the floor", async () => {
  const page = "https://page.example";
  const open = await startTestFloor({ allowOrigins: [page] });
  const answered = await open.call("GET", "/api/v1/conversations", undefined, { origin: page });
  expect(answered.headers.get("access-control-allow-origin")).toBe(page);
  await open.close();
});

test("a floor listens on loopback only unless allowRemote is set", async () => {
  const ports = { store: createMemoryStore(), dialler: createLoopbackDialler() };
  const listen = { port: 0, host: "0.0.0.0" };
  await expect(createFloorServer(ports, { listen })).rejects.toThrow(/allowRemote/);
});

test("a sender without a seat is refused, and the conversation does not change", async () => {
  await floor.say("c", "hello");
  const before = await floor.log("c");
  const answered = await floor.say("c", "me too", { as: "tag:stranger.example,2026:x" });
  expect(answered.status).toBe(403);
  expect(answered.body).toMatchObject({ because: "guard/not-seated" });
  expect(await floor.log("c")).toEqual(before);
});

test("a conversation that has ended accepts nothing, and stays readable", async () => {
  await floor.say("c", "hello");
  const closed = await floor.call("POST", "/api/v1/conversations/c/close", { reason: "done" });
  expect(closed.body.isClosed).toBe(true);
  expect((await floor.say("c", "wait")).status).toBe(409);
  expect((await floor.log("c")).at(-1)?.kind).toBe("closed");
});

test("invalid requests to the host interface are answered with the fault", async () => {
  await floor.say("c", "hello");
  const asked: [string, string, unknown, number][] = [
    ["POST", "/api/v1/conversations", { owner: 1 }, 400],
    ["POST", "/api/v1/conversations", { owner: { identification: { speakerUri: "no uri" } } }, 400],
    ["POST", "/api/v1/conversations", { colour: "red" }, 400],
    ["POST", "/api/v1/conversations", { policy: "none" }, 400],
    ["POST", "/api/v1/conversations", { turnDepthMax: -1 }, 400],
    ["POST", "/api/v1/conversations", { convener: "ftp://x" }, 400],
    ["POST", "/api/v1/conversations", { id: "c" }, 409],
    ["POST", "/api/v1/conversations/c/remove", {}, 400],
    ["POST", "/api/v1/conversations/c/remove", { speakerUri: "tag:nobody.example,2026:x" }, 404],
    ["POST", "/api/v1/conversations/c/convener", { speakerUri: "tag:nobody.example,2026:x" }, 404],
    ["POST", "/api/v1/conversations/c/convener", { speakerUri: ann }, 422],
    ["POST", "/api/v1/conversations/c/convener", { serviceUrl: "ftp://x" }, 400],
    ["POST", "/api/v1/conversations/c/convener", { serviceURL: "https://x.example/" }, 400],
    ["POST", "/api/v1/conversations/c/convener", { speakerUri: null, serviceUrl: "https://x.example/" }, 400],
    ["POST", "/api/v1/conversations/c/seat", {}, 400],
    ["POST", "/api/v1/conversations/c/dance", {}, 404],
    ["POST", "/api/v1/conversations/none/close", {}, 404],
    ["POST", "/api/v1/agents", {}, 400],
    ["GET", "/api/v1/conversations/none", undefined, 404],
    ["GET", "/api/v1/conversations/none/log", undefined, 404],
    ["GET", "/api/v1/conversations/c?at=0", undefined, 400],
    ["GET", "/api/v1/conversations/c?at=999", undefined, 400],
    ["GET", "/api/v1/conversations/c/log?after=x", undefined, 400],
    ["GET", "/api/v1/conversations/c/log?limit=5000", undefined, 400],
    ["GET", "/nowhere", undefined, 404],
  ];
  const before = await floor.log("c");
  for (const [method, path, body, status] of asked) {
    const answered = await floor.call(method, path, body);
    expect([path, body, answered.status]).toEqual([path, body, status]);
    expect(answered.headers.get("content-type")).toBe("application/problem+json");
    expect(answered.body).toMatchObject({ title: expect.any(String), fix: expect.any(String) });
  }
  expect(await floor.log("c")).toEqual(before);
});

const anything = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.json(),
  fc.record({ openFloor: fc.jsonValue() }).map((value) => JSON.stringify(value)),
  fc
    .record(
      { schema: fc.jsonValue(), conversation: fc.jsonValue(), sender: fc.jsonValue(), events: fc.jsonValue() },
      { requiredKeys: [] },
    )
    .map((some) => JSON.stringify({ openFloor: { ...envelope.openFloor, ...some } })),
  fc
    .array(
      fc.record(
        {
          eventType: fc.constantFrom("utterance", "invite", "bye", "grantFloor", "publishManifests"),
          to: fc.jsonValue(),
          parameters: fc.jsonValue(),
        },
        { requiredKeys: ["eventType"] },
      ),
    )
    .map((events) => JSON.stringify({ openFloor: { ...envelope.openFloor, events } })),
);

test("no request makes the floor fail", async () => {
  const headers = { host: "localhost", authorization: `Bearer ${token}`, "content-type": "application/json" };
  await fc.assert(
    fc.asyncProperty(
      anything,
      fc.constantFrom("/openfloor", "/api/v1/conversations", "/api/v1/conversations/c/seat"),
      async (body, path) => {
        const response = await floor.server.fetch(
          new Request(`http://localhost${path}`, { method: "POST", headers, body }),
        );
        expect(response.status).toBeLessThan(500);
      },
    ),
    { numRuns: 300, seed: 1 },
  );
});
