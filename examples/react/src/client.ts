/** Asking the server, from components: one hook for answers, one for lists that go on. */
import { print } from '@0no-co/graphql.web';
import type { TadaDocumentNode } from 'gql.tada';
import { useCallback, useEffect, useState } from 'react';

const named = new URL(location.href).searchParams.get('server');

/** Where the page reads from: `?server=` of its address. */
export const server = (named ?? 'http://127.0.0.1:8000').replace(/\/+$/, '');

/** What went wrong, with the server's code where it answered at all. */
export class AskError extends Error {
  override name = 'AskError';
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

interface Body<Data> {
  data?: Data | null;
  errors?: { message: string; extensions?: { code?: string } }[];
  extensions?: { snapshot?: string };
}

export interface Answer<Data> {
  data: Data;
  /** Names the state of the catalogue that the answer is of. */
  snapshot: string;
}

/** The answer to a document, of one snapshot where one is named. Refusals are thrown. */
export async function ask<Data, Variables>(
  document: TadaDocumentNode<Data, Variables>,
  variables: Variables,
  options: { snapshot?: string | null; signal?: AbortSignal } = {},
): Promise<Answer<Data>> {
  const parameters = new URLSearchParams({ query: print(document), variables: JSON.stringify(variables) });
  if (options.snapshot) parameters.set('snapshot', options.snapshot);
  let body: Body<Data>;
  try {
    const response = await fetch(`${server}/graphql?${parameters}`, {
      headers: { accept: 'application/json' },
      signal: options.signal ?? null,
    });
    body = (await response.json()) as Body<Data>;
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new AskError(
      `${server} gives this page no answer. Is it running, and does KGRAPH_CORS_ORIGINS name ${location.origin}?`,
      'UNREACHABLE',
    );
  }
  const [error] = body.errors ?? [];
  if (error) throw new AskError(error.message, error.extensions?.code ?? 'UNKNOWN');
  if (!body.data || !body.extensions?.snapshot) throw new AskError('The answer holds no data.', 'BAD_ANSWER');
  return { data: body.data, snapshot: body.extensions.snapshot };
}

export interface Asked<Data, Variables> {
  /** With the variables that it answers, which are the last ones while it waits for the next. */
  answer: (Answer<Data> & { variables: Variables }) | null;
  error: AskError | null;
  /** True while an answer is waited for; the last one stays until then. */
  isWaiting: boolean;
}

/** The answer to a document, asked again whenever its variables change. */
export function useAnswer<Data, Variables>(
  document: TadaDocumentNode<Data, Variables>,
  variables: Variables,
  snapshot: string | null = null,
): Asked<Data, Variables> {
  const [state, setState] = useState<Asked<Data, Variables>>({ answer: null, error: null, isWaiting: true });
  const key = JSON.stringify(variables);
  useEffect(() => {
    const stop = new AbortController();
    setState((last) => ({ ...last, isWaiting: true }));
    const asked = JSON.parse(key) as Variables;
    ask(document, asked, { snapshot, signal: stop.signal })
      .then((answer) => setState({ answer: { ...answer, variables: asked }, error: null, isWaiting: false }))
      .catch((error: unknown) => {
        if (stop.signal.aborted) return;
        if (!(error instanceof AskError)) throw error;
        setState({ answer: null, error, isWaiting: false });
      });
    return () => stop.abort();
  }, [document, key, snapshot]);
  return state;
}

/** A value of the page's address, which it follows. */
export function useAddress(name: string): [string, (value: string) => void] {
  const [value, setValue] = useState(() => new URL(location.href).searchParams.get(name) ?? '');
  const change = useCallback(
    (next: string) => {
      const address = new URL(location.href);
      if (next) address.searchParams.set(name, next);
      else address.searchParams.delete(name);
      history.replaceState(null, '', address);
      setValue(next);
    },
    [name],
  );
  return [value, change];
}
