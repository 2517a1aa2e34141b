import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createDialler } from "../dialler.ts";
import { DialError } from "./dial-error.ts";

const secret = "s3cret";

test("an error names the place, without what may be secret", () => {
  const url = `https://ann:${secret}@bot.example:8443/talk?key=${secret}#${secret}`;
  const error = new DialError(url, "unreachable", "nobody is there");
  expect(error.message).toBe("https://bot.example:8443/talk: nobody is there");
  expect(error.url).toBe("https://bot.example:8443/talk");
});

test("an error stays short, however long the URL is", () => {
  expect(new DialError(`https://bot.example/${"x".repeat(5_000)}`, "broken", "no").message.length).toBeLessThan(250);
});

// Refused for their scheme, their user name or their syntax, before anybody is asked; or answered by nobody.
const urls = [
  ...[`https://${secret}@bot.example/`, `https://u:${secret}@bot.example/`, `https://u:${secret}@[::1`, `u:${secret}`],
  ...[`https://u:${secret}%40bot.example/`, `https://u:${secret}＠bot.example/`, `https://u:${secret} @bot.example/`],
  ...[`https:\\\\u:${secret}@bot.example/`, `ftp://u:${secret}@bot.example/`, `data:text/plain,${secret}`, secret],
  ...[`http://127.0.0.1:1/?key=${secret}`, `http://127.0.0.1:1/#${secret}`, `http://10.0.0.1/?key=${secret}#${secret}`],
  ...[`https://bot.example/?key=${secret}`, `https://bot.example/#${secret}`, `https://[::1/?key=${secret}`],
];

test.each(urls)("nothing of an error repeats the secret of %s", async (url) => {
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
