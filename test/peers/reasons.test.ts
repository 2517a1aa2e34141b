// Who invites or speaks learns why an agent did not answer, in words it can act on; what was said to others is not quoted.
import { createDialler } from "@plenary/sdk";
import { createFloorServer, createMemoryStore } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answer, type Behaviour, silent, startAgent, textsIn, utterance } from "../floor/agents.ts";
import { ann, hasty, patience, said, startWorld, token, type World } from "../floor/world.ts";
import * as peer from "./refuses-with-words.ts";

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await world.close();
  expect(world.errors).toEqual([]);
});

const bob = "tag:people.example,2026:bob";

async function whyDeclined(agent: { url: string }): Promise<string | undefined> {
  await world.invite("c", agent);
  const entries = await world.until("c", (all) => all.some(({ event }) => event?.eventType === "declineInvite"));
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
    const seen = (await world.log("c", ann)).findLast(({ event }) => event?.eventType === "declineInvite");
    expect(seen?.event?.reason).toBe(reason);
  });
}

test.each(["127.0.0.1:8080", "ftp://agent.example/"])(
  "%s is declined as no address that can be called",
  async (url) => {
    const why = "@unavailable is not allowed from here: its address is not a plain http or https URL";
    expect(await whyDeclined({ url })).toBe(why);
  },
);

test("a relative redirect is said with the whole address", async () => {
  const agent = await startAgent(peer.moved(308, "/v2/agent"));
  expect(await whyDeclined(agent)).toBe(`@error moved to ${new URL("/v2/agent", agent.url)}`);
});

test("an agent that does not answer in time is declined with how long it was waited for", async () => {
  await world.close();
  world = await startWorld({ deliveryLimits: hasty });
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
  test(`through the real dialler ${url} says what is wrong`, async () => {
    const dialler = createDialler({ mode, resolve: () => Promise.reject(Object.assign(new Error("ENOTFOUND"), {})) });
    const ports = { store: createMemoryStore(), dialler };
    const server = createFloorServer(ports, {
      token,
      drainMs: 0,
      deliveryLimits: { inviteRetryMs: 50, retryBaseMs: 10 },
    });
    const floor = await server.listen(0);
    const events = [{ eventType: "invite", to: { serviceUrl: url } }];
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id: "c" }, sender: { speakerUri: ann }, events };
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    await fetch(`${floor.url}/openfloor`, { method: "POST", headers, body: JSON.stringify({ openFloor }) });
    const declined = async () => {
      const response = await fetch(`${floor.url}/api/v1/conversations/c/log?speaker=${encodeURIComponent(ann)}`, {
        headers,
      });
      const { entries } = (await response.json()) as { entries: { event?: { eventType: string; reason?: string } }[] };
      return entries.find(({ event }) => event?.eventType === "declineInvite")?.event?.reason;
    };
    await expect.poll(declined, patience).toBe(reason);
    await server.close();
    await dialler.close();
  });
}

test("who speaks sees at once that an agent refused the words, and why", async () => {
  await world.invite("c", await startAgent(peer.refusesWords));
  await world.say("c", "hello there");
  const missed = (await world.log("c", ann)).filter(({ kind }) => kind === "missed");
  expect(missed).toMatchObject([{ failure: "refused", detail: "answered 401: The API key has expired" }]);
  for (let count = 0; count < 2; count += 1) await world.say("c", "hello there");
  const entries = await world.until("c", (all) => all.some(({ because }) => because === "delivery/given-up"));
  const { event } = entries.find(({ because }) => because === "delivery/given-up") ?? {};
  expect(event?.reason).toBe("@error answered 401: The API key has expired");
});

