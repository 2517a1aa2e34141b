import type { Find } from "../caller.ts";
import { parseConfiguration } from "../configuration.ts";
import { type FloorOptions, namedFloor, reachFloor } from "../floor-access.ts";
import { addressIn } from "../floor-address.ts";
import { FloorProblem } from "../floor-problem.ts";
import type { Io } from "../io.ts";
import { mistakeText } from "../mistake.ts";
import { openFloor } from "../open-floor.ts";
import { storeFile } from "../store-place.ts";

export type FloorForChat = {
  find: Find;
  /** Said once: where this floor came from, when nobody started it. */
  note?: string;
  close: () => Promise<void>;
};

/** The floor that was named, or runs on the store; else one in this process, for as long as the chat lasts. */
export async function floorForChat(
  options: FloorOptions,
  io: Io,
  { version, onError }: { version: string; onError: (error: unknown) => void },
): Promise<FloorForChat> {
  const isNamed = namedFloor(options, io) !== undefined;
  const file = storeFile(options.store, io);
  const isRunning = isNamed || (file !== undefined && (await addressIn(file)) !== undefined);
  if (isRunning) return { find: () => reachFloor(options, io), close: async () => {} };
  const host = "127.0.0.1";
  const parsed = parseConfiguration({ host }, io.env);
  if (!parsed.ok) throw new FloorProblem(parsed.mistakes.map(mistakeText).join("; "));
  const { configuration } = parsed;
  const floor = await openFloor({
    // Whatever the settings say of others, nobody else is let in by a chat.
    configuration: { ...configuration, mode: "local" },
    // Where plenary serve opens it, so that the agents seated here are found there as well.
    ...{ host, port: 0, wishedPort: 7536, demo: true, version, onError },
    ...(file !== undefined && { file }),
    ...(configuration.token !== undefined && { token: configuration.token }),
  });
  if ("problem" in floor) throw new FloorProblem(floor.problem);
  const own: Io = { ...io, env: { ...io.env, PLENARY_TOKEN: floor.token } };
  const kept = file === undefined ? "in memory" : `in ${file}`;
  return {
    find: () => reachFloor({ floor: floor.url }, own),
    note: `No floor was running, so this chat opened one; it closes with the chat. Conversations are kept ${kept}.`,
    close: floor.close,
  };
}
