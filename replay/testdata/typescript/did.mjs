// Calls a tool on each of the servers on standard input ([{name, url}]) and says on standard output what the SDK did:
// returned, error or hung.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { readFileSync } from 'node:fs';

async function did(url) {
  const client = new Client({ name: 'c', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    reconnectionOptions: { initialReconnectionDelay: 10, maxReconnectionDelay: 10, reconnectionDelayGrowFactor: 1, maxRetries: 1 },
  });
  await client.connect(transport);
  try {
    await client.callTool({ name: 't', arguments: {} }, undefined, { timeout: 4000 });
    return 'returned';
  } catch (e) {
    const text = String(e && e.message);
    if (text.includes('card declined') || text.includes('"error":')) return 'returned';
    return text.includes('Request timed out') ? 'hung' : 'error';
  } finally {
    await client.close().catch(() => {});
  }
}

process.on('unhandledRejection', () => {});
const cases = JSON.parse(readFileSync(0, 'utf8'));
const out = {};
await Promise.all(cases.map(async (c) => {
  out[c.name] = await did(c.url).catch((e) => 'no session: ' + e.message);
}));
process.stdout.write(JSON.stringify(out));
process.exit(0);
