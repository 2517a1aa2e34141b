// A convener in a separate process, on a floor that it does not know; and foreign floors.
import { afterEach, expect, test } from "vitest";
import { main } from "../support/plenary-command.ts";
import { createProcesses, type Processes } from "../support/start-plenary-process.ts";
import { type ConvenedFloor, startConvenedFloor } from "./convened-floor.ts";

let floor: ConvenedFloor | undefined;
let processes: Processes | undefined;
afterEach(async () => {
  await processes?.close();
  await floor?.close();
  expect(floor?.errors).toEqual([]);
});

test("Q1 Q2 Q4 C13: a queue in its own process convenes any floor, also after a restart; without it the floor is open", async () => {
  processes = createProcesses();
  const { announced } = processes;
  const start = (port: string) =>
    announced(process.execPath, [main, "agent", "convener-queue", "--port", port, "--json"]);
  const first = await start("0");
  floor = await startConvenedFloor({ people: ["ben", "cleo"], options: { convenerDeadlineMs: 2_000 } });
  await floor.convene(first.said.url);
  expect(await floor.speakers()).toEqual([]);
  await floor.request("ben");
  await floor.request("cleo");
  expect(await floor.speakers()).toEqual(["ben"]);
  await floor.yields("ben");
  expect(await floor.speakers()).toEqual(["cleo"]);
  await first.stop("SIGKILL");
  const again = await start(new URL(first.said.url).port);
  await floor.request("ben");
  expect(await floor.speakers()).toEqual(["cleo"]);
  await again.stop("SIGKILL");
  await floor.request("ben");
  expect((await floor.speakers()).toSorted()).toEqual(["ben", "cleo"]);
  await floor.yields("ben");
  await floor.request("ben");
  expect(await floor.convener()).toBeUndefined();
  expect(await floor.speakers()).toContain("ben");
});

test("M8 C5: a foreign floor without an owner is open to all, by its envelopes alone", async () => {
  floor = await startConvenedFloor();
  const url = `${floor.url}/agents/convener-moderated`;
  const [otherFloor, zoe] = ["tag:other.example,2026:floor", "tag:other.example,2026:zoe"];
  const manifest = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: envelope({ id: "far" }, otherFloor, [{ eventType: "invite", to: { serviceUrl: url } }]),
  });
  const { speakerUri } = ((await manifest.json()) as Answer).openFloor.sender;
  const seat = (uri: string, serviceUrl: string) => ({
    identification: { speakerUri: uri, serviceUrl, organization: "", conversationalName: uri, synopsis: "" },
  });
  const conversation = {
    id: "far",
    conversants: [seat(zoe, "https://other.example/zoe"), seat(speakerUri, url)],
    assignedFloorRoles: { convener: [speakerUri] },
    floorGranted: [speakerUri],
  };
  const answered = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: envelope(conversation, zoe, [{ eventType: "requestFloor" }]),
  });
  const { events } = ((await answered.json()) as Answer).openFloor;
  expect(events).toEqual([expect.objectContaining({ eventType: "grantFloor", to: { speakerUri: zoe } })]);
});

type Answer = { openFloor: { sender: { speakerUri: string }; events: object[] } };

function envelope(conversation: object, speakerUri: string, events: readonly object[]): string {
  const openFloor = { schema: { version: "1.1.0" }, conversation, sender: { speakerUri }, events };
  return JSON.stringify({ openFloor });
}
