import { createHash } from "node:crypto";
import { joinScript, joinSection, joinStyle } from "./join-page.ts";

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
  h1 { margin-bottom: 0; } h1 + p { margin-top: 0; opacity: .75; }
  dt { font-weight: 600; margin-top: .75rem; } dd { margin: 0; overflow-wrap: anywhere; }
  pre { padding: 1rem; border-radius: .5rem; white-space: pre-wrap; overflow-wrap: anywhere; background: color-mix(in srgb, currentColor 8%, transparent); }
  code { font-size: .9rem; }
${joinStyle}`;

// The link that the floor prints has the token behind the #, so it reaches no server and no log.
const script = `
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) for (const place of document.querySelectorAll("[data-token]")) place.textContent = token;
${joinScript}`;

export const statusPagePolicy = [
  "default-src 'none'",
  `style-src '${hashOf(style)}'`,
  `script-src '${hashOf(script)}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

type Status = {
  serviceUrl: string;
  speakerUri: string;
  /** Names of agents that live here. */
  agents: readonly string[];
};

/** Plain, until the host browser takes its place; to whoever opens an invite link it is the way in. */
export function statusPage({ serviceUrl, speakerUri, agents }: Status): string {
  const base = serviceUrl.replace(/\/openfloor$/u, "");
  const auth = `-H 'authorization: Bearer <span data-token>TOKEN</span>' -H 'content-type: application/json'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Plenary</title>
<style>${style}</style>
</head>
<body>
<h1>Plenary</h1>
<p>An Open Floor 1.1.0 floor manager. It is running.</p>
${joinSection}
<dl>
<dt>serviceUrl</dt><dd><code>${escaped(serviceUrl)}</code></dd>
<dt>speakerUri</dt><dd><code>${escaped(speakerUri)}</code></dd>
<dt>Agents to invite</dt>
${agents.map((name) => `<dd><code>${escaped(`${base}/agents/${name}`)}</code></dd>`).join("\n") || "<dd>any, by its serviceUrl</dd>"}
</dl>
<h2>Talk to it</h2>
<p>Begin a conversation and invite an agent; the answer holds what the agent said.</p>
<pre><code>curl -s ${escaped(serviceUrl)} ${auth} \\
  -H 'prefer: wait=20' -d '${escaped(exampleOf(agentAddress(base, agents)))}'</code></pre>
<p>Read its log, or its state:</p>
<pre><code>curl -s ${escaped(base)}/api/v1/conversations/hello/log ${auth}
curl -s ${escaped(base)}/api/v1/conversations/hello ${auth}</code></pre>
<p>Everything it takes is in <a href="/openapi.json">/openapi.json</a>.</p>
<script>${script}</script>
</body>
</html>
`;
}

function agentAddress(base: string, [name]: readonly string[]): string {
  return name === undefined ? "http://127.0.0.1:8080/" : `${base}/agents/${name}`;
}

function exampleOf(agent: string): string {
  const speakerUri = "tag:you.example,2026:me";
  return JSON.stringify({
    openFloor: {
      schema: { version: "1.1.0" },
      conversation: { id: "hello" },
      sender: { speakerUri },
      events: [
        { eventType: "invite", to: { serviceUrl: agent } },
        {
          eventType: "utterance",
          parameters: {
            dialogEvent: {
              id: "u1",
              speakerUri,
              span: { startTime: "2026-01-01T00:00:00Z" },
              features: { text: { mimeType: "text/plain", tokens: [{ value: "Hello!" }] } },
            },
          },
        },
      ],
    },
  });
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => entities[character] ?? character);
}
