// A person without a mouse: all main actions by keys, with the focus visible all the time.
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isMissing } from "../support/chromium.ts";
import { utterance } from "../support/envelopes.ts";
import { startScriptedAgent } from "../support/scripted-agent.ts";
import type { Person } from "./person.ts";
import { usePageFloor } from "./use-page-floor.ts";

const tabsMax = 60;

describe.skipIf(isMissing)("with the keyboard alone", { timeout: 300_000 }, () => {
  const shared = usePageFloor({ hosted: ["echo"] });

  async function seat() {
    const clerk = await startClerk();
    const conversation = await shared.floor.begin({ title: "Without a mouse", agents: [clerk] });
    const host = await shared.floor.openAsHost(conversation);
    return { host, conversation, ...handsOf(host) };
  }

  test("a person speaks, mentions, whispers, answers and stops by keys", async () => {
    const { host, press, type, tabTo, hasFocus, command } = await seat();
    await hasFocus(host.field);
    await type("hello by keys");
    await press("Enter");
    await host.utterances("You").getByText("hello by keys").waitFor();
    await hasFocus(host.field);

    await type("@Cle");
    await host.form.getByRole("option", { name: /Clerk/u }).waitFor();
    await press("Enter");
    await type("are you there?");
    await press("Enter");
    await host.utterances("You, to Clerk").getByText("are you there?").waitFor();
    await host.sees("Clerk heard: @Clerk are you there?");

    await press("Alt+w");
    await host.form.getByText("Only Clerk will see this").waitFor();
    await type("between us");
    await press("Enter");
    await host.utterances("You, privately to Clerk").getByText("between us").waitFor();
    await press("Escape");
    await host.form.getByPlaceholder("Say something to everyone").waitFor();
    await hasFocus(host.field);

    await type("ask");
    await press("Enter");
    const dock = host.page.getByRole("region", { name: "A question for you" });
    await dock.waitFor();
    await tabTo(dock.getByRole("button", { name: "Answer" }), "Shift+Tab");
    await press("Enter");
    await hasFocus(host.log.getByRole("textbox", { name: "What shall I call you?" }));
    await type("Elizabeth");
    await press("Enter");
    await host.sees("You answered Elizabeth");

    await command("write");
    await hasFocus(host.field);
    await type("talk");
    await press("Enter");
    await host.log.getByRole("article", { name: "Clerk is answering" }).waitFor();
    await press("Alt+s");
    await host.page.getByRole("status").getByText("The agents were paused").waitFor();
    await hasFocus(host.field);
  });

  test("a person requests the floor, yields, invites, renames and searches by keys", async () => {
    const { host, press, type, tabTo, hasFocus, command } = await seat();
    const { page } = host;
    await command("invite");
    const invite = page.getByRole("dialog", { name: "Invite" });
    await tabTo(invite.getByLabel("Search"));
    await type("echo");
    await tabTo(invite.getByRole("button", { name: "Invite Echo" }));
    await press("Enter");
    await host.conversant("Echo").getByText("has the floor").waitFor();
    await invite.waitFor({ state: "detached" });
    await hasFocus(host.field);

    for (const words of ["one", "two", "three"]) {
      await type(words);
      await press("Enter");
      await host.utterances("You").getByText(words, { exact: true }).waitFor();
      await host.sees(`You said: ${words}`);
    }
    await press("Alt+ArrowUp");
    const newest = await focusedSeq(host);
    await press("Alt+ArrowUp");
    expect(await focusedSeq(host)).toBeLessThan(newest);
    await press("Alt+ArrowDown");
    expect(await focusedSeq(host)).toBe(newest);

    await press("y");
    await host.conversant("Host").getByText("listening").waitFor();
    await press("r");
    await host.conversant("Host").getByText("have the floor").waitFor();

    const lanes = host.strip.getByRole("listbox");
    await tabTo(lanes, "Shift+Tab");
    await press("Home");
    await press("ArrowRight");
    await press("ArrowLeft");
    await press("Enter");
    await hasFocus(host.utterances("Echo").filter({ hasText: "Hello, I am Echo" }));

    await press("f");
    await hasFocus(page.getByRole("dialog", { name: "Search" }).getByRole("combobox"));
    await type("three");
    await page.getByRole("dialog", { name: "Search" }).getByRole("option").first().waitFor();
    await press("ArrowDown");
    await press("Enter");
    await hasFocus(host.utterances("You").filter({ hasText: "three" }));

    await command("rename");
    await hasFocus(page.getByRole("dialog", { name: "Rename the conversation" }).getByLabel("Title"));
    await type("By keys");
    await press("Enter");
    await page.getByRole("heading", { name: "By keys" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await isSomewhere(host);
  });

  test("a person opens help, chooses the theme, and switches single-key shortcuts off", async () => {
    const { host, press, type, tabTo, hasFocus, command } = await seat();
    const { page } = host;
    const help = page.getByRole("dialog", { name: "Keys and words" });
    await hasFocus(host.field);
    await type("one");
    await press("Enter");
    // Waits for the log: before that, the keys do not move to this utterance.
    await page
      .getByRole("article", { name: /^You, \d/ })
      .getByText("one")
      .waitFor();
    await press("Alt+ArrowUp");
    await press("?");
    await help.waitFor();
    await press("Escape");
    await help.waitFor({ state: "detached" });
    await isSomewhere(host);
    await press("c");
    await hasFocus(host.field);

    await command("dark");
    await expect.poll(() => page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    await isSomewhere(host);

    await command("settings");
    const settings = page.getByRole("dialog", { name: "Settings" });
    await tabTo(settings.getByRole("radio", { name: "Dark" }));
    await press("ArrowLeft");
    await expect.poll(() => page.evaluate("document.documentElement.dataset.theme")).toBe("light");
    await tabTo(settings.getByRole("checkbox", { name: "Single keys" }));
    await press("Space");
    await press("Escape");
    await settings.waitFor({ state: "detached" });
    await isSomewhere(host);
    await press("?");
    await press("c");
    // Keys with Ctrl and Alt still work: an effect of the other keys would show before this one.
    await press("Control+k");
    await hasFocus(page.getByRole("dialog", { name: "Commands" }).getByRole("combobox"));
    expect(await page.getByRole("dialog").count()).toBe(1);
    await press("Escape");
    await isSomewhere(host);
  });

  function handsOf(host: Person) {
    const { keyboard } = host.page;
    const hasFocus = (where: Locator) =>
      expect.poll(() => host.page.locator(":focus").and(where).count(), { timeout: 60_000 }).toBe(1);
    const press = async (key: string) => {
      await keyboard.press(key);
      expect([key, await host.page.evaluate(unseenFocus)]).toEqual([key, ""]);
    };
    return {
      press,
      hasFocus,
      /** Runs a command of the palette. */
      async command(name: string) {
        await press("Control+k");
        await hasFocus(host.page.getByRole("dialog", { name: "Commands" }).getByRole("combobox"));
        await keyboard.type(name);
        await press("Enter");
      },
      type: (text: string) => keyboard.type(text),
      async tabTo(where: Locator, key = "Tab") {
        await where.waitFor();
        for (let tabs = 0; tabs < tabsMax; tabs += 1) {
          if ((await host.page.locator(":focus").and(where).count()) === 1) return;
          await press(key);
        }
        throw new Error(`not to be reached by ${key}: ${where}`);
      },
    };
  }
});

/** The focus has returned from the closed dialog. */
async function isSomewhere({ page }: Person): Promise<void> {
  await expect.poll(() => page.evaluate("document.activeElement?.tagName")).not.toBe("BODY");
}

async function focusedSeq({ page }: Person): Promise<number> {
  return Number(await page.evaluate("document.activeElement?.dataset.utterance"));
}

/** The focused element, if neither it nor the frame around it has a visible focus outline. */
const unseenFocus = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return "";
  const isShown = (one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
    return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
  };
  for (let one = element, levels = 0; one !== null && levels < 3; one = one.parentElement, levels += 1) {
    if (isShown(one)) return "";
  }
  return element.outerHTML.slice(0, 120);
})()`;

/** Obeys one-word commands, and repeats other utterances. */
async function startClerk() {
  const clerk = await startScriptedAgent({
    name: "Clerk",
    async onUtterance(cue) {
      const { speakerUri } = clerk;
      if (cue.text === "ask") {
        const value = { id: "q1", input_type: "text", text: "What shall I call you?" };
        const interaction = { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value }] };
        return cue.answer(
          utterance(speakerUri, value.text, { to: { speakerUri: cue.from }, features: { interaction } }),
        );
      }
      if (cue.text === "talk") {
        cue.stream().write("And furthermore");
        return cue.cut;
      }
      return cue.text.includes("there") ? cue.answer(utterance(speakerUri, `Clerk heard: ${cue.text}`)) : cue.answer();
    },
  });
  return clerk;
}
