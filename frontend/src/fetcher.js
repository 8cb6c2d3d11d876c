/**
 * Sends operations to the endpoint and remembers how the last one went.
 *
 * One POST, one JSON answer. GraphiQL's stock fetcher also brings multipart and WebSocket clients, which this
 * server's playground has no use for.
 */
const ACCEPT = 'application/graphql-response+json, application/json';

/** A function for `useSyncExternalStore`, and the fetcher that feeds it. */
export function createFetcher(endpoint) {
  let last = null;
  const listeners = new Set();

  const outcome = {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** `{operationName, status, milliseconds, bytes, snapshot}` of the last operation a person ran, or null. */
    read: () => last,
  };

  async function fetcher({ query, variables, operationName }, { headers } = {}) {
    const started = performance.now();
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, accept: ACCEPT },
      body: JSON.stringify({ query, variables, operationName }),
    });
    const text = await response.text();
    // The schema request runs by itself; its figures would pass for those of the reader's query.
    if (operationName !== 'IntrospectionQuery') {
      last = {
        operationName,
        status: response.status,
        milliseconds: performance.now() - started,
        bytes: new TextEncoder().encode(text).length,
        snapshot: response.headers.get('kgraph-snapshot'),
      };
      for (const listener of listeners) listener();
    }
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`${endpoint}: status ${response.status}, expected JSON, found: ${text.slice(0, 200)}`);
    }
  }

  return { fetcher, outcome };
}
