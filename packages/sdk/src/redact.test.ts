import fc from "fast-check";
import { expect, test } from "vitest";
import { redact } from "./redact.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const base64url = (length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });
const credential = fc
  .tuple(fc.constantFrom("", "i", "g", "s", "p"), base64url(43))
  .map(([kind, secret]) => ({ text: `plenary${kind}_5v0c2m8q5v0c2m8q_${secret}`, secret }));
const secret = base64url(24);

/** How a credential may be written in a text. */
const forms: readonly ((secret: string) => string)[] = [
  (one) => `Bearer ${one}`,
  (one) => `{"authorization":"Bearer ${one}"}`,
  (one) => `{"accessToken": "${one}", "a": 1}`,
  (one) => `{ clientSecret: '${one}' }`,
  (one) => `{"password":"it's ${one} \\"${one}\\""}`,
  (one) => `API_KEY=${one} node main.js`,
  (one) => `https://ann:${one}@bot.example/agent`,
  ...["token", "access_token", "code", "ticket", "key", "apikey", "invite", "sig", "password", "state"].flatMap(
    (name) => [
      (one: string) => `https://bot.example/a?x=1&${name}=${one}&y=2`,
      (one: string) => `return=%2F%23${name}%3D${one}`,
    ],
  ),
];

test("a credential is removed in every form, between any texts", () => {
  const words = fc.string({ unit: fc.constantFrom("a", "7", " ", ".", "/", "{", "}", "\n"), maxLength: 40 });
  const written = fc.record({ secret, form: fc.constantFrom(...forms), before: words, after: words });
  fc.assert(
    fc.property(written, ({ secret: one, form, before, after }) => {
      expect(redact(`${before} ${form(one)} ${after}`)).not.toContain(one);
    }),
  );
});

test("the credentials of a floor are removed wherever they stand", () => {
  fc.assert(
    fc.property(credential, ({ text, secret: one }) => {
      expect(redact(`the key ${text} is known, see /guests/${text}`)).not.toContain(one);
    }),
  );
  // Too improbable to be generated: 43 characters of one case.
  const isMixed = (text: string) => /[a-z]/u.test(text) && /[A-Z]/u.test(text);
  fc.assert(
    fc.property(base64url(43).filter(isMixed), (token) => {
      expect(redact(`is ${token} the token?`)).not.toContain(token);
    }),
  );
});

test("a redacted text is redacted already", () => {
  const text = fc.record({ secret, form: fc.constantFrom(...forms) }).map(({ secret: one, form }) => form(one));
  fc.assert(
    fc.property(text, (one) => {
      const once = redact(one);
      expect(redact(once)).toBe(once);
    }),
  );
});

test("addresses, ids, codes and paths stay", () => {
  const text =
    "the webhook wh-1 of tag:floor.example,2026:plenary-0a1b2c3d4e5f at https://bot.example/hook?page=3#top: " +
    "it answered 410 Gone; code: 'ENOENT', exit code=1, /floor/floor.db-token, a token of 43 characters";
  expect(redact(text)).toBe(text);
});
