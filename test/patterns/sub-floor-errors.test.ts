// How a sub-floor reports what the floor, the network or the caller ended.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createDialler, openSubFloor, resumeSubFloor } from "@plenary/sdk";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { closeFloorsAndAgents, speakerOf, startSdkAgentsFloor } from "./sdk-agents-floor.ts";

afterEach(closeFloorsAndAgents);

const as = speakerOf("concierge");

/** A server that is no floor. */
async function startServer(answer: string | undefined): Promise<string> {
  const server = createServer((_, response) => answer !== undefined && response.end(answer));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("an aborted signal ends a request, but the sub-floor can still be closed", async () => {
  const floor = await startSdkAgentsFloor();
  const access = { floor: `${floor.url}/`, token: await floor.keyFor(as, true), as };
  const abort = new AbortController();
  const { id } = await openSubFloor({ ...access, parent: "c" });
  const behind = resumeSubFloor({ ...access, id, signal: abort.signal });
  await behind.say("still here");
  abort.abort();
  await expect(behind.say("too late")).rejects.toMatchObject({ code: "unreachable", message: "the caller aborted" });
  await behind.close("done");
  expect((await floor.state(id)).isClosed).toBe(true);
  await expect(behind.say("too late")).rejects.toMatchObject({ code: "closed" });
});

test("a request without an answer ends when the signal is aborted", async () => {
  const floor = await startServer(undefined);
  const opening = openSubFloor({ floor, token: "x", as, parent: "c", signal: AbortSignal.timeout(20) });
  await expect(opening).rejects.toMatchObject({ name: "SubFloorError", code: "unreachable" });
});

test("an answer that is not from a floor, and an address that the dialler refuses, are unreachable floors", async () => {
  const floor = await startServer("<html>");
  const wrong = openSubFloor({ floor, token: "x", as, parent: "c" });
  await expect(wrong).rejects.toMatchObject({ code: "unreachable", message: expect.stringContaining(floor) });
  const dialler = createDialler({ mode: "production" });
  const refused = openSubFloor({ floor, token: "x", as, parent: "c", dialler });
  await expect(refused).rejects.toMatchObject({ code: "unreachable", message: expect.stringContaining(floor) });
  await dialler.close();
});

test("a refused request names the remedy of the floor", async () => {
  const floor = await startSdkAgentsFloor();
  const access = { floor: floor.url, token: await floor.keyFor(as, true), as };
  const opening = openSubFloor({ ...access, parent: "c", title: "x".repeat(300) });
  await expect(opening).rejects.toMatchObject({
    code: "refused",
    status: 400,
    message: expect.stringContaining("title"),
  });
});
