// A real pseudo-terminal: tmux runs the command, presses keys and reads the screen.
import { execFile, spawnSync } from "node:child_process";
import { setTimeout as after } from "node:timers/promises";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { environment, main } from "../support/plenary-command.ts";

const run = promisify(execFile);
const isThere = spawnSync("tmux", ["-V"]).status === 0;

/** The commands of this project install it where they may; elsewhere a missing tmux is not a failure. */
export const isMissing = !isThere && process.env.CI !== "true";

type Options = { cwd: string; columns?: number; rows?: number; env?: Record<string, string> };

let opened = 0;

const nothing = () => undefined;

/** `plenary` with these arguments, as it runs in a terminal. It ends with the test. */
export async function openPane(args: readonly string[], { cwd, columns = 100, rows = 30, env = {} }: Options) {
  if (!isThere) throw new Error("there is no tmux here: install the package of that name");
  const socket = `plenary-${process.pid}-${++opened}`;
  // tmux leaves its socket behind: it is removed with the folder of the test.
  const shell = { cwd, env: environment({ LC_ALL: "C.UTF-8", TMUX_TMPDIR: cwd, ...env }) };
  const tmux = async (...words: string[]) =>
    (await run("tmux", ["-u", "-L", socket, "-f", "/dev/null", ...words], shell)).stdout;
  // The server may have ended by itself.
  onTestFinished(() => tmux("kill-server").then(nothing, nothing));
  const size = ["-x", String(columns), "-y", String(rows)];
  await tmux(
    ...["start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";"],
    ...["set-option", "-g", "default-terminal", "tmux-256color", ";"],
    ...["new-session", "-d", ...size, process.execPath, main, ...args],
  );
  const screen = () => tmux("capture-pane", "-p", "-J");
  return {
    /** The present content of the screen. */
    screen,
    /** The same with colours. */
    coloured: () => tmux("capture-pane", "-p", "-e"),
    type: (text: string) => tmux("send-keys", "-l", text),
    /** Keys by their names: Enter, Tab, Up, C-c ... */
    press: (...keys: string[]) => tmux("send-keys", ...keys),
    async enter(text: string) {
      await tmux("send-keys", "-l", text);
      await tmux("send-keys", "Enter");
    },
    /** Pastes the text, which a terminal distinguishes from typed text. */
    async paste(text: string) {
      await tmux("set-buffer", text);
      await tmux("paste-buffer", "-p");
    },
    resize: (toColumns: number, toRows: number) => tmux("resize-window", "-x", String(toColumns), "-y", String(toRows)),
    /** Properties of the terminal: its title, the position of its cursor. */
    ask: async (format: string) => (await tmux("display-message", "-p", format)).trim(),
    /** Resolves when the command has ended. */
    ended: () => until(() => tmux("display-message", "-p", "#{pane_dead}"), "1", 60_000),
    /** The screen, once it contains this. */
    until: (wanted: string | RegExp | ((text: string) => boolean), withinMs = 60_000) =>
      until(screen, wanted, withinMs),
  };
}

async function until(
  screen: () => Promise<string>,
  wanted: string | RegExp | ((text: string) => boolean),
  withinMs: number,
): Promise<string> {
  const isWanted = typeof wanted === "function" ? wanted : (text: string) => hasText(text, wanted);
  const endMs = Date.now() + withinMs;
  let text = await screen();
  while (!isWanted(text)) {
    if (Date.now() > endMs) throw new Error(`the screen never showed ${wanted}:\n${text}`);
    await after(40);
    text = await screen();
  }
  return text;
}

function hasText(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
}
