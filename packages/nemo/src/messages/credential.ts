import { isRecord } from "@plenary/protocol";
import type { Credential } from "./client-message.ts";
import { invalidData, type ParseFailure, parseFailure } from "./error-content.ts";

/** The samples of the published page have this word instead of a value. */
export const placeholderValue = "string";

/** Of a token, a user name or a password. */
const secretLengthMax = 16_384;

/** `security` of any message, as on the published page. An invalid credential is an error: it must not make the user a guest. */
export function readSecurity(value: unknown): Credential | undefined | ParseFailure {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) {
    const details = 'security is not an object; send {"token": "..."} or {"api_key": "..."}.';
    return invalidData(details);
  }
  for (const name of ["token", "api_key"]) {
    const given = value[name] ?? "";
    if (given === "" || given === placeholderValue) continue;
    const token = secretIn(given)?.replace(/^bearer\s+/iu, "");
    if (token !== undefined) return credentialOf(token);
    const details = `security.${name} is not a text of at most ${secretLengthMax} characters; send it as a string.`;
    return invalidData(details);
  }
  return undefined;
}

/** `payload` of an `auth_message`. */
export function readPayload(value: unknown): Credential | ParseFailure {
  if (!isRecord(value)) {
    return parseFailure("user_auth_error", 'payload is not an object; send {"method": "api_key", "token": "..."}.');
  }
  const method = typeof value.method === "string" ? value.method.toLowerCase() : undefined;
  if (method === "jwt" || method === "api_key") {
    const token = secretIn(value.token);
    if (token !== undefined) return { method, token };
    const details = `payload.token is not a text of 1 to ${secretLengthMax} characters; send the token as a string.`;
    return parseFailure("user_auth_error", details);
  }
  if (method !== "basic") {
    return parseFailure("user_auth_error", "payload.method is none of jwt, api_key, basic; use one of them.");
  }
  const username = secretIn(value.username);
  const password = secretIn(value.password);
  if (username !== undefined && password !== undefined) return { method, username, password };
  const details = `payload.username and payload.password are not texts of 1 to ${secretLengthMax} characters; send both.`;
  return parseFailure("user_auth_error", details);
}

function secretIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= secretLengthMax ? value : undefined;
}

/** A token of three parts is a JWT, any other an API key. */
export function credentialOf(token: string): Credential {
  return { method: token.split(".", 4).length === 3 ? "jwt" : "api_key", token };
}
