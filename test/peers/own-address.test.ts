// The address that an agent gives to floors on other machines.
import { createAgent, listen } from "@plenary/sdk";
import { expect, onTestFinished, test } from "vitest";
import { meet } from "./floor-on-another-machine.ts";

const identification = {
  ...{ speakerUri: "tag:parrot.example,2026:1", organization: "Example" },
  ...{ conversationalName: "Parrot", synopsis: "Repeats." },
};

async function start(host: string, serviceUrl?: string): Promise<{ url: string; port: number }> {
  const manifest = { identification: { ...identification, ...(serviceUrl && { serviceUrl }) }, capabilities: [] };
  const { url, close } = await listen(createAgent({ manifest, onUtterance: () => undefined }), { port: 0, host });
  onTestFinished(close);
  return { url, port: Number(new URL(url).port) };
}

const both = (address: string) => ({ manifestAddress: address, senderAddress: address });

test("an agent that listens on every address is at the one that the floor has used", async () => {
  const { port } = await start("0.0.0.0");
  expect(await meet(port, "parrot.example:8080", "/")).toEqual(both("http://parrot.example:8080/"));
  expect(await meet(port, "192.0.2.7", "/birds/parrot?key=1")).toEqual(both("http://192.0.2.7/birds/parrot"));
});

test("behind a proxy that takes TLS off, its address has https", async () => {
  const { port } = await start("0.0.0.0");
  expect(await meet(port, "parrot.example", "/", true)).toEqual(both("https://parrot.example/"));
});

test("an agent that listens on one address is there, and one with an address of its own says that", async () => {
  const { url, port } = await start("127.0.0.1");
  expect(await meet(port, "parrot.example", "/")).toEqual(both(url));
  const named = await start("0.0.0.0", "https://parrot.example/agent");
  expect(await meet(named.port, "other.example", "/")).toEqual(both("https://parrot.example/agent"));
});
