import { beforeEach, describe, expect, test } from "vitest";
import { createDictation, type Recognition } from "./dictation.ts";

/** The far end of the browser: an ear that hears what the test says. */
class Ear implements Recognition {
  static heard: Ear[] = [];
  lang = "";
  continuous = false;
  interimResults = false;
  processLocally?: boolean;
  onresult: Recognition["onresult"] = null;
  onerror: Recognition["onerror"] = null;
  onend: Recognition["onend"] = null;
  isOpen = false;
  start() {
    Ear.heard.push(this);
    this.isOpen = true;
  }
  stop() {
    this.isOpen = false;
    this.onend?.();
  }
  abort() {
    this.onerror?.({ error: "aborted" });
    this.stop();
  }
}

class LocalEar extends Ear {
  static available = async () => "available";
}

describe("dictation", () => {
  let reported: string[];
  const options = {
    language: "de-DE",
    onInterim: (text: string) => void reported.push(`perhaps ${text}`),
    onFinal: (text: string) => void reported.push(`surely ${text}`),
    onEnd: () => void reported.push("end"),
    onProblem: (sentence: string) => void reported.push(`problem ${sentence}`),
  };
  beforeEach(() => {
    reported = [];
    Ear.heard = [];
  });
  const ear = () => Ear.heard.at(-1);

  test("is undefined without speech recognition", () => expect(createDictation(options)).toBeUndefined());

  test("reports interim and final text", async () => {
    const dictation = createDictation(options, Ear);
    await dictation?.start();
    expect(ear()).toMatchObject({ lang: "de-DE", interimResults: true, isOpen: true });
    ear()?.onresult?.({ resultIndex: 0, results: [{ isFinal: false, 0: { transcript: "gu" } }] });
    const results = [
      { isFinal: true, 0: { transcript: "guten Tag" } },
      { isFinal: false, 0: { transcript: " al" } },
    ];
    ear()?.onresult?.({ resultIndex: 0, results });
    dictation?.stop();
    expect(reported).toEqual(["perhaps gu", "surely guten Tag", "perhaps  al", "end"]);
  });

  test("recognizes locally where possible, and says so", async () => {
    const dictation = createDictation(options, LocalEar);
    await dictation?.start();
    expect(ear()?.processLocally).toBe(true);
    expect(await dictation?.whereAudioGoes()).toContain("on this device");
  });

  test("warns that audio may leave the device, unless recognition is local", async () => {
    const failing = class extends Ear {
      static available = () => Promise.reject(new TypeError("no such option"));
    };
    for (const maker of [Ear, failing]) {
      const dictation = createDictation(options, maker);
      await dictation?.start();
      expect(ear()).not.toHaveProperty("processLocally", true);
      expect(await dictation?.whereAudioGoes()).toContain("its maker");
    }
  });

  test("stopping before recognition starts prevents it", async () => {
    const dictation = createDictation(options, LocalEar);
    const starting = dictation?.start();
    dictation?.stop();
    await starting;
    expect(Ear.heard).toEqual([]);
  });

  test("a problem has a text, an abort has none", async () => {
    const dictation = createDictation(options, Ear);
    await dictation?.start();
    ear()?.onerror?.({ error: "not-allowed" });
    ear()?.onerror?.({ error: "something-new" });
    dictation?.abort();
    expect(reported[0]).toContain("microphone is blocked");
    expect(reported[1]).toContain("type instead");
    expect(reported.slice(2)).toEqual(["end"]);
  });

  test("it can be used again", async () => {
    const dictation = createDictation(options, Ear);
    await dictation?.start();
    await dictation?.start();
    dictation?.stop();
    await dictation?.start();
    expect(Ear.heard).toHaveLength(2);
  });
});
