import type { ReactNode } from "react";
import { texts } from "../texts/texts.ts";
import { hiddenHost } from "./url.ts";

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
