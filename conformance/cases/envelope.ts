import { bye } from "../bases.ts";
import { drop, mended, type NegativeCase, refused, set, warned } from "../case.ts";

const content = bye.openFloor;

export const envelopeCases: readonly NegativeCase[] = [
  { name: "a string is no envelope", rule: "root", path: "", ...refused, document: "openFloor" },
  { name: "a number is no envelope", rule: "root", path: "", ...refused, document: 42 },
  { name: "null is no envelope", rule: "root", path: "", ...refused, document: null },
  { name: "a list is no envelope", rule: "root", path: "", ...refused, document: [bye] },
  { name: "an empty object is no envelope", rule: "root", path: "", ...refused, document: {} },
  { name: "the content without its root key is refused", rule: "root", path: "", ...refused, document: content },
  { name: "a root key of another name is refused", rule: "root", path: "", ...refused, document: { floor: content } },
  { name: "a string under the root key is refused", rule: "root", ...refused, ...set(bye, "/openFloor", "hello") },
  { name: "a list under the root key is refused", rule: "root", ...refused, ...set(bye, "/openFloor", [content]) },
  { name: "null under the root key is refused", rule: "root", ...refused, ...set(bye, "/openFloor", null) },
  {
    name: "a root key in lower case is understood",
    rule: "root",
    path: "/openfloor",
    ...warned,
    document: { openfloor: content },
  },
  {
    name: "an envelope without schema is taken as 1.1.0",
    rule: "schema",
    ...warned,
    ...drop(bye, "/openFloor/schema"),
  },
  {
    name: "a schema that is a string breaks the text",
    rule: "schema",
    ...mended,
    ...set(bye, "/openFloor/schema", "1.1.0"),
  },
  {
    name: "a schema that is a list breaks the text",
    rule: "schema",
    ...mended,
    ...set(bye, "/openFloor/schema", ["1.1.0"]),
  },
  { name: "a schema that is null breaks the text", rule: "schema", ...mended, ...set(bye, "/openFloor/schema", null) },
  {
    name: "a missing version is taken as 1.1.0",
    rule: "schema-version",
    ...warned,
    ...drop(bye, "/openFloor/schema/version"),
  },
  {
    name: "blanks around the version are cut",
    rule: "schema-version",
    ...warned,
    ...set(bye, "/openFloor/schema/version", " 1.1.0"),
  },
  {
    name: "an abbreviated version is completed",
    rule: "schema-version",
    ...warned,
    ...set(bye, "/openFloor/schema/version", "1.1"),
  },
  {
    name: "a version that is a number is completed",
    rule: "schema-version",
    ...warned,
    ...set(bye, "/openFloor/schema/version", 1.1),
  },
  {
    name: "a version that nobody published is read as the newest",
    rule: "schema-version",
    ...warned,
    ...set(bye, "/openFloor/schema/version", "7.0.0"),
  },
  {
    name: "a word is no version",
    rule: "schema-version",
    ...mended,
    ...set(bye, "/openFloor/schema/version", "latest"),
  },
  {
    name: "an empty string is no version",
    rule: "schema-version",
    ...mended,
    ...set(bye, "/openFloor/schema/version", ""),
  },
  {
    name: "null is no version",
    rule: "schema-version",
    ...mended,
    ...set(bye, "/openFloor/schema/version", null),
  },
  {
    name: "a list is no version",
    rule: "schema-version",
    ...mended,
    ...set(bye, "/openFloor/schema/version", ["1.1.0"]),
  },
  {
    name: "a version of the old format does not belong under openFloor",
    rule: "schema-version-root",
    ...warned,
    ...set(bye, "/openFloor/schema/version", "0.9.2"),
  },
  {
    name: "a schema url that is a number breaks the text",
    rule: "schema-url",
    ...mended,
    ...set(bye, "/openFloor/schema/url", 5),
  },
  {
    name: "a schema url without a scheme breaks the text",
    rule: "schema-url",
    ...mended,
    ...set(bye, "/openFloor/schema/url", "schema.json"),
  },
];
