// A floor with the ready-made agents, and clients of @plenary/client that end with the test.
import { agentNamed, agentNames } from "@plenary/agents";
import { type ConnectOptions, connect, type Floor } from "@plenary/client";
import { afterEach, expect } from "vitest";
import { WebSocket } from "ws";
import {
  noDialler,
  startTestFloor,
  type TestFloor,
  type TestFloorOptions,
  token,
} from "../support/start-test-floor.ts";

/** Node 20 has no global WebSocket; browsers, Bun and Deno have one. */
export const transports = [
  ["sockets", WebSocket],
  ["server-sent events", false],
] as const;

/** Short pauses, so that a test of retries is quick. */
export const limits = { retryMs: 10, retryMaxMs: 100 };

export function useClientFloor() {
  const floors: TestFloor[] = [];
  const clients: Floor[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    for (const floor of floors.splice(0)) {
      await floor.close();
      expect(floor.errors).toEqual([]);
    }
  });
  return {
    async start(options: TestFloorOptions = {}): Promise<TestFloor> {
      const create = (name: string, serviceUrl: string) => agentNamed(name, { serviceUrl });
      const hostedAgents = { names: [...agentNames], create };
      const floor = await startTestFloor({ retries: "default", dialler: noDialler, hostedAgents, ...options });
      floors.push(floor);
      return floor;
    },
    async connect(options: ConnectOptions): Promise<Floor> {
      const client = await connect({ token, limits, ...options });
      clients.push(client);
      return client;
    },
  };
}
