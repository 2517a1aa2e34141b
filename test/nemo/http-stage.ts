// One floor for the tests of a file, whom they invite, and what they ask over HTTP.
import { afterAll, beforeAll, expect } from "vitest";
import { createCast } from "./cast.ts";
import type { Json } from "./frame-checks.ts";
import { type Asked, postTo } from "./http-peer.ts";
import { type NemoFloor, startNemoFloor } from "./nemo-floor.ts";

export function httpStage() {
  const cast = createCast();
  let floor: NemoFloor;
  beforeAll(async () => {
    floor = await startNemoFloor();
  });
  afterAll(async () => {
    await floor.close();
    await cast.close();
    expect(floor.errors).toEqual([]);
  });
  return {
    cast,
    url: () => floor.url,
    log: (conversation: string) => floor.log(conversation),
    post: (asked: Asked) => postTo(floor, asked),
    echo: (name = "Alice") => cast.actor(name, (cue) => cue.say(`you said ${cue.text}`)),
    stateOf: async (conversation: string) =>
      JSON.parse((await floor.call(`/api/v1/conversations/${conversation}`)).text) as Json,
  };
}
