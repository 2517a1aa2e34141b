// The page shows every feature of an utterance: none runs code or sends a request.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMissing, startChromium } from "../support/chromium.ts";
import { type Payload, payloads, phone, techniques, tried } from "./xss-corpus.ts";

const web = new URL("../../packages/web/src/", import.meta.url);
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob: https: http:; connect-src 'self'; frame-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const perRound = 40;

async function startStage(): Promise<{ url: string; server: Server }> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("features/testing/stage.tsx", web))],
    bundle: true,
    format: "esm",
    jsx: "automatic",
    platform: "browser",
    write: false,
    logLevel: "silent",
    conditions: ["@plenary/source"],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const script = outputFiles[0]?.contents;
  const styles = ["tokens", "base", "features"].map((name) => readFileSync(new URL(`styles/${name}.css`, web)));
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://stage");
    if (pathname === "/stage.js") response.setHeader("content-type", "text/javascript").end(script);
    else if (pathname === "/stage.css") response.setHeader("content-type", "text/css").end(Buffer.concat(styles));
    else if (pathname === "/") {
      if (searchParams.has("policy")) response.setHeader("content-security-policy", policy);
      const head = '<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/stage.css">';
      response.setHeader("content-type", "text/html");
      response.end(`${head}<div id="page"></div><script type="module" src="/stage.js"></script>`);
    } else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

type Json = Record<string, unknown>;

const base64 = (text: string) => Buffer.from(text).toString("base64");
const featureOf = (mimeType: string, ...tokens: Json[]) => ({ mimeType, tokens });

