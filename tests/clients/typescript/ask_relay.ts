import {
  Environment,
  Network,
  RecordSource,
  Store,
  createOperationDescriptor,
  fetchQuery,
  getRequest,
  type GraphQLTaggedNode,
  type OperationType,
} from 'relay-runtime';
import { post } from './server';

export const environment = new Environment({
  network: Network.create(async (request, variables) => ({
    data: (await post(request.text ?? '', variables)) as Record<string, unknown>,
  })),
  store: new Store(new RecordSource()),
});

// The answer as the store gives it back after it was taken apart into records by their global ids:
// an id that two things share, or that changes between answers, would show.
export async function ask<Operation extends OperationType>(
  document: GraphQLTaggedNode,
  variables: Operation['variables'],
): Promise<Operation['response']> {
  environment.retain(createOperationDescriptor(getRequest(document), variables));
  const answer = await fetchQuery<Operation>(environment, document, variables).toPromise();
  if (answer === undefined) throw new Error('no answer');
  return answer;
}
