/** Our choice (spec-notes 17): URIs are opaque, but peers differ over their own in case and a slash at the end. */
export function isSameUri(a: string, b: string): boolean {
  return a === b || foldUri(a) === foldUri(b);
}

/** The canonical spelling of a URI, for comparison and as a key. */
export function foldUri(uri: string): string {
  let end = uri.length;
  while (uri[end - 1] === "/") end -= 1;
  return uri.slice(0, end).toLowerCase();
}

const parts =
  /^(https?|wss?):\/\/([^/?#@\s\\]*@)?(\[[\d.:a-f]+\]|[^/?#@:[\]\s\\]+)(?::(\d*))?(\/[^?#]*)?(\?[^#]*)?(?:#.*)?$/u;
const defaultPorts = new Map([
  ["http", "80"],
  ["https", "443"],
  ["ws", "80"],
  ["wss", "443"],
]);
const loopbackNames = new Set(["localhost", "127.0.0.1", "[::1]", "[0:0:0:0:0:0:0:1]"]);

/**
 * One spelling of an http address: the case, a default port, a slash at the end of the path, a fragment and the name of
 * loopback do not count. The query does: it may tell two agents of one server apart. Any other URI is folded (`foldUri`).
 */
export function canonicalAddress(url: string): string {
  const folded = foldUri(url);
  const [, scheme = "", user = "", host, port = "", path = "", query = ""] = parts.exec(folded) ?? [];
  if (host === undefined) return folded;
  const name = loopbackNames.has(host) ? "localhost" : host;
  const place = port === "" || port === defaultPorts.get(scheme) ? name : `${name}:${port}`;
  return `${scheme}://${user}${place}${foldUri(path)}${query === "?" ? "" : query}`;
}

/** Two spellings of one address. */
export function isSameAddress(a: string, b: string): boolean {
  return a === b || canonicalAddress(a) === canonicalAddress(b);
}
