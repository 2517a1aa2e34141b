// What the scribe may tell to which listeners. A canary is a word that a listener may not know; tests look for it in everything the scribe sends.

import { textUtterance } from "@plenary/protocol";
import type { HistoryEntry } from "@plenary/sdk";
import { describe, expect, test } from "vitest";
import { scribe, scribeFixture, uriOf } from "../testing/scribe-fixture.ts";

/** Said to everyone, before another person joined. */
const early = "heronfeather";
/** Whispered to the scribe. */
const secret = "otterwhisker";

/** Every kind of question; the utterances with the canaries are about a picnic. */
const questions = [
  ...["summarise", "summary of the last hour", "summary of the last 20", "summary of Ann", "summary since 00:00"],
  ...["who said what?", "what did Ann say?", "what did Ann say about picnics?", "what was said about picnics?"],
  ...["who mentioned picnics?", "what was the last thing Ann said?", "what was said last?", "open questions"],
  ...["decisions", "how often did Ann speak?", "how many times was picnic mentioned?", "who was here?"],
  ...["when did Bob join?", "when did Ann leave?", "since when have you been listening?", "help", "nonsense", "thanks"],
  ...["export", "export as mermaid", "export as jsonl", "export as html", "export as pdf"],
];

type Stage = ReturnType<typeof scribeFixture>;

/** Everything the scribe sends to this asker, including files. */
async function everythingFor(stage: Stage, asker: string, isWhisper: boolean): Promise<string> {
  const answers: string[] = [];
  for (const question of questions) {
    const sent = await stage.send(asker, stage.utteranceBy(asker, question, { to: "Scribe", isWhisper }));
    for (const { to } of sent) expect(to?.private === true).toBe(isWhisper);
    // A speaker that is not known to be a person gets no help text.
    expect(sent.length, question).toBe(sent.length === 0 && question === "nonsense" ? 0 : 1);
    answers.push(JSON.stringify(sent));
  }
  return answers.join("\n");
}

const earlyWords = `We will have the picnic by the lake, says ${early}. Who brings the picnic ${early}?`;
const secretWords = `Remember that ${secret} pays for the picnic. Will ${secret} come to the picnic?`;

async function openParty(seated: string[]): Promise<Stage> {
  const stage = scribeFixture({ seated });
  await stage.invite("Ann");
  await stage.say("Ann", earlyWords);
  await stage.say("Ann", secretWords, { to: "Scribe", isWhisper: true });
  return stage;
}

