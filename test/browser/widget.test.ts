// <plenary-floor> in a page of another origin, which loads nothing but /widget.js of the floor.
import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isMissing, startChromium } from "../support/chromium.ts";
import { utterance } from "../support/envelopes.ts";
import { type Elsewhere, startElsewhere } from "../support/other-site.ts";
import { endScriptedAgents, startScriptedAgent } from "../support/scripted-agent.ts";
import { type PageFloor, startPageFloor } from "./page-floor.ts";

const wait = { timeout: 30_000 };

describe.skipIf(isMissing)("the widget in a page of another origin", () => {
  let browser: Browser;
  let site: Elsewhere;
  let stranger: Elsewhere;
  let floor: PageFloor;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    browser = await startChromium();
    const html = '<!doctype html><html lang="en"><head><title>A shop</title></head><body></body></html>';
    [site, stranger] = await Promise.all([startElsewhere(html), startElsewhere(html)]);
    floor = await startPageFloor({ browser, options: { allowOrigins: [site.url] } });
  });
  afterAll(() => Promise.all([browser?.close(), site?.close(), stranger?.close(), floor?.close()]));
  beforeEach(async () => {
    complaints = [];
    context = await browser.newContext();
    page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
  });
  afterEach(async () => {
    await context.close();
    await endScriptedAgents();
    expect(complaints).toEqual([]);
  });

  /** Opens the page of the site with the widget in it. */
  async function show(attributes: Record<string, string>, at: Elsewhere = site): Promise<void> {
    await page.goto(at.url);
    await page.addScriptTag({ url: `${floor.url}/widget.js` });
    await page.evaluate(`{
      const widget = document.createElement("plenary-floor");
      for (const [name, value] of ${JSON.stringify(Object.entries(attributes))}) widget.setAttribute(name, value);
      document.body.append(widget);
    }`);
  }

  const lines = () => page.getByRole("log");
  const field = () => page.getByRole("textbox", { name: "Your message" });
  const say = async (text: string) => {
    await field().fill(text);
    await field().press("Enter");
  };

  async function echo() {
    return startScriptedAgent({ name: "Echo", onUtterance: (cue) => cue.stream().finish(`echo: ${cue.text}`) });
  }

  test("a guest talks with an agent, and a reload keeps the seat though the link is used up", async () => {
    const id = await floor.begin({ agents: [await echo()] });
    const { link } = await floor.linkTo(id, { uses: 1 });
    const attributes = { invite: link, name: "Visitor", heading: "Ask us" };
    await show(attributes);
    await page.getByText("Ask us").waitFor(wait);
    await say("hello <b>there</b>");
    await lines().getByText("echo: hello <b>there</b>").waitFor(wait);
    await show(attributes);
    await say("again");
    await lines().getByText("echo: again").waitFor(wait);
    expect(await lines().locator("b", { hasText: "there" }).count()).toBe(0);
    await say("**bold** and [a link](https://shop.example/) and [not one](javascript:alert(1))");
    const answer = lines().locator("div", { hasText: "echo: bold and a link and [not one](javascript:alert(1))" });
    await answer.waitFor(wait);
    expect(await answer.locator("strong").allTextContents()).toEqual(["bold"]);
    const links = answer.getByRole("link");
    expect(
      await links.evaluateAll((all) => all.map((one) => [one.getAttribute("href"), one.getAttribute("rel")])),
    ).toEqual([["https://shop.example/", "noopener noreferrer nofollow"]]);
  });

  test("options of a question are buttons, and the answer reaches the agent", async () => {
    const answers: unknown[] = [];
    const value = { id: "size", input_type: "radio", text: "Which size?", options: [option("Small"), option("Large")] };
    const mimeType = "application/vnd.plenary.interaction+json";
    const asking = await startScriptedAgent({
      name: "Shop",
      onUtterance(cue) {
        const reply = cue.features.interactionReply;
        if (reply !== undefined) {
          answers.push(reply.tokens[0]?.value);
          return cue.stream().finish("Thank you");
        }
        const features = { interaction: { mimeType, tokens: [{ value }] } };
        return cue.answer(utterance(asking.speakerUri, "Which size?", { features }));
      },
    });
    const id = await floor.begin({ agents: [asking] });
    await show({ invite: (await floor.linkTo(id)).link });
    await say("a shirt");
    await page.getByRole("button", { name: "Large" }).click(wait);
    await lines().getByText("Thank you").waitFor(wait);
    expect(answers).toEqual([{ id: "size", values: ["large"] }]);
    await page.getByRole("button", { name: "Large" }).waitFor({ state: "detached", ...wait });
  });

  test("CSS variables of the page change its look, and axe finds no fault", async () => {
    const id = await floor.begin();
    await show({ invite: (await floor.linkTo(id)).link });
    await say("hello");
    await lines().getByText("hello").waitFor(wait);
    await page.addStyleTag({ content: "plenary-floor { --plenary-accent: rgb(120, 0, 60) }" });
    const colour = await page.evaluate(
      "getComputedStyle(document.querySelector('plenary-floor').shadowRoot.querySelector('form button')).backgroundColor",
    );
    expect(colour).toBe("rgb(120, 0, 60)");
    await page.addScriptTag({ content: axe.source });
    const faults = await page.evaluate("axe.run(document.querySelector('plenary-floor'))");
    expect((faults as { violations: { id: string }[] }).violations.map((one) => one.id)).toEqual([]);
  });

  test("says why it cannot connect: no access, a used link, an origin that is not allowed", async () => {
    await show({});
    await page.getByText("This needs an `invite` or a `token`").waitFor(wait);
    await show({ invite: "link_none.none" });
    await page.getByText(/link is unknown/u).waitFor(wait);
    const { link } = await floor.linkTo(await floor.begin());
    await show({ invite: link }, stranger);
    await page.getByText(`--allow-origin ${stranger.url}`).waitFor(wait);
  });

  test("its own method says a text, and its state is an event", async () => {
    const id = await floor.begin();
    await show({ invite: (await floor.linkTo(id)).link });
    await page.getByRole("button", { name: "Send", disabled: false }).waitFor(wait);
    await page.evaluate("document.querySelector('plenary-floor').say('from the page')");
    await lines().getByText("from the page").waitFor(wait);
    await page.evaluate(
      "document.querySelector('plenary-floor').addEventListener('plenary-state', ({ detail }) => { document.title = detail })",
    );
    const { conversants } = await floor.must("GET", `/api/v1/conversations/${id}`);
    const { speakerUri } = conversants.at(-1).identification;
    await floor.must("POST", `/api/v1/conversations/${id}/remove`, { speakerUri });
    await page.getByText("You are not in this conversation any more.").waitFor(wait);
    expect(await page.title()).toBe("gone");
  });
});

function option(label: string) {
  return { id: label.toLowerCase(), label, value: label.toLowerCase() };
}
