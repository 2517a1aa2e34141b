// A floor, and an agent under development beside it.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import type { Started } from "../support/start-plenary-process.ts";

const root = join(import.meta.dirname, "..", "..");

/** How long a test waits for an event, on a machine that may be busy. */
export const patience = { timeout: 60_000, interval: 20 };

type Line = { event: string; conversation?: string; serviceUrl?: string; name?: string; problem?: string };

export function linesOf({ said }: Started): Line[] {
  const lines = said.out.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

/** Waits for the count-th line of this kind in the output. */
export async function waitForLine(command: Started, event: string, count = 1): Promise<Line> {
  return vi.waitFor(() => {
    const found = linesOf(command).filter((line) => line.event === event)[count - 1];
    if (found === undefined) throw new Error(`nothing was ${event}:\n${command.said.out}${command.said.err}`);
    return found;
  }, patience);
}

/** The agent of the template in a folder of its own, with the packages of this checkout. */
export function agentIn(folder: string): { file: string; edit: (change: (code: string) => string) => void } {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  cpSync(join(root, "packages/cli/template/agent.js"), join(folder, "agent.js"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", main: "agent.js" }));
  symlinkSync(join(root, "node_modules/@plenary"), join(folder, "node_modules/@plenary"), "dir");
  const file = join(folder, "agent.js");
  return { file, edit: (change) => writeFileSync(file, change(readFileSync(file, "utf8"))) };
}

type Identification = { speakerUri: string; serviceUrl: string; conversationalName: string };
type View = { conversants: { identification: Identification }[] };
type Entry = {
  kind: string;
  sender?: string;
  event?: { eventType: string; parameters?: { dialogEvent: DialogEvent } };
};
type DialogEvent = { features: { text: { tokens: [{ value: string }] } } };

/** The operator's person, who talks through the floor's public interface. */
export async function personAt({ url, token }: { url: string; token: string }) {
  const call = async <Answer>(path: string, body?: object): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, init);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Answer;
  };
  const { speakerUri: me } = await call<{ speakerUri: string }>("/api/v1/sessions", {});
  const owner = { identification: { speakerUri: me, conversationalName: "Host" } };
  const heard = async (conversation: string): Promise<string[]> => {
    const { entries } = await call<{ entries: Entry[] }>(`/api/v1/conversations/${conversation}/log?limit=1000`);
    return entries.flatMap(({ kind, sender, event }) => {
      const text = event?.parameters?.dialogEvent?.features.text.tokens[0].value;
      return kind === "event" && event?.eventType === "utterance" && sender !== me && text !== undefined ? [text] : [];
    });
  };
  let said = 0;
  return {
    url,
    open: async (title: string): Promise<string> =>
      (await call<{ id: string }>("/api/v1/conversations", { owner, title })).id,
    seated: async (conversation: string) => {
      const { conversants } = await call<View>(`/api/v1/conversations/${conversation}`);
      return conversants.map(({ identification }) => identification).filter(({ speakerUri }) => speakerUri !== me);
    },
    heard,
    async say(conversation: string, text: string): Promise<void> {
      said += 1;
      const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
      const span = { startTime: new Date().toISOString() };
      const dialogEvent = { id: `de:${said}`, speakerUri: me, span, features };
      const events = [{ eventType: "utterance", parameters: { dialogEvent } }];
      const openFloor = {
        schema: { version: "1.1.0" },
        conversation: { id: conversation },
        sender: { speakerUri: me },
      };
      await call("/openfloor", { openFloor: { ...openFloor, events } });
    },
    async hears(conversation: string, text: string): Promise<void> {
      await vi.waitFor(async () => {
        const words = await heard(conversation);
        if (!words.includes(text)) throw new Error(`nobody said "${text}", but: ${words.join(" | ")}`);
      }, patience);
    },
  };
}

/** Whether a process exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function untilGone(pid: number): Promise<void> {
  await vi.waitFor(() => {
    if (isAlive(pid)) throw new Error(`${pid} goes on`);
  }, patience);
}
