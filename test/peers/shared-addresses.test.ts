import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, said, utterance } from "../support/envelopes.ts";
import { answer, eventsIn, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { startSite } from "./several-speakers-at-one-address.ts";

let floor: TestFloor;

beforeEach(async () => {
  floor = await startTestFloor();
});

afterEach(() => floor.close());

/** A site whose speakers have all joined. */
async function openSite(...names: string[]) {
  const site = await startSite(...names);
  for (const speakerUri of Object.values(site.speakers)) {
    await floor.send("c", [{ eventType: "invite", to: { speakerUri, serviceUrl: site.url } }]);
  }
  const { conversants } = await floor.state("c");
  expect(conversants.map(({ state }) => state)).toEqual(["joined", ...names.map(() => "joined")]);
  return { ...site, timesHeard: (text: string) => site.heard.filter((one) => textsIn(one).includes(text)).length };
}

test("a public event reaches a shared address once, and any speaker there answers for itself", async () => {
  const site = await openSite("owl", "fox");
  expect(said(await floor.say("c", "hello"))).toEqual([[site.speakers.fox, "fox heard hello"]]);
  expect(said(await floor.say("c", "owl: hi"))).toEqual([[site.speakers.owl, "owl heard owl: hi"]]);
  expect([site.timesHeard("hello"), site.timesHeard("owl: hi")]).toEqual([1, 1]);
  expect((await floor.log("c")).filter(({ kind }) => kind === "missed")).toEqual([]);
});

test("a site whose speakers were invited under two spellings of its address is still one address", async () => {
  const site = await startSite("owl", "fox");
  const { owl = "", fox = "" } = site.speakers;
  const localhost = site.url.replace("127.0.0.1", "localhost");
  await floor.send("c", [{ eventType: "invite", to: { speakerUri: owl, serviceUrl: site.url } }]);
  await floor.send("c", [{ eventType: "invite", to: { speakerUri: fox, serviceUrl: localhost } }]);
  expect(said(await floor.say("c", "hello"))).toEqual([[fox, "fox heard hello"]]);
  expect(said(await floor.say("c", "owl: hi"))).toEqual([[owl, "owl heard owl: hi"]]);
  expect(site.heard.filter((one) => textsIn(one).includes("hello"))).toHaveLength(1);
  expect((await floor.log("c")).filter(({ kind }) => kind === "missed")).toEqual([]);
});

test("utterances to one speaker and to the address, and a whisper, arrive once each", async () => {
  const site = await openSite("owl", "fox");
  const { owl = "", fox = "" } = site.speakers;
  const ask = (text: string, to: object) => floor.send("c", [utterance(ann, text, { to })]);
  expect(said(await ask("which?", { speakerUri: owl }))).toEqual([[owl, "owl heard which?"]]);
  expect(said(await ask("owl: site?", { serviceUrl: site.url }))).toEqual([[owl, "owl heard owl: site?"]]);
  expect(said(await ask("psst", { speakerUri: fox, private: true }))).toEqual([[fox, "fox heard psst"]]);
  expect(["which?", "owl: site?", "psst"].map(site.timesHeard)).toEqual([1, 1, 1]);
  const inLog = JSON.stringify(await floor.log("c", owl));
  expect(inLog).not.toContain("psst");
});

test("an utterance to the address lets each of its speakers answer without the floor, one to a speaker only that one", async () => {
  const site = await openSite("owl", "fox");
  const { owl = "", fox = "" } = site.speakers;
  for (const speakerUri of [owl, fox]) await floor.send("c", [{ eventType: "revokeFloor", to: { speakerUri } }]);
  const toSite = await floor.send("c", [utterance(ann, "fox: site?", { to: { serviceUrl: site.url } })]);
  expect(said(toSite)).toEqual([[fox, "fox heard fox: site?"]]);
  // Owl is addressed, and fox answers.
  const foxToo = await startAgent((heard, me) => {
    const isInvite = eventsIn(heard).some(({ eventType }) => eventType === "invite");
    const speakerUri = isInvite ? me.speakerUri : "tag:den.example,2026:fox";
    return answer(
      heard,
      { speakerUri, url: me.url },
      ...textsIn(heard).map((text) => utterance(speakerUri, `re ${text}`)),
    );
  });
  await floor.invite("c", foxToo);
  const other = { speakerUri: "tag:den.example,2026:fox", serviceUrl: foxToo.url };
  await floor.call("POST", "/api/v1/conversations/c/seat", { identification: other, kind: "agent" });
  for (const { speakerUri } of [foxToo, other])
    await floor.send("c", [{ eventType: "revokeFloor", to: { speakerUri } }]);
  const toOne = await floor.send("c", [utterance(ann, "den?", { to: { speakerUri: foxToo.speakerUri } })]);
  expect(said(toOne).filter(([, text]) => text === "re den?")).toEqual([]);
});

test("a speaker at another address, or a person at the same one, is another conversant", async () => {
  const site = await openSite("owl", "fox");
  const liar = await startAgent((heard, { speakerUri, url }) => {
    const isInvite = eventsIn(heard).some(({ eventType }) => eventType === "invite");
    return answer(
      heard,
      { speakerUri: isInvite ? speakerUri : (site.speakers.owl ?? ""), url },
      utterance("x:y", "lies"),
    );
  });
  await floor.invite("c", liar);
  await floor.say("c", "hello");
  const person = { speakerUri: "tag:people.example,2026:ben", serviceUrl: site.url };
  await floor.call("POST", "/api/v1/conversations/c/seat", { identification: person });
  site.speakers.ben = person.speakerUri;
  await floor.until("c", (entries) => entries.some(({ because }) => because === "guard/impersonation"));
  const entries = await floor.log("c");
  expect(
    entries.filter(({ because }) => because === "guard/impersonation").map(({ speakerUri }) => speakerUri),
  ).toContain(liar.speakerUri);
});

test("a speaker that leaves a shared address does not cancel what was sent to the others there", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const [owl, fox] = ["tag:den.example,2026:owl", "tag:den.example,2026:fox"];
  const den = await startAgent(async (heard, { url }) => {
    const invited = eventsIn(heard).find(({ eventType }) => eventType === "invite")?.to?.speakerUri;
    if (textsIn(heard).includes("hello")) await held;
    const isHello = textsIn(heard).includes("hello");
    return answer(heard, { speakerUri: invited ?? fox, url }, ...(isHello ? [utterance(fox, "still here")] : []));
  });
  for (const speakerUri of [owl, fox]) {
    await floor.send("c", [{ eventType: "invite", to: { speakerUri, serviceUrl: den.url } }]);
  }
  await floor.say("c", "hello", { wait: 0 });
  await expect.poll(() => den.heard.flatMap(textsIn)).toContain("hello");
  await floor.send("c", [{ eventType: "uninvite", to: { speakerUri: owl } }], { wait: 0 });
  release();
  const entries = await floor.until("c", (all) => JSON.stringify(all).includes("still here"));
  expect(entries.filter(({ kind }) => kind === "missed")).toEqual([]);
});