test("words that an agent quotes are quoted nowhere, neither from a whisper nor from public words", async () => {
  const agent = await startAgent(peer.quotesWhatWasSaid);
  await world.call("POST", "/api/v1/conversations", { id: "c", owner: { identification: { speakerUri: ann } } });
  await world.call("POST", "/api/v1/conversations/c/seat", { identification: { speakerUri: bob } });
  await world.invite("c", agent);
  await world.send("c", [utterance(ann, "swordfish", { to: { speakerUri: agent.speakerUri, private: true } })]);
  await world.say("c", "marzipan");
  await world.until("c", (all) => all.filter(({ kind }) => kind === "missed").length >= 2);
  const [anns, bobs] = [await world.log("c", ann), await world.log("c", bob)];
  expect(anns.filter(({ kind }) => kind === "missed").map(({ detail }) => detail)).toEqual([
    "answered 400",
    "answered 400",
  ]);
  // Of the whisper Bob does not even learn that it failed.
  expect(bobs.filter(({ kind }) => kind === "missed")).toHaveLength(1);
  expect(JSON.stringify(bobs)).not.toContain("swordfish");
  const quotes = JSON.stringify([...(await world.log("c")), ...anns].filter(({ kind }) => kind === "missed"));
  const elsewhere = [await world.call("GET", "/api/v1/agents"), await world.call("GET", "/api/v1/dead-letters")];
  const details = JSON.stringify(
    elsewhere.map(({ body }) => JSON.stringify(body).match(/"(?:detail|trouble)":[^}]*/gu)),
  );
  for (const word of ["swordfish", "marzipan"]) {
    expect(quotes).not.toContain(word);
    expect(details).not.toContain(word);
  }
});

test("the list of agents has the words that answer a question outside any conversation, and no others", async () => {
  let isAngry = false;
  const agent = await startAgent((heard, self) => {
    if (!isAngry) return silent(heard, self);
    const text = textsIn(heard).length > 0 ? "refused in a conversation" : "The door is closed";
    return { status: 403, body: JSON.stringify({ error: text }) };
  });
  await world.invite("c", agent);
  isAngry = true;
  await world.say("c", "hello");
  const trouble = async () => {
    const { body } = await world.call("GET", "/api/v1/agents");
    const agents = body.agents as { serviceUrl: string; trouble?: { detail: string } }[];
    return agents.find(({ serviceUrl }) => serviceUrl === agent.url)?.trouble?.detail;
  };
  expect(await trouble()).toBe("it answered 403");
  await world.call("POST", "/api/v1/agents/check", { serviceUrl: agent.url });
  expect(await trouble()).toBe("it answered 403: The door is closed");
});

test("JSON under a wrong label, 202 and 204 are answers", async () => {
  const html = await startAgent((heard, self) => ({
    ...answer(heard, self, utterance(self.speakerUri, "I am")),
    type: "text/html",
  }));
  expect(said(await world.invite("c", html)).map(([, text]) => text)).toEqual(["I am"]);
  const mute = await startAgent(peer.always(204, ""));
  await world.invite("d", mute);
  await world.until("d", (all) => all.some(({ because }) => because === "1.14/joined-by-answering"));
  const later = await startAgent(peer.always(202, '{"status":"queued"}'));
  await world.invite("e", later, { wait: 0 });
  await expect.poll(() => later.heard.length, patience).toBe(1);
  const { conversants } = (await world.state("e")) as { conversants: { state: string }[] };
  expect(conversants.map(({ state }) => state)).toEqual(["joined", "invited"]);
  expect((await world.state("e")).awaited).toHaveLength(1);
});

for (const body of ["", "{}"]) {
  test(`an agent that has joined and answers 200 with ${body === "" ? "nothing" : body} has nothing to say`, async () => {
    const agent = await startAgent((heard, self) => (textsIn(heard).length > 0 ? { body } : silent(heard, self)));
    await world.invite("c", agent);
    for (let count = 0; count < 4; count += 1) await world.say("c", "hello");
    const { conversants } = (await world.state("c")) as { conversants: { kind: string }[] };
    expect(conversants.find(({ kind }) => kind === "agent")).toMatchObject({ state: "joined", misses: 0 });
  });
}
