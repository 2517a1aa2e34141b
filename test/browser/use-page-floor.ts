// One browser and one page floor for all tests of a file. After each test its pages close and must have reported no problem.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { startChromium } from "../support/chromium.ts";
import { endScriptedAgents } from "../support/scripted-agent.ts";
import { type PageFloor, startPageFloor } from "./page-floor.ts";

type Setting = Omit<Parameters<typeof startPageFloor>[0], "browser">;

export function usePageFloor(setting: Setting = {}): { readonly floor: PageFloor; readonly browser: Browser } {
  let browser: Browser | undefined;
  let floor: PageFloor | undefined;
  beforeAll(async () => {
    browser = await startChromium();
    floor = await startPageFloor({ browser, ...setting });
  });
  afterEach(async ({ task }) => {
    const people = floor?.people.splice(0) ?? [];
    if (task.result?.state === "fail") for (const person of people) await printPage(person);
    for (const { context } of people) await context.close();
    await endScriptedAgents();
    const isElsewhere = ({ url }: { url: string }) =>
      !/^(?:blob|data):/u.test(url) && !url.startsWith(`${floor?.url}/`);
    for (const { name, complaints, requests } of people) {
      expect([name, ...complaints]).toEqual([name]);
      expect([name, ...requests.filter(isElsewhere)]).toEqual([name]);
    }
    expect(floor?.errors).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await floor?.close();
  });
  return {
    get floor(): PageFloor {
      if (floor === undefined) throw new Error("the floor starts before the first test of the file");
      return floor;
    },
    get browser(): Browser {
      if (browser === undefined) throw new Error("the browser starts before the first test of the file");
      return browser;
    },
  };
}

/** The content of a person's page when a test failed. */
async function printPage({ name, page, complaints }: PageFloor["people"][number]): Promise<void> {
  const shown = page.isClosed() ? "nothing: the page is closed" : await page.locator("body").ariaSnapshot();
  console.error([`${name} saw:`, shown, ...complaints].join("\n"));
}
