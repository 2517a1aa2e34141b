// The address that an agent gives to floors on other machines.
import { createAgent, listen } from "@plenary/sdk";
import { expect, onTestFinished, test } from "vitest";
import { meet } from "./floor-on-another-machine.ts";
import { post, says, spokenIn, typesIn } from "./foreign-floor.ts";

const identification = {
  speakerUri: "tag:parrot.example,2026:1",
  organization: "Example",
  conversationalName: "Parrot",
  synopsis: "Repeats.",
};

type Named = { inManifest?: string; serviceUrl?: string };

async function start(host: string, { inManifest, ...named }: Named = {}): Promise<{ url: string; port: number }> {
  const own = { ...identification, ...(inManifest && { serviceUrl: inManifest }) };
  const agent = createAgent({ manifest: { identification: own, capabilities: [] }, onUtterance: ({ text }) => text });
  const { url, close } = await listen(agent, { port: 0, host, ...named });
  onTestFinished(close);
  return { url, port: Number(new URL(url).port) };
}

const both = (address: string) => ({ manifestAddress: address, senderAddress: address });

test("an agent that listens on every address gives the address that the floor used", async () => {
  const { port } = await start("0.0.0.0");
  expect(await meet(port, "parrot.example:8080", "/")).toEqual(both("http://parrot.example:8080/"));
  expect(await meet(port, "192.0.2.7", "/birds/parrot?key=1")).toEqual(both("http://192.0.2.7/birds/parrot"));
});

test("an agent behind a proxy that sends forwarding headers gives the address of the proxy", async () => {
  const { port } = await start("0.0.0.0");
  expect(await meet(port, "parrot.example", "/", true)).toEqual(both("https://parrot.example/"));
  // Where only this machine reaches it, the proxy's name is one of its names.
  const { url, port: local } = await start("127.0.0.1");
  expect(await meet(local, "parrot.example", "/", true)).toEqual(both(url));
});

test("an agent behind a proxy without such headers is invited and addressed by its configured address", async () => {
  const publicUrl = "https://parrot.example/birds/parrot";
  const { url: reached, port } = await start("127.0.0.1", { serviceUrl: publicUrl });
  const to = { serviceUrl: publicUrl };
  const { events } = await post(reached, [{ eventType: "invite", to }]);
  expect(typesIn(events)).toEqual(["acceptInvite", "utterance"]);
  expect(spokenIn((await post(reached, [says("one", to)])).events)).toEqual(["one"]);
  expect(await meet(port, "127.0.0.1", "/")).toEqual(both(publicUrl));
});

test("an agent that listens on one address gives that address, unless another one is configured", async () => {
  const { url, port } = await start("127.0.0.1");
  expect(await meet(port, "parrot.example", "/")).toEqual(both(url));
  const inManifest = "https://parrot.example/agent";
  const named = await start("0.0.0.0", { inManifest });
  expect(await meet(named.port, "other.example", "/")).toEqual(both(inManifest));
});
