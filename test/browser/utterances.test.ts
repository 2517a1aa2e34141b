// The page shows every feature of an utterance as far as it is safe, and names the other ones.
import { describe, expect, test } from "vitest";
import { isMissing } from "../support/chromium.ts";
import { utterance } from "../support/envelopes.ts";
import { startScriptedAgent } from "../support/scripted-agent.ts";
import { patience } from "./person.ts";
import { usePageFloor } from "./use-page-floor.ts";

/** The properties of page elements that these tests read. */
type Audio = {
  controls: boolean;
  paused: boolean;
  autoplay: boolean;
  currentTime: number;
  error: unknown;
  play(): unknown;
};
type Element = { matches(selector: string): boolean };

type Features = Record<string, { mimeType: string; tokens: object[]; lang?: string }>;

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A tenth of a second of silence. */
function silence(): string {
  const samples = Buffer.alloc(800, 128);
  const head = Buffer.alloc(44);
  head.write("RIFF");
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]).toString("base64");
}

describe.skipIf(isMissing)("an utterance", () => {
  const shared = usePageFloor();

  /** The host's view of an agent's answer with these features. */
  async function shown(text: string, more: { features?: Features; lang?: string; speaker?: string }) {
    const showman = await startScriptedAgent({
      name: "Showman",
      onUtterance: (cue) => cue.answer(utterance(showman.speakerUri, text, more)),
    });
    const host = await shared.floor.openAsHost(await shared.floor.begin({ agents: [showman] }));
    await host.say("show me");
    const article = host.utterance(text);
    await article.waitFor();
    return { host, article };
  }

  test("with html is shown in a frame that runs no script and has an opaque origin", async () => {
    const html = `<h2>A heading</h2><p onclick="parent.canary()">in a page</p><script>parent.canary()</script>
      <img src="x" onerror="parent.canary()"><iframe src="javascript:parent.canary()"></iframe>
      <form action="https://elsewhere.example/"><input name="q"></form><a href="https://elsewhere.example/">a link</a>`;
    const { host, article } = await shown("in short", {
      features: { html: { mimeType: "text/html", tokens: [{ value: html }] } },
    });
    let isCalled = false;
    await host.page.exposeFunction("canary", () => {
      isCalled = true;
    });
    await host.page.reload();
    const frame = article.getByTitle("Formatted page");
    expect(await frame.getAttribute("sandbox")).toBe("");
    const inside = frame.contentFrame();
    await inside.getByRole("heading", { name: "A heading" }).waitFor();
    await inside.getByText("in a page").click();
    expect(await inside.locator("script, iframe, form, input, [onclick], [onerror], a[href]").count()).toBe(0);
    await article.getByText("1 link in it").click();
    expect(await article.getByRole("link", { name: "a link" }).getAttribute("rel")).toContain("noopener");
    expect(isCalled).toBe(false);
  });

  test("with SSML shows how it is meant to be spoken", async () => {
    const ssml = '<speak>Hello <break time="500ms"/><emphasis level="strong">world</emphasis></speak>';
    const { article } = await shown("Hello world", {
      features: { ssml: { mimeType: "application/ssml+xml", tokens: [{ value: ssml }] } },
    });
    await article.getByText("How it is meant to be spoken").click();
    await article.getByText("pause 0.5 s").waitFor();
    await article.getByRole("strong").getByText("world").waitFor();
    await article.getByText("Show source").click();
    await article.getByText('<break time="500ms"/>').waitFor();
  });

  test("with audio has a player beside the text, and the player does not start by itself", async () => {
    const { article } = await shown("what was recorded", {
      features: { audio: { mimeType: "audio/wav", tokens: [{ value: silence() }] } },
    });
    const player = article.getByLabel("Recording: what was recorded");
    await player.waitFor();
    const state = await player.evaluate(({ controls, paused, autoplay }: Audio) => ({ controls, paused, autoplay }));
    expect(state).toEqual({ controls: true, paused: true, autoplay: false });
    await player.evaluate((audio: Audio) => audio.play());
    await expect
      .poll(() => player.evaluate(({ currentTime, error }: Audio) => currentTime > 0 && !error), patience)
      .toBe(true);
    await article.getByText("Transcript above").waitFor();
  });

  test("with an image shows it, with its description", async () => {
    const { article } = await shown("see here", {
      features: { image: { mimeType: "image/png", tokens: [{ value: pixel, alt: "One red dot" }] } },
    });
    const image = article.getByRole("img", { name: "One red dot" });
    await expect
      .poll(() => image.evaluate(({ naturalWidth }: { naturalWidth: number }) => naturalWidth), patience)
      .toBe(1);
  });

  test("with an unknown feature shows the name and type of the feature", async () => {
    const scent = { mimeType: "application/vnd.example.scent+json", tokens: [{ value: { note: "rose" } }] };
    const { article } = await shown("smell this", { features: { "x-scent": scent } });
    await article.getByText("x-scent").waitFor();
    await article.getByText("application/vnd.example.scent+json").waitFor();
    await article.getByText("Show raw").click();
    await article.getByText('"note": "rose"').waitFor();
  });

  test("that another conversant relayed names its speaker and its sender", async () => {
    const { article } = await shown("so I was told", { speaker: "tag:elsewhere.example,2026:oracle" });
    await article.getByText("relaying oracle").waitFor();
    await article.getByRole("strong").getByText("Showman").waitFor();
  });

  test("in another language is marked with that language and has its text direction", async () => {
    const { article } = await shown("مرحبا بالعالم", { lang: "ar" });
    const words = article.locator("[lang=ar]").getByText("مرحبا بالعالم");
    expect(await words.evaluate((element: Element) => element.matches(":dir(rtl)"))).toBe(true);
  });
});
