// Hostile content of a floor does not run in the page, sends no request and adds no markup.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMissing, startChromium } from "../support/chromium.ts";
import { endScriptedAgents } from "../support/scripted-agent.ts";
import { nameAll, sayAll } from "./hostile-floor.ts";
import { type PageFloor, startPageFloor } from "./page-floor.ts";
import { phone, tried } from "./xss-corpus.ts";

/** The page draws so much that a busy machine needs long. */
const timeout = 600_000;

type Watch = { page: Page; context: BrowserContext; hits: Set<number>; calls: string[]; surprises: string[] };

describe.skipIf(isMissing)("a page full of hostile text", () => {
  let browser: Browser;
  let floor: PageFloor;

  beforeAll(async () => {
    browser = await startChromium();
    const plenty = { perS: 100_000, burst: 100_000 };
    const rateLimits = { perPrincipal: plenty, perAddress: plenty, conversations: plenty };
    floor = await startPageFloor({ browser, options: { rateLimits, requestLimits: { headerBytesMax: 65_536 } } });
  });
  afterAll(async () => {
    await browser?.close();
    await endScriptedAgents();
    await floor?.close();
  });

  /** The policy is switched off: the page must be safe by itself. */
  async function open(conversation: string): Promise<Watch> {
    const viewport = { width: 1280, height: 4_000 };
    const context = await browser.newContext({ bypassCSP: true, serviceWorkers: "block", viewport });
    const watch: Watch = { context, page: await context.newPage(), hits: new Set(), calls: [], surprises: [] };
    await context.exposeFunction("__hit", (n: number) => void watch.hits.add(n));
    await context.route(`${phone}**`, (route) => route.abort());
    context.on("request", (request) => {
      const url = request.url();
      if (!/^(?:blob|data|about):/u.test(url) && !url.startsWith(`${floor.url}/`)) watch.calls.push(url);
    });
    context.on("dialog", (dialog) => {
      watch.surprises.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss().catch(() => undefined);
    });
    context.on("page", () => watch.surprises.push("another page"));
    await watch.page.goto(`${floor.url}/?conversation=${conversation}#token=${floor.token}`);
    await watch.page.getByRole("form", { name: "Speaking" }).waitFor();
    return watch;
  }

  async function isUnharmed({ page, context, hits, calls, surprises }: Watch): Promise<void> {
    expect(await page.evaluate(faults)).toEqual([]);
    expect([...hits]).toEqual([]);
    expect(calls).toEqual([]);
    expect(surprises).toEqual([]);
    expect(new URL(page.url()).origin).toBe(floor.url);
    await context.close();
  }

  test("shows all utterances and questions, and no payload takes effect", { timeout }, async () => {
    const watch = await open(await sayAll(floor));
    const { page } = watch;
    const { shown, found } = (await page.evaluate(readThrough)) as { shown: number; found: string[] };
    expect(found).toEqual([]);
    expect(shown).toBe(tried.length);
    await page.keyboard.press("Control+Shift+F");
    const search = page.getByRole("dialog", { name: "Search" });
    for (const words of ["hit", "onerror", "javascript"]) {
      await search.getByRole("combobox").fill(words);
      await search.getByRole("option").first().waitFor();
      expect(await page.evaluate(faults)).toEqual([]);
    }
    await isUnharmed(watch);
  });

  test("shows all names, titles and reasons, and no payload takes effect", { timeout }, async () => {
    const { conversation, guests, renamings } = await nameAll(floor);
    expect(guests).toBe(50);
    expect(renamings).toBeGreaterThan(250);
    const watch = await open(conversation);
    const { page } = watch;
    const look = async () => expect(await page.evaluate(faults)).toEqual([]);
    const panel = page.getByRole("complementary", { name: "Who is here" });
    await expect.poll(() => panel.getByRole("listitem").count()).toBeGreaterThan(guests);
    const { found } = (await page.evaluate(readThrough)) as { found: string[] };
    expect(found).toEqual([]);
    await look();
    await page.getByRole("button", { name: "Show as table" }).click();
    await page.getByRole("table").waitFor();
    await look();
    await page.getByRole("button", { name: "Show as picture" }).click();
    const lanes = page.getByRole("listbox", { name: /^Floor strip/u });
    await lanes.hover({ position: { x: 60, y: 12 } });
    await lanes.focus();
    for (const key of ["Home", "ArrowRight", "End"]) await lanes.press(key);
    await look();
    await page.getByRole("form", { name: "Speaking" }).getByRole("textbox").first().pressSequentially("@");
    await page.getByRole("form", { name: "Speaking" }).getByRole("option").first().waitFor();
    await look();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+K");
    await page.getByRole("dialog").getByRole("option").first().waitFor();
    await look();
    await page.keyboard.press("Escape");
    await panel.getByRole("button", { name: "Invite" }).click();
    const dialog = page.getByRole("dialog", { name: "Invite" });
    await dialog.getByRole("listitem").nth(5).waitFor();
    await look();
    await dialog.getByRole("tab", { name: "A person" }).click();
    await look();
    await page.keyboard.press("Escape");
    await isUnharmed(watch);
  });
});

/** Markup that must not be in the document. */
const faults = `(() => {
  const found = [];
  const isCode = (value) => /^[\\s\\u0000-\\u0020]*(?:javascript|vbscript|data:(?!image\\/|audio\\/|video\\/))/iu.test(value);
  for (const element of document.querySelectorAll("*")) {
    const tell = (what) => found.push(what + ": " + element.outerHTML.slice(0, 200));
    for (const { name, value } of element.attributes) {
      if (/^on/iu.test(name)) tell("a handler");
      if (/^(?:href|xlink:href|src|srcset|action|formaction|data|poster)$/iu.test(name) && isCode(value)) tell("an address");
    }
    if (/^(?:object|embed|base|applet|portal|style|foreignobject)$/iu.test(element.tagName)) tell("an element");
    if (element.tagName === "IFRAME" && element.getAttribute("sandbox") !== "") tell("a frame");
  }
  for (const script of document.scripts) if (!script.src.startsWith(location.origin + "/assets/")) found.push("a script");
  return found;
})()`;

/** Scrolls from the first line to the last, and returns the number of utterances. */
const readThrough = `(async () => {
  const scroller = document.querySelector("[aria-label='What was said']");
  const calm = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));
  for (const details of document.querySelectorAll("details:not([open])")) details.open = true;
  let before = -1;
  for (let calmFor = 0; calmFor < 20; calmFor += 1) {
    scroller.scrollTop = 0;
    await calm();
    if (scroller.scrollHeight !== before) calmFor = 0;
    before = scroller.scrollHeight;
  }
  const seen = new Set();
  const found = new Set();
  for (;;) {
    await calm();
    for (const one of scroller.querySelectorAll("[data-utterance]:not([data-seen])")) {
      one.dataset.seen = "";
      seen.add(one.dataset.utterance);
      // Not of all at once: what is unfolded takes its time to be drawn.
      if (seen.size % 16 !== 0) continue;
      for (const details of one.querySelectorAll("details")) details.open = true;
      one.querySelector(".tools button[aria-expanded=false]").click();
    }
    await calm();
    for (const fault of ${faults}) found.add(fault);
    if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2) break;
    scroller.scrollTop += scroller.clientHeight * 0.7;
  }
  return { shown: seen.size, found: [...found] };
})()`;
