// Signed deliveries, verified by an agent that knows the secret.
import { createHmac } from "node:crypto";
import { createAgent, listen } from "@plenary/sdk";
import { createMemoryCredentials } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { envelopeOf, utterance } from "../support/envelopes.ts";
import { type Agent, answer, type Heard, startAgent } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

const ann = "tag:ann.example,2026:1";
const [first, second, third] = ["first", "second", "third"].map(
  (name) => `whsec_${Buffer.from(name.padEnd(32, "-")).toString("base64")}`,
) as [string, string, string];

let credentials: ReturnType<typeof createMemoryCredentials>;
let floor: TestFloor;

beforeEach(async () => {
  credentials = createMemoryCredentials();
  floor = await startTestFloor({ credentials });
});
afterEach(() => floor.close());

let made = 0;

async function share(serviceUrl: string, secret: string): Promise<string> {
  made += 1;
  const id = `s${made}`;
  await credentials.addSecret({ id, serviceUrl, secret, createdAt: `2026-01-01T00:00:0${made}.000Z` });
  return id;
}

const say = async (...events: object[]) => (await floor.send("c", events, { as: ann })).text;

const invite = (serviceUrl: string) => say({ eventType: "invite", to: { serviceUrl } });

/** The signature of Standard Webhooks, implemented independently. */
function signatureOf({ headers, text }: Heard, secret: string): string {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

test("an agent with a shared secret gets every request signed, and an agent without one gets none signed", async () => {
  const agent = await startAgent((heard: Heard, me: Agent) => answer(heard, me));
  const stranger = await startAgent((heard: Heard, me: Agent) => answer(heard, me));
  await share(agent.url, first);
  await invite(agent.url);
  await invite(stranger.url);
  await say(utterance(ann, "hello"));
  expect(agent.heard.length).toBeGreaterThanOrEqual(3);
  for (const heard of agent.heard) {
    expect(heard.headers["webhook-signature"]).toBe(signatureOf(heard, first));
    expect(Math.abs(Number(heard.headers["webhook-timestamp"]) - Date.now() / 1_000)).toBeLessThan(60);
  }
  for (const heard of stranger.heard) expect(heard.headers["webhook-signature"]).toBeUndefined();
});

test("during a rotation both secrets sign, and a third one signs once the first has been revoked", async () => {
  const agent = await startAgent((heard: Heard, me: Agent) => answer(heard, me));
  const replaced = await share(agent.url, first);
  await share(agent.url, second);
  await invite(agent.url);
  const [heard] = agent.heard;
  expect(heard?.headers["webhook-signature"]).toBe(
    heard && [second, first].map((secret) => signatureOf(heard, secret)).join(" "),
  );
  await credentials.revokeSecret(replaced, "2026-01-02T00:00:00.000Z");
  await share(agent.url, third);
  await say(utterance(ann, "again"));
  const last = agent.heard.at(-1);
  expect(last?.headers["webhook-signature"]).toContain(last && signatureOf(last, third));
  expect(last?.headers["webhook-signature"]).not.toContain(last && signatureOf(last, first));
});

test("an agent of our SDK with a secret accepts only requests signed with it", async () => {
  const identification = {
    speakerUri: "tag:careful.example,2026:1",
    organization: "o",
    conversationalName: "Careful",
    synopsis: "s",
  };
  const agent = createAgent({
    manifest: { identification, capabilities: [] },
    secrets: [first],
    onUtterance: ({ text }) => `heard: ${text}`,
  });
  const listening = await listen(agent, { port: 0 });
  expect(await invite(listening.url)).toContain("declineInvite");
  await share(listening.url, first);
  await invite(listening.url);
  expect(await say(utterance(ann, "who is there?"))).toContain("heard: who is there?");
  const forged = await fetch(listening.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(envelopeOf("c", ann, [utterance(ann, "let me in")])),
  });
  expect(forged.status).toBe(401);
  await listening.close();
});
