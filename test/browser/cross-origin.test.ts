// A page of another origin, in the browser of a person who is signed in here and runs the floor on this machine.
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isMissing, startChromium } from "../support/chromium.ts";
import { type Elsewhere, startElsewhere } from "../support/other-site.ts";
import { token as operatorToken } from "../support/start-test-floor.ts";
import { type SignedInFloor, startSignedInFloor } from "./signed-in-floor.ts";

const malicious = join(import.meta.dirname, "malicious-page.mjs");
const ann = "tag:people.example,2026:ann";
const attacksMin = 100;

describe.skipIf(isMissing)("a page of another origin", () => {
  let browser: Browser;
  let elsewhere: Elsewhere;
  let friendly: Elsewhere;
  let floor: SignedInFloor;
  let context: BrowserContext;
  let session: Awaited<ReturnType<SignedInFloor["signedIn"]>>;

  beforeAll(async () => {
    browser = await startChromium(["evil.example"]);
    elsewhere = await startElsewhere("<!doctype html><title>Elsewhere</title><body>");
    friendly = await startElsewhere("<!doctype html><title>Friendly</title><body>");
  });
  afterAll(() => Promise.all([browser?.close(), elsewhere?.close(), friendly?.close()]));
  beforeEach(async () => {
    floor = await startSignedInFloor({ options: { allowOrigins: [friendly.url] } });
    await floor.must("POST", "/api/v1/conversations", { id: "c", owner: { identification: { speakerUri: ann } } });
    context = await browser.newContext();
    session = await floor.signedIn(ann);
    await context.addCookies([session]);
  });
  afterEach(async () => {
    await context.close();
    await floor.close();
  });

  /** Everything that a request could have changed, and whether the person is still signed in. */
  async function state(): Promise<unknown[]> {
    const paths = ["", "/c", "/c/log", "/c/links"].map((rest) => `/api/v1/conversations${rest}`);
    const cookie = `${session.name}=${session.value}`;
    const { status } = await fetch(`${floor.url}${paths[1]}`, { headers: { cookie } });
    return [status, ...(await Promise.all(paths.map((path) => floor.must("GET", path))))];
  }

  type Spoils = { attempts: number; saw: [string, string][] };

  async function attackFrom(page: Page, target: string) {
    const answers: { method: string; status: number; url: string }[] = [];
    context.on("response", (response) => {
      if (!response.url().startsWith(`${target}/`)) return;
      answers.push({ method: response.request().method(), status: response.status(), url: response.url() });
    });
    const spoils = (await page.evaluate(`attack(${JSON.stringify(target)})`)) as Spoils;
    return { answers, spoils };
  }

  test.each(["127.0.0.1", "evil.example"])("of %s reads nothing and changes nothing", async (host) => {
    const before = await state();
    const page = await context.newPage();
    await page.addInitScript({ path: malicious });
    await page.goto(`http://${host}:${elsewhere.port}/`);
    const { spoils, answers } = await attackFrom(page, floor.url);
    expect(spoils.saw).toEqual([]);
    expect(spoils.attempts).toBeGreaterThan(attacksMin);
    expect(before[0]).toBe(200);
    expect(await state()).toEqual(before);
    const posts = answers.filter(({ method }) => method === "POST");
    expect(posts.length).toBeGreaterThan(20);
    // Hosted agents need no credential and are open to pages; this floor hosts none.
    const isForAgents = ({ url }: { url: string }) => url === `${floor.url}/agents/echo`;
    expect(posts.filter((post) => !isForAgents(post) && post.status !== 403)).toEqual([]);
    expect(new Set(posts.filter(isForAgents).map(({ status }) => status))).toEqual(new Set([404]));
    expect(page.frames().filter((frame) => frame.url() === `${floor.url}/`)).toEqual([]);
  });

  test("with a name that resolves to this machine gets only the problem forbidden-host", async () => {
    const before = await state();
    const target = `http://evil.example:${floor.port}`;
    const page = await context.newPage();
    await page.addInitScript({ path: malicious });
    // The page loads while the name still resolves to its own server; after that the name resolves to the floor.
    await page.route(`${target}/`, (route) => route.fulfill({ contentType: "text/html", body: "<body>" }), {
      times: 1,
    });
    await page.goto(target);
    const { spoils, answers } = await attackFrom(page, target);
    expect(spoils.saw.filter(([, what]) => !what.includes("urn:plenary:problem:forbidden-host"))).toEqual([]);
    expect(answers.length).toBeGreaterThan(attacksMin / 2);
    expect(answers.filter(({ status }) => status !== 403)).toEqual([]);
    expect(await state()).toEqual(before);
  });

  test("that is allowed reads, writes and opens streams with a token", async () => {
    const page = await context.newPage();
    await page.goto(friendly.url);
    const work = `(async (floor, authorization, speaker) => {
      const headers = { authorization, "content-type": "application/json" };
      const made = await fetch(floor + "/api/v1/conversations", { method: "POST", headers, body: '{"id":"d"}' });
      const listed = await fetch(floor + "/api/v1/conversations", { headers });
      const tickets = await fetch(floor + "/api/v1/tickets", { method: "POST", headers, body: JSON.stringify({ speaker }) });
      const { ticket } = await tickets.json();
      const query = new URLSearchParams({ ticket, speaker });
      const ws = new WebSocket(floor.replace("http", "ws") + "/openfloor/ws?" + query);
      const isOpen = await new Promise((resolve) => { ws.onopen = () => resolve(true); ws.onclose = () => resolve(false); });
      ws.close();
      return { made: made.status, listed: (await listed.json()).conversations.map(({ id }) => id).sort(), isOpen };
    })(${[floor.url, `Bearer ${operatorToken}`, ann].map((value) => JSON.stringify(value)).join(", ")})`;
    expect(await page.evaluate(work)).toEqual({ made: 201, listed: ["c", "d"], isOpen: true });
  });

  test("that is allowed does not act with the cookie of its visitor", async () => {
    const before = await state();
    const page = await context.newPage();
    await page.addInitScript({ path: malicious });
    await page.goto(friendly.url);
    const { spoils, answers } = await attackFrom(page, floor.url);
    expect(spoils.saw).toEqual([]);
    const taken = answers.filter(({ method, status }) => method === "POST" && status < 400);
    expect(taken).toEqual([]);
    expect(await state()).toEqual(before);
  });

  test("has fewer rights than the floor's own page, where the cookie counts", async () => {
    const page = await context.newPage();
    await page.goto(floor.url);
    const work = `(async () => {
      const options = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
      const closed = await fetch("/api/v1/conversations/c/close", options);
      const log = await fetch("/api/v1/conversations/c/log");
      return [closed.status, log.status];
    })()`;
    expect(await page.evaluate(work)).toEqual([200, 200]);
  });
});
