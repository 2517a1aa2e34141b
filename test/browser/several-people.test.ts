// Two and more people at one floor, each with a browser of their own.
import { describe, expect, test } from "vitest";
import { isMissing } from "../support/chromium.ts";
import { type Person, patience } from "./person.ts";
import { usePageFloor } from "./use-page-floor.ts";

describe.skipIf(isMissing)("people in one conversation", () => {
  let noticeAway = (_speakerUri: string) => {};
  const onPresence = (speakerUri: string, state: string) => state === "away" && noticeAway(speakerUri);
  const shared = usePageFloor({ options: { streams: { limits: { awayMs: 200 }, onPresence } } });

  /** The link, as the page creates and copies it. */
  async function linkFrom(host: Person, label: string): Promise<string> {
    const { page } = host;
    await page.getByRole("button", { name: "Invite", exact: true }).first().click();
    const dialog = page.getByRole("dialog", { name: "Invite" });
    await dialog.getByRole("tab", { name: "A person" }).click();
    await dialog.getByLabel("Who it is for (optional)").fill(label);
    await dialog.getByRole("button", { name: "Make a link" }).click();
    const link = await dialog.getByLabel("The link, shown only now").inputValue();
    await dialog.getByText("1 use left").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    return link;
  }

  async function comeBy(link: string, name: string): Promise<Person> {
    const guest = await shared.floor.stranger();
    await guest.page.goto(link);
    await guest.page.getByLabel("Your name").waitFor();
    await guest.page.keyboard.type(name);
    await guest.page.getByRole("button", { name: "Join" }).click();
    await guest.field.waitFor();
    return guest;
  }

  test("a guest joins by a link that the owner made on the page, and both see each other join, speak and leave", async () => {
    const host = await shared.floor.openAsHost(await shared.floor.begin());
    const gus = await comeBy(await linkFrom(host, "for Gus"), "Gus");
    await host.sees("Gus came in");
    await host.conversant("Gus").getByText("has the floor").waitFor();
    await gus.conversant("Host").getByText("owner").waitFor();
    await gus.say("I came by your link");
    await host.utterances("Gus").getByText("I came by your link").waitFor();
    await host.say("be welcome, Gus");
    await gus.utterances("Host").getByText("be welcome, Gus").waitFor();
    await gus.utterances("You").getByText("I came by your link").waitFor();
    await gus.choose("Leave");
    await gus.page
      .getByRole("region", { name: "Speaking" })
      .getByText("You are not in this conversation any more.")
      .waitFor();
    await host.sees("Gus left");
    await expect.poll(() => host.conversant("Gus").count(), patience).toBe(0);
  });

  test("a person who closes the page is shown as away, and keeps the seat", async () => {
    const conversation = await shared.floor.begin();
    const host = await shared.floor.openAsHost(conversation);
    const gus = await shared.floor.openAsGuest("Gus", conversation);
    await host.conversant("Gus").waitFor();
    const isAway = new Promise((resolve) => {
      noticeAway = resolve;
    });
    await gus.leave();
    await isAway;
    // The page asks for the presence of people with each change of the log.
    await host.say("is anybody there?");
    await host.conversant("Gus").getByText("away").waitFor();
    await host.conversant("Gus").getByText("has the floor").waitFor();
  });

  test("two guests with the same name are two people", async () => {
    const conversation = await shared.floor.begin();
    const [one, other] = [
      await shared.floor.openAsGuest("Sam", conversation),
      await shared.floor.openAsGuest("Sam", conversation),
    ];
    await one.say("I am the first Sam");
    await other.log.getByRole("article", { name: /^Sam/ }).getByText("I am the first Sam").waitFor();
    await one.utterances("You").getByText("I am the first Sam").waitFor();
    expect(await one.conversant("Sam").count()).toBe(2);
    await one.sees("Sam (2) came in");
  });

  describe("a whisper", () => {
    const secret = "the-canary-sings-at-nine";

    test("reaches its addressee, and no other page, frame or storage contains it", async () => {
      const conversation = await shared.floor.begin();
      const host = await shared.floor.openAsHost(conversation);
      const ann = await shared.floor.openAsGuest("Ann", conversation);
      const bob = await shared.floor.openAsGuest("Bob", conversation);
      await ann.conversant("Bob").waitFor();
      await ann.whisper("Bob", secret);
      await bob.utterances("Ann, privately to you").getByText(secret).waitFor();
      await bob.utterance(secret).getByText("whisper", { exact: true }).waitFor();
      await ann.utterances("You, privately to Bob").getByText(secret).waitFor();
      // The owner may know that there was a whisper.
      await host.sees("Ann whispered to Bob");
      await ann.say("and now aloud");
      for (const person of [host, bob]) await person.sees("and now aloud");
      expect(await whatIsLeftWith(host)).not.toContain(secret);
      expect(await whatIsLeftWith(bob)).toContain(secret);
    });

    test("between others leaves no trace with a third guest, even after a reload", async () => {
      const conversation = await shared.floor.begin();
      const ann = await shared.floor.openAsGuest("Ann", conversation);
      const bob = await shared.floor.openAsGuest("Bob", conversation);
      const cid = await shared.floor.openAsGuest("Cid", conversation);
      await ann.conversant("Bob").waitFor();
      await ann.whisper("Bob", secret);
      await bob.sees(secret);
      await bob.say("noted");
      await cid.sees("noted");
      expect(await whatIsLeftWith(cid)).not.toContain(secret);
      await cid.page.reload();
      await cid.sees("noted");
      const left = await whatIsLeftWith(cid);
      expect(left).not.toContain(secret);
      expect(left).not.toMatch(/whisper(?:ed|s)/u);
    });

    /** Everything that a person could find in its own browser. */
    async function whatIsLeftWith({ page, frames, storage }: Person): Promise<string> {
      return [await page.content(), ...frames(), await storage()].join("\n");
    }
  });
});
