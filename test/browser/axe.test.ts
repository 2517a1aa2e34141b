// No view of the page has a serious accessibility fault: in the light and the dark theme, at desktop and phone size.
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isMissing } from "../support/chromium.ts";
import type { Person } from "./person.ts";
import { openRichConversation } from "./rich-conversation.ts";
import { usePageFloor } from "./use-page-floor.ts";

type Finding = { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] };

const desk = { width: 1280, height: 800 };
const phone = { width: 390, height: 800 };
/** Each size and each theme once; a nightly run has each size in each theme. */
const looks = [
  { size: "desk", viewport: desk, colorScheme: "light" },
  { size: "phone", viewport: phone, colorScheme: "dark" },
  ...(process.env.PLENARY_NIGHTLY === "1"
    ? ([
        { size: "desk", viewport: desk, colorScheme: "dark" },
        { size: "phone", viewport: phone, colorScheme: "light" },
      ] as const)
    : []),
] as const;

const run = `axe.run(document, {
  iframes: false,
  resultTypes: ["violations"],
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}).then(({ violations }) => violations)`;

async function findings(page: Page, view: string): Promise<string[]> {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(axe.source);
  const found: string[] = [];
  for (const { size, viewport, colorScheme } of looks) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    for (const { id, impact, nodes } of (await page.evaluate(run)) as Finding[]) {
      if (impact !== "serious" && impact !== "critical") continue;
      for (const { target, failureSummary } of nodes.slice(0, 3)) {
        found.push(`${view}, ${size}, ${colorScheme}: ${id} at ${target.join(" ")}: ${failureSummary}`);
      }
    }
  }
  await page.setViewportSize(desk);
  return found;
}

describe.skipIf(isMissing)("axe finds no serious fault", { timeout: 600_000 }, () => {
  const shared = usePageFloor({
    hosted: ["guide", "clock", "calculator"],
    options: { deliveryLimits: { silenceMs: 300_000 } },
  });

  test("before sign-in, and in the first conversation", async () => {
    const host = await shared.floor.stranger();
    await host.page.goto(shared.floor.link);
    await host.utterances("Guide").first().waitFor();
    const found = await findings(host.page, "the welcome");
    const stranger = await shared.floor.stranger();
    const { page } = stranger;
    await page.goto(shared.floor.url);
    await page.getByRole("heading", { name: "An open floor for people and agents" }).waitFor();
    found.push(...(await findings(page, "the door")));
    const { link } = await shared.floor.linkTo(await shared.floor.begin());
    await page.goto(link);
    await page.getByLabel("Your name").waitFor();
    found.push(...(await findings(page, "the guest's entry")));
    // The page asks whether a session cookie exists.
    stranger.complaints.splice(0);
    expect(found).toEqual([]);
  });

  test("in a rich conversation, in its composer and in its pictures", async () => {
    const { host, end } = await openRichConversation(shared.floor);
    const { page, form, field } = host;
    const found = await findings(page, "a rich conversation");
    await page.getByRole("region", { name: "What was said" }).press("Home");
    found.push(...(await findings(page, "its beginning")));
    await field.press("Alt+w");
    await form.getByText("Who is the whisper for?").first().waitFor();
    found.push(...(await findings(page, "whisper to whom")));
    await form.getByRole("group", { name: "Who is the whisper for?" }).getByRole("button").first().click();
    found.push(...(await findings(page, "whisper mode")));
    await field.press("Escape");
    await field.fill("@");
    await form.getByRole("option").first().waitFor();
    found.push(...(await findings(page, "the mention list")));
    await field.fill("/");
    await form.getByRole("option").first().waitFor();
    found.push(...(await findings(page, "the command list")));
    await field.fill("");
    await host.strip.getByRole("button", { name: "Show as table" }).click();
    await host.strip.getByRole("table").waitFor();
    found.push(...(await findings(page, "the table twin")));
    await host.strip.getByRole("button", { name: "Show as picture" }).click();
    await host.panel.getByText("About").first().click();
    found.push(...(await findings(page, "details")));
    await page.getByRole("button", { name: "More", exact: true }).click();
    found.push(...(await findings(page, "a menu")).filter((one) => !isCovered(one)));
    await page.keyboard.press("Escape");
    await end();
    expect(found).toEqual([]);
  });

  test("in any dialog", async () => {
    const { host, end } = await openRichConversation(shared.floor);
    const { page } = host;
    const found: string[] = [];
    const look = async (view: string) => found.push(...(await findings(page, view)));
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("option").first().waitFor();
    await look("the palette");
    for (const [command, title] of [
      ["Help", "Keys and words"],
      ["Settings", "Settings"],
      ["New conversation", "New conversation"],
      ["Rename", "Rename the conversation"],
    ] as const) {
      await openBy(host, command);
      await page.getByRole("dialog", { name: title }).waitFor();
      await look(title);
      await page.keyboard.press("Escape");
    }
    await openBy(host, "Search in this");
    await page.getByRole("dialog").getByRole("combobox").fill("a");
    await page.getByRole("dialog").getByRole("option").first().waitFor();
    await look("search");
    await page.keyboard.press("Escape");
    await openBy(host, "Invite");
    for (const tab of ["Known agents", "By need", "By address", "A person"]) {
      await page.getByRole("dialog", { name: "Invite" }).getByRole("tab", { name: tab }).click();
      await look(`invite: ${tab}`);
    }
    await page.keyboard.press("Escape");
    await host.panel.getByRole("button", { name: "Choose the convener" }).click();
    await page.getByRole("dialog", { name: "Convener" }).waitFor();
    await look("the choice of a convener");
    await page.keyboard.press("Escape");
    await end();
    expect(found).toEqual([]);
  });

  test("in views of an ended conversation and of errors", async () => {
    const { host, conversation, end } = await openRichConversation(shared.floor);
    const { page, form } = host;
    await form.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("status").getByText("The agents were paused").waitFor();
    const found = await findings(page, "the pause");
    await host.choose("Copy link to this conversation");
    await page.getByRole("list", { name: "Notices" }).getByRole("listitem").first().waitFor();
    found.push(...(await findings(page, "a notice")));
    await host.context.setOffline(true);
    await page
      .getByText(/You are offline|Connection lost/u)
      .first()
      .waitFor();
    await host.say("said into the void");
    await host.log.getByText("waits to be sent").waitFor();
    found.push(...(await findings(page, "without a connection")));
    await host.context.setOffline(false);
    await host.utterances("You").getByText("said into the void").waitFor();
    await end();
    await shared.floor.must("POST", `/api/v1/conversations/${conversation}/close`);
    await page.getByText("This conversation is closed.").waitFor();
    found.push(...(await findings(page, "a closed conversation")));
    await page.goto(`${shared.floor.url}/?conversation=no-such-conversation`);
    await page.getByRole("alert").waitFor();
    found.push(...(await findings(page, "a failed opening")));
    host.complaints.splice(0);
    expect(found).toEqual([]);
  });
});

/** Elements below an open menu cannot be clicked and are not checked. */
function isCovered(finding: string): boolean {
  return finding.includes("target-size");
}

async function openBy({ page }: Person, command: string): Promise<void> {
  if ((await page.getByRole("dialog").count()) === 0) await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Commands" }).getByRole("combobox").fill(command);
  await page.keyboard.press("Enter");
}
