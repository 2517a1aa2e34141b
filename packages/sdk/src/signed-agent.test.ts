import { createHmac } from "node:crypto";
import { envelope, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import type { AgentOptions } from "./agent/handlers.ts";
import { type Agent, createAgent } from "./agent.ts";

const [oldSecret, newSecret, foreignSecret] = [1, 2, 3].map((n) => `whsec_${Buffer.alloc(32, n).toString("base64")}`);
const ann = { speakerUri: "tag:ann.example,2025:1" };
const me = { speakerUri: "tag:bot.example,2025:1", organization: "", conversationalName: "Bot", synopsis: "" };
const manifest = { identification: me, capabilities: [] };
const said = textUtterance("hi", { ...ann, id: "de:1", startTime: "2025-01-31T10:05:00Z" });
const body = JSON.stringify({ openFloor: envelope({ conversation: { id: "c1" }, sender: ann, events: [said] }) });

function createBot(options: Partial<AgentOptions<Record<string, unknown>>> = {}) {
  const heard: string[] = [];
  const onUtterance = ({ text }: { text: string }) => `${heard.push(text)}`;
  const agent = createAgent({ manifest, onUtterance, secrets: [oldSecret ?? "", newSecret ?? ""], ...options });
  return { agent, heard };
}

function signed(secret = "", { id = "d1", ageS = 0, content = body } = {}): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000) - ageS);
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${content}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

function post(agent: Agent, headers: Record<string, string>, content: string = body): Promise<Response> {
  return agent.fetch(new Request("https://bot.example/", { method: "POST", headers, body: content }));
}

test("a request signed with either secret is answered", async () => {
  const { agent, heard } = createBot();
  expect((await post(agent, signed(oldSecret, { id: "d1" }))).status).toBe(200);
  expect((await post(agent, signed(newSecret, { id: "d2" }))).status).toBe(200);
  expect(heard).toEqual(["hi", "hi"]);
});

const withoutSignature = () => {
  const { "webhook-signature": _, ...headers } = signed(oldSecret);
  return headers;
};

test.each<[string, () => Record<string, string>, string]>([
  ["nothing is signed", () => ({}), "missing-header"],
  ["the signature is stripped", withoutSignature, "missing-header"],
  ["another secret signed the request", () => signed(foreignSecret), "no-match"],
  ["another body was signed", () => signed(oldSecret, { content: "{}" }), "no-match"],
  ["the id is another", () => ({ ...signed(oldSecret), "webhook-id": "d2" }), "no-match"],
  ["it is old", () => signed(oldSecret, { ageS: 400 }), "too-old"],
  ["it is from the future", () => signed(oldSecret, { ageS: -400 }), "too-new"],
])("when %s, the response is 401 and no handler runs", async (_what, headersOf, problem) => {
  const { agent, heard } = createBot();
  const response = await post(agent, headersOf());
  expect([response.status, response.headers.get("content-type")]).toEqual([401, "application/problem+json"]);
  expect(response.headers.get("www-authenticate")).toBe("StandardWebhooks");
  expect(await response.json()).toMatchObject({ status: 401, title: "Missing or invalid signature", problem });
  expect(heard).toEqual([]);
});

test("an unsigned body is not parsed: an invalid envelope gets the same 401", async () => {
  const { agent } = createBot();
  expect((await post(agent, signed(foreignSecret, { content: "{" }), "{")).status).toBe(401);
  expect((await post(agent, signed(oldSecret, { content: "{" }), "{")).status).toBe(400);
  let pulls = 0;
  const endless = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulls += 1;
        controller.enqueue(new Uint8Array(1_024));
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request("https://bot.example/", { method: "POST", body: endless, duplex: "half" });
  expect((await agent.fetch(request)).status).toBe(401);
  expect(pulls).toBe(0);
});

test("a repeated signed request gets the same answer, and its handler runs once", async () => {
  const { agent, heard } = createBot();
  const headers = signed(oldSecret);
  const answers = await Promise.all([post(agent, headers), post(agent, headers)]);
  answers.push(await post(agent, headers), await post(agent, signed(newSecret, { ageS: 30 })));
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  expect(new Set(texts).size).toBe(1);
  expect(heard).toEqual(["hi"]);
});

test("a request over the agent's own connection needs no signature, and only `true` marks it", async () => {
  const { agent, heard } = createBot();
  const request = () => new Request("https://bot.example/", { method: "POST", body });
  expect((await agent.fetch(request(), { isTrusted: true })).status).toBe(200);
  // Some runtimes pass an object of their own beside the request.
  const environment = { isTrusted: "true" } as unknown as { isTrusted: boolean };
  expect((await agent.fetch(request(), environment)).status).toBe(401);
  expect(heard).toEqual(["hi"]);
});

test("without secrets every request is answered, signed or not", async () => {
  const agent = createAgent({ manifest, onUtterance: () => undefined });
  expect((await post(agent, {})).status).toBe(200);
  expect((await post(agent, signed(foreignSecret))).status).toBe(200);
});

test("createAgent throws on a malformed secret", () => {
  for (const secrets of [[], [""], ["secret"], ["whsec_c2hvcnQ="], [oldSecret ?? "", "whsec_"]]) {
    expect(() => createBot({ secrets })).toThrow(/secret/u);
  }
});
