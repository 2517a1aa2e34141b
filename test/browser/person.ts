// A person with a browser: actions on the page, and locators by what a person sees.
import type { BrowserContext, Locator, Page } from "playwright-core";
import { openPage } from "../support/chromium.ts";

export type Person = Awaited<ReturnType<typeof openPerson>>;

/** How long the page may take to show something. For `expect.poll`. */
export const patience = { timeout: 60_000 };

export async function openPerson(context: BrowserContext, name: string) {
  context.setDefaultTimeout(patience.timeout);
  const watched = await openPage(context);
  const { page } = watched;
  const frames: string[] = [];
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => frames.push(String(payload))));
  const log = page.getByRole("log", { name: "Conversation" });
  const form = page.getByRole("form", { name: "Speaking" });
  const field = form.getByPlaceholder(/^(Say something|Whisper) to/);
  const utterances = (from?: string) =>
    log.getByRole("article", from === undefined ? {} : { name: new RegExp(`^${from},`) });
  const press = (key: string) => field.press(key);
  const sees = (words: string | RegExp, where: Locator = log) => where.getByText(words).first().waitFor();
  return {
    ...watched,
    context,
    name,
    frames: () => frames,
    log,
    form,
    field,
    utterances,
    sees,
    panel: page.getByRole("complementary", { name: "Who is here" }),
    strip: page.getByRole("region", { name: "Who has the floor" }),
    async say(text: string) {
      await field.fill(text);
      await press("Enter");
    },
    /** Mentions a conversant that is chosen from the list. */
    async mention(target: string, text: string) {
      await field.fill("");
      await field.pressSequentially(`@${target.slice(0, 3)}`);
      await form.getByRole("option", { name: new RegExp(target) }).waitFor();
      await press("Enter");
      await field.pressSequentially(text);
      await press("Enter");
    },
    /** Whispers with the lock button; afterwards this person speaks to everyone again. */
    async whisper(target: string, text: string) {
      await form.getByRole("button", { name: "Whisper", exact: true }).click();
      const choice = form.getByRole("group", { name: "Who is the whisper for?" }).getByRole("button", { name: target });
      const isKnown = form.getByText(`Only ${target} will see this`);
      await choice.or(isKnown).first().waitFor();
      if (await choice.isVisible()) await choice.click();
      await isKnown.waitFor();
      await field.fill(text);
      await press("Enter");
      await press("Escape");
      await form.getByPlaceholder("Say something to everyone").waitFor();
    },
    /** The utterance that contains the words. */
    utterance: (words: string | RegExp) => log.getByRole("article").filter({ hasText: words }),
    /** A conversant of the list at the side. */
    conversant: (target: string) =>
      page.getByRole("complementary", { name: "Who is here" }).getByRole("listitem").filter({ hasText: target }),
    ...menusOf(page),
    leave: () => context.close(),
  };
}

function menusOf(page: Page) {
  return {
    /** Chooses an action of a conversant's menu. */
    async treat(target: string, action: string) {
      await page.getByRole("button", { name: `Actions for ${target}` }).click();
      await page.getByRole("menuitem", { name: action }).click();
    },
    /** Chooses an action of the conversation's menu, and confirms it where the page asks. */
    async choose(action: string) {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: action }).click();
      const sure = page.getByRole("menuitem", { name: `Yes, ${action.toLowerCase()}` });
      if (await sure.isVisible()) await sure.click();
    },
    /** Everything that this browser stores for the floor's origin. */
    storage: (): Promise<string> =>
      page.evaluate(`(async () => JSON.stringify({
        local: { ...localStorage },
        session: { ...sessionStorage },
        cookies: document.cookie,
        databases: (await indexedDB.databases()).map(({ name }) => name),
        caches: await caches.keys(),
      }))()`),
    /** By how many pixels the document is wider than the window. */
    overflow: (): Promise<number> => page.evaluate("document.documentElement.scrollWidth - window.innerWidth"),
  };
}
