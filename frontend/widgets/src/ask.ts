/** Asking a server: persisted documents by GET, so that browsers, proxies and the server may keep the answers. */

/** A document of ours, and the id that servers of this release know it by. */
export interface Document {
  id: string;
  text: string;
}

/** An answer, its text to tell whether it changed. */
export interface Answer<T> {
  data: T;
  text: string;
}

/** What went wrong, for people and by code. */
export class AskError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const LONGEST_WAIT = 20_000;

interface Flight {
  answer: Promise<Answer<unknown>>;
  controller: AbortController;
  waiting: number;
}

const flights = new Map<string, Flight>();

/**
 * The answer to a document. Whoever asks the same at the same time shares one request, which is given up once nobody
 * waits for it any more.
 *
 * Rejects with an `AskError`, or with the signal's reason once it is aborted.
 */
export async function ask<T>(
  server: string,
  document: Document,
  variables: object,
  { snapshot, signal }: { snapshot?: string | null; signal: AbortSignal },
): Promise<Answer<T>> {
  signal.throwIfAborted();
  const given = JSON.stringify(variables);
  const key = JSON.stringify([server, document.id, given, snapshot]);
  let flight = flights.get(key);
  if (!flight) {
    const controller = new AbortController();
    const answer = send(server, document, given, snapshot ?? null, controller.signal);
    flight = { answer, controller, waiting: 0 };
    flights.set(key, flight);
    const land = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    answer.then(land, land);
  }
  const shared = flight;
  shared.waiting += 1;
  return new Promise((resolve, reject) => {
    const leave = () => {
      shared.waiting -= 1;
      if (shared.waiting === 0) {
        if (flights.get(key) === shared) flights.delete(key);
        shared.controller.abort();
      }
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    shared.answer
      .then((answer) => resolve(answer as Answer<T>), reject)
      .finally(() => signal.removeEventListener('abort', leave));
  });
}

async function send(
  server: string,
  document: Document,
  variables: string,
  snapshot: string | null,
  signal: AbortSignal,
): Promise<Answer<unknown>> {
  const pin: Record<string, string> = snapshot ? { snapshot } : {};
  try {
    return await get(server, { documentId: document.id, variables, ...pin }, signal);
  } catch (error) {
    // Another release of the server does not know this release's documents, and takes them written out.
    if (!(error instanceof AskError) || error.code !== 'PERSISTED_DOCUMENT_NOT_FOUND') throw error;
    return get(server, { query: document.text, variables, ...pin }, signal);
  }
}

async function get(server: string, parameters: Record<string, string>, signal: AbortSignal): Promise<Answer<unknown>> {
  const wait = AbortSignal.timeout(LONGEST_WAIT);
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${server}/graphql?${new URLSearchParams(parameters)}`, {
      headers: { accept: 'application/json' },
      credentials: 'omit',
      signal: AbortSignal.any([signal, wait]),
    });
    text = await response.text();
  } catch (error) {
    if (signal.aborted) throw error;
    throw wait.aborted
      ? new AskError('TIMEOUT', `No answer came within ${LONGEST_WAIT / 1000} seconds.`)
      : new AskError('NETWORK', explainSilence(server));
  }
  const body = parse(text);
  const [fault] = body?.errors ?? [];
  if (fault) throw new AskError(fault.extensions?.code ?? 'ERROR', fault.message);
  if (!response.ok || !body?.data) {
    const type = response.headers.get('content-type') ?? 'nothing';
    throw new AskError('HTTP', `The server answered HTTP ${response.status} with ${type}, expected JSON with data.`);
  }
  return { data: body.data, text };
}

interface Body {
  data?: unknown;
  errors?: { message: string; extensions?: { code?: string } }[];
}

function parse(text: string): Body | null {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return null;
  }
}

/** Browsers hide from scripts why there is no answer; these are the causes that there are. */
function explainSilence(server: string): string {
  if (!navigator.onLine) return 'This device is offline.';
  if (new URL(server).origin === location.origin) return 'The server could not be reached.';
  return (
    `The server could not be reached, or it does not let pages of ${location.origin} read its answers ` +
    '(its setting KGRAPH_CORS_ORIGINS has to name that origin), or this page forbids to ask it (connect-src).'
  );
}
