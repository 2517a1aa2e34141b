// Event streams and sockets take the query parameters of the contract, and no others.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ann, type Json } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";

let floor: TestFloor;

beforeAll(async () => {
  floor = await startTestFloor();
  await floor.openConversation("c1", [ann]);
});

afterAll(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const authorization = `Bearer ${token}`;

async function refusalOf(transport: string, query: Record<string, string>): Promise<Json> {
  if (transport === "events") {
    const response = await fetch(floor.eventsUrl(query), { headers: { authorization } });
    expect(response.status).toBe(400);
    return (await response.json()) as Json;
  }
  const socket = new WebSocket(floor.socketUrl(query), { headers: { authorization } });
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
  expect(response.statusCode).toBe(400);
  return (await json(response)) as Json;
}

const own = { speaker: ann, conversation: "c1" };

test.each([
  [{}, "speaker: it is missing", undefined],
  [{ speaker: "Ann" }, "speaker: a URI, such as tag:you.example,2026:me", undefined],
  [{ ...own, aftr: "3" }, "aftr: there is no such parameter; after is meant", "rename it to after"],
  [{ ...own, view: "breif" }, "view: one of brief", "write brief"],
  [{ ...own, conversation: "" }, "conversation: a text of 1 to 2048 characters", undefined],
  [{ ...own, after: "-1" }, "after: a whole number from 0 to 9007199254740991", undefined],
  [{ speaker: ann, after: "!" }, "after: the `id` of an earlier event of this stream", undefined],
  [{ speaker: ann, view: "brief" }, "view: it needs the parameter conversation", undefined],
])("%j is refused on both transports", async (query, detail, fix) => {
  for (const transport of ["events", "socket"]) {
    const problem = await refusalOf(transport, query);
    expect(problem).toMatchObject({
      type: "urn:plenary:problem:bad-request",
      detail: `the query parameter ${detail}`,
      ...(fix !== undefined && { fix }),
    });
  }
});

test.each([
  [{ ...own, as: "agnet" }, "as: one of viewer, agent"],
  [{ speaker: ann, as: "agent", view: "brief" }, "view: only viewers may use it"],
])("%j is refused on a socket", async (query, detail) => {
  expect((await refusalOf("socket", query)).detail).toBe(`the query parameter ${detail}`);
});
