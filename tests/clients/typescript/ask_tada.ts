import { initGraphQLTada, type TadaDocumentNode } from 'gql.tada';
import { print } from 'graphql';
import { post } from './server';
import type { introspection } from './tada-env';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: { BigInt: number; Digest: string; DateTime: string; JSON: unknown };
}>();

export async function ask<Answer, Variables>(
  document: TadaDocumentNode<Answer, Variables>,
  variables: Variables,
): Promise<Answer> {
  return (await post(print(document), variables)) as Answer;
}
