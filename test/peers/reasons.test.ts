// The inviter or the speaker gets a useful reason why an agent did not answer; utterances to others are not quoted.
import { createDialler } from "@plenary/sdk";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, said, utterance } from "../support/envelopes.ts";
import { answer, type Behaviour, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { hasty, startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";
import * as peer from "./refuses-with-text.ts";

let testFloor: TestFloor;
beforeEach(async () => {
  testFloor = await startTestFloor();
});
afterEach(async () => {
  await testFloor.close();
  expect(testFloor.errors).toEqual([]);
});

const bob = "tag:people.example,2026:bob";

async function whyDeclined(agent: { url: string }): Promise<string | undefined> {
  await testFloor.invite("c", agent);
  const entries = await testFloor.until("c", (all) => all.some(({ event }) => event?.eventType === "declineInvite"));
  return entries.findLast(({ event }) => event?.eventType === "declineInvite")?.event?.reason;
}

for (const [name, behaviour, reason] of [
  [
    "422 of a framework",
    peer.validates,
    "@error answered 422: body.openFloor.conversants.0.organization: String should have at least 1 character",
  ],
  ["500 with text", peer.failsWithText, "@error answered 500: KeyError: 'ovon' see @ timedOut in the log"],
  ["502 of a proxy", peer.isBehindAProxy, "@error answered 502: 502 Bad Gateway nginx"],
  ["401", peer.always(401, '{"error":"no key"}'), "@error answered 401: no key"],
  [
    "403 with a problem",
    peer.always(403, '{"title":"Forbidden","detail":"ask me first"}'),
    "@error answered 403: ask me first",
  ],
  ["429", peer.always(429, "slow down"), "@unavailable answered 429: slow down"],
  ["301", peer.moved(301, "https://new.example/agent?key=secret"), "@error moved to https://new.example/agent"],
  ["308 without an address", peer.moved(308, ""), "@error answered 308 without a new address"],
  ["200 with {}", peer.always(200, "{}"), "@error did not answer with an envelope"],
  ["200 with nothing", peer.always(200, ""), "@error did not answer with an envelope"],
  ["200 with a page", peer.always(200, "<p>Welcome", "text/html"), "@error did not answer with an envelope"],
] as const satisfies readonly (readonly [string, Behaviour, string])[]) {
  test(`${name} in answer to an invite declines it with a reason that people can act on`, async () => {
    expect(await whyDeclined(await startAgent(behaviour))).toBe(reason);
    const seen = (await testFloor.log("c", ann)).findLast(({ event }) => event?.eventType === "declineInvite");
    expect(seen?.event?.reason).toBe(reason);
  });
}

test.each(["127.0.0.1:8080", "ftp://agent.example/"])(
  "%s is declined as an address that cannot be called",
  async (url) => {
    const why = "@unavailable is not allowed from here: its address is not a plain http or https URL";
    expect(await whyDeclined({ url })).toBe(why);
  },
);

test("the reason for a relative redirect contains the absolute address", async () => {
  const agent = await startAgent(peer.moved(308, "/v2/agent"));
  expect(await whyDeclined(agent)).toBe(`@error moved to ${new URL("/v2/agent", agent.url)}`);
});

test("an agent that does not answer in time is declined, and the reason names the waiting time", async () => {
  await testFloor.close();
  testFloor = await startTestFloor({ deliveryLimits: hasty });
  expect(await whyDeclined(await startAgent(() => undefined))).toBe("@unavailable did not answer within 0.8 seconds");
});

test("a very long text is cut after 200 characters", async () => {
  const agent = await startAgent(peer.always(400, "x".repeat(10_000), "text/plain"));
  expect(await whyDeclined(agent)).toBe(`@error answered 400: ${"x".repeat(200)}`);
});

for (const [url, mode, reason] of [
  [
    "http://127.0.0.1:1/",
    "local",
    "@unavailable could not be reached: nothing listens at this address (connection refused)",
  ],
  ["https://no-such-host.invalid/", "local", "@unavailable could not be reached: no host has this name"],
  [
    "http://10.0.0.5:8080/agent",
    "local",
    "@unavailable is not allowed from here: its address is not public; the operator allows it with PLENARY_ALLOW_HOSTS=10.0.0.5:8080",
  ],
] as const) {
  test(`the reason for ${url} through the real dialler says what is wrong`, async () => {
    const dialler = createDialler({ mode, resolve: () => Promise.reject(Object.assign(new Error("ENOTFOUND"), {})) });
    const floor = await startTestFloor({ dialler, deliveryLimits: { inviteRetryMs: 50, retryBaseMs: 10 } });
    await floor.send("c", [{ eventType: "invite", to: { serviceUrl: url } }], { wait: 0 });
    const declined = async () =>
      (await floor.log("c", ann)).find(({ event }) => event?.eventType === "declineInvite")?.event?.reason;
    await expect.poll(declined, patience).toBe(reason);
    await floor.close();
    await dialler.close();
  });
}

test("the speaker sees at once that an agent refused the utterance, and why", async () => {
  await testFloor.invite("c", await startAgent(peer.refusesWords));
  await testFloor.say("c", "hello there");
  const missed = (await testFloor.log("c", ann)).filter(({ kind }) => kind === "missed");
  expect(missed).toMatchObject([{ failure: "refused", detail: "answered 401: The API key has expired" }]);
  for (let count = 0; count < 2; count += 1) await testFloor.say("c", "hello there");
  const entries = await testFloor.until("c", (all) => all.some(({ because }) => because === "delivery/given-up"));
  const { event } = entries.find(({ because }) => because === "delivery/given-up") ?? {};
  expect(event?.reason).toBe("@error answered 401: The API key has expired");
});

test("an utterance that an agent quotes in a refusal is shown nowhere, whether whispered or public", async () => {
  const agent = await startAgent(peer.quotesWhatWasSaid);
  await testFloor.call("POST", "/api/v1/conversations", { id: "c", owner: { identification: { speakerUri: ann } } });
  await testFloor.call("POST", "/api/v1/conversations/c/seat", { identification: { speakerUri: bob } });
  await testFloor.invite("c", agent);
  await testFloor.send("c", [utterance(ann, "swordfish", { to: { speakerUri: agent.speakerUri, private: true } })]);
  await testFloor.say("c", "marzipan");
  await testFloor.until("c", (all) => all.filter(({ kind }) => kind === "missed").length >= 2);
  const [anns, bobs] = [await testFloor.log("c", ann), await testFloor.log("c", bob)];
  expect(anns.filter(({ kind }) => kind === "missed").map(({ detail }) => detail)).toEqual([
    "answered 400",
    "answered 400",
  ]);
  // Bob does not even see that the whisper failed.
  expect(bobs.filter(({ kind }) => kind === "missed")).toHaveLength(1);
  expect(JSON.stringify(bobs)).not.toContain("swordfish");
  const quotes = JSON.stringify([...(await testFloor.log("c")), ...anns].filter(({ kind }) => kind === "missed"));
  const elsewhere = [
    await testFloor.call("GET", "/api/v1/agents"),
    await testFloor.call("GET", "/api/v1/dead-letters"),
  ];
  const details = JSON.stringify(
    elsewhere.map(({ body }) => JSON.stringify(body).match(/"(?:detail|trouble)":[^}]*/gu)),
  );
  for (const word of ["swordfish", "marzipan"]) {
    expect(quotes).not.toContain(word);
    expect(details).not.toContain(word);
  }
});

test("the list of agents quotes refusals of requests outside conversations, and no others", async () => {
  let isAngry = false;
  const agent = await startAgent((heard, self) => {
    if (!isAngry) return silent(heard, self);
    const text = textsIn(heard).length > 0 ? "refused in a conversation" : "The door is closed";
    return { status: 403, body: JSON.stringify({ error: text }) };
  });
  await testFloor.invite("c", agent);
  isAngry = true;
  await testFloor.say("c", "hello");
  const trouble = async () => {
    const { body } = await testFloor.call("GET", "/api/v1/agents");
    const agents = body.agents as { serviceUrl: string; trouble?: { detail: string } }[];
    return agents.find(({ serviceUrl }) => serviceUrl === agent.url)?.trouble?.detail;
  };
  expect(await trouble()).toBe("it answered 403");
  await testFloor.call("POST", "/api/v1/agents/check", { serviceUrl: agent.url });
  expect(await trouble()).toBe("it answered 403: The door is closed");
});

test("JSON with a wrong content type, 202 and 204 count as answers", async () => {
  const html = await startAgent((heard, self) => ({
    ...answer(heard, self, utterance(self.speakerUri, "I am")),
    type: "text/html",
  }));
  expect(said(await testFloor.invite("c", html)).map(([, text]) => text)).toEqual(["I am"]);
  const mute = await startAgent(peer.always(204, ""));
  await testFloor.invite("d", mute);
  await testFloor.until("d", (all) => all.some(({ because }) => because === "1.14/joined-by-answering"));
  const later = await startAgent(peer.always(202, '{"status":"queued"}'));
  await testFloor.invite("e", later, { wait: 0 });
  await expect.poll(() => later.heard.length, patience).toBe(1);
  const { conversants } = await testFloor.state("e");
  expect(conversants.map(({ state }) => state)).toEqual(["joined", "invited"]);
  expect((await testFloor.state("e")).awaited).toHaveLength(1);
});

for (const body of ["", "{}"]) {
  test(`a joined agent that answers 200 with ${body === "" ? "nothing" : body} counts as silent`, async () => {
    const agent = await startAgent((heard, self) => (textsIn(heard).length > 0 ? { body } : silent(heard, self)));
    await testFloor.invite("c", agent);
    for (let count = 0; count < 4; count += 1) await testFloor.say("c", "hello");
    const { conversants } = await testFloor.state("c");
    expect(conversants.find(({ kind }) => kind === "agent")).toMatchObject({ state: "joined", misses: 0 });
  });
}
