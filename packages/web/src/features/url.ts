/** An address a person may follow: absolute, and of a kind that runs nothing in this page. */
export function followable(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^(?:https?|mailto):$/u.test(url.protocol) ? url : undefined;
}

/** An address that media may be loaded from once a person asks for it. */
export function loadable(text: string): URL | undefined {
  const url = followable(text);
  return url !== undefined && url.protocol !== "mailto:" ? url : undefined;
}

const hostLike = /[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}[\p{L}\p{N}-]+/gu;

/** The host a link leads to, if its words name another one, or one that only looks the same. */
export function hiddenHost(words: string, url: URL): string | undefined {
  if (url.protocol === "mailto:") return undefined;
  const { host, hostname, pathname, search } = url;
  if (hostname.includes("xn--")) return host;
  // What follows the host in the address itself is no pretence: /index.html, ?for=ann.example
  const isPart = (name: string) => decoded(pathname + search).includes(name);
  const isSame = (name: string) => bare(name) === bare(hostname) || (isPart(name) && words.includes(hostname));
  const named = words.slice(0, 500).toLowerCase().match(hostLike) ?? [];
  const hasUserinfo = url.username !== "" || url.password !== "";
  return hasUserinfo || !named.every(isSame) ? host : undefined;
}

function bare(name: string): string {
  const { hostname } = URL.canParse(`https://${name}`) ? new URL(`https://${name}`) : { hostname: name };
  return hostname.replace(/^www\./u, "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text).toLowerCase();
  } catch {
    return text.toLowerCase();
  }
}
