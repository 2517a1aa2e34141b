import { expect, test } from "vitest";
import { SharedDocument } from "./shared-document.ts";

/** A value that counts how often it is encoded. */
function countedValue() {
  let count = 0;
  const value = {
    toJSON() {
      count += 1;
      return { text: "é" };
    },
  };
  return { value, count: () => count };
}

test("the value is encoded when the bytes are first read, and only then", () => {
  const { value, count } = countedValue();
  const document = new SharedDocument(value);
  expect([document.value === value, count()]).toEqual([true, 0]);
  const { bytes } = document;
  expect([bytes.toString(), document.bytes === bytes, count()]).toEqual(['{"text":"é"}', true, 1]);
});

test("stored bytes are given as they are, without a value", () => {
  const stored = Buffer.from('{ "spaces" : true }');
  const document = new SharedDocument(undefined, stored);
  expect([document.bytes === stored, document.value]).toEqual([true, undefined]);
});

test("a document has no frame and no event until a stream sets them", () => {
  const document = new SharedDocument({ a: 1 });
  expect([document.bytes.length, document.frame, document.serverSentEvent]).toEqual([7, undefined, undefined]);
});
