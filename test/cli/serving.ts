// Runs the built command for as long as it runs, in a folder of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { environment, main } from "./plenary.ts";

/** Whatever a test starts ends with it; with `isShared`, with the last test of its file. */
export function serving({ isShared = false } = {}) {
  const [before, after] = isShared ? [beforeAll, afterAll] : [beforeEach, afterEach];
  const running: ChildProcess[] = [];
  const place = { folder: "" };
  before(() => {
    place.folder = mkdtempSync(join(tmpdir(), "plenary-serve-"));
  });
  after(() => {
    for (const child of running.splice(0)) child.kill("SIGKILL");
    rmSync(place.folder, { recursive: true });
  });
  const start = (args: readonly string[], env: Record<string, string> = {}, cwd = place.folder, input?: string) => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd,
      env: environment(env),
      stdio: ["pipe", "pipe", "pipe"],
    });
    // Whoever does not read it may be gone before it is written.
    child.stdin.on("error", () => {}).end(input);
    running.push(child);
    const said = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said.out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said.err += text;
    });
    const ended = once(child, "close").then(([code]) => code as number | null);
    return { child, said, ended };
  };
  return { place, start };
}

export type Started = ReturnType<ReturnType<typeof serving>["start"]>;

/** The first line it prints, or what it complained of instead. */
export async function firstLine({ child, said, ended }: Started): Promise<string> {
  while (!said.out.includes("\n")) {
    const end = await Promise.race([ended.then(() => "ended"), once(child.stdout ?? child, "data").then(() => "said")]);
    if (end === "ended") throw new Error(said.err);
  }
  return said.out.slice(0, said.out.indexOf("\n"));
}

export const ann = "tag:ann.example,2025:1";

export function envelope(conversationId: string, events: object[]): string {
  const conversation = { id: conversationId };
  return JSON.stringify({
    openFloor: { schema: { version: "1.1.0" }, conversation, sender: { speakerUri: ann }, events },
  });
}

export const hello = {
  eventType: "utterance",
  parameters: {
    dialogEvent: {
      id: "de:1",
      speakerUri: ann,
      span: { startTime: "2025-01-31T10:05:00Z" },
      features: { text: { mimeType: "text/plain", tokens: [{ value: "hello" }] } },
    },
  },
};

export function say(url: string, token: string, events: object[], headers: Record<string, string> = {}) {
  return fetch(`${url}/openfloor`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: envelope("c1", events),
  });
}
