/** From the names on an element to the one comparison that they mean, by the API's own choice. */
import newestDocument from '../documents/newest.graphql';
import suggestDocument from '../documents/suggest.graphql';
import workloadDocument from '../documents/workload.graphql';
import { AskError, ask, type Document } from './ask.ts';
import type { Answered, Catalog, Found, Place } from './data.ts';

/** What an element names; empty text is not given. */
export interface Wanted {
  server: string;
  operation: string;
  workload: string;
  hardware: string;
  cohort: string;
  snapshot: string;
}

export interface Suggestion {
  text: string;
  /** Path of its page. */
  path: string;
}

export type Outcome<C> =
  | { state: 'ready'; comparison: C; catalog: Catalog; text: string }
  | { state: 'empty'; message: string; path: string | null }
  | { state: 'unknown'; message: string; suggestions: Suggestion[] };

const PATHS: Record<string, (key: string, name: string) => string> = {
  OPERATION: (_, name) => `/o/${encodeURIComponent(name)}`,
  FAMILY: (key) => `/records?family=${encodeURIComponent(key)}`,
  HARDWARE: (key) => `/hardware/${hardwareSlug(key)}`,
};

/** A product's name as it stands in an address: `nvidia-a100`. */
export const hardwareSlug = (product: string): string =>
  product
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** The comparison that is meant, or why there is none. Rejects as `ask` does. */
export async function find<C extends Place>(
  wanted: Wanted,
  document: Document,
  variables: object,
  signal: AbortSignal,
): Promise<Outcome<C>> {
  const { server, snapshot, operation, hardware } = wanted;
  let { cohort } = wanted;
  if (!cohort && wanted.workload) {
    const picked = await pick(wanted, signal);
    if (typeof picked !== 'string') return picked;
    cohort = picked;
  }
  if (!cohort && !operation) {
    throw new AskError('NOT_ASKED', 'Give this element an operation, a workload or a cohort to show.');
  }
  const input = hardware ? { operation, hardware } : { operation };
  const { data, text } = await ask<Answered<C>>(
    server,
    document,
    { cohort, input, isNamed: !cohort, ...variables },
    { snapshot, signal },
  );
  const comparison = data.resolve ? data.resolve.cohort : data.cohort;
  if (comparison) return { state: 'ready', comparison, catalog: data.catalog, text };
  if (data.resolve) return explain(wanted, data.resolve, signal);
  return { state: 'unknown', message: `No comparison has the key ${cohort}.`, suggestions: [] };
}

/** The newest snapshot of a server; null where it cannot be had. */
export async function findNewest(server: string, signal: AbortSignal): Promise<Catalog | null> {
  try {
    return (await ask<{ catalog: Catalog }>(server, newestDocument, {}, { signal })).data.catalog;
  } catch {
    // What is shown is right without it.
    return null;
  }
}

async function explain(wanted: Wanted, found: Found<unknown>, signal: AbortSignal): Promise<Outcome<never>> {
  const { hardware } = wanted;
  const unknown = (field: string) => found.unresolved.find((one) => one.field === field)?.message;
  const noOperation = unknown('operation');
  if (noOperation || !found.operation) {
    const said = await doubt(wanted, 'operation', signal);
    return said.suggestions.length > 0 || !noOperation ? said : { ...said, message: noOperation };
  }
  const noHardware = unknown('hardware');
  if (noHardware) {
    const said = await doubt(wanted, 'hardware', signal);
    // The server may know names that are like it in other ways.
    return said.suggestions.length > 0 ? said : { ...said, message: noHardware };
  }
  const { slug, title, runCount } = found.operation;
  const products = new Set(found.nearMatches.map(({ run }) => run.environment.hardware.product));
  const message =
    hardware && products.size > 0
      ? `Nothing ranked of ${title} is measured on ${hardware}; it is on ${[...products].join(', ')}.`
      : `No run of ${title} takes part in a ranking${runCount ? `; ${runCount} recorded` : ''}.`;
  return { state: 'empty', message, path: `/o/${encodeURIComponent(slug)}` };
}

interface Workload {
  digest: string;
  label: string;
  operation: { slug: string; title: string };
  cohorts: { key: string; eligibleRunCount: number; hardware: { product: string } }[];
}

/** Key of the workload's comparison with most ranked runs, on the hardware where that is named. */
async function pick(wanted: Wanted, signal: AbortSignal): Promise<string | Outcome<never>> {
  const { server, snapshot, workload: ref, hardware, operation } = wanted;
  const variables = { ref, hardware, hasHardware: hardware !== '', operation, hasOperation: operation !== '' };
  const { data } = await ask<{
    workload: Workload | null;
    hardwareProduct?: { product: string } | null;
    operation?: { slug: string; title: string } | null;
  }>(server, workloadDocument, variables, { snapshot, signal });
  if (!data.workload) {
    return { state: 'unknown', message: `No workload is known as ${ref}.`, suggestions: [] };
  }
  if (data.operation === null) {
    return doubt(wanted, 'operation', signal);
  }
  if (data.hardwareProduct === null) {
    return doubt(wanted, 'hardware', signal);
  }
  const { label, cohorts, digest, operation: own } = data.workload;
  const path = `/w/${digest}`;
  if (data.operation && data.operation.slug !== own.slug) {
    const message = `The workload ${label} is one of ${own.title}, not of ${data.operation.title}.`;
    return { state: 'unknown', message, suggestions: [{ text: own.slug, path: `/o/${encodeURIComponent(own.slug)}` }] };
  }
  const product = data.hardwareProduct?.product;
  const there = cohorts.filter((one) => !product || one.hardware.product === product);
  const best = there.reduce<(typeof there)[number] | null>(
    (most, one) => (most && most.eligibleRunCount >= one.eligibleRunCount ? most : one),
    null,
  );
  if (best) return best.key;
  const products = [...new Set(cohorts.map((one) => one.hardware.product))].join(', ');
  const message = `The workload ${label} is not measured${product ? ` on ${product}` : ''}${products ? `; it is on ${products}` : ''}.`;
  return { state: 'empty', message, path };
}

type Unknown = Extract<Outcome<never>, { state: 'unknown' }>;

/** Says that a name is unknown, and what it may have meant. */
async function doubt(wanted: Wanted, field: 'operation' | 'hardware', signal: AbortSignal): Promise<Unknown> {
  const isOperation = field === 'operation';
  const message = `No ${isOperation ? 'operation' : 'device'} is known as ${wanted[field]}.`;
  const kinds = isOperation ? ['OPERATION', 'FAMILY'] : ['HARDWARE'];
  return { state: 'unknown', message, suggestions: await suggest(wanted, wanted[field], kinds, signal) };
}

async function suggest(wanted: Wanted, text: string, kinds: string[], signal: AbortSignal): Promise<Suggestion[]> {
  const { server, snapshot } = wanted;
  const { data } = await ask<{ search: { nodes: { kind: string; key: string; name: string }[] } }>(
    server,
    suggestDocument,
    { text, kinds },
    { snapshot, signal },
  );
  return data.search.nodes.map(({ kind, key, name }) => ({
    // An operation is asked for by its slug, which is its name here; its key is a digest.
    text: kind === 'OPERATION' ? name : key,
    path: PATHS[kind]?.(key, name) ?? '/',
  }));
}
