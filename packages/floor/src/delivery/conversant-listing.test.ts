import { expect, test } from "vitest";
import { emptyFloor, type Floor, type Seat } from "../floor.ts";
import { listingFor, signatureOf } from "./conversant-listing.ts";
import { relayUrlOf } from "./relay-address.ts";

const floorUrl = "https://floor.example/openfloor";
const empty = { serviceUrl: "", organization: "", conversationalName: "", synopsis: "" };

const seatOf = (kind: Seat["kind"], about: Partial<Seat["identification"]> & { speakerUri: string }): Seat => {
  return { identification: { ...empty, ...about }, kind, state: "joined", since: 1, misses: 0 };
};
const floorWith = (...conversants: Seat[]): Floor => {
  return { ...emptyFloor("c"), self: { speakerUri: "tag:floor.example,2025:1", serviceUrl: floorUrl }, conversants };
};
const shown = (seat: Seat) => listingFor(floorWith(seat), seat).identification;

test("a person without identification texts is listed with a name, an organization and a synopsis", () => {
  expect(shown(seatOf("person", { speakerUri: "tag:ann@x.example,2025:people/Ann%20M" }))).toEqual({
    speakerUri: "tag:ann@x.example,2025:people/Ann%20M",
    serviceUrl: relayUrlOf(floorUrl, "tag:ann@x.example,2025:people/Ann%20M"),
    organization: "x.example",
    conversationalName: "Ann M",
    synopsis: "A person at this floor",
    role: "User",
  });
});

test("the listing keeps known identification fields, also the role of a person", () => {
  const known = { organization: "O", conversationalName: "N", synopsis: "S", serviceUrl: "https://n.example/" };
  const person = { speakerUri: "tag:n", ...known, role: "Pilot" };
  expect(shown(seatOf("person", person))).toEqual(person);
  expect(shown(seatOf("person", { ...person, role: " " })).role).toBe("User");
  expect(shown(seatOf("agent", { ...person, department: "D" }))).toEqual({ ...person, department: "D" });
});

test("an agent is never listed as a user", () => {
  const agent = seatOf("agent", { speakerUri: "tag:n", serviceUrl: "https://n.example/", role: "User" });
  expect(shown(agent)).not.toHaveProperty("role");
  expect(shown(agent).synopsis).toBe("Not introduced yet");
});

test("a name and an organization are derived from any speakerUri", () => {
  const namesOf = (speakerUri: string, serviceUrl = "https://agents.example:8080/x") => {
    const { organization, conversationalName } = shown(seatOf("agent", { speakerUri, serviceUrl }));
    return [organization, conversationalName];
  };
  expect(namesOf("https://x.example:81/")).toEqual(["x.example:81", "x.example:81"]);
  expect(namesOf("https://me@x.example/agents/clock?a=b")).toEqual(["x.example", "a=b"]);
  expect(namesOf("https://idp.example#42")).toEqual(["idp.example", "42"]);
  expect(namesOf("urn:uuid:7")).toEqual(["agents.example:8080", "7"]);
  expect(namesOf("urn:x:%E0%A4%A", "")).toEqual(["floor.example", "%E0%A4%A"]);
  expect(namesOf("tag:x.example,2025:%20")).toEqual(["x.example", "%20"]);
  expect(namesOf("::", "x")).toEqual(["unknown", "unknown"]);
});

test("a person without a known address is listed with a relay address of the floor", () => {
  for (const speakerUri of ["tag:ü.example,2025:1", "a", "ab", "abc", "urn:\u{1F600}"]) {
    const url = relayUrlOf(floorUrl, speakerUri);
    expect(url).toBe(`${floorUrl}/at/${Buffer.from(speakerUri).toString("base64url")}`);
    expect(signatureOf(floorWith(seatOf("person", { speakerUri })), speakerUri)).toEqual({
      speakerUri,
      serviceUrl: url,
    });
  }
  expect(signatureOf(floorWith(), "tag:gone")).toEqual({ speakerUri: "tag:gone" });
});
