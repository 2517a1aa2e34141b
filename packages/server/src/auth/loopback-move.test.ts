import { relayUrlOf } from "@plenary/floor";
import { expect, test } from "vitest";
import { isLoopbackMove, isLoopbackOnly } from "./client-address.ts";

const floorUrl = "http://127.0.0.1:7700";
const local = { host: "127.0.0.1", url: floorUrl, allowHosts: [], proxies: 0 };
const speakerUri = "tag:clock.example,2026:1";

test.each([
  ["it is bound to 127.0.0.1", {}],
  ["it is bound to ::1", { host: "::1", url: "http://[::1]:7700" }],
  ["it is bound to localhost", { host: "localhost", url: "http://localhost:7700" }],
  ["more names of loopback are allowed", { allowHosts: ["localhost"] }],
])("a floor is reached from this machine only where %s", (_why, more) => {
  expect(isLoopbackOnly({ ...local, ...more })).toBe(true);
});

test.each([
  ["it is bound to every address", { host: "0.0.0.0" }],
  ["it is bound to an address of the network", { host: "192.168.1.5" }],
  ["it has a public URL", { url: "https://floor.example" }],
  ["a proxy stands before it", { proxies: 1 }],
  ["another host name is allowed", { allowHosts: ["floor.example"] }],
])("a floor is reached from elsewhere where %s", (_why, more) => {
  expect(isLoopbackOnly({ ...local, ...more })).toBe(false);
});

test.each([
  ["another port", "http://127.0.0.1:8001/", "http://127.0.0.1:8002/"],
  ["another port and another name of loopback", "http://localhost:8001/", "http://[::1]:8002"],
  ["another port at the same path", "http://127.0.0.1:8001/bot", "http://127.0.0.1:8002/bot/"],
])("an agent that answers from %s has moved", (_what, boundTo, serviceUrl) => {
  expect(isLoopbackMove({ speakerUri, serviceUrl }, boundTo, floorUrl)).toBe(true);
});

test.each([
  ["another path", "http://127.0.0.1:8001/a", "http://127.0.0.1:8002/b"],
  ["another scheme", "http://127.0.0.1:8001/", "https://127.0.0.1:8002/"],
  ["outside", "http://127.0.0.1:8001/", "https://bot.example/"],
  ["another port of another machine", "http://192.168.1.5:8001/", "http://192.168.1.5:8002/"],
  ["this machine, after it joined from outside", "https://bot.example/", "http://127.0.0.1:8002/"],
  ["another port, and lives at this floor", `${floorUrl}/agents/clock`, "http://127.0.0.1:8002/agents/clock"],
  [
    "a server of its own, and was reached over another floor here",
    relayUrlOf("http://127.0.0.1:7800/openfloor", speakerUri),
    relayUrlOf("http://127.0.0.1:8002/openfloor", speakerUri),
  ],
])("a speaker that answers from %s has not moved", (_what, boundTo, serviceUrl) => {
  expect(isLoopbackMove({ speakerUri, serviceUrl }, boundTo, floorUrl)).toBe(false);
});
