// What the content security policy lets a script of the page do, in a real browser.
import type { PageFile } from "@plenary/server";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isMissing, openPage, startChromium } from "../support/chromium.ts";
import { noDialler, startTestFloor, token } from "../support/start-test-floor.ts";

const ann = "tag:ann.example,2026:ann";

/** Writes the result of each attempt into the page. */
const script = `
  const say = (name, outcome) => { document.getElementById(name).textContent = outcome; };
  const socketTo = (name, url) => {
    try {
      const socket = new WebSocket(url);
      socket.onopen = () => say(name, "open");
      socket.onerror = () => say(name, "refused");
    } catch { say(name, "refused"); }
  };
  const headers = { authorization: "Bearer ${token}", "content-type": "application/json" };
  const asked = await fetch("/api/v1/tickets", { method: "POST", headers, body: JSON.stringify({ speaker: "${ann}" }) });
  const { ticket } = await asked.json();
  const query = "speaker=" + encodeURIComponent("${ann}") + "&ticket=" + ticket;
  socketTo("own", location.origin.replace("http", "ws") + "/openfloor/ws?" + query);
  socketTo("other", "ws://127.0.0.1:1/");
  fetch("http://127.0.0.1:1/").then(() => say("elsewhere", "answered"), () => say("elsewhere", "refused"));
`;
const html = `<!doctype html><title>A page</title><link rel="icon" href="/favicon.svg">
<p id="own"></p><p id="other"></p><p id="elsewhere"></p><p id="inline"></p>
<script>document.getElementById("inline").textContent = "ran";</script>
<script type="module" src="/assets/page.js"></script>`;

const file = (text: string, type: string): PageFile => ({
  bytes: Buffer.from(text),
  type,
  etag: `"${text.length}"`,
  isImmutable: false,
});
const files: Record<string, PageFile> = {
  "index.html": file(html, "text/html; charset=utf-8"),
  "assets/page.js": file(script, "text/javascript; charset=utf-8"),
  "favicon.svg": file('<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
};

let browser: Browser;
beforeAll(async () => {
  if (!isMissing) browser = await startChromium();
});
afterAll(() => browser?.close());

test.skipIf(isMissing)(
  "a script of the page opens sockets to its own floor and to no other origin, and no inline script runs",
  async () => {
    const page = { file: (path: string) => files[path] };
    const floor = await startTestFloor({ dialler: noDialler, page });
    const context = await browser.newContext();
    const { page: shown, complaints } = await openPage(context);
    await shown.goto(floor.url);
    for (const [name, outcome] of [
      ["own", "open"],
      ["other", "refused"],
      ["elsewhere", "refused"],
    ] as const) {
      await shown.locator(`#${name}`, { hasText: outcome }).waitFor({ state: "attached" });
    }
    expect(await shown.locator("#inline").textContent()).toBe("");
    const blocked = ["script-src 'self'", "connect-src 'self'"].map((part) =>
      complaints.some((one) => one.includes(part)),
    );
    expect(blocked).toEqual([true, true]);
    await context.close();
    await floor.close();
  },
);
