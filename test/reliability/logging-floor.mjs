// A floor with the logger that a server has when none is given.
import { createFloorServer, createSqliteStore } from "@plenary/server";

const [file, token] = process.argv.slice(2);
const dialler = { dial: () => Promise.reject(new Error("nobody is to be dialled")) };
const server = await createFloorServer({ store: createSqliteStore(file), dialler }, { token, listen: { port: 0 } });
console.log(JSON.stringify({ url: server.url }));
process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
