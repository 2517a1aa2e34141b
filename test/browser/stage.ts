// One browser and one floor for the tests of a file. Whoever came for a test leaves with it, and must have had no complaint.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { startChromium } from "./chromium.ts";
import { type Hall, openHall } from "./hall.ts";
import { endScriptedAgents } from "./scripted-agent.ts";

type Setting = Omit<Parameters<typeof openHall>[0], "browser">;

export function setStage(setting: Setting = {}): { readonly hall: Hall; readonly browser: Browser } {
  let browser: Browser | undefined;
  let hall: Hall | undefined;
  beforeAll(async () => {
    browser = await startChromium();
    hall = await openHall({ browser, ...setting });
  });
  afterEach(async ({ task }) => {
    const people = hall?.people.splice(0) ?? [];
    if (task.result?.state === "fail") for (const person of people) await showSight(person);
    for (const { context } of people) await context.close();
    await endScriptedAgents();
    const isElsewhere = ({ url }: { url: string }) => !/^(?:blob|data):/u.test(url) && !url.startsWith(`${hall?.url}/`);
    for (const { name, complaints, requests } of people) {
      expect([name, ...complaints]).toEqual([name]);
      expect([name, ...requests.filter(isElsewhere)]).toEqual([name]);
    }
    expect(hall?.errors).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await hall?.close();
  });
  return {
    get hall(): Hall {
      if (hall === undefined) throw new Error("the curtain has not risen yet");
      return hall;
    },
    get browser(): Browser {
      if (browser === undefined) throw new Error("the curtain has not risen yet");
      return browser;
    },
  };
}

/** What somebody had before its eyes when a test failed. */
async function showSight({ name, page, complaints }: Hall["people"][number]): Promise<void> {
  const sight = page.isClosed() ? "nothing: the page is closed" : await page.locator("body").ariaSnapshot();
  console.error([`${name} saw:`, sight, ...complaints].join("\n"));
}
