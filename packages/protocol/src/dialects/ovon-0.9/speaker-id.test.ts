import { expect, test } from "vitest";
import { noPeers, type Peers } from "../dialect.ts";
import { fromSpeakerId, toSpeakerId } from "./speaker-id.ts";

test("an id that is a URI is kept in both directions", () => {
  expect(fromSpeakerId("urn:ann", noPeers)).toBe("urn:ann");
  expect(toSpeakerId("urn:ann")).toBe("urn:ann");
});

test("an id that is no URI is wrapped into one, and unwrapped again", () => {
  for (const id of ["b5y09lky5KU5", "Ann & Bob", "über/uns", " ", "tag:"]) {
    const speakerUri = fromSpeakerId(id, noPeers);
    expect(speakerUri).toMatch(/^tag:plenary\.invalid,2024:speaker\/\S+$/);
    expect(toSpeakerId(speakerUri)).toBe(id);
  }
});

test("half a surrogate pair in an id is replaced", () => {
  expect(fromSpeakerId("a\ud800", noPeers)).toBe("tag:plenary.invalid,2024:speaker/a%EF%BF%BD");
});

test("a speakerUri with the prefix of a wrapped id but an invalid rest is kept unchanged", () => {
  for (const tail of ["", "%FF", "%zz", "a%3Ab", "b%2fk", "%41", "ü"]) {
    const speakerUri = `tag:plenary.invalid,2024:speaker/${tail}`;
    expect(toSpeakerId(speakerUri)).toBe(speakerUri);
  }
});

test("an id that is a known peer's address becomes that peer's speakerUri", () => {
  const peers: Peers = { speakerUriOf: () => "urn:ann", serviceUrlOf: () => undefined };
  expect(fromSpeakerId("https://a.example", peers)).toBe("urn:ann");
  expect(fromSpeakerId("tag:a.example,2025:x", peers)).toBe("tag:a.example,2025:x");
});
