/** `npm run scripted -- SCENARIO [PORT]`: the strict model server on loopback, until Ctrl-C. */
import { scenarios } from '../src/testing/scenarios/index.ts';
import { startServer } from '../src/testing/server.ts';

const [name = '', port = '0'] = process.argv.slice(2);
const scenario = scenarios[name];

if (!scenario) {
  console.error(`usage: npm run scripted -- SCENARIO [PORT]\nscenarios: ${Object.keys(scenarios).join(', ')}`);
  process.exit(2);
}

const server = await startServer(scenario, { port: Number(port), record: false });
console.log(`The scenario "${name}" is served on ${server.url}. Point rein at it:

  ANTHROPIC_BASE_URL=${server.url} ANTHROPIC_API_KEY=scripted rein
  OPENAI_BASE_URL=${server.url}/v1 OPENAI_API_KEY=scripted rein -m openai/scripted

Ctrl-C ends it and lists what the requests broke.`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    console.log(`\n${server.requests.length} requests, ${server.violations.length} violations`);
    for (const line of server.violations) console.log(`- ${line}`);
    process.exit(server.violations.length > 0 ? 1 : 0);
  });
}
