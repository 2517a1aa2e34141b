// Somebody in front of a browser of its own: what it does, and what it finds on the page as a person would.
import type { BrowserContext, Locator } from "playwright-core";
import { openPage } from "./chromium.ts";

export type Person = Awaited<ReturnType<typeof seatPerson>>;

/** Whatever is to be seen is there within this time, or it is not there. For `expect.poll`. */
export const patience = { timeout: 15_000 };

export async function seatPerson(context: BrowserContext, name: string) {
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
    ...{ ...watched, context, name, frames: () => frames, log, form, field, utterances, sees },
    panel: page.getByRole("complementary", { name: "Who is here" }),
    strip: page.getByRole("region", { name: "Who has the floor" }),
    async say(text: string) {
      await field.fill(text);
      await press("Enter");
    },
    /** By a name that is chosen from the list. */
    async mention(whom: string, text: string) {
      await field.fill("");
      await field.pressSequentially(`@${whom.slice(0, 3)}`);
      await form.getByRole("option", { name: new RegExp(whom) }).waitFor();
      await press("Enter");
      await field.pressSequentially(text);
      await press("Enter");
    },
    /** By the button with the lock; afterwards this person speaks to everyone again. */
    async whisper(whom: string, text: string) {
      await form.getByRole("button", { name: "Whisper", exact: true }).click();
      const choice = form.getByRole("group", { name: "Who is the whisper for?" }).getByRole("button", { name: whom });
      const isKnown = form.getByText(`Only ${whom} will see this`);
      await choice.or(isKnown).first().waitFor();
      if (await choice.isVisible()) await choice.click();
      await isKnown.waitFor();
      await field.fill(text);
      await press("Enter");
      await press("Escape");
      await form.getByPlaceholder("Say something to everyone").waitFor();
    },
    /** What was said, by whom: the words of the utterance that holds them. */
    utterance: (words: string | RegExp) => log.getByRole("article").filter({ hasText: words }),
    /** One of the list at the side. */
    conversant: (whom: string) =>
      page.getByRole("complementary", { name: "Who is here" }).getByRole("listitem").filter({ hasText: whom }),
    /** Chooses what to do with a conversant. */
    async treat(whom: string, deed: string) {
      await page.getByRole("button", { name: `Actions for ${whom}` }).click();
      await page.getByRole("menuitem", { name: deed }).click();
    },
    /** Chooses what to do with the conversation, and confirms it where asked. */
    async choose(deed: string) {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: deed }).click();
      const sure = page.getByRole("menuitem", { name: `Yes, ${deed.toLowerCase()}` });
      if (await sure.isVisible()) await sure.click();
    },
    /** Everything that this browser keeps for the floor's origin. */
    storage: (): Promise<string> =>
      page.evaluate(`(async () => JSON.stringify({
        local: { ...localStorage },
        session: { ...sessionStorage },
        cookies: document.cookie,
        databases: (await indexedDB.databases()).map(({ name }) => name),
        caches: await caches.keys(),
      }))()`),
    /** Wider than the window, in pixels. */
    overflow: (): Promise<number> => page.evaluate("document.documentElement.scrollWidth - window.innerWidth"),
    leave: () => context.close(),
  };
}
