import { describe, expect, it } from 'vitest';
import { families } from '../../../families/index.ts';
import { buildRegistry } from '../../../kernel/registry.ts';
import { OperationSearch } from '../../../search/operation-search.ts';
import { exampleDocument } from '../../openapi/snapshot.ts';

const document = exampleDocument(buildRegistry(families));
const search = new OperationSearch(document);

describe('a question about something that the API does not have', () => {
  it.each([
    ['load balancer', 'load balancers'],
    ['loadblancer einrichten', 'load balancers'],
    ['kubernetes cluster', 'Kubernetes clusters'],
    ['how do I get an SSL certificate', 'TLS certificates'],
    ['S3', 'object storage'],
    ['register a domain', 'domains'],
    ['delete flurbnog', '“flurbnog”'],
    ['qwertz zzzyx', '“qwertz zzzyx”'],
  ])('"%s" gets no hits, and the note that nothing is about %s', (query, things) => {
    const { hits, note } = search.ask(query);
    expect([hits, note]).toEqual([[], `Nothing here is about ${things}.`]);
    expect(search.nearestTopics(query, 8).length).toBeGreaterThan(0);
  });

  it.each([
    ['open port 443 to the load balancer', 'addVpsFirewallRule', 'load balancers'],
    ['create a vm with a gpu', 'createVm', 'GPUs'],
  ])('"%s" finds %s, with the note that nothing is about %s', (query, id, things) => {
    const { hits, note } = search.ask(query);
    expect(hits[0]?.id).toBe(id);
    expect(note).toMatch(`Nothing here is about ${things}.`);
  });

  it.each(['attach the reserved IP', 'revok my api kye', 'specs of web-3', 'do I have volumes'])(
    '"%s" is about what there is, and gets no note',
    (query) => expect(search.ask(query)).toMatchObject({ note: undefined }),
  );

  it('quotes only the beginning of what it does not know', () => {
    expect(search.ask('xq'.repeat(1_000)).note?.length).toBeLessThan(100);
  });
});

describe('when something is built that was not there', () => {
  const built = new OperationSearch({
    ...document,
    tags: [...(document.tags ?? []), { name: 'kubernetes_cluster', 'x-displayName': 'Clusters' }],
    paths: {
      ...document.paths,
      '/kubernetes/v1/clusters': {
        post: {
          operationId: 'createKubernetesCluster',
          summary: 'Create a Kubernetes cluster',
          tags: ['kubernetes_cluster'],
          'x-permission': 'kubernetes:clusters:write',
          'x-resource': { name: 'kubernetes_cluster', role: 'create' },
        },
      },
    },
  });

  it('it is found, and the note is gone', () => {
    const { hits, note } = built.ask('kubernetes cluster');
    expect([hits[0]?.id, note]).toEqual(['createKubernetesCluster', undefined]);
  });

  it('the notes about other things stay', () => {
    expect(built.ask('load balancer').note).toBe('Nothing here is about load balancers.');
  });
});
