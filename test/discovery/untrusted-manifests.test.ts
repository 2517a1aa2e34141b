// What callers without a credential can make the discovery agent of a real floor believe: the built command, documents over HTTP.
import { createHostClient } from "@plenary/client/host";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answer, closeAgents, startAgent } from "../support/http-agent.ts";
import { main, plenary } from "../support/plenary-command.ts";
import { createProcesses, type Processes } from "../support/start-plenary-process.ts";
import { type Json, recommended, send } from "./discovery-client.ts";
import { type Manifest, manifestOf } from "./foreign-discovery-agents.ts";

const token = "operators-token";
const floor = { url: "" };
let processes: Processes;

beforeAll(async () => {
  processes = createProcesses();
  const args = [main, "serve", "--port", "0", "--token", token, "--store", ":memory:", "--json"];
  floor.url = (await processes.announced(process.execPath, args)).said.url;
});

afterAll(async () => {
  await closeAgents();
  await processes.close();
});

const discovery = () => `${floor.url}/agents/discovery`;
const publish = (...servicingManifests: Manifest[]) =>
  send(discovery(), [{ eventType: "publishManifests", parameters: { servicingManifests } }]);

const host = () => createHostClient({ url: floor.url, token });

type Found = { manifest: Manifest; score: number; reasons: Json };
const found = async (text: string) =>
  (await host().call("POST /api/v1/discover", { body: { text } })).found as readonly unknown[] as Found[];
const namesIn = (all: readonly Found[]) => all.map(({ manifest }) => manifest.identification.conversationalName);

const evilUrl = "https://evil.example/";

test("a manifest posted to the discovery agent neither outranks nor replaces the agents known to the floor", async () => {
  const weaver = await startAgent((heard, me) => {
    const manifest = manifestOf("weaver", me.url, ["carpets of silk and of wool", "weaving"]);
    return answer(heard, me, { eventType: "publishManifests", parameters: { servicingManifests: [manifest] } });
  }, "tag:strangers.example,2026:weaver");
  await host().call("POST /api/v1/agents", { body: { serviceUrl: weaver.url } });
  const named = (speakerUri: string, manifest: Manifest): Manifest => ({
    ...manifest,
    identification: { ...manifest.identification, speakerUri },
  });
  const [clock] = await found("what time is it in Tokyo?");
  await publish(
    manifestOf("evil", evilUrl, ["silk carpets"]),
    named("tag:strangers.example,2026:weaver", manifestOf("weaver", evilUrl, ["weaving"])),
    named(clock?.manifest.identification.speakerUri ?? "", manifestOf("Clock", evilUrl, ["time in Tokyo"])),
  );

  const answered = await recommended(discovery(), "silk carpets");
  expect(answered.servicing).toEqual(["weaver", "evil"]);
  const both = await found("silk carpets");
  expect(namesIn(both)).toEqual(["weaver", "evil"]);
  expect(both.map(({ reasons }) => reasons.isUnverified)).toEqual([undefined, true]);
  expect(JSON.stringify(await found("weaving"))).not.toContain(evilUrl);
  expect(JSON.stringify(await found("what time is it in Tokyo?"))).not.toContain(evilUrl);

  const speaker = { serviceUrl: discovery(), speakerUri: "tag:strangers.example,2026:weaver" };
  const parameters = { recommendScope: "external" };
  const events = await send(discovery(), [{ eventType: "getManifests", to: speaker, parameters }]);
  expect(JSON.stringify(events)).toContain(weaver.url);
  expect(JSON.stringify(events)).not.toContain(evilUrl);
});

test("the terminal marks unverified manifests", async () => {
  await publish(manifestOf("potter", "https://potter.example/", ["pottery"]));
  const { stdout } = plenary(["discover", "pottery", "--ask", discovery()]);
  expect(stdout).toMatch(/potter[\s\S]*not verified · matches pottery/u);
});

test("of one address the newest hundred manifests are kept", async () => {
  const many = Array.from({ length: 120 }, (_, at) =>
    manifestOf(`smith${at}`, `https://smith${at}.example/`, [`forge${at}`]),
  );
  for (let at = 0; at < many.length; at += 40) await publish(...many.slice(at, at + 40));
  expect((await recommended(discovery(), "forge19")).servicing).not.toContain("smith19");
  expect((await recommended(discovery(), "forge20")).servicing).toContain("smith20");
  expect((await recommended(discovery(), "forge119")).servicing).toContain("smith119");
});
