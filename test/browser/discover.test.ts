// A person finds an agent by a task in the invite dialog.
import { manifestAt, openForeignDiscovery, type Question } from "@plenary/sdk/testing/foreign-discovery";
import type { Page, Request } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { isMissing } from "../support/chromium.ts";
import { usePageFloor } from "./use-page-floor.ts";

const markup = `<img src=x onerror="window.owned = true"><b>bold</b>`;

/** A discovery agent that knows one agent, whose manifest is full of payloads. */
function hostileFinder({ text }: Question, url: string) {
  const self = manifestAt(url, "Finder");
  const servicing = manifestAt("http://127.0.0.1:1/trap", "Trap", { score: 0.9 });
  Object.assign(servicing.identification, { conversationalName: markup, synopsis: markup, organization: markup });
  const { speakerUri, serviceUrl } = servicing.identification;
  const role = { openFloorRoles: { discovery: true } };
  if (text === "") return { servicingManifests: [{ ...self, identification: { ...self.identification, ...role } }] };
  if (!text.includes("trap")) return {};
  return { servicingManifests: [servicing], reasons: [{ speakerUri, serviceUrl, words: [markup] }] };
}

const isEnvelope = (request: Request) => request.url().endsWith("/openfloor") && request.method() === "POST";

const isAskedFor = (words: string, request: Request) => request.postData()?.includes(words) === true;

async function openPanel(page: Page) {
  await page.getByRole("button", { name: "Invite" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Invite" });
  await dialog.getByRole("tab", { name: "Known agents" }).focus();
  await page.keyboard.press("ArrowRight");
  await dialog.getByLabel("What do you need?").waitFor();
  return dialog;
}

describe.skipIf(isMissing)("the invite dialog", () => {
  const shared = usePageFloor({ hosted: ["discovery", "clock", "calculator"] });

  test("finds the clock by a task and invites it by keyboard with the request in one envelope", async () => {
    const { page, utterance, sees } = await shared.floor.openAsHost(await shared.floor.begin());
    const sent: string[] = [];
    page.on("request", (request) => isEnvelope(request) && sent.push(request.postData() ?? ""));
    const dialog = await openPanel(page);
    await page.keyboard.press("Tab");
    await page.keyboard.type("what time is it in Tokyo");
    const list = dialog.getByRole("list", { name: "Agents that may help, the best first" });
    const first = list.getByRole("listitem").first();
    await first.getByText("Clock", { exact: true }).first().waitFor();
    await first.getByText(/^fits \d+ %$/u).waitFor();
    await first.getByText(/matches .*Tokyo.* · answers/u).waitFor();
    await page.keyboard.press("Tab");
    await dialog.getByLabel("Also ask it this").and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "hidden" });
    await utterance("what time is it in Tokyo").waitFor();
    await sees(/Tokyo.*\d\d:\d\d|\d\d:\d\d.*Tokyo/u);
    const { openFloor } = JSON.parse(sent[0] ?? "");
    const serviceUrl = `${shared.floor.url}/agents/clock`;
    const speakerUri = expect.stringContaining("clock");
    expect(sent).toHaveLength(1);
    expect(openFloor.events).toMatchObject([
      { eventType: "invite", to: { serviceUrl, speakerUri } },
      { eventType: "utterance", to: { speakerUri } },
    ]);
    expect(openFloor.events[1].to.speakerUri).toBe(openFloor.events[0].to.speakerUri);
    expect(openFloor.events[1].to.private).toBeUndefined();
    // An agent that has joined gets the question without another invite.
    await (await openPanel(page)).getByLabel("What do you need?").fill("and what time is it in Lima");
    await dialog.getByRole("button", { name: "Ask Clock" }).click();
    await utterance("and what time is it in Lima").waitFor();
    expect(sent[1]).not.toContain("invite");
  });

  test("shows a hint for no result, drops a late result, and only invites when the box is not ticked", async () => {
    const { page, panel } = await shared.floor.openAsHost(await shared.floor.begin());
    const dialog = await openPanel(page);
    const field = dialog.getByLabel("What do you need?");
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/api/v1/discover", async (route) => {
      if (isAskedFor("what time", route.request())) await held;
      await route.continue();
    });
    const late = page.waitForResponse((response) => isAskedFor("what time", response.request()));
    await field.fill("what time is it in Tokyo");
    await page.waitForRequest("**/api/v1/discover");
    await field.fill("repair my bicycle chain");
    const nobody = dialog.getByText("No agent was found for “repair my bicycle chain”. Try other words.");
    await nobody.waitFor();
    release();
    await (await late).finished();
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    expect(await nobody.isVisible()).toBe(true);
    expect(await dialog.getByText("Clock", { exact: true }).count()).toBe(0);
    await dialog.getByRole("button", { name: "Invite one by its address" }).waitFor();
    await field.fill("calculate a percentage");
    await dialog.getByLabel("Also ask it this").uncheck();
    const sent = page.waitForRequest(isEnvelope);
    await dialog.getByRole("button", { name: "Invite Calculator" }).click();
    const { openFloor } = JSON.parse((await sent).postData() ?? "");
    expect(openFloor.events.map(({ eventType }: { eventType: string }) => eventType)).toEqual(["invite"]);
    await panel.getByText("Calculator").first().waitFor();
  });

  test("shows a hostile manifest and its reasons as plain text", async () => {
    const finder = await openForeignDiscovery(hostileFinder);
    onTestFinished(finder.close);
    await shared.floor.must("POST", "/api/v1/agents", { serviceUrl: finder.url });
    const { page, overflow } = await shared.floor.openAsHost(await shared.floor.begin());
    const dialog = await openPanel(page);
    await dialog.getByLabel("What do you need?").fill("a trap");
    const row = dialog.getByRole("listitem").filter({ hasText: "window.owned" });
    await row.getByText(`matches ${markup}`).waitFor();
    expect(await row.locator("b").first().textContent()).toBe(markup);
    expect(await row.locator("img").count()).toBe(0);
    expect(await page.evaluate("window.owned")).toBeUndefined();
    expect(await overflow()).toBe(0);
  });
});
