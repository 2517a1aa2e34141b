// One command, one link and one utterance are enough to be answered by an agent.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMissing, startChromium } from "../support/chromium.ts";
import { environment, main } from "../support/plenary-command.ts";
import { openPerson } from "./person.ts";

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

  test("opens the printed link, types a word, and is answered", async () => {
    const newcomer = await openPerson(await browser.newContext(), "Newcomer");
    const { page, requests, complaints } = newcomer;
    await page.goto(started.link);
    await page.getByRole("heading", { name: "Welcome", level: 1 }).waitFor();
    for (const agent of ["Guide", "Clock", "Calculator"]) {
      await newcomer.conversant(agent).getByText("has the floor").waitFor();
      await newcomer.utterances(agent).first().waitFor();
    }
    await newcomer.field.click();
    await page.keyboard.type("hello");
    await page.keyboard.press("Enter");
    await newcomer.utterances("Guide").getByText("Everyone here heard you").waitFor();
    // The Clock answers while the Guide is still speaking: the last utterance is visible all the same.
    await page.keyboard.type("Clock, what time is it in Tokyo?");
    await page.keyboard.press("Enter");
    await newcomer.utterances("Clock").getByText("in Tokyo").waitFor();
    await newcomer.utterances("Guide").getByText("write whatever you like").waitFor();
    const scroller = page.getByRole("region", { name: "What was said" });
    const below = () => scroller.evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight);
    await expect.poll(below).toBeLessThan(2);
    await page.keyboard.type("what is 17 * 23?");
    await page.keyboard.press("Enter");
    await newcomer.utterances("Calculator").getByText("391").waitFor();
    expect(page.url()).toMatch(/\/\?conversation=[^#]+$/u);
    expect(await newcomer.storage()).not.toContain(started.token);
    const carriers = requests.filter(({ url, body }) => `${url} ${body}`.includes(started.token));
    expect(carriers).toEqual([]);
    await page.reload();
    await newcomer.utterances("Calculator").getByText("391").waitFor();
    await page.setViewportSize({ width: 320, height: 560 });
    await newcomer.sees("391");
    expect(await newcomer.overflow()).toBe(0);
    expect(requests.filter(({ url }) => !url.startsWith(`${started.url}/`))).toEqual([]);
    expect(complaints).toEqual([]);
    await newcomer.leave();
  });

  test("finds the same conversation again in another browser, by the same link", async () => {
    const again = await openPerson(await browser.newContext(), "Newcomer");
    await again.page.goto(started.link);
    await again.page.getByRole("heading", { name: "Welcome", level: 1 }).waitFor();
    await again.utterances("Calculator").getByText("391").waitFor();
    const list = again.page.getByRole("navigation", { name: "Conversations" });
    expect(await list.getByRole("listitem").count()).toBe(1);
    await again.leave();
  });

  test("without the link, sees where to find it", async () => {
    const stranger = await openPerson(await browser.newContext(), "Stranger");
    await stranger.page.goto(started.url);
    await stranger.page.getByText("open the link that the floor printed").waitFor();
    await stranger.page.setViewportSize({ width: 320, height: 560 });
    expect(await stranger.overflow()).toBe(0);
    await stranger.leave();
  });
});
