// A floor that acknowledges what it has not written anywhere: it shows that a check for the opposite can fail.
import { createFloorServer, createMemoryStore } from "@plenary/server";

const dialler = { dial: () => Promise.reject(new Error("nobody is to be dialled")) };
const server = createFloorServer({ store: createMemoryStore(), dialler }, { token: "operators-token" });
const { url } = await server.listen(0);
console.log(JSON.stringify({ url }));
process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
