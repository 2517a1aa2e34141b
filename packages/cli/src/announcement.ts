import { printable } from "./printable.ts";
import { memory } from "./store-place.ts";

/** What there is to say of a floor that is open. */
export type Opened = {
  /** Where it listens. */
  url: string;
  /** Where others reach it; only in production. */
  publicUrl?: string;
  /** Where health checks have a port of their own. */
  healthUrl?: string;
  token: string;
  /** Where the token is kept; not there when it was given, or lives in memory. */
  tokenFile?: string;
  isTokenGiven: boolean;
  agents: readonly string[];
  file: string | undefined;
};

export function announcement(opened: Opened, { json }: { json: boolean }): string {
  if (json) return `${JSON.stringify(lineOf(opened))}\n`;
  const { url, publicUrl = url, agents, file } = opened;
  const hosted = agents.map((name) => `  ${publicUrl}/agents/${name}\n`).join("");
  const keeps =
    file === undefined
      ? "Conversations live in memory and end with this process."
      : `Conversations are kept in ${printable(file)} and go on after a restart.`;
  return [
    `\n  The floor is open: ${opened.publicUrl === undefined ? linkOf(opened) : publicUrl}\n\n`,
    opened.publicUrl === undefined ? "" : `  It listens on ${url}. ${tokenNote(opened)}\n\n`,
    "  Agents to invite:\n",
    hosted === "" ? "  none (started with --no-demo)\n" : hosted,
    `\n  ${keeps} Ctrl+C stops it.\n\n`,
  ].join("");
}

function lineOf({ url, publicUrl, healthUrl, token, tokenFile, agents, file, ...opened }: Opened) {
  const store = { store: file ?? memory, ...(healthUrl !== undefined && { healthUrl }) };
  if (publicUrl === undefined) return { url, link: linkOf({ url, token }), token, agents, ...store };
  const kept = opened.isTokenGiven || tokenFile === undefined ? {} : { tokenFile };
  return { url: publicUrl, listening: url, ...kept, agents, ...store };
}

/** Behind the # a browser keeps the token to itself. */
function linkOf({ url, token }: Pick<Opened, "url" | "token">): string {
  return `${url}/#token=${token}`;
}

/** What is printed in production may be collected and read by many: the token is not. */
function tokenNote({ tokenFile, isTokenGiven }: Opened): string {
  if (isTokenGiven) return "The operator's token is the one that was given.";
  if (tokenFile !== undefined) return `The operator's token is in ${printable(tokenFile)}, for its owner only.`;
  return "The operator's token is told to nobody: set PLENARY_TOKEN, or keep conversations in a file.";
}
