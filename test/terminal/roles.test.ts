import { createHostClient } from "@plenary/client/host";
import { describe, expect, test } from "vitest";
import { startScriptedAgent } from "../support/scripted-agent.ts";
import { useChatFloor } from "./chat-floor.ts";
import { isMissing, openPane } from "./tmux.ts";

const { place } = useChatFloor();

const rolesAt = async (): Promise<unknown> => {
  const host = createHostClient(place);
  const { conversations } = await host.call("GET /api/v1/conversations");
  const { assignedFloorRoles } = await host.call("GET /api/v1/conversations/:id", {
    params: { id: conversations[0]?.id ?? "" },
  });
  return assignedFloorRoles;
};

describe.skipIf(isMissing)("roles in a terminal", () => {
  test("the owner makes an agent archivist by its name, and removes the role again", async () => {
    const keeper = await startScriptedAgent({ name: "Keeper", roles: { archivist: true } });
    const pane = await openPane(["chat", keeper.url], { cwd: place.folder });
    await pane.until("● Keeper");
    await pane.enter("/role keep archivist");
    await pane.until("Keeper is archivist now");
    expect(await rolesAt()).toMatchObject({ archivist: [keeper.speakerUri] });
    await pane.enter("/who");
    await pane.until(/Keeper {2}agent, has the floor, archivist/u);
    await pane.enter("/role Keeper not archivist");
    await pane.until("Keeper is archivist no longer");
    expect(JSON.stringify(await rolesAt())).not.toContain(keeper.speakerUri);
  });

  test("an error in the command is reported, and nothing is assigned", async () => {
    const keeper = await startScriptedAgent({ name: "Keeper" });
    const pane = await openPane(["chat", keeper.url], { cwd: place.folder });
    await pane.until("● Keeper");
    for (const [command, says] of [
      ["/role Keeper", "Give a role: /role NAME archivist"],
      ["/role Nobody archivist", "There is no participant Nobody"],
      ["/role Keeper 4711", "a role is named by a letter"],
      ["/role Keeper convener", "Use /convener Keeper for this role"],
      ["/role Keeper not convener", "Use /convener none to remove the convener"],
    ] as const) {
      await pane.enter(command);
      await pane.until(says);
      await pane.press("C-u");
    }
    expect(JSON.stringify(await rolesAt())).not.toContain(keeper.speakerUri);
  });
});
