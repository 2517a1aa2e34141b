import type { Heads } from "./origin-check.ts";

/** With the prefix a browser takes it over TLS only, from this very host, for all of its paths (RFC 6265bis). */
export function sessionCookie(publicUrl: string): string {
  return nameAt("plenary_session", publicUrl);
}

/** What was begun with the issuer and is not finished. */
export function loginCookie(publicUrl: string): string {
  return nameAt("plenary_login", publicUrl);
}

function nameAt(name: string, publicUrl: string): string {
  return isSecure(publicUrl) ? `__Host-${name}` : name;
}

function isSecure(publicUrl: string): boolean {
  return new URL(publicUrl).protocol === "https:";
}

export function originOf(publicUrl: string): string {
  return new URL(publicUrl).origin;
}

/** The first of that name: a second one was put there by somebody else. */
export function cookieIn(headers: Heads, name: string): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** No script reads it, and other sites' pages send it only by leading a person here. */
export function setCookie(name: string, value: string, maxAgeS: number, publicUrl: string): string {
  const secure = isSecure(publicUrl) ? "; Secure" : "";
  return `${name}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`;
}

export function clearCookie(name: string, publicUrl: string): string {
  return setCookie(name, "", 0, publicUrl);
}
