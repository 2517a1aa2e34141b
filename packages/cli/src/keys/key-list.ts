import { parseTagUri } from "@plenary/protocol";
import { type Credential, hasEnded, type SigningSecret } from "@plenary/server";
import { printable } from "../output/sanitize.ts";

/** The public fields of a key or secret. */
export type ListedKey = {
  kind: Credential["kind"] | "signing";
  id: string;
  state: "live" | "expired" | "revoked" | "used up";
  speakers?: readonly string[];
  serviceUrl?: string;
  person?: boolean;
  conversation?: string;
  label?: string;
  usesLeft?: number;
  createdAt: string;
  expiresAt?: string;
  revokedAt?: string;
} & Partial<Record<"token" | "secret", string>>;

export function listedCredential(credential: Credential, now: string): ListedKey {
  // The hash is not shown.
  const { hash: _hash, parent: _parent, scopes: _scopes, isPerson, kind, id, ...rest } = credential;
  return { kind, id, state: stateOf(credential, now), person: isPerson, ...rest };
}

function stateOf(credential: Credential, now: string): ListedKey["state"] {
  if (hasEnded(credential, now)) return credential.revokedAt === undefined ? "expired" : "revoked";
  return credential.usesLeft === 0 ? "used up" : "live";
}

export function listedSecret({ secret: _secret, id, ...rest }: SigningSecret): ListedKey {
  return { kind: "signing", id, state: rest.revokedAt === undefined ? "live" : "revoked", ...rest };
}

const heads = ["KIND", "ID", "STATE", "CREATED", "ENDS", "FOR", "LABEL"];

export function tableOf(listed: readonly ListedKey[]): string {
  if (listed.length === 0) return "There are no keys. Create one: plenary keys add --speaker URI\n";
  const rows = [heads, ...listed.map(cellsOf)].map((row) => row.map(printable));
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function cellsOf(one: ListedKey): string[] {
  const { kind, id, state, person, speakers = [], serviceUrl, conversation, label = "" } = one;
  const word = kind === "key" ? (person ? "person" : "agent") : kind;
  const target = serviceUrl ?? [...speakers, ...(conversation === undefined ? [] : [`in ${conversation}`])].join(", ");
  return [word, id, state, minuteOf(one.createdAt), minuteOf(one.revokedAt ?? one.expiresAt), target, label];
}

function minuteOf(time: string | undefined): string {
  return time === undefined ? "never" : `${time.slice(0, 16)}Z`;
}

function bearerOf(isPerson: boolean, isHost: boolean): string {
  if (isPerson) return "a person, who may host conversations";
  return isHost ? "an agent that may host conversations" : "an agent";
}

export function keyNotes({ id, speakers, isPerson, scopes, expiresAt }: Credential, file: string): string {
  const doubtful = speakers.filter((uri) => /^tag:/iu.test(uri) && parseTagUri(uri) === undefined);
  return notesOf("This key is not shown again: save it now.", {
    id,
    "is for": bearerOf(isPerson, scopes.includes("host")),
    "speaks as": speakers.join(", "),
    // Some agents send such URIs, so the key is created anyway.
    ...(doubtful.length > 0 && { note: `not of the form tag:AUTHORITY,DATE:NAME: ${doubtful.join(", ")}` }),
    expires: expiresAt ?? "never",
    "stored in": `${file}, as a hash`,
    "use it": "send the header  Authorization: Bearer KEY",
    "revoke it": `plenary keys revoke ${id}`,
  });
}

export function secretNotes({ id, serviceUrl }: SigningSecret, file: string): string {
  return notesOf("This secret is not shown again: give it to the agent now.", {
    id,
    signs: `what the floor sends to ${serviceUrl}`,
    "stored in": file,
    "use it": "the agent checks webhook-signature with it (Standard Webhooks)",
    "rotate it": "add a second one, give it to the agent, then revoke this one",
    "revoke it": `plenary keys revoke ${id}`,
  });
}

function notesOf(first: string, notes: Record<string, string>): string {
  const lines = Object.entries(notes).map(([name, note]) => `  ${name.padEnd(10)} ${printable(note)}\n`);
  return `${first}\n${lines.join("")}`;
}
