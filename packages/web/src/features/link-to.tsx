import type { ReactNode } from "react";
import { texts } from "../texts/texts.ts";

type Props = { url: URL; words: string; title?: string | undefined; children?: ReactNode };

/** An external link. If its text names another host, the real host stands beside it. */
export function LinkTo({ url, words, title, children }: Props) {
  const host = hiddenHost(words, url);
  return (
    <>
      <a className="feature-link" href={url.href} target="_blank" rel="noopener noreferrer" title={title}>
        {children ?? words}
      </a>
      {host !== undefined && <span className="feature-host">{texts.features.leadsTo(host)}</span>}
    </>
  );
}

/** A URL for links: absolute, and with a scheme that runs nothing in this page. */
export function followable(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^(?:https?|mailto):$/u.test(url.protocol) ? url : undefined;
}

/** A URL from which media may load on request. */
export function loadable(text: string): URL | undefined {
  const url = followable(text);
  return url !== undefined && url.protocol !== "mailto:" ? url : undefined;
}

const hostLike = /[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}[\p{L}\p{N}-]+/gu;

/** The real host of a link if its text names another host or a lookalike. */
export function hiddenHost(words: string, url: URL): string | undefined {
  if (url.protocol === "mailto:") return undefined;
  const { host, hostname, pathname, search } = url;
  if (hostname.includes("xn--")) return host;
  // A name in the path or query of the same URL is not a lie: /index.html, ?for=ann.example
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
