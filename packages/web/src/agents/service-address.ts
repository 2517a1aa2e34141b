export const addressMax = 2_048;

export type ParsedAddress = { ok: true; url: string } | { ok: false; problem: string };

/** Checks a typed address. `problem` says what to change. */
export function parseAddress(typed: string): ParsedAddress {
  const text = typed.trim();
  if (text === "")
    return { ok: false, problem: "Type the address at which the agent listens, like https://agent.example/openfloor." };
  if (/\s/u.test(text)) return { ok: false, problem: "An address has no spaces. Please remove them." };
  if (!/^[a-z][a-z0-9+.-]*:/iu.test(text) || /^[^:/]+:\d/u.test(text)) {
    return { ok: false, problem: `Begin with https:// – did you mean https://${text}?` };
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { ok: false, problem: "This is not a whole address. It looks like https://agent.example/openfloor." };
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return {
      ok: false,
      problem: "Agents are reached by https:// (or http:// on this machine). Names like tag:… are no addresses.",
    };
  }
  if (url.username !== "" || url.password !== "") {
    return { ok: false, problem: "Leave out the name and password before the @." };
  }
  return { ok: true, url: text };
}
