// A convener in a process of its own, on a floor that it knows nothing about; and floors that are not ours.
import { afterEach, expect, test } from "vitest";
import { main } from "../cli/plenary.ts";
import { createProcesses, type Processes } from "../reliability/processes.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage | undefined;
let processes: Processes | undefined;
afterEach(async () => {
  await processes?.close();
  await stage?.close();
  expect(stage?.world.errors).toEqual([]);
});

test("Q1 Q2 Q4 C13: a queue in its own process convenes any floor, goes on after a restart, and once it is dead the floor carries on", async () => {
  processes = createProcesses();
  const { announced } = processes;
  const start = (port: string) =>
    announced(process.execPath, [main, "agent", "convener-queue", "--port", port, "--json"]);
  const first = await start("0");
  stage = await openStage({ people: ["ben", "cleo"], options: { convenerDeadlineMs: 2_000 } });
  await stage.convene(first.said.url);
  expect(await stage.speakers()).toEqual([]);
  await stage.request("ben");
  await stage.request("cleo");
  expect(await stage.speakers()).toEqual(["ben"]);
  await stage.yields("ben");
  expect(await stage.speakers()).toEqual(["cleo"]);
  await first.stop("SIGKILL");
  const again = await start(new URL(first.said.url).port);
  await stage.request("ben");
  expect(await stage.speakers()).toEqual(["cleo"]);
  await again.stop("SIGKILL");
  await stage.request("ben");
  expect((await stage.speakers()).toSorted()).toEqual(["ben", "cleo"]);
  await stage.yields("ben");
  await stage.request("ben");
  expect(await stage.convener()).toBeUndefined();
  expect(await stage.speakers()).toContain("ben");
});

test("M8 C5: a floor of somebody else that names no owner is open to all, by the envelopes alone", async () => {
  stage = await openStage();
  const url = `${stage.url}/agents/convener-moderated`;
  const [floor, zoe] = ["tag:other.example,2026:floor", "tag:other.example,2026:zoe"];
  const manifest = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: envelope({ id: "far" }, floor, [{ eventType: "invite", to: { serviceUrl: url } }]),
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
