// A transcript exported as a page: opened from the disk, in a browser without a network.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMissing, openPage, startChromium } from "../support/chromium.ts";
import { ann, utterance } from "../support/envelopes.ts";
import { canary, talk, useExportedFloor } from "./exported-floor.ts";

const { at, open } = useExportedFloor();

const run = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) =>
  id + " at " + nodes.map(({ target, failureSummary }) => target + ": " + failureSummary).join("; ")))`;

describe.skipIf(isMissing)("the exported page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  async function takeAway(): Promise<string> {
    const floor = await open();
    const id = await talk(floor);
    const hostile = `<img src="http://127.0.0.1:9/x.png"> <script src="http://127.0.0.1:9/x.js"></script>`;
    await floor.send(id, ann, utterance(ann, hostile));
    const path = `/api/v1/conversations/${id}/export?format=html&speaker=${encodeURIComponent(ann)}`;
    writeFileSync(at("birds.html"), (await floor.call("GET", path)).text);
    return pathToFileURL(at("birds.html")).href;
  }

  test("sends no request, shows the strip and the utterances, and is accessible", async () => {
    const url = await takeAway();
    // The content security policy also blocks the script of the accessibility check, so this page is opened without it.
    const context = await browser.newContext({ offline: true, bypassCSP: true });
    const { page, requests, complaints } = await openPage(context);
    await page.goto(url);
    expect(requests.map((request) => request.url)).toEqual([url]);
    expect(complaints).toEqual([]);
    expect(await page.title()).toBe("Birds");
    await page.getByText(canary).waitFor();
    const strip = await page.locator(".strip svg").boundingBox();
    expect(strip?.width).toBeGreaterThan(300);
    expect(strip?.height).toBeGreaterThan(80);
    expect(await page.locator(".strip svg .tick").count()).toBeGreaterThan(4);
    await page.locator(".strip svg a").first().click();
    expect(await page.evaluate("document.querySelector(':target')?.tagName")).toBe("ARTICLE");
    await page.getByText("The floor strip as a table").click();
    await page.getByRole("table").waitFor();
    await page.evaluate(axe.source);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate(run)).toEqual([]);
      }
    }
    await context.close();
  });

  test("fetches nothing of its content, even with a network", async () => {
    const url = await takeAway();
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const place = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const context = await browser.newContext();
    const { page, complaints } = await openPage(context);
    await page.goto(url);
    await page.evaluate(`document.body.append(Object.assign(new Image(), { src: "${place}/x.png" }))`);
    await page.evaluate(`fetch("${place}/y").catch(() => {})`);
    const isRefused = (path: string) =>
      complaints.some((one) => one.includes("Content Security Policy") && one.includes(`${place}${path}`));
    await expect.poll(() => ["/x.png", "/y"].filter(isRefused)).toHaveLength(2);
    expect(asked).toEqual([]);
    await context.close();
    server.close();
  });
});
