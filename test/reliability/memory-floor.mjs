// A floor that acknowledges what it has not written anywhere: it shows that a check for the opposite can fail.
import { createFloorServer, createMemoryStore, silentLogger } from "@plenary/server";

const dialler = { dial: () => Promise.reject(new Error("nobody is to be dialled")) };
const options = { token: "operators-token", listen: { port: 0 } };
const server = await createFloorServer({ store: createMemoryStore(), dialler, logger: silentLogger }, options);
console.log(JSON.stringify({ url: server.url }));
process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
