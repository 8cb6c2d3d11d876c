import type { TypedDocumentString } from './preset/graphql';
import { post } from './server';

export async function ask<Answer, Variables>(
  document: TypedDocumentString<Answer, Variables>,
  variables: Variables,
): Promise<Answer> {
  return (await post(document.toString(), variables)) as Answer;
}
