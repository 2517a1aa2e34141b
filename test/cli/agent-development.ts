// A floor, and an agent under development beside it.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Conversation, connect } from "@plenary/client";
import { textOf } from "@plenary/protocol";
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

/** The operator's person, who talks through the floor's public interface. */
export async function personAt({ url, token }: { url: string; token: string }) {
  const floor = await connect({ url, token });
  const me = floor.me.speakerUri;
  const joined = new Map<string, Conversation>();
  const talkIn = async (id: string): Promise<Conversation> => {
    const talk = joined.get(id) ?? (await floor.join(id));
    joined.set(id, talk);
    return talk;
  };
  return {
    url,
    open: async (title: string): Promise<string> => (await floor.open({ title })).id,
    seated: async (conversation: string) => {
      const { conversants } = await (await talkIn(conversation)).view();
      return conversants.map(({ identification }) => identification).filter(({ speakerUri }) => speakerUri !== me);
    },
    /** What others have said. */
    heard: async (conversation: string): Promise<string[]> => {
      const entries = await (await talkIn(conversation)).log({ limit: 1_000 });
      return entries.flatMap((entry) => {
        if (entry.kind !== "event" || entry.sender === me || entry.event.eventType !== "utterance") return [];
        return [textOf(entry.event.parameters.dialogEvent)];
      });
    },
    say: async (conversation: string, text: string) => (await talkIn(conversation)).say(text),
    /** Waits until somebody else says the text. */
    async hears(conversation: string, text: string): Promise<void> {
      const words: string[] = [];
      const talk = await talkIn(conversation);
      let cause: unknown;
      try {
        for await (const line of talk.lines({ from: "start", signal: AbortSignal.timeout(patience.timeout) })) {
          words.push(line.text);
          if (line.text === text && line.speaker.speakerUri !== me) return;
        }
      } catch (error) {
        cause = error;
      }
      throw new Error(`nobody said "${text}", but: ${words.join(" | ")}`, { cause });
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
