// Whoever is sent a link needs a browser, a name and one click.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { envelopeOf, type Json, type Scene, speakerOf, startScene, utteranceOf } from "../security/scene.ts";
import { isMissing, openPage, startChromium, type Watched } from "./chromium.ts";
import { startElsewhere } from "./elsewhere.ts";
import { hurriedClock, startFloor } from "./floor.ts";

const c = "/api/v1/conversations/c";

describe.skipIf(isMissing)("a guest in a browser", () => {
  let browser: Browser;
  let scene: Scene;
  let guest: Watched;

  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    scene = await startScene({ hasConvener: false });
    guest = await openPage(await browser.newContext());
  });
  afterEach(async () => {
    await guest.page.context().close();
    await scene.close();
    expect(scene.errors).toEqual([]);
  });

  async function linkOf(fields: Json = {}): Promise<{ id: string; invite: string; link: string }> {
    const { body } = await scene.must(201, "owner", "POST", `${c}/links`, fields);
    const { id, link } = body as { id: string; link: string };
    return { id, link, invite: link.slice(link.indexOf("#invite=") + "#invite=".length) };
  }

  async function join(link: string, name = "Gus"): Promise<void> {
    await guest.page.goto(link);
    await comeIn(name);
  }

  async function comeIn(name: string): Promise<void> {
    await guest.page.keyboard.type(name);
    await guest.page.getByRole("button", { name: "Join" }).click();
    await guest.page.getByRole("heading", { name: `You are here as ${name}` }).waitFor();
  }

  const say = (role: "owner" | "person", text: string) =>
    scene.send(role, [utteranceOf(speakerOf(role), text)]).then(({ status }) => expect(status).toBe(200));

  /** Waits until the page shows it. */
  const sees = (text: string) => guest.page.getByRole("log").getByText(text, { exact: true }).waitFor();

  async function isShownOut(): Promise<void> {
    await guest.page.getByRole("alert").getByText("You are not in this conversation any more").waitFor();
    await guest.page.getByRole("heading", { name: "You were here as Gus" }).waitFor();
    expect(await guest.page.getByLabel("Say something").isVisible()).toBe(false);
    expect(await guest.page.evaluate("sessionStorage.length")).toBe(0);
  }

  test("a name and one click, and the guest hears and is heard", async () => {
    await say("person", "before the guest came");
    const { link, invite } = await linkOf();
    await join(link);
    await say("person", "welcome, whoever you are");
    await sees("welcome, whoever you are");
    await guest.page.keyboard.type("I came by the link");
    await guest.page.keyboard.press("Enter");
    await sees("I came by the link");
    const { body } = await scene.call("owner", "GET", `${c}/log`);
    expect(JSON.stringify(body)).toContain("I came by the link");
    expect(await guest.page.getByRole("log").textContent()).not.toContain("before the guest came");
    expect(guest.page.url()).toBe(`${scene.url}/`);
    expect(guest.requests.filter(({ url }) => url.includes(invite))).toEqual([]);
    const carriers = guest.requests.filter(({ body }) => body?.includes(invite));
    expect(carriers.map(({ method, url }) => `${method} ${url}`)).toEqual([`POST ${scene.url}/api/v1/guests`]);
    expect(guest.complaints).toEqual([]);
  });

  test("the seat outlives a reload, and the guest speaks from it", async () => {
    await join((await linkOf()).link);
    await say("owner", "said before the reload");
    await sees("said before the reload");
    await guest.page.reload();
    await sees("said before the reload");
    await guest.page.getByLabel("Say something").fill("still me");
    await guest.page.getByRole("button", { name: "Send" }).click();
    await sees("still me");
    const people = JSON.stringify((await scene.call("owner", "GET", c)).body);
    expect(people.match(/"conversationalName":"Gus"/gu)).toHaveLength(1);
    expect(guest.complaints).toEqual([]);
  });

  test("what others wrote, names too, is shown as text and runs nothing", async () => {
    let isCalled = false;
    await guest.page.exposeFunction("canary", () => {
      isCalled = true;
    });
    await guest.page.setViewportSize({ width: 320, height: 560 });
    const elsewhere = await startElsewhere();
    await join((await linkOf()).link, hostile(elsewhere.url)[0]);
    for (const [index, text] of hostile(elsewhere.url).entries()) {
      const { invite } = await linkOf();
      const other = await scene.must(201, "anonymous", "POST", "/api/v1/guests", { invite, name: `${index} ${text}` });
      const { token, speakerUri } = other.body as { token: string; speakerUri: string };
      const envelope = envelopeOf(speakerUri, [utteranceOf(speakerUri, text)]);
      await scene.must(200, "anonymous", "POST", "/openfloor", envelope, { authorization: `Bearer ${token}` });
    }
    const [token, pointer] = ['{"value":"see there"}', `{"valueUrl":"${elsewhere.url}/value"}`];
    const pointing = JSON.stringify(utteranceOf(speakerOf("owner"), "see there"));
    await scene.send("owner", [JSON.parse(pointing.replace(token, `${token},${pointer}`))]);
    await sees("see there");
    await say("owner", "the end");
    await sees("the end");
    const shown = await guest.page.getByRole("log").locator("p").allTextContents();
    for (const [index, text] of hostile(elsewhere.url).entries()) expect(shown).toContain(`${index} ${text}${text}`);
    // Whatever it could have begun to load has had its turn.
    await guest.page.evaluate("new Promise((resolve) => requestIdleCallback(resolve))");
    expect(await guest.page.locator("#said *:not(p, b, span)").count()).toBe(0);
    expect(isCalled).toBe(false);
    expect(await guest.page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    expect(elsewhere.hits).toEqual([]);
    expect(guest.requests.filter(({ url }) => !url.startsWith(`${scene.url}/`))).toEqual([]);
    expect(guest.complaints).toEqual([]);
    await elsewhere.close();
  });

  test("a guest whose connection fails hears everything once it is back", async () => {
    const { page } = guest;
    await page.route("**/openfloor/events*", (route) => route.fulfill({ status: 503, body: "a proxy" }), { times: 1 });
    await page.route("**/openfloor/events*", (route) => route.abort(), { times: 1 });
    await join((await linkOf()).link);
    await page.getByRole("status").getByText("The connection is lost").waitFor();
    await say("owner", "said meanwhile");
    await sees("said meanwhile");
    expect(await page.locator("#state").textContent()).toBe("");
  });

  test("a link that is used up says so, with the remedy, and the next one is pasted over it", async () => {
    const { link, invite } = await linkOf();
    await scene.must(201, "anonymous", "POST", "/api/v1/guests", { invite });
    await guest.page.goto(link);
    await guest.page.getByLabel("Your name").fill("Gus");
    await guest.page.getByRole("button", { name: "Join" }).click();
    const trouble = guest.page.getByRole("alert");
    await trouble.getByText("This link is unknown, used up").waitFor();
    expect(await trouble.textContent()).toBe(
      "This link is unknown, used up, withdrawn or too old. Ask whoever sent it to you for a new one.",
    );
    const again = guest.page.waitForEvent("load");
    await guest.page.goto((await linkOf()).link);
    await again;
    await comeIn("Gus");
    expect(await trouble.textContent()).toBe("");
  });

  test.each(["speaks", "reloads"])("a guest whose link is withdrawn is shown out when it %s", async (deed) => {
    const { id, link } = await linkOf();
    await join(link);
    await scene.must(204, "owner", "DELETE", `${c}/links/${id}`);
    if (deed === "reloads") await guest.page.reload();
    else {
      await guest.page.keyboard.type("am I still here?");
      await guest.page.keyboard.press("Enter");
    }
    await isShownOut();
  });

  test("a guest that the owner removes is told so", async () => {
    await join((await linkOf()).link);
    const { speakerUri } = JSON.parse(await guest.page.evaluate("sessionStorage.getItem('plenary-guest')"));
    await scene.must(200, "owner", "POST", `${c}/remove`, { speakerUri });
    await isShownOut();
    expect(guest.complaints).toEqual([]);
  });

  test("a guest whose link is withdrawn is shown out while it only listens", async () => {
    // The floor looks every half minute; on this one that is a second.
    const floor = await startFloor({ clock: hurriedClock(30) });
    await floor.must(201, "POST", "/api/v1/conversations", { id: "c" });
    const { id, link } = await floor.must(201, "POST", `${c}/links`, {});
    await join(String(link));
    await floor.must(204, "DELETE", `${c}/links/${id}`);
    await isShownOut();
    await floor.close();
  });
});

/** Each way in which text has become code somewhere; every one of them would call the canary, or the canary's host. */
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
