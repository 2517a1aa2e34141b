import { expect, test } from "vitest";
import { announcement, type OpenFloorInfo } from "./serve.ts";

const local: OpenFloorInfo = {
  url: "http://127.0.0.1:7536",
  token: "hush",
  tokenFile: "/floor/floor.db-token",
  isTokenGiven: false,
  agents: ["echo"],
  file: "/floor/floor.db",
};
const { tokenFile: _place, ...inMemory }: OpenFloorInfo = { ...local, file: undefined };
const publicUrl = "https://floor.example";

const forPeople = (opened: OpenFloorInfo) => announcement(opened, { json: false });
const forMachines = (opened: OpenFloorInfo) => JSON.parse(announcement(opened, { json: true }));

test("in local mode one link is printed", () => {
  expect(forPeople(local)).toContain("The floor is open: http://127.0.0.1:7536/#token=hush\n");
  expect(forMachines(local)).toEqual({
    url: local.url,
    link: `${local.url}/#token=hush`,
    token: "hush",
    agents: ["echo"],
    store: "/floor/floor.db",
  });
});

test.each<[string, OpenFloorInfo, string]>([
  ["kept in a file", local, "The operator's token is in /floor/floor.db-token, readable by its owner only."],
  ["given", { ...local, isTokenGiven: true }, "The operator's token is the one that was given."],
  ["in memory", inMemory, "The operator's token is not shown: set PLENARY_TOKEN, or store"],
])("a token that is %s is never shown where others may read it", (_name, opened, words) => {
  const text = forPeople({ ...opened, publicUrl });
  expect(text).toContain(`The floor is open: ${publicUrl}\n`);
  expect(text).toContain(words);
  expect(text + JSON.stringify(forMachines({ ...opened, publicUrl }))).not.toContain("hush");
});

test("--json has the token file when the token is stored", () => {
  expect(forMachines({ ...local, publicUrl }).tokenFile).toBe(local.tokenFile);
  expect(forMachines({ ...local, publicUrl, isTokenGiven: true })).not.toHaveProperty("tokenFile");
});
