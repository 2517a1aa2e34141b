// One command, one click: what the page then shows works as it stands.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environment, main } from "../cli/plenary.ts";
import { isMissing, openPage, startChromium } from "./chromium.ts";

describe.skipIf(isMissing)("a newcomer", () => {
  let browser: Browser;
  let folder: string;
  let command: ChildProcess;
  let started: { url: string; link: string; token: string };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plenary-newcomer-"));
    const args = [main, "serve", "--port", "0", "--json", "--store", join(folder, "floor.db")];
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: environment(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    command = child;
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    started = JSON.parse(line);
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    const ended = once(command, "close");
    command.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true });
  });

  test("opens the printed link, runs the lines it shows, and an agent answers", async () => {
    const { page, requests, complaints } = await openPage(await browser.newContext());
    await page.goto(started.link);
    const shown = await page.locator("pre").allInnerTexts();
    const [talk = "", log = "", state = ""] = shown.flatMap((text) => text.split(/^(?=curl)/mu));
    expect(await run(talk)).toContain("You said: Hello!");
    expect(await run(log)).toContain("You said: Hello!");
    expect(await run(state)).toContain('"conversationalName":"Echo"');
    expect(requests.filter(({ url }) => !url.startsWith(`${started.url}/`))).toEqual([]);
    expect(await page.getByRole("link", { name: "/openapi.json" }).isVisible()).toBe(true);
    await page.setViewportSize({ width: 320, height: 560 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    expect(complaints).toEqual([]);
  });
});

/** What curl would do with it. */
async function run(line: string): Promise<string> {
  const [, url = ""] = /^curl -s (\S+)/u.exec(line) ?? [];
  const headers = [...line.matchAll(/-H '([^:']+): ([^']*)'/gu)].map(([, name = "", value = ""]) => [name, value]);
  const [, body] = /-d '([^']*)'/u.exec(line) ?? [];
  const response = await fetch(url, {
    headers: Object.fromEntries(headers),
    ...(body !== undefined && { method: "POST", body }),
  });
  expect(response.status).toBe(200);
  return response.text();
}