describe("without the log of a floor, the scribe", () => {
  test("reveals a whisper to no other asker", async () => {
    const stage = await openParty(["Ann", "Bob", "Scribe"]);
    for (const isWhisper of [true, false]) {
      const sent = await everythingFor(stage, "Bob", isWhisper);
      expect(sent).toContain(early);
      expect(sent).not.toContain(secret);
    }
  });

  test("repeats a whisper only to its sender, in a whisper", async () => {
    for (const seated of [
      ["Ann", "Bob", "Scribe"],
      ["Ann", "Scribe"],
    ]) {
      const stage = await openParty(seated);
      expect(await everythingFor(stage, "Ann", false)).not.toContain(secret);
      expect(await everythingFor(stage, "Ann", true)).toContain(secret);
    }
  });

  test("reveals earlier utterances neither to a person who joined later nor in public while that person listens", async () => {
    const seated = ["Ann", "Bob", "Scribe"];
    const stage = await openParty(seated);
    seated.push("Dan");
    for (const isWhisper of [true, false]) {
      await stage.say("Bob", "The picnic needs a blanket.");
      const sent = await everythingFor(stage, "Dan", isWhisper);
      expect(sent).toContain("blanket");
      expect(sent).not.toMatch(new RegExp(`${early}|${secret}`, "u"));
    }
    expect(await everythingFor(stage, "Ann", false)).not.toMatch(new RegExp(`${early}|${secret}`, "u"));
    expect(await everythingFor(stage, "Bob", true)).toContain(early);
    seated.pop();
    expect(await everythingFor(stage, "Bob", false)).toContain(early);
  });

  test("counts an agent that joined later as a listener", async () => {
    const seated = ["Ann", "Scribe"];
    const stage = await openParty(seated);
    seated.push("CLOCK");
    const [answer] = await stage.say("Ann", "Scribe, what did I say about picnics?");
    expect(answer?.text).not.toContain(early);
    expect(answer?.text).toMatch(/Not everyone here heard all of it.* Whisper to me/su);
  });

  test("answers about a whispered word as about a word that was never said", async () => {
    const stage = await openParty(["Ann", "Bob", "Scribe"]);
    for (const isWhisper of [true, false]) {
      for (const ask of ["who mentioned WORD?", "what did Ann say about WORD?", "how many times was WORD mentioned?"]) {
        const about = async (word: string) =>
          (await stage.say("Bob", ask.replace("WORD", word), { to: "Scribe", isWhisper }))[0]?.text.replaceAll(
            word,
            "WORD",
          );
        expect(await about(secret)).toBe(await about("badgerstripe"));
      }
    }
  });

  test("does not reveal who was here before: it is equally silent about known and unknown names", async () => {
    const seated = ["Ann", "Bob", "Scribe"];
    const stage = await openParty(seated);
    await stage.say("Bob", "I must go.");
    seated.splice(1, 1, "Dan");
    expect(await stage.say("Dan", "what did Bob say?")).toEqual([]);
    expect(await stage.say("Dan", "what did Ann say?")).toHaveLength(1);
  });

  test("does not reveal that there was a whisper: the same note appears for its sender and for others", async () => {
    const stage = await openParty(["Ann", "Bob", "Scribe"]);
    const ask = async (who: string) => (await stage.say(who, "summarise", { to: "Scribe" }))[0]?.text;
    expect(await ask("Ann")).toBe(await ask("Bob"));
    expect(await ask("Ann")).not.toContain("Whisper to me");
  });

  test("shows the history of an invite only to the inviter and its speakers", async () => {
    const seated = ["Ann", "Bob", "Eve", "Scribe"];
    const stage = scribeFixture({ seated });
    const startTime = "2026-01-01T00:00:00Z";
    const item = textUtterance(earlyWords, { speakerUri: uriOf("Bob"), id: "h1", startTime }).parameters.dialogEvent;
    await stage.invite("Ann", { dialogHistory: [item] });
    expect(await everythingFor(stage, "Ann", true)).toContain(early);
    expect(await everythingFor(stage, "Bob", true)).toContain(early);
    expect(await everythingFor(stage, "Eve", true)).not.toContain(early);
    expect(await everythingFor(stage, "Ann", false)).not.toContain(early);
  });

  test("without a list of conversants knows only those who spoke before", async () => {
    const stage = scribeFixture({});
    await stage.invite("Ann");
    await stage.say("Bob", "I am here.");
    await stage.say("Ann", earlyWords);
    expect(await everythingFor(stage, "Bob", true)).toContain(early);
    expect(await everythingFor(stage, "Bob", false)).toContain(early);
    expect(await everythingFor(stage, "Dan", true)).not.toContain(early);
    expect(await everythingFor(stage, "Dan", false)).not.toContain(early);
    expect(await everythingFor(stage, "Bob", false)).not.toContain(early);
  });

  test("forgets a conversation it has left", async () => {
    const stage = await openParty(["Ann", "Bob", "Scribe"]);
    await stage.send("Ann", { eventType: "uninvite", to: { speakerUri: scribe } });
    await stage.invite("Bob");
    expect(await everythingFor(stage, "Ann", true)).not.toMatch(new RegExp(`${early}|${secret}`, "u"));
  });
});

describe("with the log of a floor, the scribe", () => {
  const at = "2026-01-01T10:00:00Z";
  const said = (text: string, audience: string[], to?: object): HistoryEntry => ({
    at,
    sender: uriOf("Ann"),
    name: "Ann",
    audience: audience.map(uriOf),
    event: { ...textUtterance(text, { speakerUri: uriOf("Ann"), id: text, startTime: at }), ...(to && { to }) },
  });
  const log = [
    said(earlyWords, ["Ann", "Bob"]),
    said(secretWords, ["Ann"], { speakerUri: scribe, private: true }),
    said("The picnic needs a blanket.", ["Ann", "Bob", "Dan"]),
  ];
  const readHistory = async () => log;

  test("uses the audience of each entry", async () => {
    const stage = scribeFixture({ readHistory, seated: ["Ann", "Bob", "Dan", "Scribe"] });
    const heard = async (who: string, isWhisper: boolean) => {
      const sent = await everythingFor(stage, who, isWhisper);
      return [early, secret, "blanket"].filter((canary) => sent.includes(canary));
    };
    expect(await heard("Ann", true)).toEqual([early, secret, "blanket"]);
    expect(await heard("Bob", true)).toEqual([early, "blanket"]);
    expect(await heard("Dan", true)).toEqual(["blanket"]);
    expect(await heard("Eve", true)).toEqual([]);
    for (const who of ["Ann", "Bob", "Dan"]) expect(await heard(who, false)).toEqual(["blanket"]);
  });

  test("keeps nothing itself: erased utterances are gone", async () => {
    const kept = [...log];
    const stage = scribeFixture({ readHistory: async () => kept, seated: ["Ann", "Scribe"] });
    await stage.say("Ann", "The picnic costs ten euros.");
    expect(await everythingFor(stage, "Ann", true)).toContain("blanket");
    kept.splice(0);
    expect(await everythingFor(stage, "Ann", true)).not.toMatch(/blanket|ten euros/u);
  });
});
