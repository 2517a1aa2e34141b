import { once } from "node:events";
import { createServer } from "node:http";
import { silentLogger } from "@plenary/server";
import { expect, onTestFinished, test } from "vitest";
import { openFloor } from "./open-floor.ts";

/** The address of a server that takes requests and never answers. */
async function silentAddress(): Promise<string> {
  const server = createServer(() => {});
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
}

test("--agent-timeout limits the wait for an agent", async () => {
  const floor = await openFloor({
    configuration: { mode: "local", host: "127.0.0.1", allowHosts: [], allowCidrs: [] },
    port: 0,
    host: "127.0.0.1",
    demo: false,
    version: "0",
    token: "t",
    agentTimeoutMs: 400,
    logger: silentLogger,
  });
  if ("problem" in floor) throw new Error(floor.problem);
  const events = [{ eventType: "invite", to: { serviceUrl: await silentAddress() } }];
  const sender = { speakerUri: "tag:people.example,2026:ann" };
  const envelope = { schema: { version: "1.1.0" }, conversation: { id: "c" }, sender, events };
  const headers = { authorization: "Bearer t", "content-type": "application/json", prefer: "wait=60" };
  const body = JSON.stringify({ openFloor: envelope });
  const response = await fetch(`${floor.url}/openfloor`, { method: "POST", headers, body });
  expect(await response.text()).toContain("@unavailable did not answer within 0.4 seconds");
  await floor.close();
});
