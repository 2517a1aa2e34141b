// The platform's Chromium, headless where possible: such a page costs a third less. It reaches this machine only.
import { spawnSync } from "node:child_process";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const found = spawnSync("which", ["chromium-headless-shell", "chromium"], { encoding: "utf8" }).stdout ?? "";
const [executablePath = ""] = found.trim().split("\n");

/** The commands of this project install it where they may; elsewhere a missing browser is not a failure. */
export const isMissing = executablePath === "" && process.env.CI !== "true";

/** Chromium honours only the last `--disable-features`, so this list replaces the one of Playwright. */
const disabledFeatures = [
  // Newer browsers ask before a page reaches this machine. Our own guard must work without that.
  "LocalNetworkAccessChecks",
  // A process for each sandboxed frame, and a spare one for each page, take half of the time of some tests.
  "IsolateSandboxedIframes",
  "SpareRendererForSitePerProcess",
  // A page is shown as soon as it is drawn.
  "PaintHolding",
];

/** `names` resolve to this machine, as the names of an attacker's own domain would. */
export async function startChromium(names: readonly string[] = []): Promise<Browser> {
  if (executablePath === "") throw new Error("there is no chromium here: install the package of that name");
  const rules = [...names.map((name) => `MAP ${name} 127.0.0.1`), "MAP * ~NOTFOUND", "EXCLUDE 127.0.0.1"];
  return chromium.launch({
    executablePath,
    // The sandbox refuses root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [`--host-resolver-rules=${rules.join(", ")}`, `--disable-features=${disabledFeatures.join(",")}`],
  });
}

export type Watched = {
  page: Page;
  /** Every request of the page, to any origin. */
  requests: { method: string; url: string; body: string | null }[];
  /** Errors of scripts and warnings of the browser: blocked by policy, failed to load. */
  complaints: string[];
};

/** A page that records its requests and problems. */
export async function openPage(context: BrowserContext): Promise<Watched> {
  const page = await context.newPage();
  const watched: Watched = { page, requests: [], complaints: [] };
  page.on("request", (request) => {
    watched.requests.push({ method: request.method(), url: request.url(), body: request.postData() });
  });
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") watched.complaints.push(message.text());
  });
  page.on("pageerror", (error) => watched.complaints.push(String(error)));
  return watched;
}