/** One payload in each field of an utterance that holds text, a name or an address. */
function utterancesOf({ name, text }: Payload): Json[] {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${text}</svg>`;
  const features: Record<string, Json>[] = [
    { text: featureOf("text/plain", { value: text }) },
    { html: featureOf("text/html", { value: text }) },
    { ssml: featureOf("application/ssml+xml", { value: `<speak>${text}</speak>` }) },
    { image: featureOf("image/svg+xml", { value: base64(svg), alt: text }, { value: base64(text) }, { value: text }) },
    { image: featureOf("image/png", { valueUrl: text }, { value: base64(text), alt: text }) },
    {
      text: {
        ...featureOf("text/plain", { value: text, confidence: 0.1 }, { valueUrl: text }),
        lang: text,
        alternates: [[{ value: text }]],
      },
      audio: featureOf("audio/wav", { valueUrl: text, alt: text }, { value: text }),
      video: featureOf("video/mp4", { valueUrl: text }),
    },
    { [text]: { ...featureOf(text, { value: { [text]: text } }, { value: text }), lang: text } },
    { [` ${text}`]: featureOf("text/plain", { value: text }) },
  ];
  const span = { startTime: "2025-01-31T10:05:00Z" };
  return features.map((each, index) => ({ id: `${name}.${index}`, speakerUri: text, span, features: each }));
}

type Watch = { page: Page; context: BrowserContext; hits: Set<number>; calls: string[]; dialogs: string[] };

describe.skipIf(isMissing)("features in a browser", () => {
  let browser: Browser;
  let stage: Awaited<ReturnType<typeof startStage>>;

  beforeAll(async () => {
    [browser, stage] = await Promise.all([startChromium(), startStage()]);
  });
  afterAll(async () => {
    await browser?.close();
    stage?.server.closeAllConnections();
    stage?.server.close();
  });

  async function open(query = ""): Promise<Watch> {
    const context = await browser.newContext({ serviceWorkers: "block", viewport: { width: 320, height: 240 } });
    const watch: Watch = { context, page: await context.newPage(), hits: new Set(), calls: [], dialogs: [] };
    await context.exposeFunction("__hit", (n: number) => void watch.hits.add(n));
    await context.route(`${phone}**`, (route) => route.abort("aborted"));
    context.on("request", (request) => {
      if (!/^(?:blob:|data:|about:)/u.test(request.url()) && !request.url().startsWith(stage.url))
        watch.calls.push(request.url());
    });
    context.on("dialog", (dialog) => {
      watch.dialogs.push(dialog.message());
      void dialog.dismiss().catch(() => undefined);
    });
    await watch.page.goto(`${stage.url}/${query}`);
    await watch.page.waitForFunction("window.stage !== undefined");
    return watch;
  }

  async function showAll(watch: Watch, shown: readonly Payload[]): Promise<string[]> {
    const faults: string[] = [];
    for (let from = 0; from < shown.length; from += perRound) {
      const round = shown.slice(from, from + perRound);
      const [utterances, drafts] = [round.flatMap(utterancesOf), round.map(({ text }) => text)].map((part) =>
        JSON.stringify(part),
      );
      const found = (await watch.page.evaluate(`stage.show(${utterances}, ${drafts})`)) as string[];
      faults.push(...found.map((fault) => `${round[0]?.name} or soon after: ${fault}`));
    }
    return faults;
  }

  test("the corpus is large, and its payloads run where nothing is sanitised", async () => {
    expect(new Set(payloads.map(({ text }) => text)).size).toBe(payloads.length);
    expect(payloads.length).toBeGreaterThanOrEqual(320);
    const watch = await open();
    await watch.page.evaluate(`stage.showRaw(${JSON.stringify(payloads.map(({ text }) => text))})`);
    const called = () =>
      watch.calls.filter((url) => url.startsWith(phone)).map((url) => Number(url.slice(phone.length)));
    await expect.poll(() => new Set([...watch.hits, ...called()]).size, { timeout: 60_000 }).toBeGreaterThan(100);
    await watch.context.close();
  });

  const policies = [
    ["under the page's policy", "?policy"],
    ["even without a policy", ""],
  ] as const;
  // Without the page policy, the sanitiser alone must be enough; a nightly run also tests both together.
  const ways = process.env.PLENARY_NIGHTLY === "1" ? policies : policies.slice(1);
  const cases = ways.flatMap(([words, query]) => techniques.map((technique) => [technique, words, query] as const));

  test.each(cases)("nothing of %s runs, loads or stays, %s", async (technique, _words, query) => {
    const watch = await open(query);
    const shown = tried.filter(({ name }) => name.startsWith(`${technique} `));
    expect(await showAll(watch, shown)).toEqual([]);
    expect([...watch.hits]).toEqual([]);
    expect(watch.dialogs).toEqual([]);
    expect(watch.calls).toEqual([]);
    expect(watch.context.pages()).toEqual([watch.page]);
    expect(watch.page.url()).toBe(`${stage.url}/${query}`);
    await watch.context.close();
  });

  const show = ({ page }: Watch, features: Json) => {
    const span = { startTime: "2025-01-31T10:05:00Z" };
    return page.evaluate(`stage.show(${JSON.stringify([{ id: "1", speakerUri: "tag:ann", span, features }])}, [])`);
  };

  test("a text is shown as its speaker formatted it", async () => {
    const watch = await open("?policy");
    const lines = [
      "# Plan",
      "**now** [bank.example](https://evil.example/) ![a cat](https://cats.example/c.png)",
      "- [x] done",
    ];
    const rest = ["| a | b |\n|---|--:|\n| 1 | 2 |", "```ts\nlet a = 1;\n```"];
    expect(await show(watch, { text: featureOf("text/plain", { value: [...lines, ...rest].join("\n\n") }) })).toEqual(
      [],
    );
    const { page } = watch;
    expect(await page.getByRole("heading", { level: 3, name: "Plan" }).count()).toBe(1);
    expect(await page.getByText("(leads to evil.example)").count()).toBe(1);
    expect(await page.getByRole("link", { name: "Image: a cat" }).getAttribute("href")).toBe(
      "https://cats.example/c.png",
    );
    expect(await page.getByRole("checkbox", { name: "done", checked: true, disabled: true }).count()).toBe(1);
    expect(await page.getByRole("cell", { name: "2" }).getAttribute("data-align")).toBe("right");
    expect(await page.locator("figcaption", { hasText: "ts" }).getByRole("button", { name: "Copy code" }).count()).toBe(
      1,
    );
    expect(watch.calls).toEqual([]);
    await watch.context.close();
  });

  test("scripts, styles, frames and drawings among the words of a text are left out", async () => {
    const watch = await open("?policy");
    const hidden = ["script", "style", "title", "noscript", "iframe", "template", "svg", "math", "video"];
    const value = `a${hidden.map((name) => `<${name}>hidden</${name}>`).join("")} *b* <form>c</form>`;
    expect(await show(watch, { text: featureOf("text/plain", { value }) })).toEqual([]);
    expect((await watch.page.locator(".feature-markdown").textContent())?.replaceAll(/\s+/gu, " ")).toBe("a b c ");
    expect(watch.calls).toEqual([]);
    await watch.context.close();
  });

  test("a page is shown in a sandboxed frame, and a drawing as an image", async () => {
    const watch = await open("?policy");
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><script>parent.__hit(1)</script></svg>';
    await show(watch, {
      html: featureOf("text/html", {
        value: "<h1>Rain</h1><p onclick=__hit(2)><a href='https://ann.example/'>more</a>",
      }),
      image: featureOf("image/svg+xml", { value: base64(svg), alt: "a line" }),
    });
    const frame = watch.page.frameLocator("iframe");
    await frame.getByRole("heading", { name: "Rain" }).waitFor();
    await frame.getByText("more").click();
    expect(await watch.page.evaluate("document.querySelector('img[alt=\"a line\"]').naturalWidth")).toBe(20);
    expect([[...watch.hits], watch.calls, watch.context.pages().length]).toEqual([[], [], 1]);
    await watch.context.close();
  });

  test("a recording at another origin is loaded on demand only", async () => {
    const watch = await open("?policy");
    await show(watch, { audio: featureOf("audio/mpeg", { valueUrl: `${phone}a.mp3` }) });
    expect(watch.calls).toEqual([]);
    await watch.page.getByRole("button", { name: "Load audio from phone.example" }).click();
    expect(await watch.page.evaluate("document.querySelector('audio').paused")).toBe(true);
    await watch.page.evaluate("document.querySelector('audio').play().catch(() => undefined)");
    expect(watch.calls).toContain(`${phone}a.mp3`);
    await watch.page.getByText("It could not be played.").waitFor();
    await watch.context.close();
  });

  test("a picture that is too large to send is scaled down", async () => {
    const watch = await open("?policy");
    const { mimeType, base64Length, bytesBefore } = (await watch.page.evaluate("stage.attachLarge()")) as Record<
      string,
      number
    >;
    expect(bytesBefore).toBeGreaterThan(450_000);
    expect(base64Length).toBeLessThanOrEqual(600_000);
    expect(mimeType).toBe("image/webp");
    await watch.context.close();
  });
});
