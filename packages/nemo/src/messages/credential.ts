import { isRecord } from "@plenary/protocol";
import type { Credential } from "./client-message.ts";
import { type Fault, fault } from "./error-content.ts";

/** The samples of the page have this word in place of every value. */
export const unsaid = "string";

/** Of a token, a name or a password. */
const secretLengthMax = 16_384;

/** `security` of any message, as the page has it. Whoever means to be known must not become a guest by a slip of the pen. */
export function readSecurity(value: unknown): Credential | undefined | Fault {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) {
    const details = 'security is not an object; send {"token": "..."} or {"api_key": "..."}.';
    return fault("invalid_data_content", details);
  }
  for (const name of ["token", "api_key"]) {
    const given = value[name] ?? "";
    if (given === "" || given === unsaid) continue;
    const token = secretIn(given)?.replace(/^bearer\s+/iu, "");
    if (token !== undefined) return credentialOf(token);
    const details = `security.${name} is not a text of at most ${secretLengthMax} characters; send it as a string.`;
    return fault("invalid_data_content", details);
  }
  return undefined;
}

/** `payload` of an `auth_message`. */
export function readPayload(value: unknown): Credential | Fault {
  if (!isRecord(value)) {
    return fault("user_auth_error", 'payload is not an object; send {"method": "api_key", "token": "..."}.');
  }
  const method = typeof value.method === "string" ? value.method.toLowerCase() : undefined;
  if (method === "jwt" || method === "api_key") {
    const token = secretIn(value.token);
    if (token !== undefined) return { method, token };
    const details = `payload.token is not a text of 1 to ${secretLengthMax} characters; send the token as a string.`;
    return fault("user_auth_error", details);
  }
  if (method !== "basic") {
    return fault("user_auth_error", "payload.method is none of jwt, api_key, basic; use one of them.");
  }
  const username = secretIn(value.username);
  const password = secretIn(value.password);
  if (username !== undefined && password !== undefined) return { method, username, password };
  const details = `payload.username and payload.password are not texts of 1 to ${secretLengthMax} characters; send both.`;
  return fault("user_auth_error", details);
}

function secretIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= secretLengthMax ? value : undefined;
}

/** Of a token alone, whose kind shows in its shape. */
export function credentialOf(token: string): Credential {
  return { method: token.split(".", 4).length === 3 ? "jwt" : "api_key", token };
}
