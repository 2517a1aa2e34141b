// A guest with a link needs a browser, a name and one click.
import { describe, expect, test } from "vitest";
import { isMissing } from "../support/chromium.ts";
import { utterance } from "../support/envelopes.ts";
import { startElsewhere } from "../support/other-site.ts";
import { startScriptedAgent } from "../support/scripted-agent.ts";
import { startPageFloor } from "./page-floor.ts";
import type { Person } from "./person.ts";
import { fastClock } from "./signed-in-floor.ts";
import { usePageFloor } from "./use-page-floor.ts";

type Json = Record<string, unknown>;

describe.skipIf(isMissing)("a guest in a browser", () => {
  const shared = usePageFloor();

  async function join({ page, field }: Person, link: string, name = "Gus"): Promise<void> {
    await page.goto(link);
    await page.getByLabel("Your name").waitFor();
    await page.keyboard.type(name);
    await page.getByRole("button", { name: "Join" }).click();
    await field.waitFor();
  }

  /** Sends an utterance without a browser. */
  async function say(conversation: string, speakerUri: string, event: Json): Promise<void> {
    const sender = { speakerUri };
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id: conversation }, sender, events: [event] };
    await shared.floor.must("POST", "/openfloor", { openFloor });
  }
  const hostSays = (conversation: string, text: string) =>
    say(conversation, shared.floor.host, utterance(shared.floor.host, text));

  /** What a browser logs of a refused request. */
  const refusals = ({ complaints }: Person) => complaints.splice(0).filter((one) => !/status of 40[134]/u.test(one));

  test("needs a name and one click, reads what is said from then on, and never sends the link again", async () => {
    const conversation = await shared.floor.begin();
    await hostSays(conversation, "before the guest came");
    const { link } = await shared.floor.linkTo(conversation);
    const invite = link.slice(link.indexOf("#invite=") + "#invite=".length);
    const gus = await shared.floor.stranger();
    await join(gus, link);
    await hostSays(conversation, "welcome, whoever you are");
    await gus.sees("welcome, whoever you are");
    await gus.say("I came by the link");
    await gus.utterances("You").getByText("I came by the link").waitFor();
    const { entries } = await shared.floor.must("GET", `/api/v1/conversations/${conversation}/log`);
    expect(JSON.stringify(entries)).toContain("I came by the link");
    for (const seen of [await gus.page.content(), ...gus.frames()]) expect(seen).not.toContain("before the guest came");
    expect(gus.page.url()).toBe(`${shared.floor.url}/`);
    expect(await gus.storage()).not.toContain(invite);
    expect(gus.requests.filter(({ url }) => url.includes(invite))).toEqual([]);
    const carriers = gus.requests.filter(({ body }) => body?.includes(invite));
    expect(carriers.map(({ method, url }) => `${method} ${url}`)).toEqual([`POST ${shared.floor.url}/api/v1/guests`]);
  });

  test("keeps the seat after a reload, and speaks from it", async () => {
    const conversation = await shared.floor.begin();
    const gus = await shared.floor.openAsGuest("Gus", conversation);
    await hostSays(conversation, "said before the reload");
    await gus.sees("said before the reload");
    await gus.page.reload();
    await gus.sees("said before the reload");
    await gus.field.fill("still me");
    await gus.form.getByRole("button", { name: "Send" }).click();
    await gus.utterances("You").getByText("still me").waitFor();
    const { conversants } = await shared.floor.must("GET", `/api/v1/conversations/${conversation}`);
    expect(JSON.stringify(conversants).match(/"conversationalName":"Gus"/gu)).toHaveLength(1);
  });

  test("sees names and text of others, and none of it runs code or sends a request", async () => {
    const elsewhere = await startElsewhere();
    const conversation = await shared.floor.begin();
    const gus = await shared.floor.stranger({ viewport: { width: 320, height: 640 } });
    let isCalled = false;
    await gus.page.exposeFunction("canary", () => {
      isCalled = true;
    });
    const attacks = hostile(elsewhere.url);
    await join(gus, (await shared.floor.linkTo(conversation)).link, attacks[0]);
    for (const [index, text] of attacks.entries()) {
      const { link } = await shared.floor.linkTo(conversation);
      const invite = link.slice(link.indexOf("=") + 1);
      const name = `${index} ${text}`;
      const { speakerUri } = await shared.floor.must("POST", "/api/v1/guests", { invite, name });
      await say(conversation, speakerUri, utterance(speakerUri, `${text} (${index})`));
      await gus.log.getByRole("article").getByText(name, { exact: true }).first().waitFor();
    }
    await hostSays(conversation, "the end");
    await gus.sees("the end");
    // Any request would have started before this.
    await gus.page.evaluate("new Promise((resolve) => requestIdleCallback(resolve))");
    expect(await gus.log.locator("script, iframe, object, embed, link, meta, [onerror], [onload]").count()).toBe(0);
    expect(isCalled).toBe(false);
    expect(await gus.overflow()).toBe(0);
    expect(elsewhere.hits).toEqual([]);
    await elsewhere.close();
  });

  test("is not offered to remove or silence an agent that the owner invited, and sees the reason", async () => {
    const agent = await startScriptedAgent({ name: "Keeper" });
    const conversation = await shared.floor.begin({ agents: [agent] });
    const host = await shared.floor.openAsHost(conversation);
    const gus = await shared.floor.openAsGuest("Gus", conversation);
    const offered = async ({ page }: Person) => {
      await page.getByRole("button", { name: "Actions for Keeper" }).click();
      await page.getByRole("menuitem", { name: "Mention" }).waitFor();
      return page.getByRole("menuitem").allTextContents();
    };
    expect(await offered(host)).toEqual(["Mention", "Whisper", "Take the floor back", "Remove …"]);
    expect(await offered(gus)).toEqual(["Mention", "Whisper"]);
    await gus.page.getByText("Only the owner removes it.").waitFor();
    expect(await host.page.getByText("Only the owner removes it.").count()).toBe(0);
  });

  test("whose connection fails gets every utterance after it reconnects", async () => {
    const conversation = await shared.floor.begin();
    const gus = await shared.floor.stranger();
    const { page } = gus;
    await page.route("**/api/v1/tickets", (route) => route.fulfill({ status: 503, body: "a proxy" }), { times: 1 });
    await page.route("**/api/v1/tickets", (route) => route.abort(), { times: 1 });
    await join(gus, (await shared.floor.linkTo(conversation)).link);
    const state = page.getByRole("main").getByText("Connection lost, trying again");
    await state.waitFor();
    await hostSays(conversation, "said meanwhile");
    await gus.sees("said meanwhile");
    await state.waitFor({ state: "detached" });
    expect(gus.complaints.splice(0).filter((one) => !one.startsWith("Failed to load resource"))).toEqual([]);
  });

  test("with a used-up link sees what to do, and pastes the next link", async () => {
    const conversation = await shared.floor.begin();
    const { link } = await shared.floor.linkTo(conversation);
    await shared.floor.must("POST", "/api/v1/guests", { invite: link.slice(link.indexOf("=") + 1) });
    const gus = await shared.floor.stranger();
    await gus.page.goto(link);
    await gus.page.getByLabel("Your name").fill("Gus");
    await gus.page.getByRole("button", { name: "Join" }).click();
    const trouble = gus.page.getByRole("alert");
    await trouble.getByText("used up").waitFor();
    expect(await trouble.textContent()).toBe(
      "This link is unknown, used up, withdrawn or too old. Ask the sender of the link for a new one.",
    );
    await gus.page.goto((await shared.floor.linkTo(conversation)).link);
    await gus.page.getByLabel("Your name").fill("Gus");
    await gus.page.getByRole("button", { name: "Join" }).click();
    await gus.field.waitFor();
    expect(await trouble.count()).toBe(0);
    expect(refusals(gus)).toEqual([]);
  });

  test("whose link is withdrawn is disconnected when it speaks", async () => {
    const { gus } = await withdrawn();
    // The page polls the floor, and may notice the withdrawal before anything is typed.
    const isOut = gus.page.getByRole("alert").waitFor();
    await Promise.race([isOut, gus.say("am I still here?").catch(() => isOut)]);
    await isShownOut(gus);
  });

  test("whose link is withdrawn is not let in again when it returns", async () => {
    let at = "";
    // An open page polls the floor, and may notice the withdrawal earlier.
    const { gus } = await withdrawn(async ({ page }) => {
      at = page.url();
      await page.goto("about:blank");
    });
    await gus.page.goto(at);
    await isShownOut(gus);
  });

  test("that the owner removes sees a notice", async () => {
    const conversation = await shared.floor.begin();
    const gus = await shared.floor.openAsGuest("Gus", conversation);
    const { conversants } = await shared.floor.must("GET", `/api/v1/conversations/${conversation}`);
    const { speakerUri } = conversants.at(-1).identification;
    await shared.floor.must("POST", `/api/v1/conversations/${conversation}/remove`, { speakerUri });
    await gus.page.getByRole("region", { name: "Speaking" }).getByText("not in this conversation any more").waitFor();
    expect(await gus.field.count()).toBe(0);
    expect(refusals(gus)).toEqual([]);
  });

  test("whose link is withdrawn is disconnected while it only reads", async () => {
    // The floor checks every half minute; this test floor checks every second.
    const floor = await startPageFloor({ browser: shared.browser, clock: fastClock(30) });
    const conversation = await floor.begin();
    const { id, link } = await floor.linkTo(conversation);
    const gus = await floor.stranger();
    await join(gus, link);
    await floor.must("DELETE", `/api/v1/conversations/${conversation}/links/${id}`);
    await isShownOut(gus);
    await gus.leave();
    await floor.close();
  });

  async function isShownOut(gus: Person): Promise<void> {
    await gus.page.getByRole("alert").getByText("Ask for a new link.").waitFor();
    await gus.field.waitFor({ state: "detached" });
    expect(await gus.storage()).not.toContain("plenaryg_");
    expect(refusals(gus)).toEqual([]);
  }

  async function withdrawn(before: (gus: Person) => Promise<void> = async () => {}) {
    const conversation = await shared.floor.begin();
    const { id, link } = await shared.floor.linkTo(conversation);
    const gus = await shared.floor.stranger();
    await join(gus, link);
    await hostSays(conversation, "I am about to close the door");
    await gus.sees("I am about to close the door");
    await before(gus);
    await shared.floor.must("DELETE", `/api/v1/conversations/${conversation}/links/${id}`);
    return { gus };
  }
});

/** One payload of each technique; each would call the canary or the canary's host. */
function hostile(url: string): [string, ...string[]] {
  return [
    `<img src="${url}/img" onerror="canary()">`,
    "<script>canary()</script>",
    `<script src="${url}/script"></script>`,
    "<svg onload=canary()>",
    '<iframe src="javascript:parent.canary()"></iframe>',
    `<iframe src="${url}/frame"></iframe>`,
    "</p></div></main><body onfocus=canary() autofocus tabindex=1>",
    "javascript:canary()",
    '"><a href="javascript:canary()" autofocus onfocus=canary()>x</a>',
    "{{constructor.constructor('canary()')()}}",
    `<link rel=stylesheet href="${url}/style">`,
    `<meta http-equiv=refresh content="0;url=${url}/refresh">`,
    "&lt;script&gt;canary()&lt;/script&gt;",
  ];
}
