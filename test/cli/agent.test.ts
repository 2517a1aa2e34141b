// The built command serves ready-made agents, also one with a model, as a shell would start it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { agentNames } from "@plenary/agents";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { spokenIn } from "../peers/foreign-floor.ts";
import { startSpeakerWithWordsAtUrl } from "../peers/speaker-with-text-at-a-url.ts";
import { plenary } from "../support/plenary-command.ts";
import { firstLine, usePlenaryProcesses } from "../support/start-plenary-process.ts";
import { refuses, type StubModel, says, startModel } from "../support/stub-model.ts";
import { envelope, hello } from "./hello.ts";

const { start } = usePlenaryProcesses();
const key = "sk-nobody-may-see-this";
const models: StubModel[] = [];

afterEach(async () => {
  for (const model of models.splice(0)) await model.close();
});

async function modelWith(...plays: Parameters<typeof startModel>) {
  const model = await startModel(...plays);
  models.push(model);
  return { model, env: { PLENARY_LLM_URL: model.baseUrl, PLENARY_LLM_MODEL: "stub-7b", PLENARY_LLM_KEY: key } };
}

async function tell(url: string, text: string): Promise<string> {
  const { dialogEvent } = hello.parameters;
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  const event = { ...hello, parameters: { dialogEvent: { ...dialogEvent, features } } };
  return (await fetch(url, { method: "POST", body: envelope("c1", [event]) })).text();
}

test("the help names every agent", () => {
  const { stdout, exitCode } = plenary(["agent", "--help"]);
  expect(exitCode).toBe(0);
  const listed = [...(/Agents:\n((?: {2}\S.*\n)+)/u.exec(stdout)?.[1] ?? "").matchAll(/^ {2}(\S+)/gmu)];
  expect(listed.map(([, name]) => name).sort()).toEqual([...agentNames, "llm", "convener-llm", "nemo"].sort());
});

test("a port in use is an error with a hint", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const agent = start(["agent", "echo", "--port", String(port)]);
  expect(await agent.ended).toBe(2);
  expect(agent.said.err).toBe(
    `plenary: port ${port} is in use: stop the process that uses it, or give --port 0 for any free port\n`,
  );
  other.close();
});

test("an agent behind a proxy gives the address of --public-url", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  await new Promise((resolve) => taken.close(resolve));
  const publicUrl = "https://echo.example/agents/echo";
  const agent = start(["agent", "echo", "--json", "--port", String(port), "--public-url", publicUrl]);
  expect(JSON.parse(await firstLine(agent))).toMatchObject({ url: publicUrl });
  const { openFloor } = JSON.parse(await tell(`http://127.0.0.1:${port}`, "hello"));
  expect(openFloor.sender.serviceUrl).toBe(publicUrl);
});

test("every web page may call an agent, or only pages of --allow-origin", async () => {
  const allowed = async (args: string[]) => {
    const { url } = JSON.parse(await firstLine(start(["agent", "echo", "--json", ...args])));
    const headers = { origin: "https://floor.example", "access-control-request-method": "POST" };
    const response = await fetch(url, { method: "OPTIONS", headers });
    return [response.status, response.headers.get("access-control-allow-origin")];
  };
  expect(await allowed([])).toEqual([204, "*"]);
  const named = ["--allow-origin", "https://other.example", "--allow-origin", "https://floor.example/"];
  expect(await allowed(named)).toEqual([204, "https://floor.example"]);
  expect(await allowed(["--allow-origin", "https://other.example"])).toEqual([403, null]);
  const { exitCode, stderr } = plenary(["agent", "echo", "--allow-origin", "floor.example/page"]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("An origin is scheme, host and port")]);
});

test("text at a URL is read where the operator allows it, and not from this machine by default", async () => {
  const speaker = await startSpeakerWithWordsAtUrl("good morning");
  onTestFinished(() => speaker.close());
  const answer = async (env: Record<string, string>) => {
    const { url } = JSON.parse(await firstLine(start(["agent", "echo", "--json"], env)));
    return spokenIn(await speaker.say(url));
  };
  expect(await answer({})).toEqual([expect.stringContaining("a link to text that I cannot read")]);
  expect(speaker.asked).toEqual([]);
  expect(await answer({ PLENARY_ALLOW_HOSTS: speaker.host })).toEqual(["You said: good morning"]);
});

test("one command makes a model an agent, and a signal ends it", async () => {
  const { model, env } = await modelWith(says("Hello ", "Ann."));
  const agent = start(["agent", "llm", "--name", "Cook", "--instructions", "You cook.", "--json"], env);
  const { name, url } = JSON.parse(await firstLine(agent));
  expect(name).toBe("llm");
  expect(await tell(url, "Cook, hello")).toContain("Hello Ann.");
  const { headers, body } = await model.request(0);
  expect(headers.authorization).toBe(`Bearer ${key}`);
  expect(body).toMatchObject({ model: "stub-7b", stream: true });
  expect(body.messages[0]?.content).toContain("You are Cook");
  expect(body.messages[0]?.content).toContain("You cook.");
  agent.child.kill("SIGTERM");
  expect(await agent.ended).toBe(0);
  expect(agent.said.err).toBe("");
});

test("options override the environment, and errors reach the operator without the key", async () => {
  const { model, env } = await modelWith(refuses(401, { error: { message: `Incorrect key: ${key}` } }));
  const agent = start(["agent", "llm", "--model", "other-model", "--json"], env);
  const { url } = JSON.parse(await firstLine(agent));
  const answer = await tell(url, "Other, hello");
  expect((await model.request(0)).body.model).toBe("other-model");
  agent.child.kill("SIGTERM");
  await agent.ended;
  expect(agent.said.err).toContain("the model answered 401: Incorrect key: [key]");
  expect(JSON.stringify({ answer, ...agent.said })).not.toContain(key);
});

test("a floor hosts the configured model, with the conversation in its prompt", async () => {
  const { model, env } = await modelWith(says("Noted."));
  const floor = start(["serve", "--port", "0", "--json", "--store", ":memory:"], env);
  const { url, token, agents } = JSON.parse(await firstLine(floor));
  expect(agents).toContain("llm");
  const response = await fetch(`${url}/openfloor`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", prefer: "wait=20" },
    body: envelope("c1", [{ eventType: "invite", to: { serviceUrl: `${url}/agents/llm` } }, hello]),
  });
  expect(await response.text()).toContain("Noted.");
  expect(JSON.stringify((await model.request(0)).body.messages)).toContain("hello");
  const listed = await fetch(`${url}/api/v1/agents`, { headers: { authorization: `Bearer ${token}` } });
  expect(await listed.text()).toContain("Answers with the language model stub-7b.");
  // Its answers cost the operator's money: callers without a credential cannot see that it exists.
  const stranger = await fetch(`${url}/agents/llm`, { method: "POST", body: envelope("c2", [hello]) });
  expect(stranger.status).toBe(404);
  floor.child.kill("SIGTERM");
  expect(await floor.ended).toBe(0);
  expect(floor.said.out + floor.said.err).not.toContain(key);
});
