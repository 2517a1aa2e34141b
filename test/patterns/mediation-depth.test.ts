// D17: a mediator's utterances in a sub-floor carry the depth of the outer turn.
import { createAgent, createMediator, openSubFloor } from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { said } from "../support/envelopes.ts";
import { closeFloorsAndAgents, manifestOf, serve, speakerOf, startSdkAgentsFloor } from "./sdk-agents-floor.ts";

afterEach(closeFloorsAndAgents);

const turns = 20;

test("each outer turn is a turn of the sub-floor, one hop deeper, so a sub-floor can be used for long", async () => {
  const testFloor = await startSdkAgentsFloor();
  const expert = createAgent({
    manifest: manifestOf("expert"),
    greeting: false,
    onUtterance: ({ text }) => `re ${text}`,
  });
  const invite = [await serve(expert)];
  const floor = { url: testFloor.url, token: await testFloor.keyFor(speakerOf("concierge"), true) };
  const concierge = createMediator({
    manifest: manifestOf("concierge"),
    greeting: false,
    floor,
    async onUtterance({ text, subFloor }) {
      const [answer] = await (await subFloor({ title: "all", invite })).ask(text);
      return answer?.text ?? "nothing";
    },
  });
  const id = await testFloor.open("c", await serve(concierge));
  for (let turn = 0; turn < turns; turn += 1) {
    expect(said(await testFloor.say(id, `question ${turn}`)).map(([, text]) => text)).toEqual([`re question ${turn}`]);
  }
  const { body } = await testFloor.call("GET", `/api/v1/conversations?parent=${id}`);
  const [{ id: sub }] = body.conversations as [{ id: string }];
  const asked = (await testFloor.log(sub)).filter(({ kind, sender, events }) => {
    return kind === "received" && sender === speakerOf("concierge") && JSON.stringify(events).includes("question");
  });
  expect(new Set(asked.map(({ turn }) => turn)).size).toBe(turns);
  expect(new Set(asked.map(({ depth, isPassedOn }) => `${depth} ${isPassedOn}`))).toEqual(new Set(["1 true"]));
});

test("a program that opens a sub-floor without an outer event has one turn in it, which the floor ends", async () => {
  const testFloor = await startSdkAgentsFloor();
  const expert = createAgent({
    manifest: manifestOf("expert"),
    greeting: false,
    onUtterance: ({ text }) => `re ${text}`,
  });
  const as = speakerOf("program");
  const access = { floor: testFloor.url, token: await testFloor.keyFor(as, true), as, parent: "elsewhere" };
  const sub = await openSubFloor({ ...access, invite: [await serve(expert)] });
  const asking = async () => {
    for (let turn = 0; turn < turns; turn += 1) await sub.ask(`question ${turn}`);
  };
  await expect(asking()).rejects.toMatchObject({ code: "refused", message: expect.stringContaining("paused") });
  await sub.close();
});
