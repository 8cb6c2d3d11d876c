// PostGraphile over one database, as its own documentation sets it up for production.
//
//     node postgraphile.mjs DATABASE_ADDRESS PORT
//
// Prints one line once it listens.

import { createServer } from "node:http";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";

const [connectionString, port] = process.argv.slice(2);

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString, schemas: ["public"] })],
  grafserv: { host: "127.0.0.1", port: Number(port), graphqlPath: "/graphql" },
});
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(Number(port), "127.0.0.1", () => console.log("listening"));
