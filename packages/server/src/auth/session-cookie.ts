import type { HeaderReader } from "./origin-check.ts";

/** With the `__Host-` prefix a browser accepts the cookie only over TLS and only from this host (RFC 6265bis). */
export function sessionCookie(publicUrl: string): string {
  return nameAt("plenary_session", publicUrl);
}

/** The cookie of a sign-in that is not finished. */
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

/** The first cookie of that name: a second one may be injected. */
export function cookieIn(headers: HeaderReader, name: string): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** HttpOnly: scripts cannot read it. SameSite=Lax: other sites send it only with a top-level navigation. */
export function setCookie(name: string, value: string, maxAgeS: number, publicUrl: string): string {
  const secure = isSecure(publicUrl) ? "; Secure" : "";
  return `${name}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`;
}

export function clearCookie(name: string, publicUrl: string): string {
  return setCookie(name, "", 0, publicUrl);
}
