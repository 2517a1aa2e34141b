// Our agents on foreign floors: an agent answers each person who speaks to it, and no two agents answer each other without end.
import { describe, expect, test } from "vitest";
import { BroadcastingFloor, type Listing, person, type Version } from "./broadcasting-floor.ts";
import { type Name, names, serve } from "./served-agents.ts";

const versions: readonly Version[] = ["0.9.3", "1.0.0", "1.1.0"];
const listings: readonly Listing[] = ["nobody", "agents", "emptyTexts", "realTexts", "roles"];
/** A text that is outside the domain of all of them. */
const riddle = "my hovercraft is full of eels";

describe.each(versions)("the plain exchange in %s", (version) => {
  test.each(names)("with %s", async (name) => {
    const floor = new BroadcastingFloor({ version });
    const guest = await floor.invite(await serve(name), name);
    expect(floor.said).toHaveLength(1);
    const manifest = await floor.manifestOf(guest);
    expect(manifest).toMatchObject({ identification: { conversationalName: name } });
    expect((await floor.say(riddle)).map(({ isPrivate }) => isPrivate)).toContain(false);
    expect((await floor.say(riddle, guest)).length).toBeGreaterThan(0);
    const whispered = await floor.say(`${riddle} indeed`, guest, true);
    expect(whispered.length).toBeGreaterThan(0);
    expect(whispered.every(({ isPrivate }) => isPrivate)).toBe(true);
    const whisperer = version === "0.9.3" ? person.url : person.speakerUri;
    expect(new Set(whispered.map(({ to }) => to))).toEqual(new Set([whisperer]));
    expect(await floor.dismiss(guest)).toEqual([]);
  });
});

describe.each(listings)("a floor that lists %s", (listing) => {
  test.each(names)("%s answers an utterance without `to` when it is alone with a person", async (name) => {
    for (const host of [{ inviter: "person" }, { inviter: "floor" }, { inviter: "floor", relays: true }] as const) {
      const floor = new BroadcastingFloor({ listing, ...host });
      await floor.invite(await serve(name), name);
      expect(await floor.say(riddle)).not.toEqual([]);
    }
  });

  test.each(names)("%s answers each utterance of a person who addresses it among others", async (name) => {
    const floor = new BroadcastingFloor({ listing, passesOn: "everything" });
    const other: Name = name === "Clock" ? "Calculator" : "Clock";
    const guest = await floor.invite(await serve(name), name);
    await floor.invite(await serve(other), other);
    for (const words of ["one", "two", "three", "four", "five", "six"]) {
      const said = await floor.say(`${words}: ${riddle}`, guest);
      expect(said.map(({ by }) => by)).toContain(name);
      expect(said.map(({ by }) => by)).not.toContain(other);
    }
    expect((await floor.say(`@${name} ${riddle}`)).map(({ by }) => by)).toContain(name);
  });
});

describe.each(versions)("several of ours in %s", (version) => {
  const crowds: readonly Name[][] = [
    ["Echo", "Echo"],
    ["Clock", "Calculator"],
    ["Clock", "Clock", "Echo"],
    ["Guide", "Scribe", "Interviewer"],
    ["Discovery", "Stub"],
    ["Stub", "Stub", "Flow"],
    ["Flow", "Guide"],
  ];
  // 0.9 has no list of conversants.
  const tried = version === "0.9.3" ? (["nobody"] as const) : listings;
  const cases = crowds.flatMap((crowd) => tried.map((listing) => [crowd.join(" and "), listing, crowd] as const));

  test.each(cases)("%s stop by themselves on a floor that lists %s", async (_, listing, crowd) => {
    for (const inviter of ["person", "floor"] as const) {
      const floor = new BroadcastingFloor({ version, listing, inviter, relays: inviter === "floor" });
      for (const name of crowd) await floor.invite(await serve(name), name);
      await floor.say("hello");
      await floor.say("what time is it?");
      await floor.say(riddle);
      await floor.say(riddle, floor.guests[0]);
      // Each may take the first utterance of another agent for a person's, but stops after a few utterances.
      expect(floor.said.length).toBeLessThan(40);
    }
  });

  test.each(crowds.map((crowd) => [crowd.join(" and "), crowd] as const))(
    "%s stop by themselves after a restart in which they lost their invites",
    async (_, crowd) => {
      const floor = new BroadcastingFloor({ version });
      for (const name of crowd) {
        const url = await serve(name);
        floor.guests.push({ url, speakerUri: url, name });
      }
      for (const text of ["hello", "what time is it?", riddle]) await floor.say(text);
      expect(floor.said.length).toBeLessThan(60);
    },
  );
});

test("Discovery takes the person's next utterance as the request after it has asked for one", async () => {
  const floor = new BroadcastingFloor({ listing: "roles" });
  await floor.invite(await serve("Clock"), "Clock");
  const discovery = await floor.invite(await serve("Discovery"), "Discovery");
  const by = async (text: string) => (await floor.say(text)).map((one) => one.by);
  expect(await by(riddle)).toEqual(["Discovery"]);
  expect(await by(riddle)).toEqual([]);
  expect((await floor.say("@Discovery", discovery)).map((one) => one.text)).toEqual([
    expect.stringContaining("Tell me"),
  ]);
  expect(await by("somebody who grows tulips")).toEqual(["Discovery"]);
  await floor.say("@Discovery", discovery);
  expect(await by("Clock, what time is it?")).toEqual(["Clock"]);
  expect(await by("somebody who grows tulips")).toEqual([]);
});

test("Discovery takes neither a greeting nor thanks as a request", async () => {
  const floor = new BroadcastingFloor({ listing: "roles" });
  await floor.invite(await serve("Clock"), "Clock");
  const discovery = await floor.invite(await serve("Discovery"), "Discovery");
  for (const text of ["Hello everybody!", "Thanks!", "Good morning"]) expect(await floor.say(text)).toEqual([]);
  expect((await floor.say("somebody who grows tulips")).map(({ by }) => by)).toEqual(["Discovery"]);
  const answerTo = async (text: string) => (await floor.say(text, discovery)).map((one) => one.text);
  for (const text of ["Hello", "hi there", "What can you do?", "who are you"]) {
    expect([text, await answerTo(text)]).toEqual([text, [expect.stringContaining("Tell me what you need")]]);
  }
  expect(await answerTo("Thank you!")).toEqual(["You are welcome."]);
  expect(await answerTo("hello in Welsh")).toEqual([expect.stringContaining("no agent that can help")]);
});

test.each(listings)("Discovery answers the person where the floor invites and lists %s", async (listing) => {
  for (const relays of [true, false]) {
    const floor = new BroadcastingFloor({ listing, inviter: "floor", relays, passesOn: "everything" });
    await floor.invite(await serve("Clock"), "Clock");
    await floor.invite(await serve("Discovery"), "Discovery");
    const by = async (text: string) => (await floor.say(text)).map((one) => one.by);
    expect(await by("somebody who grows tulips")).toEqual(["Discovery"]);
    // Without a list, Discovery may be alone with the person.
    if (listing !== "nobody") expect(await by("somebody who grows tulips")).toEqual([]);
  }
});
