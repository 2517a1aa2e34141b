// A whisper whose mediator crashes before it answers.
import { createAgent, createMediator, type MediatorInput } from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { said } from "../support/envelopes.ts";
import { patience } from "../support/wait-for.ts";
import { closeFloorsAndAgents, manifestOf, serve, speakerOf, startSdkAgentsFloor } from "./sdk-agents-floor.ts";

afterEach(closeFloorsAndAgents);

test("a mediator that crashed during a whisper does not put public utterances into the whisper's sub-floor", async () => {
  const floor = await startSdkAgentsFloor();
  const tables = await serve(
    createAgent({ manifest: manifestOf("tables"), greeting: false, onUtterance: ({ text }) => `table ${text}` }),
  );
  const token = await floor.keyFor(speakerOf("concierge"), true);
  const options = { manifest: manifestOf("concierge"), greeting: false as const, floor: { url: floor.url, token } };
  const seen: string[] = [];
  const mediating = async ({ text, subFloor }: MediatorInput<unknown>) => {
    const behind = await subFloor({ title: "dinner", invite: [tables] });
    const before = JSON.stringify(await behind.events());
    const [first] = await behind.ask(text);
    seen.push(text);
    return text === "canary"
      ? new Promise<string>(() => {})
      : `I heard ${first?.text}, ${before.includes("canary") ? "and before" : "first"}`;
  };
  const dead = createMediator({ ...options, onUtterance: mediating });
  const reborn = createMediator({ ...options, onUtterance: mediating });
  let die = () => {};
  const died = new Promise<Response>((resolve) => {
    die = () => resolve(new Response("", { status: 410 }));
  });
  const current = { fetch: (request: Request) => Promise.race([dead.fetch(request), died]) };
  const url = await serve({ manifest: dead.manifest, fetch: (request) => current.fetch(request) });
  const id = await floor.open("c", url);
  const whispered = floor.whisper(id, "canary", speakerOf("concierge"));
  await expect.poll(() => seen, patience).toEqual(["canary"]);
  die();
  await whispered;
  current.fetch = (request) => reborn.fetch(request);
  expect(said(await floor.say(id, "for two"))).toEqual([[speakerOf("concierge"), "I heard table for two, first"]]);
  // It is closed together with all other sub-floors.
  await floor.send(id, [{ eventType: "uninvite", to: { speakerUri: speakerOf("concierge") } }]);
  const areClosed = async () => {
    const { body } = await floor.call("GET", `/api/v1/conversations?parent=${id}`);
    return (body.conversations as { isClosed: boolean }[]).map(({ isClosed }) => isClosed);
  };
  await expect.poll(areClosed, patience).toEqual([true, true]);
});
