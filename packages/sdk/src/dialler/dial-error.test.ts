import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createDialler } from "../dialler.ts";
import { DialError } from "./dial-error.ts";

const secret = "s3cret";

test("an error contains the URL without its secret parts", () => {
  const url = `https://ann:${secret}@bot.example:8443/talk?key=${secret}#${secret}`;
  const error = new DialError(url, "unreachable", "connection refused");
  expect(error.message).toBe("https://bot.example:8443/talk: connection refused");
  expect(error.url).toBe("https://bot.example:8443/talk");
});

test("an error is short even for a long URL", () => {
  expect(new DialError(`https://bot.example/${"x".repeat(5_000)}`, "broken", "no").message.length).toBeLessThan(250);
});

// Refused for their scheme, user name or syntax before a connection, or unreachable.
const urls = [
  ...[`https://${secret}@bot.example/`, `https://u:${secret}@bot.example/`, `https://u:${secret}@[::1`, `u:${secret}`],
  ...[`https://u:${secret}%40bot.example/`, `https://u:${secret}＠bot.example/`, `https://u:${secret} @bot.example/`],
  ...[`https:\\\\u:${secret}@bot.example/`, `ftp://u:${secret}@bot.example/`, `data:text/plain,${secret}`, secret],
  ...[`http://127.0.0.1:1/?key=${secret}`, `http://127.0.0.1:1/#${secret}`, `http://10.0.0.1/?key=${secret}#${secret}`],
  ...[`https://bot.example/?key=${secret}`, `https://bot.example/#${secret}`, `https://[::1/?key=${secret}`],
];

test.each(urls)("no field of an error contains the secret of %s", async (url) => {
  const dialler = createDialler({ mode: "local", resolve: async () => [{ address: "10.0.0.1", family: 4 }] });
  const ignore = () => {};
  for (const dial of [
    () => dialler.dial({ url }),
    () => dialler.dialSocket({ url: url.replace(/^http/u, "ws"), onText: ignore, onClose: ignore }),
  ]) {
    const error = await dial().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DialError);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
  }
});
