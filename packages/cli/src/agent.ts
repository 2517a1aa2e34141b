import type { ExitCode, Io } from "./io.ts";
import { untilStopped } from "./until-stopped.ts";

export type AgentOptions = { port: number; host: string; json: boolean };

/** Serves one ready-made agent until it is told to stop. */
export async function serveAgent(name: string, options: AgentOptions, io: Io): Promise<ExitCode> {
  const { agentNamed, agentNames } = await import("@plenary/agents");
  const agent = agentNamed(name);
  if (agent === undefined) {
    await io.stderr.write(`plenary: there is no agent named "${name}". There is: ${agentNames.join(", ")}\n`);
    return 2;
  }
  const { listen } = await import("@plenary/sdk");
  const { port, host, json } = options;
  const { url, close } = await listen(agent, { port, host });
  const text = `${name} is listening. Invite it at ${url}\n`;
  await io.stdout.write(json ? `${JSON.stringify({ name, url })}\n` : text);
  await untilStopped();
  await close();
  return 0;
}
