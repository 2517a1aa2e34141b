// A page of another origin in a real browser that is a floor itself: it invites our agents and talks to them.
import { createAgent, listen } from "@plenary/sdk";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { isMissing, openPage, startChromium } from "../support/chromium.ts";
import { type Elsewhere, startElsewhere } from "../support/other-site.ts";
import { startTestFloor } from "../support/start-test-floor.ts";
import { browserFloorPage } from "./browser-floor-page.ts";

const host = "browser-floor.example";
const identification = {
  speakerUri: "tag:parrot.example,2026:1",
  organization: "Example",
  conversationalName: "Parrot",
  synopsis: "Repeats.",
};

function createParrot() {
  return createAgent({
    manifest: { identification, capabilities: [] },
    greeting: "Hello!",
    async *onUtterance({ text }) {
      yield "You said: ";
      yield text;
    },
  });
}

describe.skipIf(isMissing)("a browser floor of another origin", () => {
  let browser: Browser;
  let elsewhere: Elsewhere;
  let page: Page;
  beforeAll(async () => {
    browser = await startChromium([host]);
    elsewhere = await startElsewhere(browserFloorPage);
  });
  afterAll(() => Promise.all([browser?.close(), elsewhere?.close()]));
  afterEach(() => page?.context().close());

  async function open(name = host): Promise<string> {
    ({ page } = await openPage(await browser.newContext()));
    const origin = `http://${name}:${elsewhere.port}`;
    await page.goto(origin);
    return origin;
  }
  const run = (call: string, ...args: unknown[]) =>
    page.evaluate(`${call}(${args.map((arg) => JSON.stringify(arg)).join()})`);
  const shown = () => page.locator("#log li").allTextContents();

  async function startParrot(allowOrigins?: readonly string[]): Promise<string> {
    const listening = await listen(createParrot(), { port: 0, ...(allowOrigins && { allowOrigins }) });
    onTestFinished(() => listening.close());
    return listening.url;
  }

  test("invites a served agent, and shows its utterances", async () => {
    const url = await startParrot();
    await open();
    await run("invite", url);
    await run("ask", url, "one");
    expect(await shown()).toEqual(["acceptInvite", "said: Hello!", "said: You said: one"]);
  });

  test("may send headers of its own, and reads a stream", async () => {
    const url = await startParrot();
    await open();
    const headers = {
      traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`,
      authorization: "Bearer x",
      "x-own": "1",
    };
    await run("invite", url, { ...headers, "webhook-id": "d1", baggage: "a=1" });
    expect(await shown()).toEqual(["acceptInvite", "said: Hello!"]);
    const event = { eventType: "utterance", parameters: { dialogEvent: dialogEventOf("two") } };
    const streamed = await run("post", url, [event], { accept: "text/event-stream" });
    expect(streamed).toMatchObject({
      status: 200,
      type: "text/event-stream",
      text: expect.stringContaining("You said: two"),
    });
  });

  test("reads the reason of a refusal", async () => {
    const url = await startParrot();
    await open();
    const refused = await run("post", url, "no list of events");
    expect(refused).toMatchObject({ status: 400, type: "application/problem+json" });
  });

  test("is refused by an agent that allows other origins only, and accepted by one that allows its origin", async () => {
    const origin = await open();
    await run("invite", await startParrot(["https://other.example"]));
    await run("invite", await startParrot(["https://other.example", origin]));
    expect(await shown()).toEqual(["blocked: Failed to fetch", "acceptInvite", "said: Hello!"]);
  });

  test("invites a hosted agent, with and without a slash, and reads nothing else of the agent's floor", async () => {
    const floor = await startTestFloor({ hostedAgents: { names: ["parrot"], create: createParrot } });
    onTestFinished(() => floor.close());
    await open();
    await run("invite", `${floor.url}/agents/parrot`);
    await run("ask", `${floor.url}/agents/parrot/?key=1`, "one");
    await run("invite", `${floor.url}/agents/nobody`);
    await run("invite", `${floor.url}/openfloor`);
    await run("invite", `${floor.url}/agents/parrot/more`);
    expect(await shown()).toEqual([
      ...["acceptInvite", "said: Hello!", "said: You said: one", "404"],
      ...["blocked: Failed to fetch", "blocked: Failed to fetch"],
    ]);
  });
});

function dialogEventOf(value: string): object {
  const features = { text: { mimeType: "text/plain", tokens: [{ value }] } };
  const speakerUri = "tag:browser-floor.example,2026:user";
  return { id: "de-1", speakerUri, span: { startTime: "2026-01-01T00:00:00Z" }, features };
}
