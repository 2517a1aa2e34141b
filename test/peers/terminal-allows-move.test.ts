// The terminal asks the owner with a line, and the owner answers with a command.
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { closeAgents } from "../support/http-agent.ts";
import { firstLine, usePlenaryProcesses } from "../support/start-plenary-process.ts";
import { clock, restart, startOnAPort } from "./restarts-on-another-port.ts";

const { start } = usePlenaryProcesses();
afterEach(closeAgents);

test("an agent that answers from another address is shown with both addresses, and /allow lets it join", async () => {
  // Behind a proxy the floor is public, so a new address needs the owner's consent.
  const floor = start(["serve", "--port", "0", "--json", "--no-demo"], { PLENARY_PROXIES: "1" });
  const { url, token } = JSON.parse(await firstLine(floor));
  const chat = async (...lines: string[]) => {
    const env = { PLENARY_URL: url, PLENARY_TOKEN: token };
    const run = start(["chat", "--json", "--title", "A"], env, undefined, `${lines.join("\n")}\n`);
    expect(await run.ended).toBe(0);
    return run.said;
  };
  const before = await startOnAPort();
  await chat(`/invite ${before.url}`);
  const after = await restart(before);
  const refused = await chat(`/invite ${after.url}`, `/refuse ${clock}`, "where are you?");
  const commands = `/allow ${clock} accepts this address, /refuse ${clock} refuses it.`;
  expect(refused.err).toBe(`${clock} now answers from ${after.url}; it was at ${before.url}. ${commands}\n`);
  expect(refused.out).not.toContain(`"value":"from ${after.url}"`);
  const allowed = await chat(`/invite ${after.url}`, "/allow", "where are you?");
  expect(allowed.out).toContain(`"value":"from ${after.url}"`);
  floor.child.kill("SIGTERM");
  if (floor.child.exitCode === null) await once(floor.child, "close");
});
