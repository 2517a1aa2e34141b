// Pictures of the real page into docs/screenshots: `npm run screenshots`.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import { root } from "./bootstrap.mjs";
import { withPalette } from "./palette-png.mjs";
import { playScene } from "./screenshots-scene.mjs";

const folder = join(root, "docs/screenshots");
const desk = { width: 1360, height: 860 };
const phone = { width: 390, height: 800 };
const bytesMax = 250_000;

async function startFloor() {
  const args = [
    join(root, "packages/cli/dist/bundle/plenary.js"),
    "serve",
    "--port",
    "0",
    "--json",
    "--store",
    ":memory:",
  ];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { ...JSON.parse(line), end: () => child.kill("SIGTERM") };
}

async function startBrowser() {
  const executablePath = spawnSync("which", ["chromium"], { encoding: "utf8" }).stdout.trim();
  return chromium.launch({
    executablePath,
    chromiumSandbox: process.getuid?.() !== 0,
    args: ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-features=LocalNetworkAccessChecks"],
  });
}

/** The same view in the light and in the dark. */
async function shoot(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    const file = join(folder, `${name}-${colorScheme}.png`);
    writeFileSync(file, withPalette(await page.screenshot({ caret: "hide", animations: "disabled" })));
    const { size } = statSync(file);
    console.log(`${name}-${colorScheme}.png ${Math.round(size / 1_000)} kB`);
    if (size > bytesMax) throw new Error(`${file} is too large`);
  }
}

async function open(browser, floor, { viewport = desk, query = "" } = {}) {
  const context = await browser.newContext({ viewport, locale: "en-GB", timezoneId: "UTC" });
  const page = await context.newPage();
  await page.goto(`${floor.url}/${query}#token=${floor.token}`);
  await page.getByRole("form", { name: "Speaking" }).waitFor();
  return page;
}

/** A few turns of the first lesson. */
async function shootWelcome(browser, floor) {
  const page = await open(browser, floor);
  const log = page.getByRole("log");
  const field = page.getByRole("form", { name: "Speaking" }).locator("textarea");
  await log
    .getByRole("article", { name: /^Guide/ })
    .first()
    .waitFor();
  await field.fill("Hello, everyone!");
  await field.press("Enter");
  await log.getByText("Now speak to one of us").waitFor();
  await page.getByText("answering …").first().waitFor({ state: "detached" });
  await field.pressSequentially("@Cl");
  await page.getByRole("option", { name: /Clock/ }).waitFor();
  await field.press("Enter");
  await field.pressSequentially("what time is it in Tokyo?");
  await field.press("Enter");
  await log
    .getByRole("article", { name: /^Clock/ })
    .nth(1)
    .waitFor();
  await log.getByText("write whatever you like").waitFor();
  await page.getByText("answering …").first().waitFor({ state: "detached" });
  await shoot(page, "welcome");
  await page.context().close();
}

async function shootScene(browser, floor) {
  const scene = await playScene(floor, async (link, name) => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(link);
    await page.getByLabel("Your name").fill(name);
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("form", { name: "Speaking" }).waitFor();
  });
  try {
    const query = `?conversation=${scene.conversation}`;
    const page = await open(browser, floor, { query });
    await scene.goOn();
    await page.getByRole("article", { name: "Quill is answering" }).getByText("lanterns").waitFor();
    await shoot(page, "conversation");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("option").first().waitFor();
    await shoot(page, "palette");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Invite", exact: true }).first().click();
    await page.getByRole("dialog", { name: "Invite" }).getByRole("listitem").first().waitFor();
    await shoot(page, "invite");
    await page.context().close();
    const small = await open(browser, floor, { viewport: phone, query });
    await small.getByText("Riverside meadow").first().waitFor();
    await shoot(small, "phone");
  } finally {
    await scene.end();
  }
}

mkdirSync(folder, { recursive: true });
const floor = await startFloor();
const browser = await startBrowser();
try {
  await shootWelcome(browser, floor);
  await shootScene(browser, floor);
} finally {
  await browser.close();
  floor.end();
}
